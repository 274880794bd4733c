"""Declared checks alone, with nothing learned: from the first partition on, and never green without a check."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from airflow_dq import ProfileOptions, SynthesisOptions, evaluate, profile_table, synthesize
from airflow_dq.check import Checks
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.judge.verdict import Status, Verdict


def judged(declare: Any, history: int = 0) -> Verdict:
    checks = Checks("t")
    declare(checks)
    options = ProfileOptions(checks=tuple(checks), sample_rows=0)
    table = pa.table({"n": [1, 2, 3], "s": ["a", "b", "c"]})
    profiles = [profile_table(table, str(place), options) for place in range(history + 1)]
    program = synthesize(profiles[:-1], SynthesisOptions(checks=tuple(checks), learn=False))
    assert len(program.constraints) == len(tuple(checks))
    return evaluate(program, profiles[-1], profiles[:-1])


@pytest.mark.parametrize("history", [0, 9])
@pytest.mark.parametrize(
    ("declare", "status"),
    [
        (lambda c: c.rule("n > 0"), Status.PASS),
        (lambda c: c.rows().between(1, 5), Status.PASS),
        (lambda c: c.unique("n", "s"), Status.PASS),
        (lambda c: (c.rule("n > 0"), c.rule("n > 1", level="warn")), Status.FAIL),
        (lambda c: (c.rule("n > 0"), c.rule("n > 1")), Status.FAIL),
        (lambda c: (c.rule("n > 0"), c.rule("missing > 1")), Status.NOT_EVALUATED),
        (lambda c: (c.rule("n > 0"), c.rule("missing > 1", level="warn")), Status.PASS),
        (lambda c: (c.rule("n > 0"), c.rule("n > 0", where="n > 9")), Status.PASS),
        (lambda c: c.rule("n > 0", where="n > 9"), Status.NOT_EVALUATED),
        (lambda c: c.rule("missing > 1", level="warn"), Status.NOT_EVALUATED),
    ],
)
def test_what_becomes_of_a_partition(declare: Any, status: Status, history: int) -> None:
    verdict = judged(declare, history)
    assert verdict.status is status
    assert (verdict.reason is not None) == (status is Status.NOT_EVALUATED)
    warned = status is Status.FAIL and all(alert.severity == "warn" for alert in verdict.alerts)
    assert bool(verdict.alerts) == (status is Status.FAIL)
    assert warned == (status is Status.FAIL and len(verdict.alerts) == 1 and verdict.alerts[0].severity == "warn")


def test_a_check_without_bounds_waits_for_its_own_history() -> None:
    verdict = judged(lambda c: c.metric("total", "sum(n)"))
    assert verdict.status is Status.NOT_EVALUATED
    assert judged(lambda c: c.metric("total", "sum(n)"), history=9).status is Status.PASS


def test_nothing_learned_and_nothing_declared_judges_nothing() -> None:
    with pytest.raises(ConfigurationError, match="judges nothing"):
        SynthesisOptions(learn=False)
