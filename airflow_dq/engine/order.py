"""What an order says, in words and in keys, whichever engine carries it out."""

from __future__ import annotations

import re
from collections.abc import Iterable

from airflow_dq.exceptions import SourceEmptyError
from airflow_dq.options.job import JobSpec
from airflow_dq.options.key import order_key

_SECRET = re.compile(r"pass|secret|token|credential|key|auth", re.IGNORECASE)


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
    options = {name: "***" if _SECRET.search(name) else value for name, value in order.options.items()}
    return {"format": order.format, **options}


def chosen_keys(order: JobSpec, keys: Iterable[str]) -> list[str]:
    """The keys that the order asks for, in their order.

    :raises SourceEmptyError: when ``since`` and ``until`` leave none
    """
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
