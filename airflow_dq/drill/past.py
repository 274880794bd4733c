"""The good partitions before: what changes between them is usual.  Read only when a slice is about to be named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from airflow_dq.drill.code import Coded, Codes, Coding

Floats = NDArray[np.float64]
Load = Callable[[Sequence[str]], Sequence[pa.Table]]
"""Reads some columns of the partitions before the one that is compared with, the newest first."""


class Past:
    """Earlier partitions, with the codes of both that are compared, and without the slices that have been named."""

    def __init__(self, load: Load, columns: dict[str, pa.DataType]) -> None:
        """Prepare.

        :param load: asked once at most
        :param columns: with their types
        """
        self._load = load
        self._columns = columns
        self._codes: dict[Coding, list[Codes]] = {}
        self._named: list[tuple[Coded, int]] = []

    def without(self, place: Coded, code: int) -> None:
        """Leave the rows of a slice out from now on."""
        self._named.append((place, code))

    def tables(self, attribute: Coded, target: Coded) -> list[Floats]:
        """How many rows of each partition have each pair of codes."""
        sides = zip(self._kept(attribute), self._kept(target), strict=True)
        return [table_of(attribute, target, *one) for one in sides]

    def rows(self, attribute: Coded) -> list[NDArray[np.int64]]:
        """How many rows of each partition have each code."""
        return [np.bincount(codes, minlength=attribute.size) for codes in self._kept(attribute)]

    @cached_property
    def _tables(self) -> list[pa.Table]:
        """Those that have all of the columns: one of another schema says nothing of what is usual."""
        found = (_like(table, self._columns) for table in self._load(list(self._columns)))
        return [one for one in found if one is not None]

    def _kept(self, coded: Coded) -> list[Codes]:
        left = self._coded(coded)
        masks = [np.ones(len(side), dtype=bool) for side in left]
        for place, code in self._named:
            for mask, side in zip(masks, self._coded(place), strict=True):
                mask &= side != code
        return [side[mask] for side, mask in zip(left, masks, strict=True)] if self._named else left

    def _coded(self, coded: Coded) -> list[Codes]:
        """The codes in all rows, made once for each way of coding a column: its attribute's, its distribution's."""
        if coded.parts is not None:
            both = zip(*(self._coded(part) for part in coded.parts), strict=True)
            return [coded.together(*pair) for pair in both]
        coding = coded.coding
        assert coding is not None
        if coding not in self._codes:
            self._codes[coding] = [coding(table.column(coded.name)) for table in self._tables]
        return self._codes[coding]


def table_of(attribute: Coded, target: Coded, rows: Codes, cells: Codes) -> Floats:
    """How many rows have each pair of codes."""
    size = attribute.size * target.size
    return np.bincount(rows * target.size + cells, minlength=size).reshape(attribute.size, target.size).astype(float)


def _like(table: pa.Table, columns: dict[str, pa.DataType]) -> pa.Table | None:
    if any(name not in table.column_names for name in columns):
        return None
    try:
        return pa.table({name: table.column(name).cast(kind) for name, kind in columns.items()})
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None
