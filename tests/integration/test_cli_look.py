"""The commands that look into stored partitions, on a small lake that this process has profiled."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from airflow_dq.cli import status as status_module
from airflow_dq.cli.main import main
from airflow_dq.operators.drill import DQDrillOperator
from airflow_dq.operators.profile import DQProfileOperator
from airflow_dq.store import open_store
from airflow_dq.version_compat import AirflowFailException, AirflowSkipException

DAYS = [f"2026-01-{day:02}" for day in range(1, 10)]
Run = Callable[..., tuple[int, str, str]]


def _write(folder: Path, number: int, factor: float = 1.0) -> None:
    random = np.random.default_rng(number)
    channel = random.choice(["web", "app", "marketplace"], 1500, p=[0.5, 0.35, 0.15])
    price = np.round(random.lognormal(3.0, 0.5, 1500), 2)
    secret = random.choice(["s1", "s2"], 1500)
    price = np.where(channel == "marketplace", factor * price, price)
    folder.mkdir(parents=True)
    table = pa.table({"channel": channel, "price": price, "secret": secret})
    pyarrow.parquet.write_table(table, folder / "part.parquet")


@pytest.fixture
def run(tmp_path: Path, clean_dsn: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line on a store with eight days of orders; on the last one a channel has another unit."""
    monkeypatch.setenv("AIRFLOW_DQ_DSN", clean_dsn)
    monkeypatch.setenv("AIRFLOW_DQ_HASH_SECRET", "0123456789abcdef")
    for number, day in enumerate(DAYS):
        _write(tmp_path / f"day={day}", number, 60.0 if day == DAYS[-1] else 1.0)

    def call(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = 0
        try:
            main(arguments)
        except SystemExit as ended:
            code = int(ended.code or 0)
        return code, *capsys.readouterr()

    code, out, _ = call(
        "backfill", "orders", "--source", f"{tmp_path}/day=*", "--engine", "arrow", "--hidden", "secret"
    )
    assert (code, out.startswith("orders: 9 of 9 partitions profiled")) == (0, True)
    return call


def test_judge_shows_what_a_gate_would_say_and_stores_it_only_when_asked(run: Run, clean_dsn: str) -> None:
    code, out, _ = run("judge", "orders", DAYS[-1])
    assert code == 1
    assert "price: " in out
    with open_store(clean_dsn) as store:
        assert store.load_verdict("orders", DAYS[-1]) is None
    assert run("judge", "orders", DAYS[-2])[0] == 0
    code, out, _ = run("judge", "orders", DAYS[-1], "--store", "--json", "--target-fpr", "0.002")
    told = json.loads(out)
    assert (code, told["dataset"], told["stored"], told["status"]) == (1, "orders", True, "fail")
    with open_store(clean_dsn) as store:
        program = store.load_program("orders", DAYS[-1])
        assert program is not None
        assert program.options.target_fpr == 0.002
        # What was asked for last is what the next one is judged by.
        before = store.load_verdict("orders", DAYS[-1])
        assert run("accept", "orders", DAYS[-1])[0] == 0
        assert run("judge", "orders", DAYS[-1], "--store")[0] == 1
        after, decision = store.load_verdict("orders", DAYS[-1]), store.decision("orders", DAYS[-1])
    assert before is not None
    assert after is not None
    assert (after.status, decision and decision.decision) == (before.status, "accepted")
    assert "there is no profile to judge" in run("judge", "orders", "2030-01-01")[2]


def test_alerts_are_counted_alike_wherever_they_are_listed(run: Run) -> None:
    run("judge", "orders", DAYS[-1], "--store")
    (partition,) = json.loads(run("alerts", "--open", "--json")[1])
    (dataset,) = json.loads(run("status", "--json")[1])
    newest = json.loads(run("status", "orders", "--limit", "1", "--json")[1])[0]
    assert dataset["open_partitions"] == 1
    assert dataset["open_alerts"] == partition["open_count"] == newest["alerts"]
    assert partition["alert_count"] == newest["alert_count"]


def test_status_is_watched_until_it_is_interrupted(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []

    def sleep(seconds: int) -> None:
        looks.append(seconds)
        if len(looks) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(status_module.time, "sleep", sleep)
    code, out, _ = run("status", "orders", "--limit", "2", "--watch", "--every", "7")
    # Nothing changed, and no terminal is there to be drawn anew.
    assert (code, looks, out.count("PARTITION")) == (0, [7, 7, 7], 1)
    assert "leave out --json" in run("status", "--watch", "--json")[2]


def test_diff_puts_two_partitions_side_by_side(run: Run) -> None:
    code, out, _ = run("diff", "orders", DAYS[-2], DAYS[-1], "--limit", "3")
    assert code == 0
    assert out.splitlines()[:2] == [f"orders: {DAYS[-2]} -> {DAYS[-1]}", "rows: 1,500 -> 1,500"]
    assert "more metrics (--limit, --json)" in out
    found = json.loads(run("diff", "orders", DAYS[-2], DAYS[-1], "--json")[1])
    assert found["moved"][0]["column"] == "price"
    assert "there is no profile" in run("diff", "orders", DAYS[0], "2030-01-01")[2]


def test_drill_finds_the_slice_and_masks_what_is_hidden(run: Run) -> None:
    run("judge", "orders", DAYS[-1], "--store")
    code, out, _ = run("drill", "orders", DAYS[-1], "--rows", "2")
    assert code == 0
    assert f"orders: {DAYS[-1]} against {DAYS[-2]}, the last good one: what changed in price." in out
    assert "filter: `channel` = 'marketplace'" in out
    assert out.count("(hidden)") == 2
    found: dict[str, Any] = json.loads(run("drill", "orders", DAYS[-1], "--json", "--rows", "30")[1])
    (one,) = found["slices"]
    assert (one["columns"], found["attributes"], found["drawn"]) == (["price"], ["channel"], 1.0)
    assert len(one["sample"]["rows"]) == 30
    assert {row[0] for row in one["sample"]["rows"]} == {"marketplace"}


def test_drill_says_when_there_is_nothing_to_find(run: Run) -> None:
    code, out, _ = run("drill", "orders", DAYS[-2])
    assert code == 1
    assert "No slice carries a change" in out
    code, out, _ = run("drill", "orders", DAYS[-1], "--against", DAYS[3], "--columns", "price")
    assert (code, f"against {DAYS[3]}: what changed in price." in out) == (0, True)
    assert "--against KEY" in run("drill", "orders", DAYS[0])[2]
    assert "there is no profile" in run("drill", "orders", "2030-01-01")[2]


def test_a_drill_is_kept_with_the_profile_that_it_looked_into(run: Run, clean_dsn: str, tmp_path: Path) -> None:
    task = {"task_id": "drill", "dataset": "orders", "engine": "arrow", "rows": 3, "on_alarm": True}
    with pytest.raises(AirflowSkipException, match="it was not judged"):
        DQDrillOperator(**task, partition=DAYS[-1]).execute({})
    for day in DAYS[-2:]:
        run("judge", "orders", day, "--store")
    with pytest.raises(AirflowSkipException, match="the gate found nothing in it"):
        DQDrillOperator(**task, partition=DAYS[-2]).execute({})
    assert "no drill of it is stored" in run("drill", "orders", DAYS[-1], "--last")[2]
    drill = DQDrillOperator(**task, partition=DAYS[-1])
    told = drill.execute({})
    assert (told["partition"], told["against"], len(told["slices"])) == (DAYS[-1], DAYS[-2], 1)
    (one,) = told["slices"]
    assert (one["filter"], one["columns"]) == ("`channel` = 'marketplace'", ["price"])
    assert "sample" not in one  # no rows in XCom
    code, out, _ = run("drill", "orders", DAYS[-1], "--last")
    assert (code, out.count("(hidden)")) == (0, 3)
    with open_store(clean_dsn) as store:
        kept = store.load_drill("orders", DAYS[-1])
        assert kept is not None
        assert drill.alert_id is not None
        assert run("report", "--html", str(tmp_path / "site"))[0] == 0
        page = (tmp_path / "site" / f"problem-{drill.alert_id}.html").read_text()
        assert all(words in page for words in ("Where it is", "`channel` = &#39;marketplace&#39;", "3 of the rows"))
        # Another content has not been looked into; the same one has.
        run("backfill", "orders", "--source", f"{tmp_path}/day=*", "--engine", "arrow", "--hidden", "secret")
        assert store.load_drill("orders", DAYS[-1]) == kept
        (tmp_path / f"day={DAYS[-1]}" / "part.parquet").unlink()
        (tmp_path / f"day={DAYS[-1]}").rmdir()
        _write(tmp_path / f"day={DAYS[-1]}", 20)
        run("backfill", "orders", "--source", f"{tmp_path}/day=*", "--engine", "arrow", "--hidden", "secret")
        assert store.load_drill("orders", DAYS[-1]) is None


def test_values_that_are_not_stored_are_not_drilled(run: Run, tmp_path: Path) -> None:
    DQProfileOperator(
        task_id="profile", dataset="quiet", source=f"{tmp_path}/day=*", engine="arrow", store_values=False
    ).execute({})
    assert run("judge", "quiet", DAYS[-1], "--store")[0] == 1
    task = DQDrillOperator(task_id="drill", dataset="quiet", partition=DAYS[-1], engine="arrow")
    with pytest.raises(AirflowFailException, match="store_values=False"):
        task.execute({})
    task.on_alarm = True
    with pytest.raises(AirflowSkipException, match="store_values=False"):
        task.execute({})
