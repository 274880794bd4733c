from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.states import grid
from airflow_dq.states.layout import compress
from airflow_dq.states.number import NumberDistribution
from airflow_dq.states.sketch import NumberSketch

SIZE = 60_000


def column(name: str) -> np.ndarray:
    rng = np.random.default_rng(4)
    half = rng.random(SIZE) < 0.5
    return {
        "normal": lambda: rng.normal(size=SIZE),
        "normal far from zero": lambda: rng.normal(1000, 1, SIZE),
        "lognormal": lambda: rng.lognormal(0, 3, SIZE),
        "point masses": lambda: np.where(half, 5.0, np.where(rng.random(SIZE) < 0.2, 7.25, rng.normal(6, 1, SIZE))),
        "prices": lambda: np.round(rng.lognormal(4, 1.5, SIZE)) * rng.choice([0.99, 1.0, 1.07, 1.19], SIZE),
        "timestamps": lambda: 1.7e9 + np.round(rng.random(SIZE) * 86400, 3),
        "timestamps and an error": lambda: np.append(1.7e9 + rng.random(SIZE) * 86400, [0, 9.9e12]),
        "narrow and outliers at 1e9": lambda: np.where(rng.random(SIZE) < 0.05, rng.normal(1e9, 1e7, SIZE), half),
        "narrow beside far": lambda: np.where(half, rng.normal(1e9, 1e7, SIZE), rng.normal(10, 0.01, SIZE)),
        "cauchy": lambda: rng.standard_cauchy(SIZE),
        "zipf": lambda: np.minimum(rng.zipf(1.2, SIZE), 10**12).astype(float),
        "ids": lambda: 1e12 + np.arange(SIZE),
    }[name]()


SHAPES = [
    "normal",
    "normal far from zero",
    "lognormal",
    "point masses",
    "prices",
    "timestamps",
    "timestamps and an error",
    "narrow and outliers at 1e9",
    "narrow beside far",
    "cauchy",
    "zipf",
    "ids",
]


@pytest.mark.parametrize("name", SHAPES)
def test_the_rank_of_a_quantile_is_right_within_a_thousandth(name: str) -> None:
    values = np.sort(column(name))
    parts = [NumberDistribution.of(pa.array(part)) for part in np.array_split(column(name), 3)]
    state = parts[0].merge(parts[1]).merge(parts[2]).as_sketch().as_stored()
    cells = state.cells
    for share in np.linspace(0.001, 0.999, 100):
        found = cells.quantile(float(share))
        # Up to the ninth digit: a value among the others of its cell is not known to the last bit.
        near = abs(found) * 1e-9
        low, high = np.searchsorted(values, found - near, "left"), np.searchsorted(values, found + near, "right")
        assert low / len(values) - 0.001 <= share <= high / len(values) + 0.001, (share, found)
    assert len(compress(state.encode())) < 64_000


@pytest.mark.parametrize("name", ["normal", "timestamps and an error", "cauchy", "zipf"])
def test_the_sketch_is_as_fine_for_any_split(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grid, "LOG_CELLS", 300)
    values = np.append(column(name)[:4000], [0.0, -1.0, 5e-324, -5e-324])
    whole = NumberSketch.of(*np.unique(values, return_counts=True))
    assert 0 < whole.log_level <= grid.COARSEST
    for pieces in (2, 5, 50):
        parts = [NumberSketch.of(*np.unique(part, return_counts=True)) for part in np.array_split(values, pieces)]
        merged = parts[0]
        for part in parts[1:]:
            merged = NumberSketch.merged([merged, part])
        assert merged == whole
        assert (merged.log_level, merged.log) == (whole.log_level, whole.log)
    assert len(whole.log.keys) <= 300 or whole.log_level == grid.COARSEST


@pytest.mark.parametrize("level", [0, 7, 30])
def test_finer_logarithmic_bins_hold_their_values_and_coarsen_exactly(level: int) -> None:
    values = np.sort(np.append(column("cauchy")[:2000], [0.0, 5e-324, -5e-324, 1.7e308, -1.7e308]))
    keys = grid.log_keys(values, level)
    assert (np.diff(keys) >= 0).all()
    assert (grid.log_edges(keys, level) <= values).all()
    assert (values < grid.log_edges(keys + 1, level)).all()
    assert ((keys == 0) == (values == 0.0)).all()
    assert np.array_equal(grid.coarser_log_keys(keys, 45 - level), grid.log_keys(values))


def test_a_point_mass_is_found_where_it_is() -> None:
    state = NumberDistribution.of(pa.array(column("point masses"))).as_stored()
    # Half of the values are 5.0, a tenth 7.25: whole ranges of quantiles are exactly these.
    assert state.quantile(0.3) == 5.0
    assert state.quantile(0.5) == 5.0
    assert [found.value for found in state.top(2)] == [5.0, 7.25]
