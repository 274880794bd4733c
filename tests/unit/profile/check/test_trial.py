from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import pyarrow as pa
import pytest

from airflow_dq.check import Checks
from airflow_dq.profile import ProfileOptions, profile_table
from airflow_dq.profile.check.answer import answer
from airflow_dq.profile.check.trial import SeenColumn, joined, misfits, schema_of

MOMENT = datetime(2026, 1, 31, 12, tzinfo=UTC)
TABLE = pa.table(
    {
        "i": pa.array([1, 2]),
        "f": pa.array([0.5, 1.5]),
        "s": pa.array(["a", "b"]),
        "d": pa.array([Decimal("1.50"), Decimal("2.50")], pa.decimal128(10, 2)),
        "t": pa.array([MOMENT, MOMENT], pa.timestamp("us", "UTC")),
        "day": pa.array([date(2026, 1, 30), date(2026, 1, 31)]),
        "b": pa.array([True, False]),
        "größe in `m`": pa.array([1, 2]),
    }
)


def declared() -> Checks:
    """Checks of all kinds, right and wrong."""
    c = Checks("orders")
    for name in ("i", "f", "s", "d", "t", "day", "b", "größe in `m`", "nope"):
        for metric in ("mean", "std", "quantile", "min", "mean_length", "min_length", "entropy", "completeness"):
            c.col(name).add(metric, error=">=0", **({"quantile": 0.5} if metric == "quantile" else {}))
        c.col(name).add("fresh", error=">0") if name == "nope" else c.fresh(name, within="1h")
        c.col(name).isin([1, 2], id=f"numbers {name}")
        c.col(name).isin(["a", "2026-01-31"], id=f"texts {name}")
        c.col(name).matches("a", id=f"matches {name}")
        c.col(name).positive(id=f"positive {name}")
        c.col(name).no_placeholder(id=f"placeholder {name}")
        c.col(name).gaps("1h", id=f"gaps {name}")
        c.col(name).increasing("i" if name != "i" else "t", id=f"increasing {name}")
        c.col(name).unique(where="i > 0", id=f"unique {name}")
        quoted = "`" + name.replace("`", "``") + "`"
        for number, sql in enumerate(
            ("{} > 1", "{} = 'a'", "{} >= '2026-01-01'", "{} + 1 > 0", "upper({}) = 'A'", "{}")
        ):
            c.rule(sql.format(quoted), id=f"rule {number} {name}")
        c.metric(f"sum {name}", f"sum({quoted})")
        c.metric(f"count {name}", f"count({quoted})")
    c.correlation("i", "s")
    c.correlation("i", "f")
    return c


def test_what_is_refused_before_is_what_could_not_be_computed_of_the_rows() -> None:
    checks = tuple(declared())
    refused = {one.check.id for one in misfits(checks, TABLE.schema)}
    profile = profile_table(TABLE, options=ProfileOptions(checks=checks, sample_rows=0))
    failing = {check.id for check in checks if answer(check, profile).problem}
    assert refused == failing
    assert 0 < len(refused) < len(checks)


def test_a_total_is_tried_as_one_partition_is() -> None:
    checks = Checks("orders")
    checks.rule("s > 3", scope="total")
    checks.unique("nope", scope="total")
    checks.unique("s", scope="total")
    assert [one.problem for one in misfits(tuple(checks), TABLE.schema)] == [
        "text is compared with int64; cast one of them in a rule",
        "there is no column 'nope'",
    ]


@pytest.mark.parametrize("column", list(TABLE.schema), ids=lambda one: one.name)
def test_a_type_is_known_again_by_its_stored_name(column: pa.Field) -> None:
    profile = profile_table(TABLE.select([column.name])).columns[column.name]
    (known,) = schema_of([SeenColumn(column.name, profile.kind, profile.data_type)])
    checks = tuple(check for check in declared() if check.reads == (column.name,))
    again = {one.check.id: one.problem for one in misfits(checks, pa.schema([known]))}
    assert again.keys() == {one.check.id for one in misfits(checks, TABLE.select([column.name]).schema)}


def test_a_column_of_several_types_is_judged_by_its_name_alone() -> None:
    some, other = pa.schema([("x", pa.int64())]), pa.schema([("x", pa.string()), ("y", pa.null())])
    checks = Checks("orders")
    checks.col("x").mean(error=">0")
    checks.col("y").mean(error=">0")
    checks.col("z").mean(error=">0")
    assert [one.check.subjects for one in misfits(tuple(checks), joined([some, other]))] == [("z",)]
