"""Comparisons that go wrong elsewhere: ties, constants, new values, vanishing shares, lost values."""

from __future__ import annotations

import json
import math

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.metrics.descriptor import Reason
from airflow_dq.metrics.divergence import jensen_shannon, kullback_leibler
from airflow_dq.metrics.evaluate import compare
from airflow_dq.metrics.registry import get_metric, metrics_for
from airflow_dq.profile import profile_table
from airflow_dq.states.base import Kind, states_for


def _pairs(kind: Kind, now: list[object], before: list[object]) -> dict[str, object]:
    types = {Kind.NUMERIC: pa.float64(), Kind.STRING: pa.large_string(), Kind.BOOLEAN: pa.bool_()}
    sides = [
        {state.key: state.of(pa.array(values, types[kind])) for state in states_for(kind)} for values in (now, before)
    ]
    return dict(compare(kind, *sides))


def _entropy(shares: list[float]) -> float:
    return -math.fsum(share * math.log(share) for share in shares if share)


@pytest.mark.parametrize("tiny", [5e-324, 2.3e-308, 1e-200])
def test_vanishing_shares_do_not_make_a_divergence_infinite(tiny: float) -> None:
    for now, before in (([0.0, 1.0], [tiny, 1.0]), ([tiny, 1.0], [0.0, 1.0]), ([tiny, 1.0], [2 * tiny, 1.0])):
        assert jensen_shannon(np.array(now), np.array(before)) == pytest.approx(0.0, abs=1e-15)
        assert kullback_leibler(np.array(now), np.array(before)) == pytest.approx(0.0, abs=1e-12)


def test_the_smallest_share_there_is_weighs_nothing() -> None:
    now, before = np.array([0.0, 1.0]), np.array([5e-324, 1.0])
    assert 0.0 <= jensen_shannon(now, before) < 1e-300
    assert 0.0 <= jensen_shannon(before, now) < 1e-300


def test_a_divergence_stays_between_zero_and_its_limit() -> None:
    rng = np.random.default_rng(5)
    for size in (1, 2, 7, 4_096):
        for _ in range(50):
            now, before = (rng.dirichlet(np.full(size, 0.05)) for _ in range(2))
            divergence = jensen_shannon(now, before)
            middle = ((now + before) / 2).tolist()
            by_entropy = _entropy(middle) - (_entropy(now.tolist()) + _entropy(before.tolist())) / 2
            assert 0.0 <= divergence <= math.log(2)
            assert divergence == pytest.approx(by_entropy, abs=1e-12)
    assert jensen_shannon(np.array([1.0, 0.0]), np.array([0.0, 1.0])) == math.log(2)


@pytest.mark.parametrize("kind", [Kind.NUMERIC, Kind.STRING])
def test_a_new_value_gives_finite_numbers_that_say_so(kind: Kind) -> None:
    before = [1, 2, 3, 4] * 5 if kind is Kind.NUMERIC else ["a", "b", "c", "d"] * 5
    now = [*before[:16], *([9] if kind is Kind.NUMERIC else ["z"]) * 4]
    seen = _pairs(kind, now, before)
    assert all(isinstance(value, float) and math.isfinite(value) for value in seen.values())
    json.dumps(seen, allow_nan=False)
    assert seen["new_ratio"] == 4 / 20
    # One in five rows moved from values that each had a quarter to one that had none.
    exact = math.log(2) / 2 * 0.2 + 4 * (0.2 * math.log(0.2 / 0.225) + 0.25 * math.log(0.25 / 0.225)) / 2
    assert seen["js_div"] == pytest.approx(exact, rel=1e-9)
    assert 1.0 < seen["kl_div"] < 0.2 * math.log(0.2 / 1e-6)


def test_one_row_of_a_fourth_value_diverges_as_the_formula_says() -> None:
    seen = _pairs(Kind.NUMERIC, [1, 1, 1, 2, 2, 2, 3, 3, 3, 4], [1, 1, 1, 2, 2, 2, 3, 3, 3])
    assert seen["js_div"] == pytest.approx(0.03597375665014843, rel=1e-12)
    assert isinstance(seen["kl_div"], float)
    assert math.isfinite(seen["kl_div"])
    assert (seen["new_ratio"], seen["outside_ratio"]) == (0.1, 0.1)


@pytest.mark.parametrize(
    ("kind", "value"), [(Kind.STRING, "0"), (Kind.NUMERIC, 3.0), (Kind.NUMERIC, -1e-300), (Kind.BOOLEAN, True)]
)
@pytest.mark.parametrize(("now", "before"), [(40, 7), (1, 1), (3, 50_000)])
def test_the_same_single_value_on_both_sides_has_no_distance(kind: Kind, value: object, now: int, before: int) -> None:
    seen = _pairs(kind, [value] * now, [value] * before)
    numbers = {name: number for name, number in seen.items() if not isinstance(number, Reason)}
    assert {name: number for name, number in numbers.items() if number != 0.0} == {}
    # A shift in units of a spread that does not exist is no number.
    assert set(seen) - set(numbers) <= {"cohen_d"}


@pytest.mark.parametrize(
    ("now", "before"),
    [
        ([1, 1.01, 3, 4], [1.01, 0.5, 0.25]),
        ([5] * 4, [5] * 11),
        ([0] * 6 + [1] * 4, [0] * 9 + [1]),
        ([1, 1, 2, 2, 2, 3], [2, 2, 3, 3, 3, 3, 3]),
    ],
)
def test_kolmogorov_smirnov_counts_ties_on_both_sides(now: list[float], before: list[float]) -> None:
    def below(values: list[float], limit: float) -> float:
        return sum(value <= limit for value in values) / len(values)

    exact = max(abs(below(now, limit) - below(before, limit)) for limit in {*now, *before})
    assert _pairs(Kind.NUMERIC, list(now), list(before))["ks_dist"] == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize("metric", ["ks_dist", "l1", "new_ratio", "outside_ratio", "js_div"])
def test_a_number_that_is_written_another_way_is_no_change(metric: str) -> None:
    assert _pairs(Kind.NUMERIC, [0.1 + 0.2] * 3, [0.3] * 3)[metric] == 0.0


def test_lost_values_show_where_the_distribution_does_not() -> None:
    whole = [float(index % 8) for index in range(80)]
    half = [value if index < 40 else None for index, value in enumerate(whole)]
    seen = _pairs(Kind.NUMERIC, list(half), list(whole))
    assert (seen["ks_dist"], seen["emd"], seen["js_div"]) == (0.0, 0.0, 0.0)
    metrics = profile_table(pa.table({"x": half})).columns["x"].metrics
    assert (metrics["complete_ratio"], metrics["mean"]) == (0.5, 3.5)


def test_a_distance_that_does_not_suit_a_kind_of_column_does_not_exist_there() -> None:
    assert get_metric("chi_squared", Kind.NUMERIC) is None
    assert get_metric("l_inf", Kind.NUMERIC) is None
    assert get_metric("emd", Kind.STRING) is None
    moved = _pairs(Kind.NUMERIC, list(range(5_000, 5_100)), list(range(1_000, 1_100)))
    assert set(moved) == {entry.name for entry in metrics_for(Kind.NUMERIC, pair=True) if entry.pool == 1}
    assert moved["emd"] == pytest.approx(4_000.0)
