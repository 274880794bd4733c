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
    # Our own, of blanks alone and in UTC.
    "trim(a || ' ') = a": [True, True, None],
    "trim(a || '\t') = a": [False, False, None],
    "hour(t) = 23": [True, True, None],
    "month(t) = 1": [True, False, None],
    # One within another.
    "cast(dayofweek(d) as int) = 7": [True, False, None],
    "cast(sqrt(ln(x)) * 10 as int) = 6": [True, None, False],
    "cast(cast(x as int) as bigint) = 1": [True, False, True],
    "dayofweek(date_add(d, cast(x as int))) = 1": [True, False, None],
    "isnull(weekday(d))": [False, False, True],
    "pmod(weekday(d) - dayofweek(d), 7) = 5": [True, True, None],
    "nullifzero(octet_length(btrim(a, '12.5'))) is null": [True, False, True],
    # What other words of Spark say as well.
    "isnull(a)": [False, False, True],
    "isnotnull(a) and x > 0": [True, False, False],
    "nullifzero(cast(x as int) - 1) is null": [True, False, True],
    "zeroifnull(cast(a as int)) = 0": [False, True, True],
    "nanvl(x, 0) > 1": [True, False, True],
    "negative(x) > 1": [False, True, False],
    "positive(x) > 1": [True, False, True],
    "pmod(cast(x as int), 2) = 1": [True, True, True],
    "pmod(x, 1) = 0.5": [True, True, False],
    "pmod(cast(x as int), 0) is null": [True, True, True],
    "bigint(x) = 1": [True, False, True],
    "rint(x) = 2": [True, False, True],
    "asin(x / 2) > 0": [True, False, True],
    "acos(x / 2) < 2": [True, False, True],
    "atan(x) > 0.9": [True, False, True],
    "btrim(a, 'c1') = 'ab'": [False, True, None],
    "octet_length(concat(a, 'ß')) = 6": [True, False, None],
    "regexp(a, '^[a-z]')": [False, True, None],
    "regexp_substr(a, '[0-9]+') = '12'": [True, None, None],
    "split_part(a, '.', 2) = '5'": [True, False, None],
    "split_part(a, '.', -1) = 'abc'": [False, True, None],
    "split_part(a, '.', 3) = ''": [True, True, None],
    "substring_index(a, '.', 1) = '12'": [True, False, None],
    "substring_index(a, '.', -1) = '5'": [True, False, None],
    "substring_index(a, 'x', 3) = a": [True, True, None],
    "sha2(a, 256) = sha2('abc', 256)": [False, True, None],
    "array_max(split(a, '[.]')) = '5'": [True, False, None],
    "array_min(split(a, '[.]')) = 'abc'": [False, True, None],
    "array_join(split(a, '[.]'), '-') = '12-5'": [True, False, None],
    "a is not null and cardinality(split(a, '[.]')) = 2": [True, False, False],
    "weekday(d) = 5": [True, False, None],
    "dayname(d) = 'Sat'": [True, False, None],
    "monthname(d) = 'Dec'": [False, True, None],
    "extract(dow from d) = 7": [True, False, None],
    "date_part('year', d) = 2026": [True, False, None],
    "unix_timestamp(t) = 1769903999": [True, False, None],
    "try_to_timestamp(a) is null": [True, True, True],
}
"""SQL beyond our own -> what Spark says of each row, without ANSI errors; a test with a real one asks it."""
