"""The benchmark of totals, on next to nothing: both ways give the same."""

from __future__ import annotations

import pytest

from tests.benchmark.incremental import __main__ as incremental


@pytest.mark.parametrize("kind", incremental.KINDS)
def test_totals_are_what_a_scan_of_all_rows_gives(kind: str) -> None:
    steps = list(incremental.measure(kind, 3, 50))
    assert [step.partitions for step in steps] == [1, 2, 3]
