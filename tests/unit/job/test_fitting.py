from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from airflow_dq.check import Checks
from airflow_dq.check.file import read_checks
from airflow_dq.engine.arrow.engine import ArrowEngine
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.job.fitting import doubtful, require_fitting
from airflow_dq.options.job import JobSpec
from airflow_dq.profile.check.trial import SeenColumn
from airflow_dq.states.base import Kind

TABLE = pa.table({"amount": [1.5, 2.5], "status": ["new", "paid"], "größe": [1, 2], "a.b": [1, 2]})
WRONG = """\
dataset: orders
checks:
  - rows: {error: [1, 10]}
  - mean:
      column: amuont
      error: ">0"
  - rule: {sql: "status > 3", id: paid}
"""


def engine(folder: Path, checks: Any, **days: pa.Table) -> tuple[ArrowEngine, tuple[str, ...]]:
    for day, table in days.items():
        (folder / f"day={day}").mkdir()
        pq.write_table(table, folder / f"day={day}" / "part.parquet")
    found = ArrowEngine(JobSpec("orders", pattern=str(folder / "day=*"), checks=tuple(checks)))
    return found, found.partitions()


def test_every_mistake_is_told_with_its_place_and_the_nearest_name(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as error:
        require_fitting(*engine(tmp_path, read_checks(WRONG, "orders.dq.yml"), d1=TABLE), [])
    said = str(error.value)
    assert "orders.dq.yml:4: check 'mean.amuont': there is no column 'amuont' (did you mean 'amount'?)" in said
    assert "orders.dq.yml:7: check 'paid': text is compared with int64" in said
    assert "Dataset 'orders': 2 of the 3 checks" in said
    assert "'größe'" in said


@pytest.mark.parametrize(
    ("column", "hint"),
    [
        ("AMOUNT", "did you mean 'amount'?"),
        ("grösse", "did you mean 'größe'?"),
        ("a.c", "did you mean 'a.b'?"),
        ("status.code", "a part of 'status' is none"),
    ],
)
def test_odd_names_have_hints(tmp_path: Path, column: str, hint: str) -> None:
    checks = Checks("orders")
    checks.col(column).complete()
    with pytest.raises(ConfigurationError, match=f".*{column}.*{hint}".replace("?", r"\?")):
        require_fitting(*engine(tmp_path, checks, d1=TABLE), [])


def test_a_column_that_the_newest_partition_lacks_is_the_gates(tmp_path: Path) -> None:
    checks = Checks("orders")
    checks.col("amount").mean(error=">0")
    require_fitting(*engine(tmp_path, checks, d1=TABLE, d2=TABLE.drop(["amount"])), [])


def test_a_column_that_earlier_partitions_had_is_the_gates(tmp_path: Path) -> None:
    checks = Checks("orders")
    checks.col("amount").mean(error=">0")
    gone = TABLE.drop(["amount"]).append_column("amount", pa.array(["1", "2"]))
    seen = [SeenColumn("amount", Kind.NUMERIC, "double")]
    require_fitting(*engine(tmp_path, checks, d1=gone), seen)
    with pytest.raises(ConfigurationError, match="'amount' is string, and mean is of numbers"):
        require_fitting(*engine(tmp_path, checks, d2=gone), [])


def test_a_column_that_is_new_with_its_check_is_right(tmp_path: Path) -> None:
    checks = Checks("orders")
    checks.col("amount").mean(error=">0")
    seen = [SeenColumn("status", Kind.STRING, "string")]
    order = engine(tmp_path, checks, d1=TABLE)
    assert doubtful(order[0].order, seen)
    require_fitting(*order, seen)


def test_what_cannot_be_read_is_left_to_the_scan(tmp_path: Path) -> None:
    checks = Checks("orders")
    checks.col("amuont").complete()
    order = engine(tmp_path, checks, d1=TABLE)
    (tmp_path / "day=d1" / "part.parquet").write_bytes(b"PAR1 and no more")
    require_fitting(*order, [])


def test_where_nobody_knows_the_past_nothing_is_refused(tmp_path: Path) -> None:
    checks = Checks("orders")
    checks.col("amuont").complete()
    require_fitting(*engine(tmp_path, checks, d1=TABLE), None)
