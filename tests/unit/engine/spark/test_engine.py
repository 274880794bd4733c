from __future__ import annotations

import pytest

from airflow_dq.engine.spark import engine


@pytest.mark.parametrize(
    ("file", "parts"),
    [
        ("file:/lake/day=2/x.parquet", [{"1", "3", "4"}, {"2"}]),  # the one at fault, by itself
        (None, [{"1", "2"}, {"3", "4"}]),
        ("file:/elsewhere/x.parquet", [{"1", "2"}, {"3", "4"}]),
    ],
)
def test_partitions_that_failed_together_are_divided(
    file: str | None, parts: list[set[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "named_file", lambda error: file)
    places = {key: f"/lake/day={key}" for key in ("1", "2", "3", "4")}
    assert engine._divided(places, Exception()) == parts
    assert engine._divided({}, Exception()) == []
