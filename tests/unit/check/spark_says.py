"""What Spark says of rules beyond the package's own SQL: asked of DuckDB, and of a real Spark."""

from __future__ import annotations

from datetime import date, datetime

import pyarrow as pa

SPARK_ROWS = pa.table(
    {
        "a": ["12.5", "abc", None],
        "x": [1.5, -1.5, 1.9],
        "d": pa.array([date(2026, 1, 31), date(1969, 12, 31), None]),
        "t": pa.array(
            [datetime(2026, 1, 31, 23, 59, 59), datetime(1969, 12, 31, 23), None],
            pa.timestamp("us", "Europe/Berlin"),
        ),
    }
)
SPARK_SAYS: dict[str, list[bool | None]] = {
    # A fraction is cut off, a text that is no number is null, and so is what has no logarithm.
    "cast(x as int) = 1": [True, False, True],
    "cast(a as int) = 12": [True, None, None],
    "cast(a as bigint) = 9007199254740993": [False, None, None],
    "sqrt(abs(x)) > 1.3": [False, False, True],
    "ln(x) > 0 or x < 0": [True, True, True],
    "log(2, x) > 0": [True, None, True],
    # Sunday is the first day of a week.
    "dayofweek(d) = 7": [True, False, None],
    "dayofweek(d) between 1 and 7": [True, True, None],
    "extract(week from d) = 1": [False, True, None],
    "last_day(d) = d": [True, True, None],
    "date_add(d, 1) > '1970-01-01'": [True, False, None],
    "cast(t as string) = '2026-01-31 23:59:59'": [True, False, None],
    "t > timestamp '2026-01-01 00:00:00'": [True, False, None],
    "date_format(t, 'yyyy-MM') = '2026-01'": [True, False, None],
    "split(a, '[.]')[1] = '5'": [True, None, None],
    "regexp_replace(a, '[0-9]', '') = '.'": [True, False, None],
    "concat(a, a) is null": [False, False, True],
    "substring(a, -1) = '5'": [True, False, None],
    "initcap(a) = 'Abc'": [False, True, None],
    "a is distinct from 'abc'": [True, False, True],
    "try_divide(x, 0) is null": [True, True, True],
    "mod(cast(x as int), 2) = -1": [False, True, False],
}
"""SQL beyond our own -> what Spark says of each row, without ANSI errors; a test with a real one asks it."""
