"""The commands on a real store: what they print, what they change, and how they refuse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from airflow_dq.cli.main import main
from airflow_dq.exceptions import StoreError
from airflow_dq.gate.pipeline import judge
from airflow_dq.store import Repository, profile_writer
from airflow_dq.store.migration import check, upgrade
from airflow_dq.store.review_model import AlertFilter
from tests.airflow_api import fake_api
from tests.integration.sample import days, make_profile
from tests.integration.test_store_review import GATE, OPTIONS, TODAY, put


class Line:
    """The command line, with what it printed."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def text(self, *arguments: str) -> str:
        """What a command printed that did its work."""
        self._capsys.readouterr()
        main(arguments)
        return self._capsys.readouterr().out

    def json(self, *arguments: str) -> Any:
        """The same as JSON."""
        return json.loads(self.text(*arguments, "--json"))

    def refused(self, *arguments: str) -> str:
        """The sentence of a command that could not."""
        self._capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert ended.value.code == 2
        return self._capsys.readouterr().err


@pytest.fixture
def line(capsys: pytest.CaptureFixture[str]) -> Line:
    return Line(capsys)


@pytest.fixture
def own_store(line: Line, clean_dsn: str, monkeypatch: pytest.MonkeyPatch) -> Line:
    """The command line on the fixture ``store``."""
    monkeypatch.setenv("AIRFLOW_DQ_DSN", clean_dsn)
    return line


@pytest.fixture
def broken(store: Repository, clean_dsn: str, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """Twenty quiet days and a broken one, judged by a task; the commands find the store."""
    monkeypatch.setenv("AIRFLOW_DQ_DSN", clean_dsn)
    put(store, *days(20), make_profile(TODAY, mean=500.0))
    judge(store, "t", TODAY, OPTIONS, origin=GATE)
    return store


def test_alerts_and_show(broken: Repository, line: Line) -> None:
    (found,) = line.json("alerts", "--open")
    number = str(found["first_alert_id"])
    table = line.text("alerts", "t").splitlines()
    assert table[0].split() == ["ALERT", "DATASET", "PARTITION", "SEVERITY", "STATE", "ALERTS", "OPEN", "WHAT"]
    assert table[1].split()[:5] == [number, "t", TODAY, "fail", "open"]
    assert line.text("alerts", "--severity", "warn") == "No alerts of this kind.\n"
    assert line.json("alerts", "--until", "2020-01-01") == []
    assert "--since '1.1.' is no day" in line.refused("alerts", "--since", "1.1.")
    shown = line.text("show", number)
    assert shown.startswith(f"Dataset 't', partition '{TODAY}': fail\nJudged at ")
    assert "by flights.gate" in shown
    assert f"\n{number} fail: " in shown
    assert len(line.json("show", number)["alerts"]) == found["alert_count"]
    assert "There is no alert 999" in line.refused("show", "999")


@pytest.mark.parametrize(
    ("command", "decision"), [("accept", "accepted"), ("reject", "rejected"), ("new-normal", "new_normal")]
)
def test_a_decision_is_recorded_once_and_can_be_revised(
    broken: Repository, line: Line, command: str, decision: str
) -> None:
    number = str(broken.verdicts(AlertFilter())[0].first_alert_id)
    said = line.text(command, number, "--by", "ann", "--comment", "seen it")
    assert f"Dataset 't', partition '{TODAY}': " in said
    assert "by ann; " in said
    assert "/dags/flights/runs/manual__1/tasks/gate/mapped/3/required_actions : it then goes by this decision" in said
    made = broken.decision("t", TODAY)
    assert made is not None
    assert (made.decision, made.by, made.comment) == (decision, "ann", "seen it")
    assert "by ann: seen it, on 20" in line.refused("reject", "--dataset", "t", "--partition", TODAY, "--by", "bob")
    event = line.json("accept", "t", TODAY, "--by", "bob", "--revise")
    assert (event["action"], event["by"], event["task_goes_on"]) == ("accepted", "bob", None)


def test_a_decision_lets_the_waiting_task_go_on(
    broken: Repository, line: Line, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    number = str(broken.verdicts(AlertFilter())[0].first_alert_id)
    token = tmp_path / "token"
    token.write_text("secret\n")
    decide = ("accept", number, "--by", "ann", "--comment", "seen it", "--revise", "--token-file", str(token))
    with fake_api() as api:
        given = (*decide, "--api-url", api.url)
        assert "flights.gate (run manual__1) waited for this, and goes on." in line.text(*given)
        path = "/api/v2/dags/flights/dagRuns/manual__1/taskInstances/gate/3/hitlDetails"
        answer = {"chosen_options": ["Accept and go on"], "params_input": {"comment": "seen it"}}
        assert api.asked == [("PATCH", path, "Bearer secret", answer)]
        for code in (404, 409):
            api.answer = (code, b"{}")
            assert f"{api.url} knows no open question of it" in line.text(*given)
            assert line.json(*given)["task_goes_on"] is False
        api.answer = (403, b"{}")
        said = line.refused(*given)
    assert "The decision is stored, but flights.gate (run manual__1) was not told: Airflow refused (403" in said
    assert "may not answer for this task" in said
    assert "give any answer at http" in said
    assert "cannot be reached" in line.refused(*decide, "--api-url", "http://127.0.0.1:1")


def test_a_decision_about_what_no_task_judged_asks_nobody(broken: Repository, line: Line) -> None:
    put(broken, make_profile("2024-01-22", mean=500.0))
    judge(broken, "t", "2024-01-22", OPTIONS)
    with fake_api() as api:
        said = line.text("reject", "t", "2024-01-22", "--by", "ann", "--api-url", api.url)
        assert api.asked == []
    assert said.count("\n") == 1


def test_a_decision_names_one_partition(broken: Repository, line: Line) -> None:
    for arguments in ((), ("t",), ("--partition", TODAY)):
        assert "Name the partition" in line.refused("accept", *arguments)
    assert "dataset is given twice: '1' and 't'" in line.refused("accept", "1", "--dataset", "t", "--partition", TODAY)
    assert "There is no alert 999" in line.refused("accept", "999")
    assert "was not judged" in line.refused("accept", "t", "2024-01-01")


def test_a_problem_is_listed_over_time_and_gets_an_owner_and_a_ticket(broken: Repository, line: Line) -> None:
    (first, *_) = line.json("problems", "t", "--open")
    number = str(first["alert_id"])
    assert (first["state"], first["owner"], first["ticket"], first["partitions"]) == ("open", None, None, 1)
    given = ("--owner", "ann", "--ticket", "https://tickets.example/1", "--acknowledge", "--noise", "--by", "bob")
    said = line.text("problems", "t", "--alert", number, *given)
    assert "- assigned to ann" in said
    assert "- ticket https://tickets.example/1" in said
    assert line.text("problems", "t").splitlines()[1].split()[:4] == [number, "acknowledged", "(noise)", TODAY]
    (first, *_) = line.json("problems", "t", "--alert", number)
    assert (first["owner"], first["ticket"], first["acknowledged_by"]) == ("ann", "https://tickets.example/1", "bob")
    assert "--alert N" in line.refused("problems", "t", "--noise")
    assert "has no alert 999" in line.refused("problems", "t", "--alert", "999", "--noise")
    assert "is no ticket's address" in line.refused("problems", "t", "--alert", number, "--ticket", "javascript:x")


def test_a_snooze_is_added_listed_and_ended(broken: Repository, line: Line) -> None:
    assert line.text("snooze", "t") == "No alert is snoozed.\n"
    made = line.json("snooze", "t", "--column", "price", "--until", "2099-01-01", "--by", "ann", "--comment", "known")
    assert (made["column"], made["until"], made["by"]) == ("price", "2099-01-01 00:00:00+00:00", "ann")
    assert "of column 'price' of dataset 't'" in line.text("snooze", "t", "--column", "price", "--days", "0.5")
    assert line.text("snooze", "t").splitlines()[1].split()[:3] == ["1", "column", "'price'"]
    assert line.text("snooze", "--end", "1") == "Snooze 1 has ended.\n"
    assert [one["id"] for one in line.json("snooze", "t")] == [2]
    assert "Say how long" in line.refused("snooze", "t", "--column", "price")
    assert "not both" in line.refused("snooze", "t", "--days", "1", "--until", "2099-01-01")
    assert "no time to snooze until" in line.refused("snooze", "t", "--until", "tomorrow")
    assert "Name a DATASET" in line.refused("snooze")
    assert "takes nothing else" in line.refused("snooze", "t", "--end", "2")


def test_datasets_and_status(broken: Repository, line: Line) -> None:
    (found,) = line.json("status")
    assert (found["name"], found["partitions"], found["open_partitions"]) == ("t", 21, 1)
    heads, counted = line.text("status").splitlines()
    problems = line.json("problems", "t")
    assert heads.endswith("OPEN PROBLEMS")
    assert counted.split()[-2:] == ["1", str(len(problems))]
    assert line.text("status", "t", "--limit", "1").split()[-2:] == [str(len(problems))] * 2
    line.text("snooze", "t", "--days", "1")
    judge(broken, "t", TODAY, OPTIONS)
    # One word for it everywhere.
    assert " warning " in line.text("status", "t", "--limit", "1")
    assert line.text("show", str(line.json("alerts")[0]["first_alert_id"])).splitlines()[0].endswith(": warning")


def test_pages_are_written_as_files_and_a_verdict_as_markdown(broken: Repository, line: Line, tmp_path: Path) -> None:
    site = tmp_path / "site"
    told = line.json("report", "--html", str(site), "--partitions", "2")
    assert told["files"][0] == str(site / "index.html")
    assert all(Path(name).is_file() for name in told["files"])
    # The overview, the dataset, two partitions, what was found in one of them.
    assert len([name for name in told["files"] if name.endswith(".html")]) == 5
    assert "There is no dataset 'x'" in line.refused("report", "x", "--html", str(site))
    (tmp_path / "file").write_text("")
    assert "cannot be written" in line.refused("report", "--html", str(tmp_path / "file"))
    with pytest.raises(SystemExit) as ended:
        line.text("explain", "t", TODAY, "--markdown")
    assert ended.value.code == 1


def test_what_there_is_nothing_to_explain_of(broken: Repository, line: Line) -> None:
    assert "no verdict is stored" in line.refused("explain", "t", str(days(1)[0].partition))
    assert "there is no profile. `airflow dq status`" in line.refused("explain", "nope", TODAY)


def test_a_round_trip_of_profiles_is_equal(broken: Repository, line: Line, tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    assert line.json("export", "t", str(file)) == {"dataset": "t", "written": 21}
    assert line.json("import", str(file), "--dataset", "copy") == {"read": 21, "changed": 21}
    for day in days(20):
        assert broken.load_profile("copy", str(day.partition)) == broken.load_profile("t", str(day.partition))
    assert line.json("import", str(file)) == {"read": 21, "changed": 0}
    again = tmp_path / "copy.jsonl"
    line.text("export", "copy", str(again))
    told = [json.loads(text) for text in (again.read_text() + file.read_text()).splitlines()]
    assert [one["profile"] for one in told[:21]] == [one["profile"] for one in told[21:]]
    assert line.text("export", "t", "-", "--limit", "2").count("\n") == 2


def test_what_cannot_be_exchanged(broken: Repository, line: Line, tmp_path: Path) -> None:
    assert "datasets: t" in line.refused("export", "nope", str(tmp_path / "x"))
    assert "cannot be opened: No such file" in line.refused("import", str(tmp_path / "absent"))
    assert "would both go" in line.refused("export", "t", "-", "--json")
    file = tmp_path / "bad.jsonl"
    for content in (
        b"nonsense",
        b"[]",
        b'{"format": "other"}',
        b'{"format": "airflow-dq-profile/1", "profile": {}}',
        b"\xff",
        b"[" * 100_000,
    ):
        file.write_bytes(content)
        assert "Line 1 of" in line.refused("import", str(file))


CHANGES = [
    ("profile.row_count", -5, "-5 is not a number of rows"),
    ("profile.row_count", 10**30, "row_count"),
    ("profile.row_count", "many", "row_count"),
    ("profile.row_count", 7, "is not the profile's number of rows, 7"),
    ("profile.columns.price.metrics.complete_ratio", 1e21, "1e+21 is not from 0 to 1"),
    ("profile.columns.price.metrics.str_len", 1.0, "a numeric column has no such metric"),
    ("profile.columns.price.states_digest", "abc", "is not that of its states"),
    ("profile.columns.price.states", {}, "its checksum is another one"),
    ("profile.columns.price.kind", 5, "kind"),
    ("profile.columns", [], "columns"),
    ("profile.partition", None, "names no key"),
    ("profile.partition", "a\x00b", "its checksum is another one"),
    ("dataset", 5, "which is no name"),
    ("checksum", None, "its checksum is another one"),
    ("profile.variants.price", 3, "variants"),
]


def test_a_changed_line_stores_nothing_of_the_file(store: Repository, own_store: Line, tmp_path: Path) -> None:
    put(store, *days(3))
    file = tmp_path / "t.jsonl"
    own_store.text("export", "t", str(file))
    lines = file.read_text().splitlines()
    for path, value, said in CHANGES:
        document = json.loads(lines[1])
        place = document
        *steps, last = path.split(".")
        for step in steps:
            place = place[step]
        place[last] = value
        file.write_text("\n".join([lines[0], json.dumps(document), lines[2]]))
        told = own_store.refused("import", str(file), *([] if path == "dataset" else ["--dataset", "copy"]))
        assert said in told, path
        assert "Line 2 of" in told
        assert "Nothing of the file is stored" in told
    assert [one.name for one in store.datasets()] == ["t"]


def test_lines_of_the_same_partition_are_refused(store: Repository, own_store: Line, tmp_path: Path) -> None:
    put(store, *days(2))
    file = tmp_path / "t.jsonl"
    own_store.text("export", "t", str(file))
    file.write_text(file.read_text() * 2)
    assert "Lines 1 and 3 of" in own_store.refused("import", str(file), "--dataset", "copy")


def test_an_import_that_fails_while_it_is_stored_leaves_nothing(
    store: Repository, own_store: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(store, *days(3))
    file = tmp_path / "t.jsonl"
    own_store.text("export", "t", str(file))
    save, stored = profile_writer.save, []

    def fail_at_the_third(*given: Any) -> bool:
        stored.append(given)
        if len(stored) == 3:
            raise StoreError("no room")
        return save(*given)

    with monkeypatch.context() as changed:
        changed.setattr(profile_writer, "save", fail_at_the_third)
        assert "no room" in own_store.refused("import", str(file), "--dataset", "copy")
    assert [one.name for one in store.datasets()] == ["t"]


def test_prune_keeps_the_newest_partitions(broken: Repository, line: Line) -> None:
    assert "a gate could learn from 4, and needs 6" in line.refused("prune", "--keep", "5")
    assert line.json("prune", "--keep", "7")["partitions"] == 14
    assert [one.partition for one in broken.partitions("t")][-1] == "2024-01-15"
    assert "keep at least 1" in line.refused("prune", "--keep", "0")


def test_a_downgrade_asks_first(broken: Repository, line: Line, clean_dsn: str) -> None:
    assert "then say --yes" in line.refused("db", "downgrade", "base")
    assert "cannot go back to '4711'" in line.refused("db", "downgrade", "4711", "--yes")
    assert broken.verdicts(AlertFilter())
    try:
        assert line.text("db", "downgrade", "base", "--yes") == "The tables of the statistics database are dropped.\n"
        assert check(clean_dsn).current is None
    finally:
        upgrade(clean_dsn)
    assert broken.verdicts(AlertFilter()) == []


@pytest.mark.parametrize("target", ["dqdl", "gx", "soda", "odcs", "deequ"])
def test_rules_are_exported_of_what_the_gate_judged_by(broken: Repository, line: Line, target: str) -> None:
    found = line.json("export-rules", "t", "--to", target, "--only", "learned")
    assert found["said"] >= 2
    assert all(one["reason"] for one in found["lost"])
    (text,) = found["files"].values()
    assert "behind 2024-01-20" in text or target == "odcs"
    assert "learned.rows" in text
    assert line.json("export-rules", "t", "--to", target, "--only", "declared")["said"] == 0
    assert "(datasets: t)" in line.refused("export-rules", "nobody", "--to", target)
