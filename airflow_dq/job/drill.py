"""Looking into a stored partition once more: which slices carry its change from the last good one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from airflow_dq.engine.order import order_again
from airflow_dq.exceptions import ConfigurationError, StoreError
from airflow_dq.options.job import JobSpec

if TYPE_CHECKING:
    import pyarrow as pa

    from airflow_dq.drill.model import Drilled
    from airflow_dq.engine.base import Engine
    from airflow_dq.options.profile import ProfileOptions
    from airflow_dq.store.repository import Repository

ROWS = 100_000
"""Rows that are drawn of the larger partition: a slice of 1 % has a thousand of them, and they fit into any driver."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Which two partitions are compared, how they are read, and in what columns the change is."""

    dataset: str
    partition: str
    against: str
    now: JobSpec
    before: JobSpec
    earlier: tuple[str, JobSpec] | None
    """A good partition before that one, which says what changes daily; None where there is none to be read."""
    engine: str
    """What read the partition."""
    options: ProfileOptions
    """How it was profiled."""
    columns: tuple[str, ...] | None
    """None: all."""
    share: float
    """Of the rows, those that are drawn."""
    chosen: bool
    """Whether a person has named the other partition."""


@dataclass(frozen=True, slots=True)
class Drill:
    """What was found, and the rows that were drawn of the partition."""

    found: Drilled
    rows: pa.Table


def plan(
    repository: Repository,
    dataset: str,
    partition: str,
    *,
    against: str | None = None,
    columns: Sequence[str] | None = None,
    given: Mapping[str, str] | None = None,
) -> Comparison:
    """What is to be compared.

    :param against: key of the other partition (None: the newest one before that the gate learns from)
    :param columns: columns whose change is looked into (None: those that alarmed; all, where none has)
    :param given: read options besides those that are stored
    :raises StoreError: when there is no profile of one of the partitions
    :raises ConfigurationError: when its values must not be shown, or where it was read is not known
    """
    other = against or _last_good(repository, dataset, partition)
    now, engine, options, rows = _order(repository, dataset, partition, given or {})
    before, _, _, rows_before = _order(repository, dataset, other, given or {})
    if not options.store_values:
        raise ConfigurationError(
            f"Dataset {dataset!r}, partition {partition!r} was profiled with store_values=False: a slice would "
            "show values."
        )
    looked_into = tuple(columns) if columns is not None else _alarmed(repository, dataset, partition)
    share = min(1.0, ROWS / max(1, rows, rows_before))
    earlier = _earlier(repository, dataset, other, given or {})
    return Comparison(
        dataset, partition, other, now, before, earlier, engine, options, looked_into, share, chosen=against is not None
    )


def carry_out(
    one: Comparison, open_engine: Callable[[JobSpec, str], AbstractContextManager[Engine]], most: int
) -> Drill:
    """Read both partitions, and compare them.

    :param open_engine: opens an engine like the one that is named, for an order
    :param most: most slices
    """
    from airflow_dq.drill.search import drill

    with open_engine(one.now, one.engine) as engine:
        now = engine.drawn(one.partition, one.share)
        before = engine.beside(one.before).drawn(one.against, one.share)
        earlier = None if one.earlier is None else engine.beside(one.earlier[1]).drawn(one.earlier[0], one.share)
    found = drill(before, now, earlier, options=one.options, columns=one.columns, each=1.0 / one.share, most=most)
    return Drill(found, now)


def _last_good(repository: Repository, dataset: str, partition: str) -> str:
    history = repository.load_history(dataset, partition, 1)
    if not history:
        raise StoreError(
            f"Dataset {dataset!r}: no partition before {partition!r} has passed or was accepted. Give --against KEY."
        )
    return str(history[-1].partition)


def _earlier(repository: Repository, dataset: str, before: str, given: Mapping[str, str]) -> tuple[str, JobSpec] | None:
    history = repository.load_history(dataset, before, 1)
    if not history:
        return None
    key = str(history[-1].partition)
    try:
        return key, _order(repository, dataset, key, given)[0]
    except ConfigurationError:
        return None  # It was imported, say: nobody knows where its rows are.


def _order(
    repository: Repository, dataset: str, partition: str, given: Mapping[str, str]
) -> tuple[JobSpec, str, ProfileOptions, int]:
    profile = repository.load_profile(dataset, partition, variants=False)
    read = repository.where_read(dataset, partition)
    if profile is None or read is None:
        raise StoreError(
            f"Dataset {dataset!r}, partition {partition!r}: there is no profile. `airflow dq status DATASET` lists the "
            "partitions that there are."
        )
    order = order_again(dataset, partition, read.place, read.read_options, profile.options, given)
    return order, read.engine, profile.options, profile.row_count


def _alarmed(repository: Repository, dataset: str, partition: str) -> tuple[str, ...] | None:
    verdict = repository.load_verdict(dataset, partition)
    alerts = () if verdict is None else verdict.alerts
    return tuple(dict.fromkeys(one.column for one in alerts if one.column is not None)) or None
