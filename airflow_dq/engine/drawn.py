"""Rows that are drawn of a partition, whichever engine reads them."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from airflow_dq.options.profile import ProfileOptions
from airflow_dq.profile.column import kind_of
from airflow_dq.states.base import Kind


def is_plain(data_type: pa.DataType) -> bool:
    """Whether a column of this type has values that can be compared one by one."""
    return kind_of(data_type) not in (Kind.BINARY, Kind.NESTED)


def profiled(name: str, options: ProfileOptions) -> bool:
    """Whether the column is one of those that are profiled."""
    return name not in options.exclude and (options.columns is None or name in options.columns)


def together(parts: Sequence[pa.Table]) -> pa.Table:
    """The parts as one table: a column that some lack is null there, and of the widest type that any has."""
    return pa.concat_tables(parts, promote_options="permissive") if parts else pa.table({})
