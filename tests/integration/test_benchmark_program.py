"""The benchmark of programs, at its smallest: that it runs, and that its page says what was counted."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc

from tests.benchmark.program.__main__ import main
from tests.benchmark.program.outcome import Outcome


def shop(folder: Path, days: int) -> None:
    """One dataset of so many days."""
    (folder / "shop").mkdir()
    for day in range(days):
        rng = np.random.default_rng(day)
        table = pa.table({"price": rng.lognormal(3, 1, 60).round(2), "city": rng.choice(["Rome", "Oslo", "Lima"], 60)})
        pc.write_csv(table, folder / "shop" / f"2024-01-{day + 1:02}.csv")


def test_one_command_writes_tables_and_counts(tmp_path: Path) -> None:
    shop(tmp_path, 9)
    out = tmp_path / "out"
    arguments = ["--out", str(out), "--points", "1", "--before", "8", "--only", "fig5,fig8,latency"]
    assert main([str(tmp_path), *arguments, "--rows", "50", "--wide", "2"]) == 0
    page = (out / "report.md").read_text()
    assert "## fig5_error_type" in page
    assert "| 50 |" in page
    assert "2 columns of all kinds x 30 partitions" in page
    counts = json.loads((out / "counts.json").read_text())
    both = counts["fig8_single_distribution"]
    assert {one["columns"] for one in both.values()} == {3}
    assert both["all metrics"]["injected"] == both["single only"]["injected"]
    assert 0.5 < sum(both["all metrics"]["caught"].values()) / sum(both["all metrics"]["injected"].values()) <= 1.0


def test_precision_is_that_of_six_clean_partitions_to_four_errors() -> None:
    outcome = Outcome(columns=100, column_alarms=1)
    outcome.injected.update({"nulls": 10, "case": 10})
    outcome.caught.update({"nulls": 10, "case": 6})
    assert (outcome.recall(), outcome.recall("case")) == (0.8, 0.6)
    assert outcome.precision() == 0.4 * 0.8 / (0.4 * 0.8 + 0.6 * 0.01)
    assert outcome.f1() == 2 * outcome.precision() * 0.8 / (outcome.precision() + 0.8)
