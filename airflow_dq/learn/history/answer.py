"""What people have answered to a dataset's alarms, and by how much that widens the ranges that alarmed.

An accepted alarm is a labelled false alarm: the range was too narrow for data that is right.  A rejected one is a
labelled true alarm.  Both count for as long as the dataset is stored, far longer than the window that a program is
learned from: what happens every other month has left the window when it comes again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from airflow_dq.options.key import order_key

GROWTH = 1.5
"""A range is this many times as wide after each accepted alarm of its metric.  Over 60 years of days of Student t 3
values repeated alarms fell from 16 to 4 (with 1.25 to 7, with 2 to none), and shifts by 20 scales that are caught from
93 % to 87 % (90 %, 81 %); of Student t 2 values from 70 to 26 (39, 14), and from 73 % to 54 % (61 %, 44 %)."""
MOST = 4.0
"""However often it was accepted, a range is never wider than this many times: it must go on to find what is gross.  At
8 not one repeated alarm less came."""
LENT = 0.25
"""What is accepted of a metric counts by this share for the column's other metrics, and for the metric elsewhere."""
LENT_AT_MOST = 1.0
"""All that is lent counts for no more than one accepted alarm of the metric itself."""

Subject = tuple[str | None, str]
"""Column (None: the table) and metric."""


@dataclass(frozen=True, slots=True)
class AnsweredAlarm:
    """An alarm about a metric of a partition that a person has decided about."""

    partition: str
    column: str | None
    """None: the table."""
    metric: str
    accepted: bool
    """Whether the data was found right; else it was rejected as bad."""


@dataclass(frozen=True, slots=True)
class Answered:
    """How often people found the data right, or bad, when a metric of a column had alarmed."""

    column: str | None
    metric: str
    accepted: int = 0
    """Number of partitions."""
    rejected: int = 0


@dataclass(frozen=True, slots=True)
class Widening:
    """Why a range is wider than its history makes it."""

    factor: float
    """How many times as far it reaches, above 1."""
    accepted: int
    """Accepted alarms of the metric itself; 0 where all is lent from other metrics or columns."""
    rejected: int = 0
    """Rejected ones, each of which cancels an accepted one."""


@dataclass(frozen=True)
class Answers:
    """What is known of the alarms of a dataset up to a partition; in no order that means anything."""

    given: tuple[Answered, ...] = ()

    @classmethod
    def of(cls, alarms: Iterable[AnsweredAlarm], before: str | None = None) -> Answers:
        """Count the answers, those of one partition about one metric once.

        :param before: only those about partitions that come before this one: a partition is not judged by what was
            said about itself, or it would pass when it is judged again
        """
        end = None if before is None else order_key(before)
        known = dict.fromkeys(one for one in alarms if end is None or order_key(one.partition) < end)
        counts = Counter(((one.column, one.metric), one.accepted) for one in known)
        subjects = sorted(
            {subject for subject, _ in counts}, key=lambda one: (one[0] or "", one[0] is not None, one[1])
        )
        return cls(tuple(Answered(*one, counts[one, True], counts[one, False]) for one in subjects))

    def __bool__(self) -> bool:
        """Whether anybody has answered anything."""
        return bool(self.given)

    def of_metric(self, column: str | None, metric: str) -> Answered:
        """What was answered to the alarms of one metric."""
        return self._counts.get((column, metric)) or Answered(column, metric)

    def reach(self, column: str | None, metric: str) -> float:
        """How many times as far a range on a metric reaches, from 1 (no answers) to :data:`MOST`.

        ``GROWTH`` to the power of the accepted alarms less the rejected ones.  A rejected alarm cancels an accepted
        one, since an alarm is worth having that is right as often as it is wrong; more rejected than accepted ones take
        back nothing but what is lent: the default is no wider than the history asks for.
        """
        own = self.of_metric(column, metric)
        lent = LENT * (self._most_of_column(column, metric) + self._most_of_metric(column, metric))
        exponent = own.accepted - own.rejected + min(lent, LENT_AT_MOST)
        # A power far past the largest factor says nothing more, and overflows.
        return float(min(MOST, GROWTH ** min(max(0.0, exponent), MOST)))

    def widening(self, column: str | None, metric: str) -> Widening | None:
        """The same with its reasons; None where nothing is widened."""
        factor = self.reach(column, metric)
        if factor <= 1.0:
            return None
        own = self.of_metric(column, metric)
        return Widening(factor, own.accepted, own.rejected)

    def is_dismissed(self, column: str | None, metric: str) -> bool:
        """Whether people have accepted what a metric of a column alarmed for, more often than they rejected it."""
        own = self.of_metric(column, metric)
        return own.accepted > own.rejected

    def _most_of_column(self, column: str | None, metric: str) -> int:
        """The most that one other metric of the column was accepted: many that alarm at once are one answer."""
        others = self._of_column.get(column, {}).items()
        return max((0, *(net for (_, other), net in others if other != metric)))

    def _most_of_metric(self, column: str | None, metric: str) -> int:
        """The most that the metric was accepted of one other column."""
        others = self._of_metric.get(metric, {}).items()
        return max((0, *(net for (other, _), net in others if other != column)))

    @cached_property
    def _counts(self) -> Mapping[Subject, Answered]:
        return {(one.column, one.metric): one for one in self.given}

    @cached_property
    def _of_column(self) -> Mapping[str | None, Mapping[Subject, int]]:
        found: dict[str | None, dict[Subject, int]] = {}
        for subject, one in self._counts.items():
            found.setdefault(one.column, {})[subject] = one.accepted - one.rejected
        return found

    @cached_property
    def _of_metric(self) -> Mapping[str, Mapping[Subject, int]]:
        found: dict[str, dict[Subject, int]] = {}
        for subject, one in self._counts.items():
            found.setdefault(one.metric, {})[subject] = one.accepted - one.rejected
        return found


NO_ANSWERS = Answers()
