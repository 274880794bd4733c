from __future__ import annotations

from dataclasses import replace

import pytest

from airflow_dq.explain.alert import Alert
from airflow_dq.explain.fact import Fact
from airflow_dq.explain.problem import headline_of, problems_of, same_problem
from airflow_dq.judge.evaluation import evaluate
from airflow_dq.judge.verdict import ScopeVerdict, Status, Verdict
from airflow_dq.learn.pipeline import synthesize
from airflow_dq.options.learning import SynthesisOptions
from tests.unit.learn.builder import flights

FACT = Fact("unit_change a", "a is 10 times too large", ("a", "b"), 400, "Ask.")
FIRST = Alert("range", "a", "mean was 9.", metric="mean", cause="change of unit, x10", group="x10", fact=FACT)
MOVED = Alert("range", "b", "mean was 8.", metric="mean", group="x10", root=False)
ALONE = Alert("range", "c", "mean was 7.", metric="mean")


def test_each_alert_is_the_evidence_of_one_problem() -> None:
    first, second = problems_of((FIRST, MOVED, ALONE))
    assert (first.alerts, second.alerts) == ((FIRST, MOVED), (ALONE,))
    assert (first.key, first.headline, first.columns, first.rows, first.cause, first.advice) == (
        "unit_change a", "a is 10 times too large", ("a", "b"), 400, "change of unit, x10", "Ask.",
    )  # fmt: skip


def test_an_alert_that_nobody_has_explained_speaks_for_itself() -> None:
    (found,) = problems_of((ALONE,))
    assert (found.key, found.headline, found.columns, found.rows) == ("column c", "c: mean was 7", ("c",), None)


def test_what_only_warns_comes_last() -> None:
    warned = replace(ALONE, severity="warn", snoozed="by ann")
    found = problems_of((warned, FIRST, MOVED))
    assert [(problem.severity, problem.snoozed) for problem in found] == [("fail", None), ("warn", "by ann")]


def test_one_line_says_the_worst_and_how_many_more_there_are() -> None:
    assert headline_of(()) is None
    assert headline_of(problems_of((FIRST, MOVED))) == "a is 10 times too large"
    assert headline_of(problems_of((FIRST, MOVED, ALONE))) == "a is 10 times too large; and 1 more problem"


@pytest.mark.parametrize(
    ("now", "before", "same"),
    [
        ("rows", "rows", True),
        ("unit_change a", "unit_change a", True),
        ("unit_change a", "unit_change b", False),
        ("unit_change a", "column a", True),
        ("column a", "increased_nulls a", True),
        ("unit_change a", "increased_nulls a", False),
        ("rows", "novelty", False),
    ],
)
def test_a_problem_stays_the_same_while_its_cause_is_known_or_not(now: str, before: str, same: bool) -> None:
    assert same_problem(now, before) is same


def test_a_partition_that_passes_has_no_problem() -> None:
    verdict = Verdict("d=1", Status.PASS, ScopeVerdict(Status.PASS, 3), {})
    assert (verdict.problems, verdict.headline) == ((), None)


def test_a_change_of_unit_is_one_sentence() -> None:
    history = [flights(day) for day in range(12)]
    verdict = evaluate(synthesize(history, SynthesisOptions(min_history=5)), flights(12, factor=60.0), history)
    (problem,) = verdict.problems
    assert len(problem.alerts) == len(verdict.alerts) > 1
    assert verdict.headline == (
        "air_time is 60 times too large (median 149.2 -> 8,973) in all 400 rows; undone, the partition passes"
    )
