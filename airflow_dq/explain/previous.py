"""The columns of the partition before, as sources that values may have strayed from; each is reduced once."""

from __future__ import annotations

from airflow_dq.learn.distribution import QuantilePoints, ValueShares
from airflow_dq.profile.model import Profile
from airflow_dq.states.base import Kind
from airflow_dq.states.category import CategoryDistribution
from airflow_dq.states.number import NumberDistribution


class PreviousPartition:
    """The columns of one partition, reduced to what a comparison needs of them when they are first asked for."""

    def __init__(self, profile: Profile) -> None:
        """Nothing is reduced yet.

        :param profile: with its states, as far as they are kept
        """
        self._columns = profile.columns
        self._points: dict[str, QuantilePoints | None] = {}
        self._shares: dict[tuple[str, type[CategoryDistribution]], ValueShares | None] = {}

    def names(self, kind: Kind, but: str) -> list[str]:
        """The columns of a kind, one excepted."""
        return [name for name, column in self._columns.items() if column.kind is kind and name != but]

    def quantile_points(self, name: str) -> QuantilePoints | None:
        """The numbers of a column; None when they are not kept."""
        if name not in self._points:
            state = self._columns[name].states.get(NumberDistribution.key)
            known = isinstance(state, NumberDistribution) and state.total
            self._points[name] = QuantilePoints.of(state) if known and isinstance(state, NumberDistribution) else None
        return self._points[name]

    def value_shares(self, name: str, of: type[CategoryDistribution] = CategoryDistribution) -> ValueShares | None:
        """The strings of a column, or their patterns; None when they are not kept."""
        if (name, of) not in self._shares:
            state = self._columns[name].states.get(of.key)
            self._shares[name, of] = ValueShares.of(state) if isinstance(state, of) and state.total else None
        return self._shares[name, of]
