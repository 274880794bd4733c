"""A billing table with the invoice run on every first: three times the rows, another kind of row, larger amounts."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from airflow_dq.profile import Profile, profile_table
from airflow_dq.program import evaluate, synthesize

CASE = Path(__file__).parents[4] / "shared" / "cases" / "301-monthly-batch" / "make.py"
FIRSTS = ("2025-04-01", "2025-05-01", "2025-06-01")


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> list[Profile]:
    if not CASE.exists():
        pytest.skip("the evaluation cases are not here")
    out = tmp_path_factory.mktemp("billing")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["make.py", str(out)])
        runpy.run_path(str(CASE), run_name="__main__")
    files = [file for file in sorted(out.glob("*.parquet")) if file.stem <= FIRSTS[-1]]
    return [profile_table(pq.read_table(file), partition=file.stem) for file in files]


def test_after_two_accepted_firsts_none_alarms(days: list[Profile]) -> None:
    places = [place for place, day in enumerate(days) if day.partition in FIRSTS]
    behind = [place + 1 for place in places if place + 1 < len(days)]
    for place in (*places, *behind):
        assert evaluate(synthesize(days[:place]), days[place], days[:place]).findings == (), days[place].partition


def test_a_first_without_its_invoices_alarms(days: list[Profile]) -> None:
    ordinary = days[-2]
    assert ordinary.partition == "2025-05-31"
    first = Profile(FIRSTS[-1], ordinary.row_count, ordinary.columns, ordinary.variants, ordinary.options)
    found = evaluate(synthesize(days[:-1]), first, days[:-1]).findings
    assert "row_count" in {finding.metric for finding in found}
