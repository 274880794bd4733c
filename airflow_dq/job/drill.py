"""Looking into a stored partition once more: which slices carry its change from the last good one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from airflow_dq.engine.order import order_again, where_of
from airflow_dq.exceptions import ConfigurationError, StoreError
from airflow_dq.job.pipeline import discreet
from airflow_dq.options.drill import DrillSpec
from airflow_dq.options.job import JobSpec

if TYPE_CHECKING:
    import pyarrow as pa

    from airflow_dq.drill.model import Slice
    from airflow_dq.drill.report import DrillReport
    from airflow_dq.engine.base import Engine
    from airflow_dq.options.profile import ProfileOptions
    from airflow_dq.profile.check.failed_rows import FailedRows
    from airflow_dq.store.repository import Repository

ROWS = 100_000
"""Rows that are drawn of the larger partition: a slice of 1 % has a thousand of them, and they fit into any driver."""

EARLIER = 5
"""Good partitions that say what is usual: a slice is named beyond the most that any two of them differ by."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Which two partitions are compared, how they are read, and in what columns the change is."""

    dataset: str
    partition: str
    against: str
    now: JobSpec
    before: JobSpec
    earlier: tuple[tuple[str, JobSpec], ...]
    """Good partitions before that one, which say what changes daily, the newest first; none that cannot be read."""
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


def why_not(repository: Repository, spec: DrillSpec) -> str | None:
    """Why there is nothing to look into once a partition is judged; None where there is."""
    dataset, partition = spec.dataset, spec.partition
    verdict = repository.load_verdict(dataset, partition)
    if verdict is None:
        return "it was not judged"
    if not verdict.alerts:
        return "the gate found nothing in it"
    profile = repository.load_profile(dataset, partition, variants=False)
    if profile is not None and not profile.options.store_values:
        return "it was profiled with store_values=False, and a slice would show values"
    if spec.against is None and not repository.load_history(dataset, partition, 1):
        return "there is no good partition before it to compare with"
    return None


def plan(repository: Repository, spec: DrillSpec) -> Comparison:
    """What is to be compared.

    :raises StoreError: when there is no profile of one of the partitions
    :raises ConfigurationError: when its values must not be shown, or where it was read is not known
    """
    dataset, partition = spec.dataset, spec.partition
    now, engine, options, rows = _order(repository, dataset, partition, spec.options)
    other = spec.against or _last_good(repository, dataset, partition)
    before, _, _, rows_before = _order(repository, dataset, other, spec.options)
    if not options.store_values:
        raise ConfigurationError(
            f"Dataset {dataset!r}, partition {partition!r} was profiled with store_values=False: a slice would "
            "show values."
        )
    looked_into = spec.columns if spec.columns is not None else _alarmed(repository, dataset, partition)
    share = min(1.0, ROWS / max(1, rows, rows_before))
    earlier = tuple(_earlier(repository, dataset, other, spec.options))
    return Comparison(
        dataset,
        partition,
        other,
        now,
        before,
        earlier,
        engine,
        options,
        looked_into,
        share,
        chosen=spec.against is not None,
    )


def carry_out(
    one: Comparison, spec: DrillSpec, open_engine: Callable[[JobSpec, str], AbstractContextManager[Engine]]
) -> DrillReport:
    """Read both partitions, and compare them.

    :param open_engine: opens an engine like the one that is named, for an order
    :raises DQError: when the rows cannot be read; of hidden columns it tells no value
    """
    try:
        return _carried_out(one, spec, open_engine)
    except Exception as error:
        if not one.options.discreet:
            raise
        raise discreet(error, where_of(one.now, one.partition)) from None


def _carried_out(
    one: Comparison, spec: DrillSpec, open_engine: Callable[[JobSpec, str], AbstractContextManager[Engine]]
) -> DrillReport:
    from airflow_dq.drill.report import DrillReport
    from airflow_dq.drill.search import drill

    with open_engine(one.now, one.engine) as engine:
        now = engine.drawn(one.partition, one.share)
        before = engine.beside(one.before).drawn(one.against, one.share)

        def past(columns: Sequence[str]) -> list[pa.Table]:
            orders = ((key, replace(order, columns=tuple(columns))) for key, order in one.earlier)
            return [engine.beside(order).drawn(key, one.share) for key, order in orders]

        found = drill(
            before, now, past=past, options=one.options, columns=one.columns, each=1.0 / one.share, most=spec.slices
        )
    return DrillReport.of(
        found,
        [_sample(each, now, one.options, spec.rows) for each in found.slices],
        one.partition,
        one.against,
        last_good=not one.chosen,
        columns=one.columns,
        drawn=one.share,
    )


def _sample(one: Slice, rows: pa.Table, options: ProfileOptions, most: int) -> FailedRows:
    """Rows of a slice, those of its columns first that it is about; hidden columns are masked."""
    from airflow_dq.drill.search import rows_of
    from airflow_dq.profile.check.failed_rows import COLUMNS, HIDDEN, FailedRows
    from airflow_dq.profile.check.failing import texts_of

    found = rows_of(rows, one.conditions).slice(0, most)
    about = (*(condition.column for condition in one.conditions), *one.columns)
    columns = tuple(dict.fromkeys((*about, *found.column_names)))[:COLUMNS]
    hidden = [HIDDEN] * found.num_rows
    texts = [hidden if options.hides(name) else texts_of(found.column(name)) for name in columns]
    return FailedRows(columns, tuple(zip(*texts, strict=True)), len(set(about)))


def _last_good(repository: Repository, dataset: str, partition: str) -> str:
    history = repository.load_history(dataset, partition, 1)
    if not history:
        raise StoreError(
            f"Dataset {dataset!r}: no partition before {partition!r} has passed or was accepted. Name another one to "
            "compare with: --against KEY, or against= of the operator."
        )
    return str(history[-1].partition)


def _earlier(
    repository: Repository, dataset: str, before: str, given: Mapping[str, str]
) -> Iterator[tuple[str, JobSpec]]:
    for profile in reversed(repository.load_history(dataset, before, EARLIER)):
        key = str(profile.partition)
        try:
            yield key, _order(repository, dataset, key, given)[0]
        except ConfigurationError:
            continue  # It was imported, say: nobody knows where its rows are.


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
