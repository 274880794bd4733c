"""Surprises of many series, as arrays, and as a Parquet file so that they need not be collected again."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from airflow_dq.learn.array import BoolArray, FloatArray


@dataclass(frozen=True, slots=True)
class Surprise:
    """What the next value of one series was, seen from the partitions before it."""

    table: str
    place: int
    """Number of the partition."""
    history: int
    """Partitions before it that were looked at."""
    column: str
    """Empty: the table."""
    metric: str
    samples: int
    """Past errors."""
    moving: bool
    """Whether any past error was more than nothing: of a side that never erred no surprise can be a multiple."""
    times: float
    """How many times the largest past error the error is, less what is material; 0 when it is not material."""
    unsteady: float = math.inf
    """The largest past error of a level (an average, a quantile, a length, a spread, a number of rows) as a part of it;
    infinite for other metrics, and where the level was not always positive."""
    moved: float = 0.0
    """The error as a part of the level, below 0 when it fell."""
    unsettled: float = math.inf
    """The largest past error of a place on the column's axis (an average, a quantile) in standard deviations of the
    column, or how far a distance ever was as a part of its range; infinite for other metrics."""
    leapt: float = 0.0
    """The error in standard deviations, without its sign, or the distance as a part of its range."""
    unlikely: float = math.inf
    """The largest past error of a quantile in standard errors; infinite for other metrics."""
    improbable: float = 0.0
    """The error in standard errors of as many values as the partition has, without its sign."""


@dataclass(frozen=True)
class Sample:
    """The surprises of many series, one array per field."""

    columns: Mapping[str, np.ndarray]

    @classmethod
    def of(cls, surprises: Iterable[Surprise]) -> Sample:
        """The sample of some surprises."""
        rows = [asdict(one) for one in surprises]
        return cls({field.name: np.array([row[field.name] for row in rows]) for field in fields(Surprise)})

    @classmethod
    def read(cls, path: Path) -> Sample:
        """A sample that was written before."""
        table = pq.read_table(path, columns=[field.name for field in fields(Surprise)])
        # Texts as numpy's own: comparing and sorting Python objects would take most of the time.
        return cls({name: np.array(table.column(name).to_pylist()) for name in table.column_names})

    def write(self, path: Path) -> None:
        """Keep it as Parquet."""
        pq.write_table(pa.table({name: pa.array(values) for name, values in self.columns.items()}), path)

    def __len__(self) -> int:
        """Number of series, each counted at each place that it was judged at."""
        return len(self.columns["times"])

    def __getitem__(self, name: str) -> np.ndarray:
        """One field of all of them."""
        return self.columns[name]

    @property
    def times(self) -> FloatArray:
        """The surprises."""
        return self.columns["times"]

    @property
    def samples(self) -> FloatArray:
        """The numbers of past errors."""
        return self.columns["samples"].astype(float)

    @property
    def tables(self) -> list[str]:
        """Names of the tables."""
        return sorted({str(name) for name in np.unique(self["table"])})

    def where(self, chosen: BoolArray) -> Sample:
        """Some of them."""
        return Sample({name: values[chosen] for name, values in self.columns.items()})

    def moving(self) -> Sample:
        """Those of series that have erred before: the others have no scale."""
        return self.where(self["moving"])

    def without(self, table: str) -> Sample:
        """All but those of one table."""
        return self.where(self["table"] != table)
