"""The two passes of the offline index, as tasks carry them out: samples in, hashes of patterns and counts out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from airflow_dq.engine.worker.lake import samples_of
from airflow_dq.exceptions import SourceUnreadableError
from airflow_dq.pattern.contribution import (
    Contribution,
    HashedPatterns,
    Hashes,
    contribution,
    hashed,
    strong_patterns,
)

if TYPE_CHECKING:
    from pyspark.core.broadcast import Broadcast

BUCKETS = 64
"""Parts by their hash in which patterns are counted, one after the other in the tasks that there are."""
# Of the 48 bits of a hash those below the first six, which are the bucket.
_BUCKET_BITS = 48 - 6
_HELD = 2_000_000
"""Hashes that a task holds before it counts them: 70 MB."""


@dataclass(frozen=True, slots=True)
class Sampled:
    """What is looked at of one table."""

    table: str
    samples: tuple[list[str], ...]
    """Of each column of strings."""
    problem: str | None
    """Why it cannot be read, where that is so."""


@dataclass(frozen=True, slots=True)
class Contributed:
    """What one table says of patterns."""

    table: str
    part: Contribution | None
    """None where it has no values."""
    problem: str | None


def sample_file(task: tuple[str, str, str]) -> Sampled:
    """Look at a local file.

    :param task: its table, its path as it is listed, and as it is opened
    """
    table, listed, path = task
    return _sampled(table, listed, path)


def sample_bytes(read: tuple[str, bytes], tables: dict[str, str]) -> Sampled:
    """Look at a file that was read whole.

    :param read: its path as it is listed, and what it holds
    :param tables: the tables by these paths
    """
    path, content = read
    return _sampled(tables[path], path, bytes(content))


def _sampled(table: str, file: str, source: str | bytes) -> Sampled:
    try:
        return Sampled(table, tuple(samples_of(file, source)), None)
    except SourceUnreadableError as error:
        return Sampled(table, (), str(error))


def strong_hashes(tables: Iterable[Sampled]) -> Iterator[tuple[int, tuple[Hashes, Hashes]]]:
    """By bucket, the patterns of a good part of columns, and in how many columns each is."""
    held: list[int] = []
    for table in tables:
        for sample in table.samples:
            held += {hashed(pattern) for pattern in strong_patterns(sample)}
        if len(held) > _HELD:
            yield from _in_buckets(held)
            held = []
    yield from _in_buckets(held)


def _in_buckets(held: list[int]) -> Iterator[tuple[int, tuple[Hashes, Hashes]]]:
    hashes, counts = np.unique(np.array(held, np.uint64), return_counts=True)
    buckets = (hashes >> np.uint64(_BUCKET_BITS)).astype(np.int64)
    starts = np.searchsorted(buckets, np.arange(BUCKETS + 1))
    for bucket, (start, end) in enumerate(zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)):
        if start < end:
            yield bucket, (hashes[start:end], counts[start:end].astype(np.uint64))


def kept_hashes(bucket: tuple[int, Iterable[tuple[Hashes, Hashes]]], least: int) -> Hashes:
    """Of one bucket, the patterns that are in enough columns, ascending.

    :param least: how many are enough, see :func:`airflow_dq.pattern.contribution.least_columns`
    """
    parts = list(bucket[1])
    hashes, places = np.unique(np.concatenate([one for one, _ in parts]), return_inverse=True)
    counts = np.bincount(places, np.concatenate([times for _, times in parts]).astype(np.float64), len(hashes))
    return hashes[counts >= least]


def contributions(tables: Iterable[Sampled], known: Broadcast[HashedPatterns]) -> list[Contributed]:
    """What tables say of the patterns that are kept."""
    found = []
    for table in tables:
        said = (contribution(sample, known.value) for sample in table.samples)
        found.append(Contributed(table.table, Contribution.of(said) if table.samples else None, table.problem))
    return found
