"""Some of the rows that a check of each row finds wrong, in words: what an alert, a page and a terminal show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any

from airflow_dq.check.model import Check
from airflow_dq.exceptions import CodecError

ROWS = 5
"""Rows that are kept of each check: enough to see what they have in common, and 60 failing checks stay below 100 kB."""
COLUMNS = 12
"""Columns that are kept of each row, those that the check is about and its key first: what fits on a page."""
CHARACTERS = 100
"""Of a value; a longer one is cut."""
HIDDEN = "(hidden)"
"""What stands in place of a value that must not be shown."""


@dataclass(frozen=True, slots=True)
class FailedRows:
    """Rows that do not follow one check: the same ones, however the partition is divided or ordered."""

    columns: tuple[str, ...]
    """The key's first, then those that the check reads, then others."""
    rows: tuple[tuple[str | None, ...], ...]
    """Their values as text, None for null."""
    leading: int = 0
    """How many of the columns are the key's or read by the check: what a line of text shows."""

    @property
    def lines(self) -> Iterator[str]:
        """One line for each row: ``order_id = 17, discount = 12.5, price = 10``; of rows that look alike, one."""
        shown = self.leading or len(self.columns)
        for row in dict.fromkeys(row[:shown] for row in self.rows):
            pairs = zip(self.columns, row, strict=False)
            yield ", ".join(f"{name} = {'null' if value is None else value or repr('')}" for name, value in pairs)

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON values."""
        return {"columns": list(self.columns), "rows": [list(row) for row in self.rows], "leading": self.leading}

    @classmethod
    def of_dict(cls, stored: object) -> FailedRows:
        """What :meth:`to_dict` wrote.

        :raises CodecError: when it is none
        """
        try:
            if not isinstance(stored, Mapping):
                raise TypeError(f"{stored!r} is no object")
            columns, rows = tuple(map(str, stored["columns"])), tuple(tuple(row) for row in stored["rows"])
            if any(len(row) != len(columns) for row in rows):
                raise ValueError("a row has another number of values than there are columns")
            return cls(columns, rows, int(stored["leading"]))
        except (KeyError, TypeError, ValueError) as error:
            raise CodecError(f"The rows that fail a check cannot be read: {error}.") from None


def cell(value: object) -> str | None:
    """A value as text, on one line of bounded length."""
    match value:
        case None:
            return None
        case bool():
            return str(value).lower()
        case bytes():
            return f"{len(value)} bytes"
        case datetime() | date() | time():
            text = value.isoformat()
        case _:
            text = str(value)
    return text if len(text) <= CHARACTERS else f"{text[: CHARACTERS - 1]}…"


def leading_columns(check: Check, checks: Sequence[Check], known: Sequence[str]) -> tuple[str, ...]:
    """The columns that tell a failing row: of the declared key, then those that the check reads.

    :param checks: all that are declared, of which one may be the key
    :param known: the columns that there are
    """
    key = next((one.columns for one in checks if one.metric == "key" and one.where is None), ())
    return tuple(dict.fromkeys(name for name in (*key, *check.reads) if name in known))
