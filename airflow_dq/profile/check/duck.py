"""What DuckDB computes of each row of a batch; it is optional, and asked for nothing but single expressions."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from typing import Any

import pyarrow as pa
import pyarrow.types as pt

_SETTINGS = (
    # One batch at a time, on the core of this task; no expression reads a file or loads an extension.
    ("threads", "1"),
    ("enable_external_access", "false"),
    # A division by zero is null, as in our own rules; DuckDB 2 needs the second for that, which others do not know.
    ("ieee_floating_point_ops", "false"),
    ("error_on_division_by_zero", "false"),
    ("TimeZone", "'UTC'"),
    ("lock_configuration", "true"),
)


class DuckError(Exception):
    """That there is no value, and why; says nothing that was read."""


def computed(sql: str, columns: Sequence[pa.Array], rows: int) -> pa.Array:
    """The value of an expression on each row.

    :param sql: DuckDB's, in which the columns are called ``c0``, ``c1`` ...
    :raises DuckError: when DuckDB cannot compute it
    """
    import duckdb

    # A table has as many rows as a column of it, and an expression may name none.
    names = [*(f"c{place}" for place in range(len(columns))), "place"]
    batch = pa.table([*map(_in_utc, columns), pa.array(range(rows), pa.int64())], names=names)
    cursor = _connection().cursor()
    try:
        cursor.register("batch", batch)
        found = cursor.sql(f"select {sql} as value from batch order by place").to_arrow_table()
    except (duckdb.BinderException, duckdb.CatalogException, duckdb.ParserException) as error:
        # Of types and names alone.
        raise DuckError(" ".join(str(error).split("\n\n")[0].split())) from None
    except duckdb.Error as error:
        raise DuckError(f"DuckDB cannot compute it ({type(error).__name__})") from None
    finally:
        cursor.close()
    value = found.column(0).combine_chunks()
    return value if isinstance(value, pa.Array) else pa.concat_arrays(value.chunks)


def _in_utc(values: pa.Array) -> pa.Array:
    """Moments without their zone, as UTC: as texts they have none either in Spark."""
    if pt.is_timestamp(values.type) and values.type.tz is not None:
        return values.cast(pa.timestamp(values.type.unit, "UTC")).cast(pa.timestamp(values.type.unit))
    return values


@cache
def _connection() -> Any:
    import duckdb

    connection = duckdb.connect()
    for name, value in _SETTINGS:
        with suppress(duckdb.CatalogException):
            # For the cursors, too.
            connection.execute(f"set global {name} = {value}")
    return connection
