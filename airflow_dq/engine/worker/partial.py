"""What a Spark task has found out about a partition, and how it travels: one row of Arrow for each piece."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

from airflow_dq.corruption.blob import PackedVariants
from airflow_dq.exceptions import DQError, said_of, stack_of
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.profile.model import Profile
from airflow_dq.profile.table import TableState

PARTIAL = pa.schema(
    [
        ("key", pa.string()),
        ("state", pa.binary()),
        ("problem", pa.string()),
        ("traceback", pa.string()),
        ("seconds", pa.float64()),
        ("variants", pa.map_(pa.string(), pa.binary())),
    ]
)
"""A partial result: ``state``, or the ``problem`` in a sentence, with a ``traceback`` when it was not foreseen.

``variants`` are the encoded injected variants of some columns, by name, where the task had all rows at hand.
"""
PARTIAL_DDL = "key string, state binary, problem string, traceback string, seconds double, variants map<string, binary>"


@dataclass(slots=True)
class Partial:
    """What is known of one partition so far: its state, or why there is none."""

    state: TableState | None = None
    problem: str | None = None
    traceback: str | None = None
    seconds: float = 0.0
    variants: Mapping[str, bytes] = field(default_factory=dict)

    def grow(self, larger: Callable[[TableState | None], TableState], discreet: bool = False) -> None:
        """Replace the state by a larger one, made by a call that may fail, unless the partition has already failed.

        :param discreet: whether an error must not quote what was read
        """
        if self.problem is not None:
            return
        try:
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
        """What is known of both parts of the partition."""
        both = Partial(self.state, self.problem, self.traceback, self.seconds, {**self.variants, **other.variants})
        both.absorb(other.problem, other.traceback, other.seconds)
        piece = other.state
        if piece is not None:
            both.grow(lambda state: piece if state is None else state.merge(piece))
        return both

    def profile(self, key: str, options: ProfileOptions) -> Profile:
        """The profile of the partition, when this is known of all its parts and none has failed."""
        assert self.state is not None
        profile = self.state.profile(key, options)
        packed = {name: PackedVariants(blob) for name, blob in self.variants.items()}
        return replace(profile, variants={**profile.variants, **packed}) if packed else profile

    def to_batch(self, key: str) -> pa.RecordBatch:
        """One row of the schema :data:`PARTIAL`."""
        state = None if self.state is None else self.state.encode()
        row = (key, state, self.problem, self.traceback, self.seconds, list(self.variants.items()))
        return pa.record_batch(
            [pa.array([cell], field.type) for cell, field in zip(row, PARTIAL, strict=True)], PARTIAL
        )


def merge_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Merge rows of :data:`PARTIAL` into one per key; a key that has one only passes as it is."""
    first: dict[str, pa.RecordBatch] = {}
    held: dict[str, Partial] = {}
    for batch in batches:
        for position, key in enumerate(batch.column(0).to_pylist()):
            row = batch.slice(position, 1)
            if key not in first:
                first[key] = row
                continue
            if key not in held:
                held[key] = partial_of(first[key])
            held[key] = held[key].join(partial_of(row))
    for key, row in first.items():
        yield held[key].to_batch(key) if key in held else row


def partial_of(row: pa.RecordBatch) -> Partial:
    """What one row of :data:`PARTIAL` says."""
    (cells,) = row.to_pylist()
    return decoded(cells)


def decoded(cells: Mapping[str, Any]) -> Partial:
    """A row of :data:`PARTIAL` as what it says."""
    variants = {name: bytes(blob) for name, blob in dict(cells["variants"] or ()).items()}
    partial = Partial(None, cells["problem"], cells["traceback"], cells["seconds"], variants)
    if cells["state"] is not None:
        partial.grow(lambda state: TableState.decode(bytes(cells["state"])))
    return partial
