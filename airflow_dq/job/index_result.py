"""What an index job has come to, and how one that ran as a process of its own tells it: one line of its log."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from airflow_dq.job.result import PREFIX

if TYPE_CHECKING:
    from airflow_dq.pattern import PatternIndex


@dataclass(frozen=True, slots=True)
class IndexResult:
    """The size of the index now, or why it could not be made."""

    index: str
    """Where it is kept, in words."""
    tables: int = 0
    new: int = 0
    """Tables that were looked at and could be read."""
    columns: int = 0
    patterns: int = 0
    unreadable: tuple[str, ...] = ()
    """What was left out, and why."""
    error: str | None = None

    @classmethod
    def of(cls, place: object, index: PatternIndex, new: int, unreadable: Sequence[str] = ()) -> IndexResult:
        """The result of a run that has come to its end.

        :param place: where the index is kept
        :param new: tables that were looked at
        """
        return cls(str(place), len(index.tables), new, index.columns, len(index), tuple(unreadable))

    @property
    def text(self) -> str:
        """For a person."""
        line = (
            f"{self.index}: {self.patterns:,} patterns of {self.columns:,} columns of {self.tables:,} tables, "
            f"{self.new:,} of them new."
        )
        return "\n".join([line, *(f"Left out: {said}" for said in self.unreadable)])

    @property
    def exit_code(self) -> int:
        """What a command ends with: 1 when something was left out."""
        return 1 if self.unreadable else 0

    def to_line(self) -> str:
        """The line, without an end."""
        return PREFIX + json.dumps(asdict(self), allow_nan=False)

    @classmethod
    def result_in(cls, lines: Iterable[str]) -> IndexResult | None:
        """The result that a job's log holds; None when it holds none."""
        for line in lines:
            if PREFIX in line:
                try:
                    data = json.loads(line.partition(PREFIX)[2])
                    return cls(**{**data, "unreadable": tuple(data["unreadable"])})
                except (ValueError, TypeError, KeyError):
                    continue  # a log may quote anything
        return None
