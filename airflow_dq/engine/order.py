"""What an order says, in words and in keys, whichever engine carries it out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from airflow_dq.exceptions import ConfigurationError, SourceEmptyError, SourceMissingError
from airflow_dq.options.argument import SECRET_IN_ADDRESS
from airflow_dq.options.job import JobSpec
from airflow_dq.options.key import order_key
from airflow_dq.options.profile import ProfileOptions

_SECRET = re.compile(r"pass|secret|token|credential|key|auth", re.IGNORECASE)

_PLACE = ("pattern", "table", "sql", "partition_by", "where", "version", "snapshot", "as_of")
"""The fields of an order that say where its rows are, beside the path of one partition."""


def where_of(order: JobSpec, partition: str | None = None) -> str:
    """The dataset, or one of its partitions, as an error names it."""
    return f"Dataset {order.dataset!r}" + ("" if partition is None else f", partition {partition!r}")


def describe(order: JobSpec) -> str:
    """The source in words."""
    if order.table:
        return f"table {order.table}"
    if order.sql:
        return f"query {order.sql!r}"
    if order.pathless:
        return f"{order.format} source {order.options.get('dbtable') or order.options.get('query') or ''}".rstrip()
    return order.pattern or ", ".join(dict.fromkeys(order.paths.values()))


def read_options(order: JobSpec) -> dict[str, str]:
    """The format and the options that were given, without secrets: they are stored with the profiles."""
    options = {
        name: "***" if _SECRET.search(name) or SECRET_IN_ADDRESS.search(value) else value
        for name, value in order.options.items()
    }
    return {"format": order.format, **options}


def place_of(order: JobSpec) -> dict[str, str]:
    """The fields of the order that say where its rows are, to be stored: by them a partition can be read again."""
    named = {name: getattr(order, name) for name in _PLACE}
    path = next(iter(order.paths.values()), None) if len(order.paths) == 1 else None
    return {name: value for name, value in (*named.items(), ("path", path)) if value}


def order_again(
    dataset: str,
    partition: str,
    place: Mapping[str, str],
    read_options: Mapping[str, str],
    options: ProfileOptions,
    given: Mapping[str, str],
) -> JobSpec:
    """The order to read one partition again as it was read for its stored profile.

    :param place: what :func:`place_of` gave
    :param read_options: what :func:`read_options` gave
    :param options: how it was profiled
    :param given: read options that win over those, such as the secrets that are not stored
    :raises ConfigurationError: when that is not known, or a secret is missing
    """
    where = f"Dataset {dataset!r}, partition {partition!r}"
    if not place:
        raise ConfigurationError(f"{where}: where it was read is not known, for its profile was imported.")
    found = {name: value for name, value in read_options.items() if name != "format"} | dict(given)
    secret = [name for name, value in found.items() if value == "***"]
    if secret:
        raise ConfigurationError(
            f"{where}: the read option {secret[0]!r} is a secret, which is not stored: give --option {secret[0]}=..."
        )
    several = "pattern" in place or "partition_by" in place
    return JobSpec(
        dataset=dataset,
        paths={partition: place["path"]} if "path" in place else {},
        pattern=place.get("pattern"),
        table=place.get("table"),
        sql=place.get("sql"),
        partition_by=place.get("partition_by"),
        where=place.get("where"),
        version=place.get("version"),
        snapshot=place.get("snapshot"),
        as_of=place.get("as_of"),
        partition=None if several or "path" in place else partition,
        format=read_options.get("format", "parquet"),
        options=found,
        since=partition if several else None,
        until=partition if several else None,
        columns=options.columns,
        exclude=options.exclude,
        hidden=options.hidden,
        store_values=options.store_values,
    )


def with_key_column(order: JobSpec, own: Sequence[str]) -> JobSpec:
    """The order with the column that tells which rows of a table are the partition's, where it does not say so itself.

    :param own: the columns by which the table is partitioned
    :raises ConfigurationError: when nothing tells; the rows of all partitions must not pass for those of one
    """
    if not lacks_key_column(order):
        return order
    if len(own) == 1:
        return replace(order, partition_by=own[0])
    seen = f"is partitioned by {', '.join(own)}" if own else "has no partition column of its own"
    raise ConfigurationError(
        f"{where_of(order, order.key)}: {describe(order)} may hold the rows of other partitions, and {seen}, so "
        "nothing tells which are this one's: give where=\"day = '{{ ds }}'\", or partition_by=<the key column> beside "
        "the partition; where='true' when the whole table is written anew for each partition."
    )


def lacks_key_column(order: JobSpec) -> bool:
    """Whether the source may hold other partitions' rows, and the order does not say which are this one's."""
    return order.shared and order.where is None and order.partition_by is None


def require_partition(keys: Sequence[str], partition: str, where: str) -> None:
    """Refuse a partition that the source does not hold any more.

    :raises SourceMissingError: naming it
    """
    if partition not in keys:
        raise SourceMissingError(f"{where}: the source does not hold it any more.")


def chosen_keys(order: JobSpec, keys: Iterable[str]) -> list[str]:
    """The keys that the order asks for, in their order.

    :raises SourceMissingError: when it names one that is not among them
    :raises SourceEmptyError: when ``since`` and ``until`` leave none
    """
    if order.partition_by is not None and order.key is not None:
        return [_named_key(order, keys)]
    since = None if order.since is None else order_key(order.since)
    until = None if order.until is None else order_key(order.until)
    places = {key: order_key(key) for key in keys}
    chosen = sorted(
        (
            key
            for key, place in places.items()
            if (since is None or place >= since) and (until is None or place <= until)
        ),
        key=places.__getitem__,
    )
    chosen = chosen if order.limit is None else chosen[-order.limit :]
    if not chosen:
        bounded = order.since or order.until
        span = f" from {order.since or 'the first'} to {order.until or 'the last'}" if bounded else ""
        raise SourceEmptyError(f"{where_of(order)}: {describe(order)} holds no partition{span}.")
    return chosen


def _named_key(order: JobSpec, keys: Iterable[str]) -> str:
    """The key that the order names, which its key column has to have.

    :raises SourceMissingError: when no row has it
    """
    assert order.key is not None
    if order.key not in keys:
        raise SourceMissingError(
            f"{where_of(order, order.key)}: {describe(order)} has no row in which {order.partition_by} is "
            f"{order.key!r}. Check that it was written, and that the key is spelled like the column's values."
        )
    return order.key
