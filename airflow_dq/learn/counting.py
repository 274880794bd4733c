"""Texts that count: ids that a database hands out, whose digits say nothing but how far it has come."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from airflow_dq.profile.model import ColumnProfile
from airflow_dq.states.base import Kind
from airflow_dq.states.text import TextShape
from airflow_dq.states.written import WrittenNumbers

NEWEST = 4
"""Partitions that are looked at: that each of four goes on where the one before ended happens to no other column."""
NEARLY_ALL = 0.99
"""Of the values of a column of ids; a few may be written otherwise, or be there twice."""
DENSE = 2.0
"""Of the numbers from the least to the largest at least every second is there, where a partition stands alone: of codes
that are drawn, or of years, there are fewer."""
ENOUGH = 50
"""So many are there then: a few numbers in a row are a list."""


def counts_up(columns: Sequence[ColumnProfile | None]) -> bool:
    """Whether the column's texts are numbers, hardly any of them twice, that go on where they stopped.

    A single partition is believed where its numbers leave few out.

    :param columns: the column in past partitions, oldest first
    """
    known = [found for one in columns[-NEWEST:] if one is not None and (found := _ids(one)) is not None]
    if not known or len(known) < sum(one is not None for one in columns[-NEWEST:]):
        return False
    if len(known) > 1:
        return all(after.mean > before.high for before, after in pairwise(known))
    (only,) = known
    return only.count >= ENOUGH and only.span < DENSE * only.count


def _ids(column: ColumnProfile) -> WrittenNumbers | None:
    """The numbers of a column of texts, if nearly all of its values are one and hardly any comes twice."""
    text, written = column.states.get(TextShape.key), column.states.get(WrittenNumbers.key)
    if column.kind is not Kind.STRING or not isinstance(text, TextShape) or not isinstance(written, WrittenNumbers):
        return None
    distinct = column.metrics.get("unique_ratio")
    ids = isinstance(distinct, float) and distinct >= NEARLY_ALL and written.count >= NEARLY_ALL * text.count
    return written if ids and written.count else None
