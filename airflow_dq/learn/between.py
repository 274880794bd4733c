"""Learned relations between rows: mined of the rows that several partitions in a row were drawn with, or stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from airflow_dq.learn.history.history import History
from airflow_dq.options.rule import LearnedRule
from airflow_dq.profile.model import Profile
from airflow_dq.relation.dependency import is_lasting
from airflow_dq.relation.rows_search import RowsSearch
from airflow_dq.relation.rule import BETWEEN, RelationRule
from airflow_dq.states.base import Kind

MINED_OF = 6
"""Partitions in a row that are mined: 20 places have 100 chances to change from one to the next, which is enough."""
_UNREADABLE = (Kind.NULL, Kind.NESTED, Kind.BINARY)


def mine_profiles(profiles: Sequence[Profile], dataset: str = "") -> tuple[LearnedRule, ...]:
    """The relations between the rows that profiles were drawn with; none where none was.

    :param profiles: partitions in a row, oldest first
    :param dataset: for the log
    """
    drawn = _Drawn.of(profiles)
    found = drawn.searched(dataset).found()
    return tuple(RelationRule.of(one, drawn.moments).learned(drawn.partitions) for one in found)


def rules_to_try(profiles: Sequence[Profile], dataset: str = "") -> tuple[LearnedRule, ...]:
    """The same, and after them what may last though too few partitions were drawn to tell: those to come will.

    :param profiles: partitions in a row, oldest first
    :param dataset: for the log
    """
    drawn = _Drawn.of(profiles)
    search = drawn.searched(dataset)
    mined = search.found()
    lasting = {one.relation.columns for one in mined if is_lasting(one.relation)}
    tried = [one for one in search.candidates() if one.columns not in lasting]
    found = (RelationRule.of(one, drawn.moments).learned(drawn.partitions) for one in mined)
    return (*found, *(RelationRule(one).learned(drawn.partitions) for one in tried))


@dataclass(frozen=True)
class _Drawn:
    """The rows that profiles were drawn with."""

    tables: list[pa.Table]
    partitions: tuple[str, ...]
    moments: frozenset[str]
    hidden: frozenset[str]
    drawn: tuple[int, ...]
    """Places of the tables that have some of their partition's rows only."""

    @classmethod
    def of(cls, profiles: Sequence[Profile]) -> _Drawn:
        """Those of the profiles that have rows."""
        drawn = [(one, one.sample.expand(one.sample.rows.column_names)) for one in profiles if one.sample is not None]
        if not drawn:
            return cls([], (), frozenset(), frozenset(), ())
        newest = drawn[-1][0]
        kinds = {name: column.kind for name, column in newest.columns.items() if column.kind not in _UNREADABLE}
        moments = frozenset(name for name, kind in kinds.items() if kind is Kind.TIMESTAMP)
        # Arrow lists the names anew each time that they are asked for.
        named = [(rows, set(rows.column_names)) for _, rows in drawn]
        tables = [rows.select([name for name in kinds if name in names]) for rows, names in named]
        hidden = frozenset(name for name in kinds if newest.options.hides(name))
        some = tuple(at for at, (one, _) in enumerate(drawn) if one.sample is None or not one.sample.complete)
        return cls(tables, tuple(str(one.partition) for one, _ in drawn), moments, hidden, some)

    def searched(self, dataset: str) -> RowsSearch:
        """The search for what they have in common.

        :param dataset: for the log
        """
        # Hidden numbers must not be kept, and moments do not grow by a share.
        uncounted = self.moments | self.hidden
        return RowsSearch.of(self.tables, uncounted, dataset, drawn=self.drawn, hidden=self.hidden)


def between_of(history: History) -> tuple[LearnedRule, ...]:
    """The relations between rows that are stored of a dataset; where nobody stores them, those of some partitions.

    Which ones, their content decides: a walk through the past then mines each of few rows of them once.
    """
    if history.rules is not None:
        return tuple(rule for rule in history.rules if rule.family == BETWEEN)
    able = [profile for profile in history.profiles if profile.sample is not None]
    if len(able) < 2:
        return ()
    starts = range(max(1, len(able) - MINED_OF + 1))
    first = min(starts, key=lambda place: able[place].fingerprint)
    chosen = able[first : first + MINED_OF]
    key = tuple(text for profile in chosen for text in (profile.fingerprint, profile.drawn))
    if key not in _MINED:
        if len(_MINED) >= _MOST_MINED:
            _MINED.clear()
        _MINED[key] = mine_profiles(chosen)
    return _MINED[key]


_MINED: dict[tuple[str, ...], tuple[LearnedRule, ...]] = {}
"""What was mined of equal contents."""
_MOST_MINED = 1_000
"""Contents that are remembered; then it begins anew."""
