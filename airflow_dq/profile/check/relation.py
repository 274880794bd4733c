"""Relations between the columns of a row: how many rows break each, and a few of these as texts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from airflow_dq.exceptions import CodecError
from airflow_dq.options.rule import LearnedRule
from airflow_dq.profile.check.learned import Exceptions, RowRule, RuleRows
from airflow_dq.profile.check.measured import Measured
from airflow_dq.profile.model import ColumnProfile, Profile
from airflow_dq.relation import RowRelation
from airflow_dq.relation.rule import RELATION, RelationRule
from airflow_dq.relation.words import quoted
from airflow_dq.states.array import DistinctStrings, added_up
from airflow_dq.states.prepared import PreparedColumn

DRAWN = "drawn"
"""What is said to have been seen where not all rows were looked at, but those that were drawn."""
_NONE = DistinctStrings(pa.array([], pa.large_string()), np.empty(0, np.int64))
_LONGEST = 40
"""Characters of a text that an example shows."""
_HIDDEN, _MISSING = "hidden", "missing"


class RowRelationRule(RowRule, family=RELATION):
    """Counts the rows that break a relation among those that it speaks of."""

    def __init__(self, rule: LearnedRule) -> None:
        """Read the rule.

        :raises CodecError: when its document is damaged, or its relation is none of rows
        """
        self._rule = RelationRule.from_json(rule.document)
        if not isinstance(self._rule.relation, RowRelation):
            raise CodecError(f"{self._rule.relation} is no relation within a row")
        self._relation = self._rule.relation

    def count(self, rows: RuleRows) -> Exceptions:
        """All rows at once; a column without a type has no value."""
        tested = self._relation.test(rows.columns)
        number, broken = tested.rows, tested.broken
        if not broken:
            return Exceptions(number)
        if len(rows.hidden) == len(rows.columns):
            return Exceptions(number, broken, broken)
        texts = self._texts(rows.columns, np.flatnonzero(tested.breaks), rows.hidden)
        return Exceptions.of(number, texts, _NONE, hidden=False)

    def _texts(
        self, columns: Mapping[str, PreparedColumn], places: NDArray[np.intp], hidden: Collection[str]
    ) -> DistinctStrings:
        """The rows as ``total = 12, price = 10, fee = hidden``, each different one once."""
        chosen, parts = pa.array(places), list[pa.Array | pa.Scalar]()
        for name, column in columns.items():
            head = f"{', ' if parts else ''}{quoted(name)} = "
            if name in hidden:
                shown = pa.array([_HIDDEN] * len(places), pa.large_string())
            else:
                shown = _shown(column.values.take(chosen), moment=name in self._rule.moments)
            parts += [pa.scalar(head, pa.large_string()), shown]
        texts = pc.binary_join_element_wise(*parts, pa.scalar("", pa.large_string()))
        return added_up(texts, np.ones(len(places), np.int64))

    def answers(self, columns: Sequence[ColumnProfile], profile: Profile) -> bool:
        """Where rows were drawn of the partition, which lives as long as the profile is in memory."""
        return profile.sample is not None and profile.sample.total > 0

    def answer(self, rule: LearnedRule, profile: Profile) -> Measured | None:
        """By the rows that were drawn: all of them where these are so few, and else as many."""
        sample = profile.sample
        if sample is None or not set(rule.columns) <= set(sample.rows.column_names):
            return None
        rows = sample.expand(rule.columns)
        columns = {name: PreparedColumn.of(rows.column(name)) for name in rule.columns}
        hidden = {name for name in rule.columns if profile.options.hides(name)}
        found = self.count(RuleRows(columns, hidden)).share
        return found if sample.complete else replace(found, seen=DRAWN)


def _shown(values: pa.Array, *, moment: bool) -> pa.LargeStringArray:
    """Values as texts: numbers without a needless decimal, moments as times."""
    if moment and pa.types.is_floating(values.type):
        seconds = pc.round(pc.multiply(values, 1e6))
        values = pc.cast(seconds.cast(pa.int64(), safe=False), pa.timestamp("us"))
    if pa.types.is_large_string(values.type):
        texts = pc.utf8_slice_codeunits(values, 0, _LONGEST)
    elif pa.types.is_binary(values.type) or pa.types.is_large_binary(values.type):
        texts = pc.if_else(values.is_valid(), "present", pa.scalar(None, pa.string()))
    else:
        texts = values.cast(pa.large_string())
    plain = pc.replace_substring_regex(texts.cast(pa.large_string()), r"\.0+$", "") if moment else texts
    return pc.fill_null(plain.cast(pa.large_string()), _MISSING)
