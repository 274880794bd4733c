"""A drill as it is stored and shown: slices in words, with some of their rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

from airflow_dq.drill.model import Drilled, Measured, Slice
from airflow_dq.profile.check.failed_rows import FailedRows


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceReport(Measured):
    """One slice, in words."""

    headline: str
    filter: str
    """Its rows in Spark SQL."""
    sample: FailedRows
    """Some of its rows; values of hidden columns are masked."""

    @classmethod
    def of(cls, one: Slice, sample: FailedRows) -> SliceReport:
        """What there is to say of a slice."""
        measured = {field.name: getattr(one, field.name) for field in fields(Measured)}
        return cls(headline=one.headline, filter=one.filter, sample=sample, **measured)

    def to_dict(self) -> dict[str, Any]:
        """What is told of it to another task: no rows."""
        return {
            "headline": self.headline,
            "filter": self.filter,
            "columns": list(self.columns),
            "rows": self.rows,
            "rows_before": self.rows_before,
            "share": self.share,
        }


@dataclass(frozen=True, slots=True)
class DrillReport:
    """What became of comparing a partition with another one."""

    partition: str
    against: str
    last_good: bool
    """Whether the other one is the newest good one before it; else somebody has named it."""
    columns: tuple[str, ...] | None
    """The columns whose change was looked into; None: all."""
    drawn: float
    """Share of the rows that was read: below 1 numbers of rows are estimates."""
    attributes: tuple[str, ...]
    """The columns whose values were tried as slices."""
    tried: int
    """Slices that were tried, each for every column."""
    everywhere: tuple[str, ...]
    """Columns that have changed in all rows alike."""
    slices: tuple[SliceReport, ...]

    @classmethod
    def of(
        cls,
        found: Drilled,
        samples: Sequence[FailedRows],
        partition: str,
        against: str,
        *,
        last_good: bool,
        columns: tuple[str, ...] | None,
        drawn: float,
    ) -> DrillReport:
        """The report on what was found.

        :param samples: rows of each slice
        """
        return cls(
            partition=partition,
            against=against,
            last_good=last_good,
            columns=columns,
            drawn=drawn,
            attributes=found.attributes,
            tried=found.tried,
            everywhere=found.everywhere,
            slices=tuple(SliceReport.of(*pair) for pair in zip(found.slices, samples, strict=True)),
        )

    @property
    def title(self) -> str:
        """What was compared: ``2026-01-31 against 2026-01-30, the last good one: what changed in price.``"""
        looked = "all columns" if self.columns is None else ", ".join(self.columns)
        good = ", the last good one" if self.last_good else ""
        return f"{self.partition} against {self.against}{good}: what changed in {looked}."

    @property
    def remarks(self) -> Iterator[str]:
        """What is to be said beside the slices."""
        if self.drawn < 1.0:
            yield f"{100 * self.drawn:.2g} % of the rows were drawn: numbers of rows are estimates."
        if self.everywhere:
            yield f"{', '.join(self.everywhere)} changed in all rows alike."
        if not self.slices:
            tried = (
                f"{self.tried:,} slices of {', '.join(self.attributes)} were tried"
                if self.tried
                else "no column has few enough values to be sliced by"
            )
            yield f"No slice carries a change ({tried})."
            return
        told = {name for one in self.slices for name in one.columns}
        left = [name for name in self.columns or () if name not in told and name not in self.everywhere]
        if left:
            yield f"No slice carries a change of {', '.join(left)}."

    def to_dict(self, dataset: str) -> dict[str, Any]:
        """What is told of it to another task: what to find the rows by, and no rows."""
        return {
            "dataset": dataset,
            "partition": self.partition,
            "against": self.against,
            "everywhere": list(self.everywhere),
            "slices": [one.to_dict() for one in self.slices],
        }
