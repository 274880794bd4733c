from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.states.cell import Cells
from airflow_dq.states.layout import compress
from airflow_dq.states.number import NumberDistribution
from airflow_dq.states.number_pair import NumberPair


def distribution(values: np.ndarray) -> NumberDistribution:
    return NumberDistribution.of(pa.array(values))


@pytest.mark.parametrize("share", [0.0, 0.1, 0.25, 0.5, 0.9, 1.0])
def test_exact_quantiles_are_numpys(share: float) -> None:
    values = np.random.default_rng(0).integers(0, 50, 101).astype(float)
    assert distribution(values).quantile(share) == pytest.approx(np.quantile(values, share), rel=1e-12)


@pytest.mark.parametrize("values", [[1.0, 2.0], [3.0, 1.0, 2.0, 10.0], [1e308, 1.7e308], [-1.7e308, 1.7e308]])
def test_the_median_of_an_even_number_is_the_average_of_the_middle_two(values: list[float]) -> None:
    low, high = sorted(values)[len(values) // 2 - 1 : len(values) // 2 + 1]
    assert distribution(np.array(values)).quantile(0.5) == low / 2 + high / 2


def test_nothing_has_no_quantile() -> None:
    with pytest.raises(ValueError, match="without values"):
        NumberDistribution().quantile(0.5)


def test_negative_zero_is_zero() -> None:
    state = distribution(np.array([-0.0, 0.0, 1.0]))
    assert state.values.tolist() == [0.0, 1.0]
    assert state.counts.tolist() == [2, 1]
    assert NumberDistribution.from_counts(np.array([1.0, -0.0, 0.0]), np.array([1, 1, 1])) == state


def test_the_limit_is_the_last_exact_number_of_distinct_values() -> None:
    limit = NumberDistribution.limit
    exact, sketched = distribution(np.arange(limit, dtype=float)), distribution(np.arange(limit + 1, dtype=float))
    assert exact.sketch is None
    assert exact.distinct == limit
    assert sketched.sketch is not None
    assert sketched.total == limit + 1
    assert len(sketched.values) == 0
    assert exact.merge(distribution(np.array([float(limit)]))) == sketched
    assert exact.merge(exact).sketch is None


@pytest.mark.parametrize("offset", [0.0, 1.7e9, -1e6])
def test_sketched_quantiles_are_close(offset: float) -> None:
    values = offset + np.random.default_rng(1).gamma(2.0, 1000.0, 100_000)
    state = distribution(values)
    assert state.sketch is not None
    for share in (0.01, 0.25, 0.5, 0.75, 0.99):
        assert abs(state.quantile(share) - np.quantile(values, share)) < 0.005 * values.std()


def test_zeros_stay_zeros_in_a_sketch() -> None:
    values = np.where(np.arange(100_000) % 3 > 0, 0.0, np.random.default_rng(0).exponential(size=100_000))
    assert distribution(values).sketch is not None
    assert distribution(values).quantile(0.5) == 0.0


def test_distinct_of_a_sketch_is_estimated() -> None:
    values = np.repeat(np.random.default_rng(2).random(60_000), 3)
    state = distribution(values)
    assert state.total == 180_000
    assert state.distinct == pytest.approx(60_000, rel=0.025)


def test_distinct_is_never_more_than_the_values() -> None:
    for seed in range(10):
        values = np.random.default_rng(seed).random(20_500)
        assert 20_001 <= distribution(values).distinct <= 20_500


def test_a_sketch_is_small() -> None:
    values = np.random.default_rng(0).lognormal(0, 3, 200_000)
    assert len(compress(distribution(values).encode())) < 40_000


@pytest.mark.parametrize("kind", ["normal", "huge", "tiny", "both signs", "few far away"])
def test_exact_counts_over_cells_agree_with_the_raw_values(kind: str) -> None:
    rng = np.random.default_rng(3)
    values = {
        "normal": rng.normal(size=30_000),
        "huge": rng.uniform(-1, 1, 30_000) * 1.7e308,
        "tiny": rng.normal(size=30_000) * 1e-310,
        "both signs": rng.standard_cauchy(30_000),
        "few far away": np.append(rng.normal(1e9, 1, 30_000), [-1e300, 1e300]),
    }[kind]
    now, before = distribution(values), distribution(values[:10])
    different = NumberPair(now, before)
    for cells, off in ((different.comparable, 0), (different.cells, 20), (NumberPair(now, now).cells, 20)):
        assert cells.now.sum() == len(values)
        assert cells.before.sum() in (10, len(values))
        assert cells.lower[0] == values.min()
        assert cells.upper[-1] == values.max()
        assert (cells.lower <= cells.upper).all()
        assert (cells.upper[:-1] <= cells.lower[1:]).all()
        below = np.searchsorted(np.sort(values), cells.lower, side="left")
        # A heavy hitter cuts its cell, and how the rest of the cell lies around it is only estimated.
        assert np.abs(below - np.concatenate([[0], np.cumsum(cells.now)[:-1]])).max() <= off


def test_a_number_written_another_way_is_the_same_value() -> None:
    # 11.341720800000001 is how some programs print 11.3417208: a unit in the last place, and no new value.
    before = NumberDistribution.of(pa.array([11.341720800000001, 45.92, 0.1 + 0.2, 7.5]))
    now = NumberDistribution.of(pa.array([11.3417208, 45.92, 0.3, 7.5]))
    cells = NumberPair(now, before).cells
    assert len(cells.lower) == 4
    assert cells.now.tolist() == cells.before.tolist() == [1, 1, 1, 1]


def test_neighbouring_values_of_one_side_stay_apart() -> None:
    step = np.spacing(1.5)
    both = NumberDistribution.of(pa.array([1.5, 1.5 + step]))
    cells = NumberPair(both, NumberDistribution.of(pa.array([1.5 + 2 * step]))).cells
    assert sorted(zip(cells.now.tolist(), cells.before.tolist(), strict=True)) == [(1, 0), (1, 1)]
    run = [NumberDistribution.of(pa.array([1.5 + place * step for place in places])) for places in ((0, 2), (1, 3))]
    assert NumberPair(*run).cells.now.tolist() == NumberPair(*run).cells.before.tolist() == [1, 1]


def test_integers_are_never_the_same_value_for_being_near() -> None:
    now, before = (NumberDistribution.of(pa.array([float(2**51), end])) for end in (2.0**51 + 1, 2.0**51 + 2))
    assert NumberPair(now, before).cells.now.tolist() == [1, 1, 0]


@pytest.mark.parametrize("value", [0.1, 1 / 3, -7.7, 1e-310, 1.7e308, 123456789.123])
@pytest.mark.parametrize("sketched", [False, True])
def test_quantiles_of_a_constant_are_the_constant(value: float, sketched: bool) -> None:
    state = distribution(np.full(997, value))
    state = state.as_sketch() if sketched else state
    for share in np.linspace(0.0, 1.0, 101).tolist():
        assert state.quantile(share) == value


def test_quantiles_lie_between_the_values_that_they_are_between() -> None:
    cells = Cells(np.array([0.1, 0.1 + 2**-56]), np.array([0.1, 0.1 + 2**-56]), np.array([2, 2]), np.array([2, 2]))
    assert all(0.1 <= cells.quantile(share) <= 0.1 + 2**-56 for share in np.linspace(0.0, 1.0, 101).tolist())
