"""A rule on rows that was learned of a dataset: plain data, counted by the next profiles and judged by the gate."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

RuleState = Literal["active", "relearned", "muted", "dropped"]
"""``active``: counted and judged.  ``relearned``: another one has taken its place.  ``muted``: a person wants to hear
of it no more.  ``dropped``: too many rows have broken it, or it was found in a partition that was bad."""


@dataclass(frozen=True)
class LearnedRule:
    """What the rows of a dataset have been seen to fulfil.

    :param family: what kind of rule it is: it says how rows are counted, and how the count is judged
    :param columns: the columns that it reads
    :param condition: what a row is asked, as strict JSON: two rules of one condition have one count
    :param document: the rule as its family writes it, as strict JSON: the condition, and what is known of its training
    :param partitions: the partitions that it was learned from, oldest first
    """

    family: str
    columns: tuple[str, ...]
    condition: str
    document: str
    partitions: tuple[str, ...] = ()

    @cached_property
    def measure(self) -> str:
        """What is counted, as a text that no other rule has: under it the count is stored."""
        digest = hashlib.blake2b(self.condition.encode(), digest_size=8).hexdigest()
        return json.dumps([self.family, *self.columns, digest], ensure_ascii=False, separators=(",", ":"))


def rule_of(plain: Mapping[str, Any]) -> LearnedRule:
    """The rule whose fields are these JSON values.

    :raises TypeError: when they are others
    """
    return LearnedRule(**{**plain, "columns": tuple(plain["columns"]), "partitions": tuple(plain["partitions"])})
