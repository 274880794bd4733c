"""Keys that are too many for one process: how often each occurs lies in a folder, in pieces that may share keys.

A total of many partitions is the pieces of all of them; nothing is read until it is asked what the total is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from time import time_ns
from typing import Any, ClassVar, Protocol, Self
from uuid import uuid4

import numpy as np

from airflow_dq.check.model import Check
from airflow_dq.profile.check.key_tally import Joint, Keys, Occurring, is_wide, joint_measured, too_many
from airflow_dq.profile.check.measured import Measured
from airflow_dq.profile.check.tally import Failed, Tally

BUCKETS = 32
"""Folders that each piece is divided into by its keys' hashes: of 128 million keys one has as many as are counted at
once in one process, and a cluster writes no more files than that.  A power of two: the last bits of a hash tell."""


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

    def write(self, views: Sequence[Keys]) -> str:
        """Keep keys that are in memory; the name of the piece."""

    def merge(self, pieces: Sequence[str]) -> str:
        """Keep the keys of several pieces as one piece, in which each key stands once; its name."""

    def occurring(self, steps: Sequence[Sequence[str]], views: int) -> list[list[Occurring]]:
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
    rows: int
    """In scope, those without any value too."""
    pieces: tuple[str, ...]

    def _with(self, other: Any) -> ManyKeys:
        return ManyKeys(self.views, self.rows + other.rows, (*self.pieces, *other.pieces))

    def encode(self) -> tuple[Any, bytes]:
        """The pieces' names."""
        return [self.views, self.rows, list(self.pieces)], b""

    @classmethod
    def decode(cls, head: Any, data: bytes) -> Self:
        """What :meth:`encode` wrote."""
        views, rows, pieces = head
        return cls(views, rows, tuple(pieces))

    def measured(self, check: Check) -> Measured:
        """That a folder is needed."""
        return too_many(check)

    def counted(self, check: Check, views: Sequence[Occurring]) -> Measured:
        """The value that the check asks for.

        :param views: what the folder says of the pieces
        """
        return views[0].measured(check, self.rows) if len(views) == 1 else joint_measured(check, self.rows, views)


def joined(before: Tally, one: Tally, folder: KeyFolder | None) -> Tally:
    """Both together: in memory while they fit, and then in the folder.

    :param folder: None: what does not fit is lost, and what is in a folder cannot be reached
    """
    many = isinstance(before, ManyKeys) or isinstance(one, ManyKeys)
    if isinstance(before, Failed) or isinstance(one, Failed):
        return before.merge(one)
    if not many:
        both = before.merge(one)
        if folder is None or not is_wide(both) or is_wide(before) or is_wide(one):
            return both
    if folder is None or is_wide(before) or is_wide(one):
        return _lost(before, one)
    return in_folder(before, folder).merge(in_folder(one, folder))


def in_folder(tally: Tally, folder: KeyFolder) -> ManyKeys:
    """Keys as pieces, whether they were in memory or not."""
    if isinstance(tally, ManyKeys):
        return tally
    parts = parts_of(tally)
    return ManyKeys(len(parts), parts[0].rows, (folder.write(parts),))


def parts_of(tally: Tally) -> tuple[Keys, ...]:
    """The views of keys that are in memory."""
    assert isinstance(tally, Keys | Joint)
    return tally.parts if isinstance(tally, Joint) else (tally,)


def _lost(*tallies: Tally) -> Tally:
    shapes = [(one.views, one.rows) if isinstance(one, ManyKeys) else _shape(parts_of(one)) for one in tallies]
    views, lost = shapes[0][0], Keys.lost(sum(rows for _, rows in shapes))
    return lost if views == 1 else Joint((lost,) * views)


def _shape(parts: Sequence[Keys]) -> tuple[int, int]:
    return len(parts), parts[0].rows


def counted(totals: Sequence[ManyKeys], folder: KeyFolder) -> list[list[Occurring]]:
    """What the folder says of growing totals, each of which has the pieces of the one before and more."""
    known, steps = 0, []
    for total in totals:
        steps.append(total.pieces[known:])
        known = len(total.pieces)
    return folder.occurring(steps, totals[0].views)


class Changes:
    """How the numbers of keys that occur so and so often change from step to step, of one view."""

    def __init__(self, steps: int) -> None:
        """Nothing has occurred yet."""
        self._times: list[dict[int, int]] = [{} for _ in range(steps)]
        self._singles = [0] * steps

    def add(self, step: int, times: int, number: int, singles: int) -> None:
        """Of so many keys more it is known from this step on that they occur so often; fewer: below 0.

        :param singles: those of them that occur once and lack no value
        """
        self._times[step][times] = self._times[step].get(times, 0) + number
        self._singles[step] += singles

    def running(self) -> list[Occurring]:
        """What is known after each step."""
        found, total, singles = [], dict[int, int](), 0
        for changed, more in zip(self._times, self._singles, strict=True):
            for often, number in changed.items():
                total[often] = total.get(often, 0) + number
            singles += more
            seen = sorted((often, number) for often, number in total.items() if number)
            times, numbers = np.array(seen, np.int64).reshape(-1, 2).T
            found.append(Occurring(times, numbers, singles))
        return found
