"""The speed benchmark at its smallest: it runs, and its table, checks and JSON say what was measured."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.benchmark.profile.measure import Measurement
from tests.benchmark.profile.process import Cost
from tests.benchmark.profile.report import checks, text
from tests.benchmark.profile.table import TABLES, Shape, make, write

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_benchmark_measures_a_small_table(tmp_path: Path) -> None:
    target = tmp_path / "found.json"
    order = ["--tables", "S", "--rounds", "1", "--scale", "0.01", "--json", str(target), "--home", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmark.profile", *order], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    assert "S: wall time to the no-op job's" in done.stdout
    found = json.loads(target.read_text())
    assert found["scale"] == 0.01
    (scan,), (profile,) = (found["tables"]["S"][name] for name in ("scans", "profiles"))
    assert 0 < scan["cpu"] < profile["cpu"]
    assert profile["worker_mb"] > 20
    assert found["tables"]["S"]["stored"]["column_state"] > 0
    assert found["tables"]["S"]["stored"]["column_variant"] > 0


def test_tables_depend_on_the_seed_alone(tmp_path: Path) -> None:
    first, second = (make(500, 30, np.random.default_rng(3)) for _ in range(2))
    assert first.equals(second)
    assert first.num_columns == 30
    assert first["score"].null_count > 0
    days = write(Shape("B", 50, 12, days=3), tmp_path)
    assert sorted(path.name for path in days.glob("day=*")) == ["day=000", "day=001", "day=002"]


def test_shapes_are_those_that_were_promised() -> None:
    sizes = {name: (shape.rows, shape.columns, shape.days) for name, shape in TABLES.items()}
    assert sizes["A"] == (5_000_000, 12, 1)
    assert sizes["W"] == (200_000, 200, 1)
    assert sizes["S"] == (2_000, 10, 1)
    assert sizes["B"] == (50_000, 12, 60)
    assert TABLES["S"].scaled(0.01).rows == 2_000


def test_a_ratio_is_the_median_of_the_rounds_own_ratios() -> None:
    scans = tuple(Cost(wall, wall) for wall in (1.0, 10.0, 2.0))
    profiles = tuple(Cost(wall, 2 * wall, mb) for wall, mb in ((4.0, 100.0), (50.0, 300.0), (12.0, 200.0)))
    one = Measurement(TABLES["A"], scans, profiles, {"column_state": 2048, "column_variant": 1024})
    assert one.ratio("wall") == 5.0
    assert one.ratio("cpu") == 10.0
    made = {check.what: check.kept for check in checks({"A": one})}
    assert made == {"A: wall time to the no-op scan's": True, "A: MB of the largest Python worker": True}
    assert "5,000,000" in text({"A": one})
