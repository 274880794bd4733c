"""The states that this process has stored or read last: a backfill compares each partition with those around it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from threading import Lock

from airflow_dq.profile.model import Profile
from airflow_dq.states.base import State

COLUMNS = 256
"""Columns of which states are remembered: five partitions of fifty columns, a few dozen megabytes at most."""


class StateCache:
    """States of columns by their digest, which tells their content, whatever profile they are of."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, dict[str, State]] = OrderedDict()
        self._lock = Lock()

    def keep(self, digest: str, states: Mapping[str, State]) -> None:
        """Remember the states of a column, and forget those that were not used for longest."""
        if not digest or not states:
            return
        with self._lock:
            # A plain dict: whatever else the mapping remembers of them is not needed.
            self._known[digest] = dict(states)
            self._known.move_to_end(digest)
            while len(self._known) > COLUMNS:
                self._known.popitem(last=False)

    def keep_all(self, profile: Profile) -> None:
        """Remember the states of all columns."""
        for column in profile.columns.values():
            self.keep(column.states_digest, column.states)

    def get(self, digest: str) -> dict[str, State] | None:
        """The states with this digest, if they are remembered."""
        with self._lock:
            if digest in self._known:
                self._known.move_to_end(digest)
            return self._known.get(digest)
