"""The rows of a slice before and now, in facts that a person can compare."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from airflow_dq.drill.model import Contrast
from airflow_dq.explain.wording import number_words, quoted, share_words
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.states.base import Kind

_MOST_VALUES = 3
"""Values of a column whose shares are told: those that differ most."""
_LEAST = 0.01
"""A share that differs by less is not told."""
_LEVELS = {"5th percentile": 0.05, "median": 0.5, "95th percentile": 0.95}


def contrasts(
    before: pa.Table, now: pa.Table, columns: Sequence[str], options: ProfileOptions, each: float
) -> Iterator[Contrast]:
    """The number of rows, and of each column what tells most.

    :param each: rows of the partition that each row here stands for
    """
    yield Contrast(None, "rows", f"{round(each * before.num_rows):,}", f"{round(each * now.num_rows):,}")
    if not (before.num_rows and now.num_rows):
        return
    for name in columns:
        sides = before.column(name), now.column(name)
        yield from _missing(name, *sides)
        if not options.hides(name):
            yield from _column(name, *sides)


def _missing(name: str, before: pa.ChunkedArray, now: pa.ChunkedArray) -> Iterator[Contrast]:
    shares = [side.null_count / len(side) for side in (before, now)]
    if abs(shares[1] - shares[0]) >= _LEAST:
        yield Contrast(name, "missing", share_words(shares[0]), share_words(shares[1]))


def _column(name: str, before: pa.ChunkedArray, now: pa.ChunkedArray) -> Iterator[Contrast]:
    kind = before.type
    if pt.is_integer(kind) or pt.is_floating(kind) or pt.is_decimal(kind):
        yield from _levels(name, before.cast(pa.float64(), safe=False), now.cast(pa.float64(), safe=False))
    elif pt.is_timestamp(kind) or pt.is_date(kind):
        low, high = (pc.min_max(side) for side in (before, now))
        yield Contrast(name, "first", str(low["min"]), str(high["min"]))
        yield Contrast(name, "last", str(low["max"]), str(high["max"]))
    else:
        yield from _values(name, before, now)


def _levels(name: str, before: pa.ChunkedArray, now: pa.ChunkedArray) -> Iterator[Contrast]:
    found = [pc.quantile(side.drop_null(), list(_LEVELS.values())).to_pylist() for side in (before, now)]
    for words, was, value in zip(_LEVELS, *found, strict=True):
        known = [one for one in (was, value) if one is not None]
        if was != value:
            texts = iter(number_words("median", Kind.NUMERIC, known))
            shown = ["-" if one is None else next(texts) for one in (was, value)]
            yield Contrast(name, words, shown[0], shown[1])


def _values(name: str, before: pa.ChunkedArray, now: pa.ChunkedArray) -> Iterator[Contrast]:
    shares = [
        {one["values"]: one["counts"] / len(side) for one in pc.value_counts(side).to_pylist()}
        for side in (before, now)
    ]
    moved = {
        value: abs(shares[1].get(value, 0.0) - shares[0].get(value, 0.0))
        for value in {**shares[0], **shares[1]}
        if value is not None
    }
    for value in sorted(moved, key=lambda one: -moved[one])[:_MOST_VALUES]:
        if moved[value] >= _LEAST:
            words = quoted(value) if isinstance(value, str) else str(value)
            yield Contrast(name, words, *(share_words(side.get(value, 0.0)) for side in shares))
