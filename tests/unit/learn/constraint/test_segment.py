"""Segments in a program: what happens to one of them is seen, what happens to most is left to the table."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from airflow_dq.judge.evaluation import evaluate
from airflow_dq.judge.verdict import Status, Verdict
from airflow_dq.learn.constraint.base import Finding
from airflow_dq.learn.constraint.segment import RULE, UsualSegments
from airflow_dq.learn.pipeline import synthesize
from airflow_dq.learn.program import Program
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.profile.model import Profile
from airflow_dq.profile.table import profile_table

OPTIONS = ProfileOptions(segments=("country",), sample_rows=0)
DAYS = 14
COUNTRIES, SHARES = ["US", "FR", "IT", "DE", "LI"], [0.4, 0.25, 0.2, 0.14, 0.01]
Change = Callable[[pa.Table], pa.Table]


def sales(number: int) -> pa.Table:
    rng = np.random.default_rng(number)
    rows = 2_000 + int(rng.integers(-60, 60))
    return pa.table(
        {
            "country": rng.choice(COUNTRIES, rows, p=SHARES),
            "price": rng.gamma(4.0, 5.0, rows),
            "email": [None if one < 0.02 else "x@y.z" for one in rng.random(rows)],
        }
    )


def profiled(number: int, change: Change = lambda table: table, options: ProfileOptions = OPTIONS) -> Profile:
    return profile_table(change(sales(number)), str(date(2026, 1, 1) + timedelta(number)), options)


@cache
def learned() -> tuple[Program, tuple[Profile, ...]]:
    history = tuple(profiled(number) for number in range(DAYS))
    return synthesize(history, SynthesisOptions()), history


def judged(change: Change, options: ProfileOptions = OPTIONS) -> Verdict:
    program, history = learned()
    return evaluate(program, profiled(DAYS, change, options), history)


def found(change: Change) -> list[Finding]:
    return [one for one in judged(change).findings if one.rule == RULE]


def german(table: pa.Table) -> pa.BooleanArray:
    return pc.equal(table["country"], "DE")


def without(share: float) -> Change:
    def change(table: pa.Table) -> pa.Table:
        row = np.arange(len(table)) % 100
        return table.filter(pc.invert(pc.and_(german(table), pa.array(row < 100 * share))))

    return change


def times(factor: float) -> Change:
    return lambda table: table.set_column(
        1, "price", pc.if_else(german(table), pc.multiply(table["price"], factor), table["price"])
    )


def test_a_usual_day_passes_and_says_what_was_checked() -> None:
    assert found(lambda table: table) == []
    program, _ = learned()
    own = [one for one in program.constraints if isinstance(one, UsualSegments)]
    assert [one.scope.column for one in own] == ["country", "price", "email"]
    # Liechtenstein has too few rows for anything to be said of it.
    assert own[0].segments == ("US", "FR", "IT", "DE")


@pytest.mark.parametrize(
    ("change", "column", "metric", "said"),
    [
        (without(1.0), "country", "rows", "country: 'DE' has no rows; expected "),
        (times(100), "price", "mean", "price: where country is 'DE', the mean was "),
        (
            lambda table: table.set_column(2, "email", pc.if_else(german(table), None, table["email"])),
            "email",
            "complete_ratio",
            "email: where country is 'DE', 0% of the rows have a value; expected at least ",
        ),
    ],
    ids=["gone", "cents", "nulls"],
)
def test_what_happens_to_one_segment_is_seen(change: Change, column: str, metric: str, said: str) -> None:
    (finding,) = found(change)
    assert (finding.scope.column, finding.metric, finding.seen) == (column, metric, "DE")
    assert any(alert.sentence.startswith(said) for alert in judged(change).alerts)


@pytest.mark.parametrize("error", [without, lambda size: times(1 + 20 * size)], ids=["lost rows", "a unit"])
def test_a_bigger_error_is_never_easier_to_miss(error: Callable[[float], Change]) -> None:
    seen = [bool(found(error(size))) for size in (0.0, 0.1, 0.3, 0.5, 0.7, 1.0)]
    assert seen == sorted(seen)
    assert (seen[0], seen[-1]) == (False, True)


def test_an_error_in_more_segments_is_never_easier_to_miss() -> None:
    def thinned(number: int) -> Change:
        def change(table: pa.Table) -> pa.Table:
            hit = pc.is_in(table["country"], value_set=pa.array(COUNTRIES[:number], pa.string()))
            return table.filter(pc.invert(pc.and_(hit, pa.array(np.arange(len(table)) % 2 == 0))))

        return change

    # Each country in turn loses half of its rows, until all of them have.
    assert [bool(found(thinned(number))) for number in range(5)] == [False, True, True, True, True]


def test_segments_that_were_asked_for_and_not_counted_do_not_pass() -> None:
    def many(table: pa.Table) -> pa.Table:
        return table.set_column(0, "country", pa.array([f"C{row}" for row in range(len(table))]))

    verdict = judged(many)
    assert any("more than 200 different values" in one.reason for one in verdict.not_evaluated)
    assert verdict.status is not Status.PASS
    # Whoever takes the option away has not asked for them.
    assert judged(lambda table: table, ProfileOptions(sample_rows=0)).status is Status.PASS


def _at(number: int, middle: float, moved: float = 0.0) -> Profile:
    """Sales whose times lie around an hour of the day, of which the German ones are some hours later."""
    table, rng = sales(number), np.random.default_rng(1_000 + number)
    hours = rng.normal(middle, 1.0, len(table)) + moved * german(table).to_numpy(zero_copy_only=False)
    start = np.datetime64("2026-01-01") + np.timedelta64(number, "D")
    moments = start + (hours * 3600).astype("timedelta64[s]")
    return profile_table(table.append_column("at", pa.array(moments.astype("datetime64[us]"))), str(start), OPTIONS)


@pytest.mark.parametrize("middle", [0.0, 23.9, 12.0])
def test_a_clock_has_no_end_at_midnight(middle: float) -> None:
    history = [_at(number, middle) for number in range(DAYS)]
    program = synthesize(history, SynthesisOptions())
    clean = [evaluate(program, _at(number, middle), history) for number in range(DAYS, DAYS + 4)]
    assert [one for verdict in clean for one in verdict.findings if one.rule == RULE] == []
    (late,) = [one for one in evaluate(program, _at(DAYS, middle, 5.0), history).findings if one.rule == RULE]
    assert (late.scope.column, late.seen) == ("at", "DE")
    assert late.observed is not None
    assert float(late.observed) - float(late.upper or 0.0) > 0.0


def test_times_all_over_the_day_have_no_usual_hour() -> None:
    history = [_at(number, 5.0 * number) for number in range(DAYS)]
    found = evaluate(synthesize(history, SynthesisOptions()), _at(DAYS, 3.0), history).findings
    assert [one for one in found if one.rule == RULE] == []
