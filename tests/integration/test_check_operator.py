"""A table without history in one task: profiled, judged by its declared checks, and told."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from airflow.sdk import Asset

from airflow_dq.check import Checks
from airflow_dq.check.ruleset import RESULT_KEY
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.operators.check import DQCheckOperator
from airflow_dq.store import Repository
from airflow_dq.version_compat import AirflowFailException, AirflowSkipException

ORDERS = Asset("orders")


@pytest.fixture(autouse=True)
def database(clean_dsn: str, store: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW_DQ_DSN", clean_dsn)


def checks(*rules: str, **more: Any) -> Checks:
    declared = Checks("t")
    for number, rule in enumerate(rules):
        declared.rule(rule, id=f"rule{number}", **more)
    return declared


class Run:
    """One run of the task, and what it left behind."""

    def __init__(self, folder: Path, declared: Any, **given: Any) -> None:
        pq.write_table(pa.table({"n": [1, 2, 3], "m": [3, 2, 1]}), folder / "t.parquet")
        self.events: Any = defaultdict(lambda: SimpleNamespace(extra={}))
        self.pushed: dict[str, Any] = {}
        given = {"partition": "now", "source": f"{folder}/t.parquet", "engine": "arrow", "outlets": [ORDERS], **given}
        self.task = DQCheckOperator(task_id="check", dataset="t", checks=declared, **given)

    def __call__(self) -> dict[str, Any]:
        ti = SimpleNamespace(
            **{"dag_id": "d", "run_id": "r", "task_id": "check", "map_index": -1},
            xcom_push=lambda key, value: self.pushed.update({key: value}),
        )
        context: Any = {"ti": ti, "outlet_events": self.events}
        found: dict[str, Any] = self.task.execute(context)
        return found


def test_what_holds_passes_from_the_first_run_on(tmp_path: Path, store: Repository) -> None:
    run = Run(tmp_path, checks("n > 0"))
    for _ in range(2):
        told = run()
        assert (told["outcome"], told["checks"]["score"]) == ("pass", 1.0)
        assert run.events[ORDERS].extra[RESULT_KEY] == told["checks"]
    assert store.load_profile("t", "now") is not None


def test_checks_of_the_table_alone_are_enough(tmp_path: Path) -> None:
    declared = Checks("t")
    declared.rows().between(1, 5)
    assert Run(tmp_path, declared)()["outcome"] == "pass"


@pytest.mark.parametrize(("on_violation", "raised"), [("fail", AirflowFailException), ("skip", AirflowSkipException)])
def test_a_violation_fails_or_skips_and_says_which_rows(
    tmp_path: Path, on_violation: str, raised: type[Exception], capsys: pytest.CaptureFixture[str]
) -> None:
    run = Run(tmp_path, checks("n < 3", "m > 0"), on_violation=on_violation)
    with pytest.raises(raised, match=r"2 of 3.*rule0"):
        run()
    assert "fails: n = 3" in capsys.readouterr().out
    assert run.pushed["return_value"]["outcome"] == on_violation
    assert run.task.alert_id is not None
    assert not run.events


def test_a_warning_succeeds_with_the_score_for_whoever_reads_it(tmp_path: Path) -> None:
    soft = checks("n < 3", level="warn")
    soft.rule("m > 0", id="hard")
    run = Run(tmp_path, soft)
    told = run()
    assert (told["outcome"], told["checks"]["score"], told["checks"]["warned_rules"]) == ("warn", 0.875, ["rule0"])
    assert run.events[ORDERS].extra[RESULT_KEY]["score"] == 0.875


@pytest.mark.parametrize("rule", ["missing > 3", "n || 'a' = 'b'"])
def test_what_could_not_be_computed_never_passes(tmp_path: Path, rule: str) -> None:
    with pytest.raises(AirflowFailException, match=r"'rule0'.*Correct what is declared"):
        Run(tmp_path, checks(rule, "n > 0"), on_violation="warn")()


def test_nothing_to_look_at_is_no_pass(tmp_path: Path) -> None:
    with pytest.raises(AirflowFailException, match="not judged"):
        Run(tmp_path, checks("n > 0", where="n > 100"))()


def test_a_ruleset_is_judged_and_scored(tmp_path: Path) -> None:
    rules = [
        {"name": "some", "check": "row_count", "condition": {"greater_than": 0}},
        {"name": "low", "check": "max", "column": "n", "condition": {"leq_to": 2}, "severity": "warn"},
    ]
    told = Run(tmp_path, {"name": "orders", "rules": rules})()
    assert (told["outcome"], told["checks"]["ruleset"], told["checks"]["score"]) == ("warn", "orders", 0.875)
    assert told["checks"]["warned_rules"] == ["low"]


def test_what_cannot_be_is_told_when_the_dag_is_parsed(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="there is no check to judge"):
        Run(tmp_path, Checks("t"))
    with pytest.raises(ConfigurationError, match="on_violation is 'review'; allowed: fail, skip, warn"):
        Run(tmp_path, checks("n > 0"), on_violation="review")
