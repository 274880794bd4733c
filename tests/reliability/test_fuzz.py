"""A little of the random input on every run; ``python -m tests.reliability.fuzz`` is the whole of it."""

from __future__ import annotations

from tests.reliability import fuzz


def test_odd_tables_and_damaged_bytes_end_in_a_value_or_a_clear_error() -> None:
    assert fuzz.main(["--tables", "60", "--blobs", "500", "--lines", "60", "--seed", "77"]) == 0
