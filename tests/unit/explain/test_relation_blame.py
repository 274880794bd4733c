"""Whose values are said to be wrong where columns no longer have in common what they had, and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pyarrow as pa

from airflow_dq.explain.cause import Cause
from airflow_dq.explain.cause.hypothesis import Proof
from airflow_dq.explain.relation import not_outnumbered
from airflow_dq.judge.evaluation import evaluate
from airflow_dq.judge.verdict import Verdict
from airflow_dq.learn.constraint.base import Finding, Scope
from airflow_dq.learn.constraint.relation import Holding
from airflow_dq.learn.pipeline import synthesize
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.profile import profile_table
from airflow_dq.profile.model import Profile
from airflow_dq.relation.arithmetic import Sum
from airflow_dq.relation.rule import RelationRule

ROWS, DAYS = 400, 12
Frame = dict[str, np.ndarray]


def _day(index: int) -> Frame:
    """Stays, of which one in ten has not ended; and calls, of which the whole time is the sum of its parts."""
    rng = np.random.default_rng(index)
    start = np.datetime64("2026-03-01") + np.timedelta64(index, "D") + rng.integers(0, 80_000, ROWS).astype("m8[s]")
    minutes, open_ = rng.integers(5, 300, ROWS), rng.random(ROWS) < 0.1
    end = start.astype("M8[us]") + minutes.astype("m8[m]")
    talk, wrap = rng.integers(30, 900, ROWS), rng.integers(5, 90, ROWS)
    return {
        "start": start.astype("M8[us]"),
        "end": np.where(open_, np.datetime64("NaT"), end),
        "minutes": np.where(open_, np.nan, minutes),
        "talk": talk,
        "wrap": wrap,
        "whole": talk + wrap,
    }


def _profile(frame: Frame, index: int) -> Profile:
    table = pa.table({name: pa.array(values, from_pandas=True) for name, values in frame.items()})
    return profile_table(table, str(np.datetime64("2026-03-01") + np.timedelta64(index, "D")))


def _judged(change: Callable[[Frame], Frame]) -> Verdict:
    history = [_profile(_day(index), index) for index in range(DAYS)]
    return evaluate(synthesize(history, SynthesisOptions()), _profile(change(_day(DAYS)), DAYS), history)


def test_that_values_are_there_does_not_clear_a_column_of_wrong_ones() -> None:
    late = _judged(lambda frame: {**frame, "end": frame["end"] - np.timedelta64(2, "h")})
    broken = [alert for alert in late.alerts if alert.rule == "relation"]
    assert any("end - start = minutes" in alert.statement for alert in broken)
    assert "start" not in {alert.column for alert in broken}


def test_a_cause_that_speaks_of_a_few_rows_is_none_where_all_break_what_the_column_has_in_common() -> None:
    relation = Sum("whole", ("talk", "wrap"), 0.0)
    broken = Holding(Scope(relation.columns), RelationRule(relation).learned(("d",)), 0.001, 7)
    finding = Finding("relation", broken.scope, "broken_ratio", observed=0.9, blamed="whole")
    few, all_ = (Cause("unit_change", "", "x10", 1.0, rows=rows) for rows in (ROWS // 10, ROWS))
    assert not_outnumbered([(broken, finding)], {"whole": few, "talk": few}, ROWS) == {"talk": few}
    assert not_outnumbered([(broken, finding)], {"whole": all_}, ROWS) == {"whole": all_}
    proven = replace(few, proof=Proof(3, 3))
    assert not_outnumbered([(broken, finding)], {"whole": proven}, ROWS) == {"whole": proven}


def test_what_is_computed_of_others_is_told_by_that() -> None:
    found = _judged(lambda frame: {**frame, "whole": frame["talk"]})
    assert found.problems[0].columns[0] == "whole"
    assert "of the rows (" in found.problems[0].headline
    assert "break whole = talk + wrap" in found.problems[0].headline
