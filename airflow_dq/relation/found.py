"""A relation that was found among rows, and what speaks for it."""

from __future__ import annotations

from dataclasses import dataclass

from airflow_dq.relation.base import Relation, RowRelation, Tested
from airflow_dq.relation.sample import MOST_BROKEN, Rows


@dataclass(frozen=True, slots=True)
class Candidate:
    """A relation that enough rows keep, before chance is ruled out."""

    relation: RowRelation
    broken: float
    """Share of the rows it speaks of that break it."""
    chance: float
    """Logarithm of the chance that it holds by chance."""


@dataclass(frozen=True, slots=True)
class Mined:
    """A relation that does not hold by chance."""

    relation: Relation
    rows: int
    """Rows of the sample that it speaks of; of a relation between rows, pairs of them."""
    broken: int
    """Of these, those that break it."""
    surprise: float
    """How many times smaller than what is accepted its chance is, as a power of e."""


def holds(relation: RowRelation, rows: Rows) -> Tested | None:
    """What some rows say to a relation; None when too many of them break it, or none could."""
    tested = relation.test(rows.columns)
    return tested if tested.rows and tested.broken <= MOST_BROKEN * tested.rows else None
