"""The partitions that a program is learned from, and that the next one is compared with."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, TypeVar

import numpy as np

from airflow_dq.learn.array import FloatArray
from airflow_dq.learn.history.answer import NO_ANSWERS, Answers
from airflow_dq.learn.history.baseline import KeptDistances
from airflow_dq.learn.history.column import ColumnHistory, kind_of
from airflow_dq.learn.history.distance import SHARED, Distances
from airflow_dq.learn.history.like_days import LikeDays, like_days, on_factors, without
from airflow_dq.learn.history.timeline import Timeline
from airflow_dq.options.rule import LearnedRule
from airflow_dq.profile.model import Profile
from airflow_dq.states.base import Kind

T = TypeVar("T")

STAYS_AWAY = 2
"""A column that is away this many times as long as ever before has not merely stayed out: it is gone."""
IN_A_ROW = 0.001
"""As long as so many absences in a row still have this chance, they are no news: five for a column that one partition
in five lacks."""


@dataclass(frozen=True)
class Absence:
    """How often an optional column was missing, since it first came."""

    partitions: int
    """In how many of the past partitions."""
    longest: int
    """In how many in a row before it came again."""
    current: int
    """In how many of the newest ones in a row; 0 when the newest one has it."""
    seen: int
    """Number of past partitions since it first came."""

    @property
    def _bearable(self) -> int:
        """How many partitions in a row may lack it: those that come at random are now and then some in a row."""
        share = (self.partitions - self.current + 1) / (self.seen - self.current + 2)
        return max(STAYS_AWAY * self.longest, math.ceil(math.log(IN_A_ROW) / math.log(share)))

    @property
    def excuses_another(self) -> bool:
        """Whether one more partition without it is no news."""
        return not self.longest or self.current + 1 <= self._bearable

    @property
    def is_optional(self) -> bool:
        """Whether it may be missing, or if it has been missed for the first time and not for long, may come again."""
        if self.longest:
            return self.current <= self._bearable
        # One that most partitions have is no new one when it comes again.
        return 1 <= self.current <= max(STAYS_AWAY, (self.seen - 1) // 2)


@dataclass(frozen=True)
class History:
    """Profiles of past partitions on their slots in time."""

    profiles: Sequence[Profile]
    """Oldest first."""
    timeline: Timeline
    distances: Distances = SHARED
    dated: bool = True
    """Whether the partitions' keys say where they lie in time; else they are taken for consecutive."""
    older: Sequence[Profile] = ()
    """Earlier partitions, oldest first, some of which stand at the same place of the calendar; nothing else is learned
    from them."""
    answers: Answers = NO_ANSWERS
    """What people have said of the dataset's alarms so far, in these partitions and in those long before."""
    rules: tuple[LearnedRule, ...] | None = None
    """The rules on rows that are stored of the dataset; None: nobody stores them, and they are learned anew."""
    _columns: dict[tuple[str, Kind], ColumnHistory] = field(default_factory=dict, repr=False, compare=False)
    _remembered: dict[Hashable, Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(
        cls,
        profiles: Sequence[Profile] | History,
        *,
        distances: Distances = SHARED,
        dated: bool = True,
        older: Sequence[Profile] = (),
        answers: Answers = NO_ANSWERS,
        rules: tuple[LearnedRule, ...] | None = None,
    ) -> History:
        """The history of some profiles, oldest first; one that is given is only placed in time anew, where it must be.

        :param distances: what is known of the distances between partitions
        :param dated: False takes the partitions for consecutive, whatever their keys say
        :param older: partitions before them that may be like days
        :param answers: what people have said of the dataset's alarms
        :param rules: the rules on rows that are stored of the dataset
        """
        if isinstance(profiles, History):
            if profiles.dated is dated:
                return profiles
            older, answers, rules = profiles.older, profiles.answers, profiles.rules
            distances, profiles = profiles.distances, profiles.profiles
        keys = [profile.partition for profile in profiles]
        timeline = Timeline.of(keys) if dated else Timeline.consecutive(len(keys))
        return cls(profiles, timeline, distances, dated, older, answers, rules)

    @property
    def partitions(self) -> tuple[str | None, ...]:
        """The partitions' keys, oldest first."""
        return tuple(profile.partition for profile in self.profiles)

    @property
    def newest(self) -> Profile | None:
        """The newest partition; None in an empty history."""
        return self.profiles[-1] if self.profiles else None

    def __len__(self) -> int:
        """Number of partitions."""
        return len(self.profiles)

    def last(self, count: int) -> History:
        """The history of the newest ``count`` partitions; the others are among the :attr:`older` ones."""
        if count >= len(self.profiles):
            return self
        first = len(self.profiles) - count
        # A shorter history may have another rhythm than the whole: its slots are made anew.
        return History.of(
            self.profiles[first:],
            distances=self.distances,
            dated=self.dated,
            older=(*self.older, *self.profiles[:first]),
            answers=self.answers,
            rules=self.rules,
        )

    @cached_property
    def like(self) -> LikeDays | None:
        """The partitions with the beginnings and ends of months before those among them; None where there are none."""
        return self._like(None)

    def like_ahead(self, partition: str | None) -> LikeDays | None:
        """The same with the like days of the partition that follows."""
        return self._like(partition)

    def _like(self, ahead: str | None) -> LikeDays | None:
        if not self.dated:
            return None
        keys = [profile.partition for profile in (*self.older, *self.profiles)]
        chosen = like_days(keys, ahead, len(self.profiles), every=ahead is not None)
        return LikeDays.of([self.older[place] for place in chosen], self.profiles)

    @cached_property
    def optional(self) -> Mapping[str, Absence]:
        """The columns that have come and gone: that one is missing is no news, unless it stays away.

        One that has been away for longer than :data:`STAYS_AWAY` times its longest absence is gone.
        """
        if not self.dated:
            return {}
        ever = dict.fromkeys(name for profile in self.profiles for name in profile.columns)
        found = {name: _absence([name in profile.columns for profile in self.profiles]) for name in ever}
        return {name: one for name, one in found.items() if one.is_optional}

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns that may be expected of the next partition: the newest one's, and the optional ones."""
        newest = () if self.newest is None else tuple(self.newest.columns)
        return tuple(dict.fromkeys((*newest, *self.optional)))

    def kind(self, column: str) -> Kind:
        """The column's newest kind; ``NULL`` when it never had values."""
        return kind_of([profile.columns.get(column) for profile in self.profiles])

    def column(self, name: str, kind: Kind) -> ColumnHistory:
        """A column over the newest partitions in a row that have it with this kind; an optional one may be missing."""
        if (name, kind) not in self._columns:
            places: list[int] = []
            for place in reversed(range(len(self.profiles))):
                found = self.profiles[place].columns.get(name)
                if found is None and name in self.optional:
                    continue
                if found is None or found.kind not in (kind, Kind.NULL):
                    break
                places.insert(0, place)
            profiles = [self.profiles[place] for place in places]
            timeline = self.timeline.of_places(places)
            # Where it was away, others come right before a partition than in the table.
            kept = partial(self.kept.of, name) if len(places) == len(self.profiles) else None
            self._columns[name, kind] = ColumnHistory(profiles, name, timeline, self.distances, self.like, kept)
        return self._columns[name, kind]

    @cached_property
    def kept(self) -> KeptDistances:
        """What the profiles themselves keep of distances."""
        return KeptDistances(self.profiles)

    def remembered(self, key: Hashable, make: Callable[[], T]) -> T:
        """What is made of the history once, however many programs are learned from it.

        :param key: all that it depends on beside the history
        :param make: called when it is asked for the first time
        """
        if key not in self._remembered:
            self._remembered[key] = make()
        found: T = self._remembered[key]
        return found

    def rows(self) -> FloatArray:
        """Numbers of rows on their slots, oldest first, NaN in slots without one.

        One partition without rows was an accident, and says nothing of how many rows there are; two are a habit.  Days
        of a month that always have others than the days around them say nothing of these, see :mod:`.like_days`.
        """
        rows = np.array([profile.row_count for profile in self.profiles], dtype=np.float64)
        if np.count_nonzero(rows == 0.0) == 1:
            rows[rows == 0.0] = np.nan
        if self.like is not None and self.like.has_pairs:
            known = on_factors(self.like.rows)
            (strange,) = self.like.strange(known[None, :])
            rows = without(rows, self.partitions, strange)
        return self.timeline.spread(rows)


def _absence(there: Sequence[bool]) -> Absence:
    """What is known of a column that is there in some partitions, oldest first, and in one at least."""
    runs = [len(run) for run in "".join("x" if one else "-" for one in there).lstrip("-").split("x")]
    return Absence(sum(runs), max(runs[:-1]), runs[-1], sum(runs) + len(runs) - 1)
