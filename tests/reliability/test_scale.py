"""The scale test in small: 40,000 column profiles.  ``python -m tests.reliability.scale`` is the one of 2 million.

Times are only held against the limits where they hardly depend on what else the machine does: what people look at is
held to its second, and of the gate the processor's time.
"""

from __future__ import annotations

import pytest

from tests.reliability.measure import GATE_SECONDS, PAGE_SECONDS
from tests.reliability.scale import measure
from tests.reliability.server import server

pytestmark = pytest.mark.slow


def test_forty_thousand_column_profiles() -> None:
    with server(durable=False) as made:
        figures = measure(made.dsn, datasets=40, partitions=50)
    assert figures.scans == []
    assert figures.values["column profiles"] == 40 * 50 * 20
    assert figures.values["judge it, seconds of this process's CPU"] <= GATE_SECONDS
    assert figures.values["looks that found somebody waiting for a lock"] == 0
    # All but the newest gate's own program learn from what retention has left.
    assert 5 <= figures.values["partitions with states per dataset"] <= 8
    late = {name: value for name, value in figures.values.items() if figures.limits.get(name) == PAGE_SECONDS < value}
    assert late == {}
