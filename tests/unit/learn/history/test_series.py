from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from airflow_dq.learn.history.baseline import Baseline
from airflow_dq.learn.history.distance import Distances
from airflow_dq.metrics.descriptor import Reason
from airflow_dq.states.base import Kind
from tests.unit.learn.builder import (
    column,
    distances,
    flights,
    observe,
    profile,
    series_of,
    with_metric,
    without_states,
)

HISTORY = [flights(i) for i in range(4)]


def test_single_metric_has_a_value_in_every_partition() -> None:
    series = series_of(HISTORY, "air_time", "mean", pair=False)
    assert series.partitions == tuple(p.partition for p in HISTORY)
    assert series.numbers() == pytest.approx([p.columns["air_time"].metrics["mean"] for p in HISTORY])


def test_pair_metric_compares_neighbours_and_the_first_partition_has_none() -> None:
    series = series_of(HISTORY, "carrier", "l1", pair=True)
    assert series.partitions == ("2013-01-02", "2013-01-03", "2013-01-04")
    rng = [np.random.default_rng(i) for i in range(2)]
    shares = []
    for source in rng:
        drawn = source.choice(["AA", "B6", "DL", "UA"], 400, p=[0.1, 0.4, 0.3, 0.2])
        shares.append(np.array([(drawn == code).mean() for code in ("AA", "B6", "DL", "UA")]))
    numbers = series.numbers()
    assert not isinstance(numbers, str)
    assert numbers[0] == pytest.approx(np.abs(shares[1] - shares[0]).sum())


def test_comparisons_are_collected_and_outlive_the_states() -> None:
    now, before = HISTORY[1].columns["carrier"], HISTORY[0].columns["carrier"]
    known = Distances()
    first = known.of(now, [before], 1)
    assert now.distances == {}, "a profile is never written to"
    assert known.measured == {(now.fingerprint, before.fingerprint): first}
    bare_now, bare_before = (without_states(p).columns["carrier"] for p in (HISTORY[1], HISTORY[0]))
    assert known.of(bare_now, [bare_before], 1) == first
    assert observe("l1", True, bare_now, (bare_before,)) is None


def test_what_is_assumed_stands_in_and_is_not_saved() -> None:
    bare_now, bare_before = (without_states(p).columns["carrier"] for p in (HISTORY[1], HISTORY[0]))
    known, baseline = Distances(), Baseline.of([bare_before], Kind.STRING, 1)
    assert baseline is not None
    known.assume(bare_now, baseline, {"l1": 0.5})
    assert (known.of(bare_now, [bare_before], 1), known.measured) == ({"l1": 0.5}, {})
    known.leave_out(["carrier"])
    assert known.of(bare_now, [bare_before], 1) == {}


def test_the_oldest_comparisons_are_forgotten_beyond_a_limit() -> None:
    columns = [profile.columns["carrier"] for profile in HISTORY]
    known = Distances(limit=2)
    for place in range(1, 4):
        known.of(columns[place], columns[:place], 1)
    assert [now for now, _ in known.measured] == [columns[2].fingerprint, columns[3].fingerprint]


def test_incomplete_cache_is_made_again_from_the_states() -> None:
    before = HISTORY[0].columns["carrier"]
    now = replace(HISTORY[1].columns["carrier"], distances={before.fingerprint: {"l1": 0.5}})
    assert distances(now, [before], 1) == distances(HISTORY[1].columns["carrier"], [before], 1)


def test_missing_value_names_partition_and_reason() -> None:
    broken = [*HISTORY[:2], with_metric(HISTORY[2], "air_time", {"mean": Reason.OVERFLOW}), HISTORY[3]]
    assert series_of(broken, "air_time", "mean", pair=False).numbers() == (
        "missing in the history (overflow in partition 2013-01-03)"
    )
    gone = series_of(HISTORY, "air_time", "no_such_metric", pair=False).numbers()
    assert gone == "missing in the history (its statistics are not kept in partition 2013-01-01)"


@pytest.mark.parametrize("absent", [Reason.NO_VALUES, Reason.EMPTY_BATCH])
def test_a_partition_without_values_says_nothing_while_enough_others_do(absent: Reason) -> None:
    known = [p.columns["air_time"].metrics["mean"] for p in HISTORY]
    series = series_of(
        [*HISTORY[:2], with_metric(HISTORY[2], "air_time", {"mean": absent}), HISTORY[3]],
        "air_time",
        "mean",
        pair=False,
    )
    assert series.numbers(3) == pytest.approx([*known[:2], math.nan, known[3]], nan_ok=True)
    assert series.numbers(4) == f"missing in the history ({absent.value} in partition 2013-01-03)"


def test_a_partition_is_compared_with_the_last_one_that_has_values() -> None:
    now, before = HISTORY[3].columns["carrier"], HISTORY[2].columns["carrier"]
    empty = [column("carrier", Kind.STRING, values) for values in ([], [None, None])]
    wanted = observe("l1", True, now, (before,))
    assert isinstance(wanted, float)
    assert observe("l1", True, now, (before, *empty)) == wanted
    assert observe("l1", True, now, empty) is Reason.NO_VALUES


def test_chart_points_leave_gaps() -> None:
    broken = [HISTORY[0], with_metric(HISTORY[1], "air_time", {"mean": Reason.OVERFLOW})]
    points = series_of(broken, "air_time", "mean", pair=False).points()
    assert points == (("2013-01-01", HISTORY[0].columns["air_time"].metrics["mean"]), ("2013-01-02", None))


def test_a_column_without_a_type_has_no_values() -> None:
    untyped = profile("x", column("carrier", Kind.NULL, [None, None])).columns["carrier"]
    before = HISTORY[0].columns["carrier"]
    assert observe("str_len", False, untyped, ()) is Reason.NO_VALUES
    assert observe("l1", True, untyped, (before,)) is Reason.NO_VALUES
    assert observe("row_count", False, untyped, ()) == 2.0
    assert observe("str_len", False, None, ()) is None
