"""The columns of the partition before, as sources that values may have strayed from; each is reduced once."""

from __future__ import annotations

from dataclasses import dataclass, field

from airflow_dq.learn.distribution import Points, Words
from airflow_dq.profile.model import Profile
from airflow_dq.states.base import Kind
from airflow_dq.states.category import CategoryDistribution
from airflow_dq.states.number import NumberDistribution


@dataclass(frozen=True)
class Neighbours:
    """The columns of one partition."""

    profile: Profile
    _points: dict[str, Points | None] = field(default_factory=dict)
    _words: dict[tuple[str, type[CategoryDistribution]], Words | None] = field(default_factory=dict)

    def names(self, kind: Kind, but: str) -> list[str]:
        """The columns of a kind, one excepted."""
        return [name for name, column in self.profile.columns.items() if column.kind is kind and name != but]

    def points(self, name: str) -> Points | None:
        """The numbers of a column; None when they are not kept."""
        if name not in self._points:
            state = self.profile.columns[name].states.get(NumberDistribution.key)
            known = isinstance(state, NumberDistribution) and state.total
            self._points[name] = Points.of(state) if known and isinstance(state, NumberDistribution) else None
        return self._points[name]

    def words(self, name: str, of: type[CategoryDistribution] = CategoryDistribution) -> Words | None:
        """The strings of a column, or their patterns; None when they are not kept."""
        if (name, of) not in self._words:
            state = self.profile.columns[name].states.get(of.key)
            self._words[name, of] = Words.of(state) if isinstance(state, of) and state.total else None
        return self._words[name, of]
