"""How reliable a gate has been on a dataset: said beside an alarm, which is then believed as far as it deserves.

A partition that alarmed is a false alarm when a person accepted its data, a true one when a person rejected it or
said that it is the new normal; of an alarm that nobody answered, and of one that was gone when the partition was judged
again, nobody knows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

CONFIDENCE = 0.95
"""Level of the confidence intervals: the usual one."""
FEWEST = 10
"""Of fewer judged partitions nothing is said: with no false alarm among 10, the interval reaches up to 31 %."""


@dataclass(frozen=True, slots=True)
class Replay:
    """What a gate with the same options would have done on the past, by the last backtest of the stored history."""

    judged: int
    """Partitions judged, without those that a person has rejected."""
    alarms: int
    """How many of them would have alarmed."""
    newest: str
    """Key of the newest partition that was replayed."""


@dataclass(frozen=True, slots=True)
class Record:
    """What has become of the partitions judged before this one, and what people have said of those that alarmed."""

    judged: int
    """Number of partitions judged: they passed or alarmed."""
    accepted: int = 0
    """Alarmed, and people found the data right."""
    rejected: int = 0
    """Alarmed, and people found that rightly: bad data, or a new normal."""
    unanswered: int = 0
    """Alarmed, and nobody has said anything."""
    cleared: int = 0
    """Alarmed, and passed when it was judged again."""
    replay: Replay | None = None
    """None where no backtest with the same options is stored."""

    @property
    def alarmed(self) -> int:
        """Number of partitions that alarmed."""
        return self.accepted + self.rejected + self.unanswered + self.cleared

    @property
    def false_alarms(self) -> tuple[float, float]:
        """The interval that holds the rate of false alarms, whatever the alarms are that nobody knows about."""
        known, open_ = self.accepted, self.unanswered + self.cleared
        return interval(known, self.judged)[0], interval(known + open_, self.judged)[1]


def interval(count: int, of: int) -> tuple[float, float]:
    """The exact two-sided 95 % confidence interval of a share (Clopper and Pearson 1934).

    :param count: how many
    :param of: out of how many; for 0, nothing is known and the interval is 0 to 1
    """
    from scipy.special import betaincinv

    tail = (1.0 - CONFIDENCE) / 2.0
    low = float(betaincinv(count, of - count + 1, tail)) if count else 0.0
    high = float(betaincinv(count + 1, of - count, 1.0 - tail)) if count < of else 1.0
    return low, high


def record_words(record: Record | None) -> str | None:
    """One sentence, or None where too little is known to say anything.

    ``Of the last 45 partitions judged, 1 alarmed and was accepted as right (95% interval 0-12%).``
    """
    if record is None:
        return None
    replay = record.replay
    parts = [_own_words(record)] if record.judged >= FEWEST else []
    if replay is not None and replay.judged >= FEWEST:
        parts.append(_replay_words(replay))
    said = "; ".join(parts)
    return f"{said[0].upper()}{said[1:]}." if said else None


def _own_words(record: Record) -> str:
    span = interval_words(*record.false_alarms)
    if not record.alarmed:
        return f"none of the last {record.judged} partitions judged had alarmed ({span})"
    before = f"of the last {record.judged} partitions judged, {record.alarmed} alarmed"
    if record.accepted == record.alarmed:
        return f"{before} and {_were(record.accepted)} accepted as right ({span})"
    uncertain = ", whatever those are that nobody knows of" if record.unanswered or record.cleared else ""
    return f"{before}: {', '.join(_fates(record))} (false alarms: {span}{uncertain})"


def _fates(record: Record) -> Iterator[str]:
    for number, fate in (
        (record.accepted, "accepted as right"),
        (record.rejected, "confirmed"),
        (record.unanswered, "not answered"),
    ):
        if number:
            yield f"{number} {_were(number)} {fate}"
    if record.cleared:
        yield f"{record.cleared} passed when judged again"


def _replay_words(replay: Replay) -> str:
    alarms = f"{replay.alarms}" if replay.alarms else "none"
    return (
        f"in a replay of {replay.judged} partitions up to {replay.newest} that nobody complained about, this gate "
        f"would have alarmed on {alarms} ({interval_words(*interval(replay.alarms, replay.judged))})"
    )


def interval_words(low: float, high: float) -> str:
    """``95% interval 0-12%``; rounded outwards, so that it never claims more than was measured."""
    return f"{CONFIDENCE:.0%} interval {_percent(low, math.floor)}-{_percent(high, math.ceil)}%"


def _percent(share: float, rounded: Callable[[float], int]) -> str:
    """One decimal below 10 percent, none above."""
    percent = 100.0 * share
    return f"{rounded(percent)}" if percent >= 10.0 else f"{rounded(10.0 * percent) / 10.0:g}"


def _were(number: int) -> str:
    return "was" if number == 1 else "were"
