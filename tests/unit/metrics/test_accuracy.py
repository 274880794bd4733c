"""The accuracy report on a smaller scale: what it promises holds."""

from __future__ import annotations

import pytest

from tests.benchmark.accuracy import measure
from tests.benchmark.accuracy.__main__ import text


@pytest.mark.parametrize(
    "found",
    [
        pytest.param(lambda: measure.exact_distances(30_000), id="exact"),
        pytest.param(lambda: measure.entropies(60_000), id="entropy"),
        pytest.param(lambda: measure.distinct_counts(30), id="distinct"),
        pytest.param(lambda: measure.sizes(30_000), id="size"),
    ],
)
def test_errors_are_within_what_is_allowed(found) -> None:
    findings = found()
    assert [finding for finding in findings if not finding.holds] == []
    assert "allowed" in text(findings)
    assert "EXCEEDED" not in text(findings)
