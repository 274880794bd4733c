"""The benchmark of surprises: what it fits to draws from a known law, and that it runs on two small tables."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from airflow_dq.learn.expect import pooled
from tests.benchmark.surprise.__main__ import main
from tests.benchmark.surprise.fit import Spread, budget_chance, fit, together
from tests.benchmark.surprise.report import law
from tests.benchmark.surprise.sample import Sample


def drawn(series: int = 60_000) -> Sample:
    """Series of two tables, two metrics of a column each, that follow the law with chance 0.5 and 1 + 0.4 ln n."""
    rng = np.random.default_rng(0)
    samples = rng.choice([7, 14, 30], series // 2).repeat(2)
    rare = rng.random(series) * (samples + 1) / 0.5
    times = np.where(rare < 1.0, rare ** (-1.0 / (1.0 + 0.4 * np.log(samples))), 0.5)
    columns = {
        "table": np.where(np.arange(series) % 4 < 2, "a", "b"),
        "place": np.arange(series) // 4,
        "history": samples,
        "column": np.full(series, "x"),
        "metric": np.where(np.arange(series) % 2, "mean", "std"),
        "samples": samples,
        "moving": np.full(series, True),
        "times": times,
    }
    return Sample(columns)


def test_the_constants_of_a_known_law_are_found() -> None:
    sample = drawn()
    found = fit(sample)
    assert found.chance == pytest.approx(0.5, rel=0.05)
    assert [found.exponent(7), found.exponent(30)] == pytest.approx([1.78, 2.36], rel=0.12)
    assert found.heaviness == pytest.approx({"mean": 1.0, "std": 1.0}, rel=0.05)
    assert law(sample, found, 2.0) == pytest.approx(float((sample.times > 2.0).mean()), rel=0.1)


def test_metrics_that_are_surprised_at_once_count_once_for_their_column() -> None:
    alone = drawn()
    # Each second metric of a column is the first one again.
    at_once = Sample({**alone.columns, "times": alone.times[::2].repeat(2)})
    assert all(one.factor == 2.0 for one in together(at_once, (1.5,)))
    lower, higher = budget_chance(at_once, 0.01), budget_chance(alone, 0.01)
    assert set(lower) == {7, 14, 30}
    assert all(math.isfinite(value) for value in [*lower.values(), *higher.values()])


def test_a_constant_changes_only_when_no_left_out_table_could_have_given_it() -> None:
    assert Spread(0.9, 1.2).settle(1.0, 1.1) == 1.0
    assert Spread(1.4, 1.6).settle(1.0, 1.5) == 1.5


def test_one_command_replays_two_small_tables_and_writes_the_constants(tmp_path: Path) -> None:
    for name in ("shop", "store"):
        (tmp_path / "corpus" / name).mkdir(parents=True)
        for day in range(9):
            price = np.random.default_rng([len(name), day]).normal(10.0 + day, 1.0, 30)
            pq.write_table(pa.table({"price": price}), tmp_path / "corpus" / name / f"2024-01-{day + 1:02}.parquet")
    constants, out = tmp_path / "pooled.py", tmp_path / "out"
    replay = ["--corpus", str(tmp_path / "corpus"), "--tables", "0", "--points", "2", "--cache", str(tmp_path)]
    assert main(["--out", str(out), *replay]) == 0
    page = (out / "surprise.md").read_text()
    assert " series of 2 tables" in page
    assert (out / "surprise.svg").read_text().count("<polyline") == 2
    sample = ["--read", str(out / "surprises.parquet"), "--write", "--constants", str(constants)]
    assert main(["--out", str(out), *sample]) == 0
    assert (out / "surprise.md").read_text() == page
    written: dict[str, Any] = {}
    exec(compile(constants.read_text(), "pooled.py", "exec"), written)
    assert (written["CHANCE"], written["TAIL"]) == (pooled.CHANCE, pooled.TAIL)
    assert set(pooled.HEAVINESS) <= set(written["HEAVINESS"])
    assert all(len(line) <= 120 for line in constants.read_text().splitlines())
