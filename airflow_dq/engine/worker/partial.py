"""What a Spark task has found out about a partition, and how it travels: one row of Arrow for each piece.

A wide table's columns travel in slices, a row each: whoever encodes, decodes or merges states holds those of one slice
at a time, and few tables have more than one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

import pyarrow as pa

from airflow_dq.corruption.blob import PackedVariants
from airflow_dq.exceptions import DQError, said_of, stack_of
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.profile.model import Profile
from airflow_dq.profile.table import TableState
from airflow_dq.uncollected import uncollected

PARTIAL = pa.schema(
    [
        ("key", pa.string()),
        ("slice", pa.int32()),
        ("state", pa.binary()),
        ("problem", pa.string()),
        ("traceback", pa.string()),
        ("seconds", pa.float64()),
        ("variants", pa.map_(pa.string(), pa.binary())),
    ]
)
"""A partial result: ``state``, or the ``problem`` in a sentence, with a ``traceback`` when it was not foreseen.

``slice`` is the place of the columns of ``state`` among the slices of the table's.  What is not of columns is in the
first, number 0.

``variants`` are the encoded injected variants of some columns, by name, where the task had all rows at hand.
"""
PARTIAL_DDL = (
    "key string, slice int, state binary, problem string, traceback string, seconds double, "
    "variants map<string, binary>"
)
SLICE_COLUMNS = 256
"""Columns of a slice: its states take some 45 MB, several times as much as what else a worker holds of it."""
_PIECES = 16
"""Pieces that wait to be merged at once: encoded they take a sixth of the memory, and a merge encodes them again."""


@dataclass(slots=True)
class Partial:
    """What is known of one partition so far: its state, or why there is none."""

    state: TableState | None = None
    problem: str | None = None
    traceback: str | None = None
    seconds: float = 0.0
    variants: Mapping[str, bytes] = field(default_factory=dict)
    slice: int = 0
    """Which slice of the columns the state is of; of all, where it is 0 and no other is known."""

    def grow(self, larger: Callable[[TableState | None], TableState], discreet: bool = False) -> None:
        """Replace the state by a larger one, made by a call that may fail, unless the partition has already failed.

        :param discreet: whether an error must not quote what was read
        """
        if self.problem is not None:
            return
        try:
            with uncollected():
                self.state = larger(self.state)
        except Exception as error:
            known = isinstance(error, DQError)
            stack = None if known else stack_of(error, discreet=discreet)
            self.absorb(said_of(error, discreet=discreet), stack, 0.0)

    def absorb(self, problem: str | None, traceback: str | None, seconds: float) -> None:
        """Take over another piece's failure, if it has one, and its time."""
        self.problem, self.traceback = (self.problem, self.traceback) if self.problem else (problem, traceback)
        if self.problem is not None:
            # That of some of the rows must not be taken for all.
            self.state = None
        self.seconds += seconds

    def join(self, other: Partial) -> Partial:
        """What is known of both parts of the partition, of the same columns."""
        return self._with(other, TableState.merge)

    def beside(self, other: Partial) -> Partial:
        """What is known of both slices of the columns."""
        return self._with(other, TableState.beside)

    def _with(self, other: Partial, both_of: Callable[[TableState, TableState], TableState]) -> Partial:
        both = replace(self, variants={**self.variants, **other.variants})
        both.absorb(other.problem, other.traceback, other.seconds)
        piece = other.state
        if piece is not None:
            both.grow(lambda state: piece if state is None else both_of(state, piece))
        return both

    def profile(self, key: str, options: ProfileOptions) -> Profile:
        """The profile of the partition, when this is known of all its parts and none has failed."""
        assert self.state is not None
        profile = self.state.profile(key, options)
        packed = {name: PackedVariants(blob) for name, blob in self.variants.items()}
        return replace(profile, variants={**profile.variants, **packed}) if packed else profile

    def to_batch(self, key: str) -> pa.RecordBatch:
        """A row of the schema :data:`PARTIAL` for each slice of the columns."""
        slices = [] if self.state is None else self.state.sliced(SLICE_COLUMNS)
        states: list[bytes | None] = [state.encode() for state in slices] or [None]
        count = len(states)
        told: tuple[list[Any], ...] = (
            [key] * count,
            list(range(self.slice, self.slice + count)),
            states,
            *([one, *[None] * (count - 1)] for one in (self.problem, self.traceback)),
            [self.seconds, *[0.0] * (count - 1)],
            [list(self.variants.items()), *[[] for _ in range(count - 1)]],
        )
        return pa.record_batch(
            [pa.array(cells, field.type) for cells, field in zip(told, PARTIAL, strict=True)], PARTIAL
        )


def merge_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Merge rows of :data:`PARTIAL` into one for each slice of a key's columns, and a batch for each key.

    What there is one of passes as it is.
    """
    waiting: dict[str, dict[int, list[pa.RecordBatch]]] = {}
    for batch in batches:
        for position, place in enumerate(
            zip(*(batch.column(name).to_pylist() for name in ("key", "slice")), strict=True)
        ):
            key, number = place
            pieces = waiting.setdefault(key, {}).setdefault(number, [])
            pieces.append(batch.slice(position, 1))
            if len(pieces) == _PIECES:
                pieces[:] = [_merged(key, pieces)]
    for key in list(waiting):
        slices = waiting.pop(key)
        merged = [_merged(key, slices.pop(number)) for number in sorted(slices)]
        yield pa.Table.from_batches(merged).combine_chunks().to_batches()[0]


def _merged(key: str, pieces: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    """Rows of one slice of a key's columns as one."""
    return pieces[0] if len(pieces) == 1 else reduce(Partial.join, map(partial_of, pieces)).to_batch(key)


def partial_of(rows: pa.RecordBatch) -> Partial:
    """What rows of :data:`PARTIAL` of one key say together."""
    return whole(map(decoded, rows.to_pylist()))


def whole(pieces: Iterable[Partial]) -> Partial:
    """What is known of a partition, when these are all pieces of it; slices of its columns in any order."""
    slices: dict[int, Partial] = {}
    for one in pieces:
        slices[one.slice] = slices[one.slice].join(one) if one.slice in slices else one
    return reduce(Partial.beside, (slices[number] for number in sorted(slices)))


def decoded(cells: Mapping[str, Any]) -> Partial:
    """A row of :data:`PARTIAL` as what it says."""
    variants = {name: bytes(blob) for name, blob in dict(cells["variants"] or ()).items()}
    partial = Partial(None, cells["problem"], cells["traceback"], cells["seconds"], variants, cells["slice"])
    if cells["state"] is not None:
        partial.grow(lambda state: TableState.decode(bytes(cells["state"])))
    return partial
