"""What a task's arguments order: of one dataset, or of each of a fleet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from airflow_dq.check.file import declared_checks
from airflow_dq.check.model import Check, closest
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.hooks.task import partition_key, require_rendered
from airflow_dq.options.argument import require_no_secret
from airflow_dq.options.fleet import Orders
from airflow_dq.options.job import JobSpec, names_of

OWN = ("source", "table", "sql", "version", "snapshot", "checks")
"""Arguments that each dataset of a fleet has for itself."""
SHARED = (
    *("partition", "partition_by", "where", "as_of", "since", "until", "limit", "source_format", "read_options"),
    *("columns", "exclude", "hidden", "segments", "store_values", "sample_rows", "key_folder"),
)
"""Those that a dataset has of the task, unless it has its own."""


def order_of(dataset: str, given: Mapping[str, Any], checks: tuple[Check, ...], *, keyed: bool) -> JobSpec:
    """The order on one dataset.

    :param given: the rendered arguments by name, those of :data:`OWN` and :data:`SHARED`
    :param checks: those that were declared
    :param keyed: whether a partition was given before it was rendered: a key that came out empty must not look like one
        that was never given
    :raises ConfigurationError: when they contradict each other, or the partition key rendered to nothing
    """
    partition = partition_key(given["partition"], dataset) if keyed else None
    source, by, read_options = given["source"], given["partition_by"], given["read_options"] or {}
    if not isinstance(read_options, Mapping):
        raise ConfigurationError(
            f"Dataset {dataset!r}: read_options is {read_options!r}; give a dict, such as {{'sep': ';'}}."
        )
    options = {key: str(value) for key, value in read_options.items()}
    require_no_secret(options, dataset)
    paths = {partition: source} if partition is not None and by is None and source else {}
    if not (keyed or by or "*" in (source or "*")):
        raise ConfigurationError(
            f"Dataset {dataset!r}: source {source!r} names no partition key; give "
            "partition='{{ ds }}', partition_by=<key column>, or a pattern with one '*'."
        )
    same = ("table", "sql", "where", "as_of", "since", "until", "limit", "store_values", "sample_rows", "key_folder")
    columns = given["columns"]
    return JobSpec(
        dataset=dataset,
        paths=paths,
        pattern=None if paths else source,
        partition=None if paths else partition,
        partition_by=by,
        version=None if given["version"] is None else str(given["version"]),
        snapshot=None if given["snapshot"] is None else str(given["snapshot"]),
        format=given["source_format"],
        options=options,
        columns=None if columns is None else names_of(columns, "columns", dataset),
        checks=checks,
        exclude=names_of(given["exclude"], "exclude", dataset),
        hidden=names_of(given["hidden"], "hidden", dataset),
        segments=names_of(given["segments"], "segments", dataset),
        **{name: given[name] for name in same},
    )


def require_fleet(datasets: Any) -> None:
    """Refuse a list of datasets of which one is not described by arguments, when the DAG is parsed.

    :raises ConfigurationError: naming its place in the list, and what is allowed there
    """
    if isinstance(datasets, str | Mapping) or not isinstance(datasets, Sequence):
        raise ConfigurationError(f"datasets is {datasets!r}; give a list of dicts, {_EXAMPLE}.")
    for place, one in enumerate(datasets):
        if not isinstance(one, Mapping) or "dataset" not in one:
            raise ConfigurationError(f"datasets[{place}] is {one!r}; give a dict with a name, {_EXAMPLE}.")
        for name in one.keys() - {"dataset", *OWN, *SHARED}:
            raise ConfigurationError(
                f"datasets[{place}], {one['dataset']!r}: {name!r} is no argument of one dataset of many; "
                f"{closest(name, (*OWN, *SHARED))}. All else is the task's."
            )
        declared_checks(one.get("checks"), str(one["dataset"]))


def fleet_of(datasets: Any, shared: Mapping[str, Any]) -> Orders:
    """The orders on the datasets of a fleet.

    :param datasets: their arguments, rendered
    :param shared: the task's own, rendered, as far as they were given
    :raises ConfigurationError: when one of them makes no order
    """
    require_fleet(datasets)
    return Orders(tuple(_order_in_fleet(one, shared) for one in datasets), fleet=True)


def _order_in_fleet(one: Mapping[str, Any], shared: Mapping[str, Any]) -> JobSpec:
    dataset = str(one["dataset"])
    require_rendered(dataset, "dataset", dataset)
    given: dict[str, Any] = {**dict.fromkeys(OWN), **shared, **one}
    # The keys of a pattern are the data's.
    keyed = "partition" in one or ("partition" in shared and "*" not in str(one.get("source") or ""))
    return order_of(dataset, given, declared_checks(given["checks"], dataset), keyed=keyed)


_EXAMPLE = "such as {'dataset': 'orders', 'source': 'lake/orders/day={{ ds }}'}"
