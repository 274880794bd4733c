"""What a check may say that looks beyond single rows: at another table, an order, groups of rows, past partitions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from airflow_dq.check.metric import CheckMetric
from airflow_dq.check.parser import predicate
from airflow_dq.exceptions import ConfigurationError

PARTITION = "{partition}"
"""Stands for the partition's key in the place of another table."""


LOOKING = ("to", "to_columns", "to_where", "every", "key", "score", "by", "scope")
"""The fields of a check that are about that."""


def require_beyond_rows(entry: CheckMetric, columns: tuple[str, ...], given: Mapping[str, Any]) -> None:
    """Refuse another table, steps, groups and scopes that can never be looked at.

    :param given: the fields that :data:`LOOKING` names
    :raises ConfigurationError: naming the field, what was given and what is allowed
    """
    for name in ("key", "to_columns"):
        if not isinstance(given[name], tuple) or not all(isinstance(one, str) and one for one in given[name]):
            raise ConfigurationError(f"{name} is {given[name]!r}; give a tuple of names.")
    _require_other_table(columns, given["to"], given["to_columns"], given["to_where"])
    every = given["every"]
    if every is not None and not (_is_number(every) and every > 0):
        raise ConfigurationError(f"every is {every!r}; give a number above 0, or a duration such as '1h'.")
    for name, allowed in (("score", (None, "precision", "f1")), ("scope", ("delta", "total"))):
        if given[name] not in allowed:
            words = ", ".join(one for one in allowed if one is not None)
            raise ConfigurationError(f"{name} is {given[name]!r}; allowed: {words}.")
    _require_growing(entry, given["by"], given["scope"])


def _require_growing(entry: CheckMetric, by: Any, scope: str) -> None:
    for name, asked in (("by", by is not None), ("scope", scope == "total")):
        if asked and not entry.grows:
            raise ConfigurationError(f"{entry.name} takes no {name}: it is told of the partition as a whole only.")
    if by is not None and (not isinstance(by, str) or not by):
        raise ConfigurationError(f"by is {by!r}; give the name of a column.")
    if by is not None and entry.name == "predictable":
        raise ConfigurationError("predictable takes no by: give where= for the rows of one value.")


def _require_other_table(columns: tuple[str, ...], to: Any, to_columns: tuple[str, ...], to_where: Any) -> None:
    if to is not None and (not isinstance(to, str) or not to.strip()):
        raise ConfigurationError(f"to is {to!r}; give the path or the name of another table.")
    if to is not None and "{" in to.replace(PARTITION, ""):
        raise ConfigurationError(f"to is {to!r}; its only place is {PARTITION}.")
    if to_columns and len(to_columns) != len(columns):
        raise ConfigurationError(
            f"to_columns names {len(to_columns)} columns beside the {len(columns)} of the check; give one for each."
        )
    if to_where is not None:
        if not isinstance(to_where, str):
            raise ConfigurationError(f"to_where is {to_where!r}; give a text.")
        predicate(to_where)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value < float("inf")


_FILES = (".parquet", ".csv", ".tsv", ".json", ".jsonl", ".orc", ".arrow", ".avro", ".gz")


def is_path(to: str) -> bool:
    """Whether another table is a file or a folder, and none that Spark knows by its name."""
    return "/" in to or "\\" in to or to.lower().endswith(_FILES)


def split(to: object, columns: int) -> dict[str, object]:
    """``customers.id`` as a table and its column; nothing where it is a path, or where there are several columns."""
    if not isinstance(to, str) or columns != 1 or is_path(to) or "." not in to:
        return {}
    table, _, column = to.rpartition(".")
    return {"to": table, "to_columns": (column,)}
