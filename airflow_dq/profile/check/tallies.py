"""All counts that the checks of a profile need, of a part of a partition."""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from airflow_dq.check.model import Check
from airflow_dq.options.rule import LearnedRule
from airflow_dq.profile.check.count import group_of
from airflow_dq.profile.check.held import Held
from airflow_dq.profile.check.learned import Exceptions
from airflow_dq.profile.check.measured import NO_ROWS, NO_VALUES, Measured
from airflow_dq.profile.check.tally import Failed, Tally
from airflow_dq.profile.column_state import ColumnState
from airflow_dq.states.base import Kind
from airflow_dq.states.moment import Moments

_LENGTH = struct.Struct("<Q")


@dataclass(frozen=True, slots=True)
class Tallies:
    """Counts by group, see :func:`~airflow_dq.profile.check.count.group_of`."""

    by_group: Mapping[str, Tally] = field(default_factory=dict)

    def merge(self, other: Tallies) -> Tallies:
        """Those of both parts; a part of no batch at all has none."""
        found = dict(self.by_group)
        for group, tally in other.by_group.items():
            found[group] = found[group].merge(tally) if group in found else tally
        return Tallies(found)

    def measured(self, checks: Sequence[Check], columns: Mapping[str, ColumnState], now: float) -> dict[str, Measured]:
        """What was measured for each check that a profile does not answer by itself, by what it measures.

        :param columns: the columns of the whole partition
        :param now: the moment of the profile, in seconds since 1970
        """
        found = {}
        for check in checks:
            try:
                measured = self._measured(check, columns, now)
            except Exception as error:
                # Whatever it is, it concerns this check, and must not lose the profile.
                measured = Measured(problem=f"measuring it failed with {type(error).__name__}")
            if measured is not None:
                found[check.measure] = measured
        return found

    def exceptions(self, rules: Sequence[LearnedRule]) -> dict[str, Measured]:
        """How many rows break each learned rule, by what is counted; a rule that was not counted has no entry."""
        found = {}
        for rule in rules:
            tally = self.by_group.get(rule.measure)
            if isinstance(tally, Exceptions):
                found[rule.measure] = tally.share
            elif isinstance(tally, Failed):
                found[rule.measure] = Measured(problem=tally.problem, learned=True)
        return found

    def held(self, rules: Sequence[LearnedRule]) -> dict[str, Held]:
        """What relations between rows are judged by, by what is counted."""
        counted = {rule.measure: self.by_group.get(rule.measure) for rule in rules}
        return {measure: tally.whole for measure, tally in counted.items() if isinstance(tally, Held)}

    def beyond(self, checks: Sequence[Check], *, of_pass: bool = False) -> dict[str, Tally]:
        """What checks need that look beyond the partition's scan; the rest is measured, and may be large.

        :param of_pass: whether it is one of several passes, whose counts are added up
        """
        counted = [(check, group) for check in checks if (group := group_of(check) or "") in self.by_group]
        return {
            group: self.by_group[group]
            for check, group in counted
            if of_pass or check.scope == "total" or check.entry.source == "table" or self.by_group[group].is_wide
        }

    def _measured(self, check: Check, columns: Mapping[str, ColumnState], now: float) -> Measured | None:
        group = group_of(check)
        if group is None and check.entry.source != "age":
            return None
        problem = _unreadable(check, columns)
        if problem is not None:
            return Measured(problem=problem)
        if group is None:
            return _age(columns[check.columns[0]], check, now)
        if check.entry.source == "table" or check.scope == "total":
            # Only the job knows the other table, and the partitions before.
            return None
        tally = self.by_group.get(group)
        return Measured(problem="none of its rows was counted") if tally is None else tally.measured(check)

    def encode(self) -> bytes:
        """Bytes from which :meth:`decode` restores them."""
        described, blobs = [], []
        for group, tally in self.by_group.items():
            head, blob = tally.encode()
            described.append([group, tally.tag, head, len(blob)])
            blobs.append(blob)
        head = json.dumps(described).encode()
        return b"".join([_LENGTH.pack(len(head)), head, *blobs])

    @classmethod
    def decode(cls, data: bytes) -> Tallies:
        """What :meth:`encode` wrote."""
        (length,) = _LENGTH.unpack_from(data)
        place, found = _LENGTH.size + length, {}
        for group, tag, head, size in json.loads(data[_LENGTH.size : place]):
            found[group] = Tally.named(tag).decode(head, data[place : place + size])
            place += size
        return cls(found)


NO_TALLIES = Tallies()
"""Of no check, or of no rows."""


def missing_words(names: Sequence[str], known: Sequence[str]) -> str:
    """``the partition has no column 'x'; its columns are 'a', 'b'``."""
    listed = ", ".join(map(repr, known[:20])) + (f" and {len(known) - 20} more" if len(known) > 20 else "")
    said = ", ".join(f"{name!r}{meant_column(name, known)}" for name in names)
    return f"the partition has no column {said}; its columns are {listed}"


def meant_column(name: str, known: Sequence[str]) -> str:
    """`` (did you mean 'amount'?)`` of a name that no column has; empty where none is like it."""
    folded = [one for one in known if one.lower() == name.lower()]
    outer = next((one for one in known if name.startswith(f"{one}.")), None)
    quoted = [one for one in known if name in re.split(r"\W+", one) and not one.isidentifier()]
    if outer is not None:
        return f" (a part of {outer!r} is none: have the source, or a view, name it as one)"
    if quoted and not folded:
        return f" (did you mean `{quoted[0]}`, in backquotes?)"
    near = folded or get_close_matches(name, known, 3)
    return f" (did you mean {' or '.join(map(repr, near))}?)" if near else ""


def _unreadable(check: Check, columns: Mapping[str, ColumnState]) -> str | None:
    missing = [name for name in check.reads if name not in columns]
    if missing:
        return missing_words(missing, list(columns))
    for name in check.reads:
        problem = columns[name].problem
        if problem is not None and not columns[name].states:
            return f"column {name!r} cannot be profiled: {problem}"
    return None


def _age(column: ColumnState, check: Check, now: float) -> Measured:
    """How long ago the newest timestamp was, or for ``not_future`` the same: below 0 it lies ahead."""
    moments = column.states.get(Moments.key)
    if column.kind not in (Kind.TIMESTAMP, Kind.NULL):
        return Measured(problem=f"column {check.columns[0]!r} is {column.kind}, and {check.metric} is of timestamps")
    if not isinstance(moments, Moments) or not moments.count:
        rows = column.states.get("counts/1")
        return Measured(nothing=NO_VALUES if getattr(rows, "rows", 0) else NO_ROWS)
    return Measured(round(now - moments.high, 3), timed=True)
