"""A relation as it is stored of a dataset: what a row is asked, and what is known of the rows that it was found in."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from airflow_dq.exceptions import CodecError
from airflow_dq.options.rule import LearnedRule
from airflow_dq.relation.base import Relation, RowRelation
from airflow_dq.relation.found import Mined

RELATION = "relation"
"""The family of rules on what holds between the columns of a row."""
BETWEEN = "between"
"""The family of those that only several rows can break."""
VERSION = 1
"""Of the JSON form."""


@dataclass(frozen=True, slots=True)
class RelationRule:
    """A relation with what speaks for it."""

    relation: Relation
    moments: tuple[str, ...] = ()
    """Its columns whose numbers are seconds since 1970: what is shown of them is a time."""
    rows: int = 0
    """Rows that it was found in."""
    broken: int = 0
    """Of these, those that break it."""
    surprise: float = 0.0
    """How far below what is accepted the chance lies that it holds by chance, as a power of e."""

    @classmethod
    def of(cls, mined: Mined, moments: Collection[str]) -> RelationRule:
        """What was found.

        :param moments: all columns of moments
        """
        own = tuple(name for name in mined.relation.columns if name in moments)
        return cls(mined.relation, own, mined.rows, mined.broken, mined.surprise)

    def learned(self, partitions: tuple[str, ...]) -> LearnedRule:
        """The rule as it is stored, counted and judged.

        :param partitions: those in whose rows it was found
        """
        relation = self.relation
        family = RELATION if isinstance(relation, RowRelation) else BETWEEN
        return LearnedRule(family, relation.columns, relation.to_json(), self.to_json(), partitions)

    def to_json(self) -> str:
        """One line of strict JSON."""
        known = {"moments": self.moments, "rows": self.rows, "broken": self.broken, "surprise": self.surprise}
        document = {"version": VERSION, "relation": json.loads(self.relation.to_json()), **known}
        return json.dumps(document, ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> RelationRule:
        """The rule that :meth:`to_json` wrote.

        :raises CodecError: naming what is damaged, or a version that this package does not read
        """
        try:
            given = json.loads(text)
            version = given.pop("version", None)
            if version != VERSION:
                raise CodecError(f"The stored relation has version {version!r}; this package reads {VERSION}.")
            relation = Relation.from_json(json.dumps(given.pop("relation")))
            return cls(relation, tuple(map(str, given.pop("moments"))), **_counts(given))
        except (ValueError, AttributeError, KeyError, TypeError) as error:
            raise CodecError(f"The stored relation is damaged: {error}.") from error


def _counts(given: dict[str, Any]) -> dict[str, Any]:
    rows, broken, surprise = given.pop("rows"), given.pop("broken"), given.pop("surprise")
    if given or type(rows) is not int or type(broken) is not int or not isinstance(surprise, int | float):
        raise ValueError(f"unknown {', '.join(given)}" if given else "what was counted is no number")
    return {"rows": rows, "broken": broken, "surprise": float(surprise)}
