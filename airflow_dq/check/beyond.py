"""What a check may say that looks beyond single rows: at another table, an order, groups of rows, past partitions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airflow_dq.check.parser import predicate
from airflow_dq.exceptions import ConfigurationError

if TYPE_CHECKING:
    from airflow_dq.check.model import Check

PARTITION = "{partition}"
"""Stands for the partition's key in the place of another table."""


def require_beyond_rows(check: Check) -> None:
    """Refuse another table, steps, groups and scopes that can never be looked at.

    :raises ConfigurationError: naming the field, what was given and what is allowed
    """
    _require_other_table(check)
    for name in ("key", "to_columns"):
        given = getattr(check, name)
        if not isinstance(given, tuple) or not all(isinstance(one, str) and one for one in given):
            raise ConfigurationError(f"{name} is {given!r}; give a tuple of names.")
    if check.every is not None and not (_is_number(check.every) and check.every > 0):
        raise ConfigurationError(f"every is {check.every!r}; give a number above 0, or a duration such as '1h'.")
    if check.score not in (None, "precision", "f1"):
        raise ConfigurationError(f"score is {check.score!r}; allowed: precision, f1.")
    if check.scope not in ("delta", "total"):
        raise ConfigurationError(f"scope is {check.scope!r}; allowed: delta, total.")
    _require_growing(check)


def _require_growing(check: Check) -> None:
    for name, given in (("by", check.by is not None), ("scope", check.scope == "total")):
        if given and not check.entry.grows:
            raise ConfigurationError(f"{check.metric} takes no {name}: it is told of the partition as a whole only.")
    if check.by is not None and (not isinstance(check.by, str) or not check.by):
        raise ConfigurationError(f"by is {check.by!r}; give the name of a column.")
    if check.by is not None and check.metric == "predictable":
        raise ConfigurationError("predictable takes no by: give where= for the rows of one value.")


def _require_other_table(check: Check) -> None:
    if check.to is not None and (not isinstance(check.to, str) or not check.to.strip()):
        raise ConfigurationError(f"to is {check.to!r}; give the path or the name of another table.")
    if check.to is not None and "{" in check.to.replace(PARTITION, ""):
        raise ConfigurationError(f"to is {check.to!r}; its only place is {PARTITION}.")
    if check.to_columns and len(check.to_columns) != len(check.columns):
        raise ConfigurationError(
            f"to_columns names {len(check.to_columns)} columns beside the {len(check.columns)} of the check; "
            "give one for each."
        )
    if check.to_where is not None:
        if not isinstance(check.to_where, str):
            raise ConfigurationError(f"to_where is {check.to_where!r}; give a text.")
        predicate(check.to_where)


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
