"""Replay of a clean table: each partition judged by a program from the partitions before it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from airflow_dq.learn.constraint.base import Finding
from airflow_dq.learn.history.timeline import moment_of
from airflow_dq.profile import Profile
from airflow_dq.program import Program, Status, SynthesisOptions, evaluate, synthesize

SHORT, LONG = "7-29", "30+"
"""Lengths of the history that are told apart, in partitions."""
FULL = 30
MONTHS = 4
"""Ends of months that are judged: of 200 days the earliest has two or more before it."""


@dataclass(frozen=True, slots=True)
class Cause:
    """One finding on a clean partition: which constraint was wrong, and by how much."""

    column: str
    """Empty: the table."""
    kind: str
    """Kind of the column."""
    rule: str
    metric: str
    transform: str
    """How its range follows from the history."""
    observed: str
    allowed: str
    times: float | None
    """How many times the largest past deviation it was off; None where that is zero or unknown."""
    severity: str
    """``warn`` lets the gate go on."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One partition at one target."""

    table: str
    key: str
    history: str
    """SHORT or LONG."""
    target: float
    alarmed: bool
    events: tuple[str, ...]
    causes: tuple[Cause, ...]
    """Empty where the alarm follows from that at a smaller target."""

    @property
    def only_warns(self) -> bool:
        """Whether the gate goes on all the same; False where the alarm follows from that at a smaller target."""
        return bool(self.causes) and all(cause.severity == "warn" for cause in self.causes)

    def document(self) -> dict[str, Any]:
        """It as JSON."""
        return asdict(self)


def places(count: int, points: int, least: int = 7) -> list[int]:
    """Partitions to judge: so many with a short history and twice as many with a full one, evenly spread.

    :param points: 0: every one of them
    """
    short, long = range(least, min(FULL, count)), range(FULL, count)
    if not points:
        return [*short, *long]
    chosen: list[int] = []
    for some, most in ((short, points), (long, 2 * points)):
        if len(some):
            chosen += sorted({int(place) for place in np.linspace(some[0], some[-1], min(most, len(some)))})
    return chosen


def month_days(profiles: Sequence[Profile]) -> list[int]:
    """The last :data:`MONTHS` ends of months with a full history, and the day behind each."""
    moments = [moment_of(profile.partition) for profile in profiles]
    behind = [
        place
        for place in range(FULL + 1, len(moments))
        if (now := moments[place]) and (before := moments[place - 1]) and now.month != before.month
    ]
    return [place for first in behind[-MONTHS:] for place in (first - 1, first)]


def replay(
    name: str,
    profiles: Sequence[Profile],
    options: SynthesisOptions,
    targets: Sequence[float],
    points: int,
    events: Sequence[frozenset[str]] | None = None,
    *,
    every: bool = False,
    months: bool = False,
) -> Iterator[Judged]:
    """Judge partitions at several targets; each is learned from afterwards, whatever was said of it.

    What alarms at the default target is taken to alarm at every larger one, and what passes at the largest to pass at
    every smaller one; only what lies between is judged again.

    :param options: its own target is judged too
    :param every: judge at every target, which takes longer
    :param months: judge the last ends of months and the days behind them as well
    """
    chosen = places(len(profiles), points)
    for place in sorted({*chosen, *(month_days(profiles) if months else ())}):
        history, now = profiles[:place], profiles[place]
        length = LONG if place >= FULL else SHORT
        special = tuple(sorted(events[place])) if events is not None else ()
        found: dict[float, tuple[Cause, ...]] = {}
        lowest_alarm, highest_pass = float("inf"), 0.0
        for target in _in_order(options.target_fpr, targets):
            if every or highest_pass < target < lowest_alarm:
                causes = judge(history, now, replace(options, target_fpr=target))
                found[target] = causes
                if causes:
                    lowest_alarm = min(lowest_alarm, target)
                else:
                    highest_pass = max(highest_pass, target)
        for target in sorted({options.target_fpr, *targets}):
            causes = found.get(target, ())
            alarmed = bool(causes) if target in found else target >= lowest_alarm
            yield Judged(name, str(now.partition), length, target, alarmed, special, causes)


def unanswered(
    name: str, profiles: Sequence[Profile], options: SynthesisOptions, events: Sequence[frozenset[str]] | None = None
) -> Iterator[Judged]:
    """Judge every partition when nobody answers: one that alarms is not learned from."""
    learned: list[Profile] = []
    for place, now in enumerate(profiles):
        causes: tuple[Cause, ...] = ()
        if len(learned) >= options.min_history:
            causes = judge(learned, now, options)
            length = LONG if len(learned) >= FULL else SHORT
            special = tuple(sorted(events[place])) if events is not None else ()
            yield Judged(name, str(now.partition), length, options.target_fpr, bool(causes), special, causes)
        if not causes:
            learned.append(now)


def judge(history: Sequence[Profile], now: Profile, options: SynthesisOptions) -> tuple[Cause, ...]:
    """What is found wrong with a partition; nothing when it passes.

    :raises RuntimeError: when the verdict is neither pass nor fail: a rate over those would mean nothing
    """
    program = synthesize(history, options)
    verdict = evaluate(program, now, history)
    if verdict.status is Status.FAIL:
        return tuple(_cause(program, now, finding) for finding in verdict.findings)
    if verdict.status in (Status.PASS, Status.NOT_EVALUATED):
        return ()
    raise RuntimeError(f"Partition {now.partition} ended as {verdict.status}: {verdict.reason}")


def _in_order(default: float, targets: Sequence[float]) -> list[float]:
    """The default, then the ends: what they say decides most of the others."""
    others = sorted({*targets} - {default})
    return [default, *others[-1:], *others[:-1]]


def _cause(program: Program, now: Profile, finding: Finding) -> Cause:
    name = finding.scope.column or ",".join(finding.scope.columns)
    column = now.columns.get(name)
    evidence = finding.evidence
    times = None if evidence is None or not evidence.worst else evidence.deviation / evidence.worst
    lower, upper = ("" if bound is None else f"{bound:.6g}" for bound in (finding.lower, finding.upper))
    observed = finding.observed
    return Cause(
        column=name,
        kind="table" if not name else "absent" if column is None else str(column.kind),
        rule=finding.rule,
        metric=finding.metric or "",
        transform=_transform(program, finding),
        observed=f"{observed:.6g}" if isinstance(observed, float) else str(observed or finding.seen or ""),
        allowed=f"{lower}..{upper}" if lower or upper else finding.expected or "",
        times=times,
        severity=finding.severity,
    )


def _transform(program: Program, finding: Finding) -> str:
    for one in program.ranges():
        if one.scope == finding.scope and one.metric == finding.metric:
            expectation = one.expectation
            return f"log {expectation.forecast}" if expectation.logarithmic else str(expectation.forecast)
    return ""
