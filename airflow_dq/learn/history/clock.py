"""The clock that partition keys are read from: twice a year a day has 23 or 25 hours, and an hour none or two.

A table whose rows come every hour has 4 % fewer of them on the one day and 4 % more on the other, and one that is
written every hour has twice as many in the hour that comes twice: that is no news, and says nothing of other days.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import numpy as np

from airflow_dq.learn.array import FloatArray
from airflow_dq.learn.history.timeline import Timeline, offset_of, timestamp_of

EVEN = 0.01
"""A partition that is longer or shorter by less than this share is as long as any: an hour more in a week or month."""


@dataclass(frozen=True, slots=True)
class LocalClock:
    """The time zone of keys that name local days or hours, and how long their partitions are by the clock on the wall.

    A key names the moment at which its partition begins; one that tells its offset from UTC names each moment once.
    """

    zone: str
    minutes: int
    """From the beginning of a partition to that of the next."""

    @classmethod
    def of(cls, zone: str | None, keys: Sequence[str | None]) -> LocalClock | None:
        """The clock of a history's keys, oldest first; None when no zone is known, or they are not all moments."""
        moments = [timestamp_of(key) for key in keys]
        known = [moment for moment in moments if moment is not None]
        if zone is None or len(known) < max(2, len(moments)):
            return None
        least = min(later - earlier for earlier, later in pairwise(known))
        minutes = int(least / timedelta(minutes=1))
        return cls(zone, minutes) if minutes > 0 else None

    def length(self, key: str | None) -> float:
        """How long the partition with this key is, as a share of the usual; 1.0 where nothing else is known."""
        begin = timestamp_of(key)
        if begin is None or offset_of(key) is not None:
            return 1.0
        usual = timedelta(minutes=self.minutes)
        share = (self._moment(begin + usual) - self._moment(begin)) / usual
        return share if abs(share - 1.0) >= EVEN else 1.0

    def without_odd(self, rows: FloatArray, timeline: Timeline, keys: Sequence[str | None]) -> FloatArray:
        """Numbers of rows on their slots, NaN where a partition was longer or shorter than the others."""
        odd = timeline.spread(np.array([float(self.length(key) != 1.0) for key in keys]))
        left = np.where(odd == 1.0, np.nan, rows)
        return rows if np.isnan(left).all() else left

    def _moment(self, local: datetime) -> datetime:
        # Of an hour that comes twice the first; one that never comes is as late as the one behind it.
        return local.replace(tzinfo=ZoneInfo(self.zone)).astimezone(UTC)
