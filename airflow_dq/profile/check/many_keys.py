"""Keys that are too many for one process: how often each occurs lies in a folder, in pieces that may share keys.

A total of many partitions is the pieces of all of them; nothing is read until it is asked what the total is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import time_ns
from typing import Any, ClassVar, Protocol, Self, TypeAlias
from uuid import uuid4

import numpy as np

from airflow_dq.check.model import Check
from airflow_dq.profile.check.grouped import MOST_GROUPS, Grouped, too_many_groups
from airflow_dq.profile.check.key_tally import NOTHING, Joint, Keys, Occurring, joint_measured, too_many
from airflow_dq.profile.check.measured import NO_ROWS, Measured
from airflow_dq.profile.check.tally import Failed, Tally

BUCKETS = 32
"""Folders that each piece is divided into by its keys' hashes: of 128 million keys one has as many as are counted at
once in one process, and a cluster writes no more files than that.  A power of two: the last bits of a hash tell."""
_MOST_VIEWS = 8
"""More than rows are seen in at once, which is three; a power of two leaves 56 bits for the hash of a label."""

Label: TypeAlias = "str | None"
"""A value of the column that a check is told by; None where it is told of all rows."""
Rows: TypeAlias = "Mapping[Label, int]"
"""Numbers of rows by label."""


def total_piece() -> str:
    """The name of a new piece of several partitions."""
    return f"total-{time_ns():020d}-{uuid4().hex[:8]}"


def partition_piece(partition: str) -> str:
    """The name of a new piece of one partition."""
    return f"part-{digest(partition)}-{time_ns():020d}-{uuid4().hex[:8]}"


def partition_of(name: str) -> str | None:
    """The digest of the partition that a piece is of; None for a piece of several partitions."""
    kind, of, *_ = name.split("-")
    return of if kind == "part" else None


def made_at(name: str) -> int:
    """When a piece was begun, in nanoseconds since 1970."""
    return int(name.split("-")[-2])


def digest(text: str) -> str:
    """A text as a part of a file's name."""
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


class KeyFolder(Protocol):
    """Where pieces are kept.  A key is the hash of a value, or of a tuple of values, seen in one of several views."""

    def write(self, tally: Tally) -> str:
        """Keep keys that are in memory; the name of the piece."""

    def merge(self, pieces: Sequence[str]) -> str:
        """Keep the keys of several pieces as one piece, in which each key stands once; its name."""

    def occurring(self, steps: Sequence[Sequence[str]]) -> list[dict[int, Occurring]]:
        """How many keys occur how often in the pieces of the first step, of the first two, and so on; by view."""

    def names(self) -> list[str]:
        """The pieces that there are."""

    def drop(self, pieces: Sequence[str]) -> None:
        """Remove pieces; one that is not there is gone already."""


@dataclass(frozen=True, slots=True)
class ManyKeys(Tally):
    """The keys of some rows, in pieces of a folder."""

    tag: ClassVar[str] = "many"

    views: int
    """1 where each row has one key; see :class:`~airflow_dq.profile.check.key_tally.Joint`."""
    rows: Rows
    """In scope, those without any value too."""
    pieces: tuple[str, ...]
    by: str | None = None

    @classmethod
    def of(cls, tally: Tally, piece: str) -> Self:
        """Of keys that were in memory, or would have been were they fewer.

        :param piece: that they are in now
        """
        parts = parts_of(tally)
        views = max((len(one) for one in parts.values()), default=1)
        by = tally.by if isinstance(tally, Grouped) else None
        return cls(views, {label: one[0].rows for label, one in parts.items()}, (piece,), by)

    def _with(self, other: Any) -> Tally:
        rows = dict(self.rows)
        for label, number in other.rows.items():
            rows[label] = rows.get(label, 0) + number
        if self.by is not None and len(rows) > MOST_GROUPS:
            return Failed(too_many_groups(self.by))
        return ManyKeys(max(self.views, other.views), rows, (*self.pieces, *other.pieces), self.by)

    def encode(self) -> tuple[Any, bytes]:
        """The pieces' names."""
        return [self.views, list(map(list, self.rows.items())), list(self.pieces), self.by], b""

    @classmethod
    def decode(cls, head: Any, data: bytes) -> Self:
        """What :meth:`encode` wrote."""
        views, rows, pieces, by = head
        return cls(views, dict(rows), tuple(pieces), by)

    def measured(self, check: Check) -> Measured:
        """That a folder is needed."""
        return too_many(check)

    def lost(self) -> Tally:
        """The same without the pieces, which nobody can read."""
        found = {label: _lost(self.views, number) for label, number in self.rows.items()}
        return found[None] if self.by is None else Grouped(self.by, {str(label): one for label, one in found.items()})

    def counted(self, check: Check, found: Mapping[int, Occurring]) -> Measured:
        """The value that the check asks for.

        :param found: what the folder says of the pieces, by view
        """
        views = {
            label: [found.get(view_of(label, number), NOTHING) for number in range(self.views)] for label in self.rows
        }
        return measured_views(check, self.rows, views)


def measured_views(check: Check, rows: Rows, views: Mapping[Label, Sequence[Occurring]]) -> Measured:
    """What a check on keys asks for, of how often they occur.

    :param rows: in scope; by the value of the column that the check is told by, None where there is none
    """
    found = {
        label: one[0].measured(check, rows[label]) if len(one) == 1 else joint_measured(check, rows[label], one)
        for label, one in views.items()
    }
    if check.by is None:
        return found[None]
    told = {str(label): one.alone() for label, one in sorted(found.items(), key=lambda pair: str(pair[0]))}
    return Measured(len(told), groups=told) if told else Measured(nothing=NO_ROWS)


def view_of(label: Label, number: int) -> int:
    """A view's name in a piece: its number, of the rows with a value in the column that a check is told by."""
    if label is None:
        return number
    return int.from_bytes(hashlib.blake2b(label.encode(), digest_size=7).digest(), "little") * _MOST_VIEWS + number


def joined(before: Tally, one: Tally, folder: KeyFolder | None) -> Tally:
    """Both together: in memory while they fit, and then in the folder.

    :param folder: None: what does not fit is lost, and what is in a folder cannot be reached
    """
    many = isinstance(before, ManyKeys) or isinstance(one, ManyKeys)
    if isinstance(before, Failed) or isinstance(one, Failed):
        return before.merge(one)
    if not many:
        both = before.merge(one)
        if folder is None or not both.is_wide or before.is_wide or one.is_wide:
            return both
    if folder is None or before.is_wide or one.is_wide:
        return before.lost().merge(one.lost())
    return in_folder(before, folder).merge(in_folder(one, folder))


def in_folder(tally: Tally, folder: KeyFolder) -> ManyKeys:
    """Keys as pieces, whether they were in memory or not."""
    return tally if isinstance(tally, ManyKeys) else ManyKeys.of(tally, folder.write(tally))


def parts_of(tally: Tally) -> dict[Label, tuple[Keys, ...]]:
    """The views of keys that are in memory; by the value of the column that the check is told by."""
    if isinstance(tally, Grouped):
        return {label: _views(one) for label, one in tally.groups.items()}
    return {None: _views(tally)}


def _views(tally: Tally) -> tuple[Keys, ...]:
    assert isinstance(tally, Keys | Joint)
    return tally.parts if isinstance(tally, Joint) else (tally,)


def _lost(views: int, rows: int) -> Tally:
    none = Keys.of(rows, np.empty(0, np.uint64), np.empty(0, np.bool_)).lost()
    return none if views == 1 else Joint((none,) * views)


def counted(totals: Sequence[ManyKeys], folder: KeyFolder) -> list[dict[int, Occurring]]:
    """What the folder says of growing totals, each of which has the pieces of the one before and more."""
    known, steps = 0, []
    for total in totals:
        steps.append(total.pieces[known:])
        known = len(total.pieces)
    return folder.occurring(steps)


class Changes:
    """How the numbers of keys that occur so and so often change from step to step, by view."""

    def __init__(self, steps: int) -> None:
        """Nothing has occurred yet."""
        self._steps = steps
        self._views: dict[int, list[dict[int, list[int]]]] = {}

    def add(self, view: int, step: int, times: int, number: int, singles: int) -> None:
        """Of so many keys more it is known from this step on that they occur so often; fewer: below 0.

        :param singles: those of them that occur once and lack no value
        """
        changed = self._views.setdefault(view, [{} for _ in range(self._steps)])[step].setdefault(times, [0, 0])
        changed[0] += number
        changed[1] += singles

    def running(self) -> list[dict[int, Occurring]]:
        """What is known after each step."""
        found: list[dict[int, Occurring]] = [{} for _ in range(self._steps)]
        for view, steps in self._views.items():
            for known, one in zip(found, _running(steps), strict=True):
                known[view] = one
        return found


def _running(steps: Sequence[Mapping[int, Sequence[int]]]) -> Iterator[Occurring]:
    total, singles = dict[int, int](), 0
    for changed in steps:
        for often, (number, more) in changed.items():
            total[often] = total.get(often, 0) + number
            singles += more
        seen = sorted((often, number) for often, number in total.items() if number)
        times, numbers = np.array(seen, np.int64).reshape(-1, 2).T
        yield Occurring(times, numbers, singles)
