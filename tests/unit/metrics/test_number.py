from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats
from scipy.spatial.distance import jensenshannon

from airflow_dq.metrics.descriptor import Reason
from airflow_dq.metrics.number import emd, js_div, kl_div, ks_dist
from airflow_dq.states.grid import bin_edges
from airflow_dq.states.number import NumberDistribution
from airflow_dq.states.number_pair import BINS, NumberPair

SHAPES = {
    "normal": lambda rng, n, s: rng.normal(s, 1, n),
    "large offset": lambda rng, n, s: 1e9 + rng.normal(s, 1, n),
    "heavy tail": lambda rng, n, s: rng.lognormal(3 + s, 2, n),
    "negative tail": lambda rng, n, s: -rng.lognormal(3 + s, 2, n),
    "cents": lambda rng, n, s: np.round(rng.exponential(500 * (1 + s), n), 2),
    "prices": lambda rng, n, s: np.floor(rng.exponential(50_000 * (1 + s), n)) + 0.99,
    "seconds of a day": lambda rng, n, s: 1.7e9 + 86400 * s + np.round(86400 * rng.beta(2, 5, n)),
    "many zeros": lambda rng, n, s: np.where(rng.random(n) < 0.7 - s / 4, 0.0, rng.exponential(1, n)),
    "identifiers": lambda rng, n, s: np.arange(n) + 1e6 * (1 + s),
    "outlier": lambda rng, n, s: np.append(rng.normal(s, 1, n), 1e6),
}


def distribution(values: np.ndarray | list[float]) -> NumberDistribution:
    return NumberDistribution.of(pa.array(values, pa.float64()))


@pytest.mark.parametrize("shift", [0.0, 0.01, 0.1, 1.0])
@pytest.mark.parametrize("shape", list(SHAPES))
def test_distances_of_sketches_are_those_of_the_raw_values(shape: str, shift: float) -> None:
    rng = np.random.default_rng(0)
    now, before = SHAPES[shape](rng, 75_000, shift), SHAPES[shape](rng, 75_000, 0.0)
    a, b = distribution(now), distribution(before)
    assert a.sketch is not None
    assert b.sketch is not None
    assert emd(NumberPair(a, b)) == pytest.approx(stats.wasserstein_distance(now, before), rel=0.005)
    assert ks_dist(NumberPair(a, b)) == pytest.approx(stats.ks_2samp(now, before, method="asymp").statistic, abs=0.001)
    low, high = min(now.min(), before.min()), max(now.max(), before.max())
    edges = np.concatenate([[low], bin_edges(low, high, BINS), [high]])
    p, q = (np.histogram(values, edges)[0] / len(values) for values in (now, before))
    assert js_div(NumberPair(a, b)) == pytest.approx(jensenshannon(p, q) ** 2, rel=1e-6, abs=1e-14)
    assert kl_div(NumberPair(a, b)) == pytest.approx(stats.entropy(p + 1e-6, q + 1e-6), rel=1e-6, abs=1e-14)


@pytest.mark.parametrize("shift", [0.0, 0.1])
def test_an_exact_partition_against_a_sketched_one(shift: float) -> None:
    rng = np.random.default_rng(1)
    now, before = rng.normal(shift, 1, 15_000), rng.normal(0, 1, 100_000)
    a, b = distribution(now), distribution(before)
    assert a.sketch is None
    assert b.sketch is not None
    assert (
        emd(NumberPair(a, b))
        == emd(NumberPair(b, a))
        == pytest.approx(stats.wasserstein_distance(now, before), rel=0.005)
    )
    assert ks_dist(NumberPair(a, b)) == pytest.approx(stats.ks_2samp(now, before, method="asymp").statistic, abs=0.001)


def test_equal_bins_are_close_to_numpys_bins() -> None:
    rng = np.random.default_rng(2)
    now, before = rng.normal(0.3, 1, 5_000), rng.normal(0, 1, 5_000)
    both = np.concatenate([now, before])
    p, q = (np.histogram(values, BINS, (both.min(), both.max()))[0] / 5_000 for values in (now, before))
    assert js_div(NumberPair(distribution(now), distribution(before))) == pytest.approx(
        jensenshannon(p, q) ** 2, rel=0.05
    )


def test_two_constants() -> None:
    five, seven = distribution([5.0, 5.0]), distribution([7.0])
    assert emd(NumberPair(five, seven)) == 2.0
    assert ks_dist(NumberPair(five, seven)) == 1.0
    assert js_div(NumberPair(five, seven)) == pytest.approx(np.log(2))
    assert (js_div(NumberPair(five, five)), kl_div(NumberPair(five, five))) == (0.0, 0.0)


def test_a_distance_beyond_the_largest_float_is_called_overflow() -> None:
    assert emd(NumberPair(distribution([-1.7e308]), distribution([1.7e308]))) is Reason.OVERFLOW
    assert ks_dist(NumberPair(distribution([-1.7e308]), distribution([1.7e308]))) == 1.0
    assert js_div(NumberPair(distribution([-1.7e308]), distribution([1.7e308]))) == pytest.approx(np.log(2))


def test_emd_is_in_the_unit_of_the_column() -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(size=500)
    once = emd(NumberPair(distribution(values), distribution(values + 0.5)))
    assert once == pytest.approx(0.5)
    assert emd(NumberPair(distribution(values * 60), distribution((values + 0.5) * 60))) == pytest.approx(60 * once)
