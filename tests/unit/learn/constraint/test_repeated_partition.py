"""A partition delivered again: told in words, and never of a table that may well be the same twice."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pyarrow as pa

from airflow_dq.explain.alert import Alert
from airflow_dq.profile import profile_table
from airflow_dq.profile.model import Profile
from airflow_dq.program import SynthesisOptions, evaluate, synthesize

FIRST = date(2026, 1, 1)


def _table(index: int, seed: int | None = None, distinct: int = 200) -> pa.Table:
    rng = np.random.default_rng(index if seed is None else seed)
    return pa.table(
        {
            "day": pa.array([FIRST + timedelta(index)] * 120),
            "customer": rng.integers(0, distinct, 120),
            "kind": pa.array(rng.choice(["a", "b"], 120)),
        }
    )


def _profile(index: int, table: pa.Table | None = None) -> Profile:
    return profile_table(_table(index) if table is None else table, str(FIRST + timedelta(index)))


HISTORY = [_profile(index) for index in range(15)]


def _repeated(now: Profile, history: list[Profile], columns: list[str] | None = None) -> list[Alert]:
    verdict = evaluate(synthesize(history), now, history, columns)
    return [alert for alert in verdict.alerts if alert.rule == "partition_repeated"]


def test_a_copy_is_an_alert_that_names_the_original_and_speaks_for_the_others() -> None:
    verdict = evaluate(synthesize(HISTORY), _profile(15, _table(14)), HISTORY)
    assert verdict.table.status == "fail"
    first, *others = verdict.alerts
    assert first.message.startswith(
        "the table: the partition holds what partition 2026-01-15 holds (120 rows, every value as often in all 2 "
        "columns); no two of the 15 past partitions were alike. Looks like: an old partition delivered again."
    )
    assert [(alert.rule, alert.column, alert.root) for alert in others][:1] == [("date_column", "day", False)]


def test_a_copy_with_a_new_date_in_another_order_is_one_still() -> None:
    restamped = _table(14).slice(0).take(np.random.default_rng(0).permutation(120))
    restamped = restamped.set_column(0, "day", _table(15).column("day"))
    (alert,) = _repeated(_profile(15, restamped), HISTORY)
    assert alert.cause == "an old partition delivered again"


def test_a_new_partition_is_none() -> None:
    assert _repeated(_profile(15), HISTORY) == []


def test_a_table_that_has_been_the_same_before_may_be_so_again() -> None:
    twice = [*HISTORY[:10], *(_profile(index, _table(index, seed=9)) for index in range(10, 12))]
    assert _repeated(_profile(12, _table(12, seed=9)), twice) == []


def test_few_different_values_may_come_again_by_chance() -> None:
    history = [_profile(index, _table(index, distinct=9)) for index in range(15)]
    assert _repeated(_profile(15, _table(15, seed=14, distinct=9)), history) == []


def test_some_columns_say_nothing_of_the_whole() -> None:
    assert _repeated(_profile(15, _table(15, seed=14)), HISTORY, ["customer"]) == []


def test_the_paper_does_not_look_for_it() -> None:
    program = synthesize(HISTORY, SynthesisOptions(mode="paper"))
    verdict = evaluate(program, _profile(15, _table(15, seed=14)), HISTORY)
    assert all(alert.rule == "range" for alert in verdict.alerts)


def test_weeks_without_a_case_are_alike_in_districts_that_always_are() -> None:
    """What never changes tells nothing: each of fifty districts has its inhabitants, and in a summer no cases."""

    def week(index: int, cases: np.ndarray) -> Profile:
        table = pa.table({"district": [f"D{n}" for n in range(50)], "inhabitants": np.arange(50), "cases": cases})
        return profile_table(table, str(FIRST + timedelta(7 * index)))

    def drawn(index: int, mean: float) -> np.ndarray:
        return np.random.default_rng(index).poisson(mean, 50)

    history = [week(index, drawn(index, 20.0)) for index in range(15)]
    summer = np.zeros(50, int)
    assert _repeated(week(16, summer), [*history, week(15, summer)]) == []
    (alert,) = _repeated(week(16, drawn(14, 20.0)), history)
    assert alert.cause == "an old partition delivered again"
