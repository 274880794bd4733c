"""Checks that look beyond one scan: at another table, and at more keys than are counted at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from airflow_dq.check import Checks
from airflow_dq.engine.arrow.engine import ArrowEngine
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.job.beyond import Beyond
from airflow_dq.profile import JobSpec
from airflow_dq.profile.check import key_tally
from airflow_dq.profile.check.answer import answer
from airflow_dq.profile.check.measured import Measured
from airflow_dq.profile.check.stored import require_measured

ORDERS = {"customer": ["a", "a", "x", "x", None], "amount": [1.0, 2.0, 3.0, 4.0, 5.0]}


def looked(folder: Path, checks: Checks, rows: dict[str, Any] = ORDERS, **more: Any) -> list[Measured]:
    """What a job measures of one partition."""
    place = folder / "orders"
    place.mkdir(exist_ok=True)
    table = pa.table(rows)
    pq.write_table(table.slice(0, 2), place / "a.parquet")
    pq.write_table(table.slice(2), place / "b.parquet")
    order = JobSpec("t", paths={"1": str(place)}, checks=tuple(checks), sample_rows=0, **more)
    engine = ArrowEngine(JobSpec.from_json(order.to_json()))
    engine.partitions()
    beyond = Beyond(engine, engine.keys())
    (profile,) = [beyond.look(result).profile for result in engine.scan(0)]
    assert profile is not None
    return [answer(check, profile) for check in checks]


def write(path: Path, **columns: Any) -> str:
    pq.write_table(pa.table(columns), path)
    return str(path)


@pytest.mark.parametrize(("nulls", "counts"), [("skip", (2, 4)), ("pass", (3, 5)), ("fail", (2, 5))])
def test_a_reference_counts_the_rows_that_have_one(tmp_path: Path, nulls: Any, counts: tuple[int, int]) -> None:
    to = write(tmp_path / "customers.parquet", id=["a", "b", "b", None])
    checks = Checks("t")
    checks.refers("customer", to=to, to_columns="id", nulls=nulls)
    (found,) = looked(tmp_path, checks)
    assert (found.numerator, found.denominator) == counts
    assert found.timed


def test_rows_agree_null_by_null(tmp_path: Path) -> None:
    to = write(tmp_path / "other.parquet", k=[1, 2, 3], v=["x", None, "q"])
    checks = Checks("t")
    checks.agrees("k", "v", to=to)
    checks.refers("k", "v", to=to)
    agrees, refers = looked(tmp_path, checks, {"k": [1, 2, 3], "v": ["x", None, "z"]})
    assert (agrees.numerator, agrees.denominator) == (2, 3)
    assert (refers.numerator, refers.denominator) == (1, 2)


def test_numbers_of_one_value_refer_to_each_other_whatever_their_type(tmp_path: Path) -> None:
    to = write(tmp_path / "other.parquet", id=pa.array([1, 2], pa.decimal128(5, 2)))
    checks = Checks("t")
    checks.refers("k", to=to, to_columns=["id"])
    (found,) = looked(tmp_path, checks, {"k": pa.array([1, 2, 3], pa.int32())})
    assert (found.numerator, found.denominator) == (2, 3)


def test_rows_and_sums_reconcile_within_a_tolerance(tmp_path: Path) -> None:
    to = write(tmp_path / "1.parquet", amount=[1, 2, 3, 4, 6, 99], kind=["s"] * 5 + ["t"])
    checks = Checks("t")
    checks.reconciles(to=to)
    checks.reconciles(to=str(tmp_path / "{partition}.parquet"), to_where="kind = 's'", id="some")
    checks.col("amount").reconciles(to=to, to_where="kind = 's'", tolerance=0.1)
    rows, some, amount = looked(tmp_path, checks)
    assert (rows.value, rows.seen) == (pytest.approx(1 / 6), "5 here, 6 there")
    assert some.value == 0
    assert amount.value == pytest.approx(1 / 16)
    assert [check.error.upper for check in checks if check.error] == [0, 0, 0.1]


@pytest.mark.parametrize("metric", ["refers", "agrees", "row_difference"])
def test_another_table_that_is_missing_or_empty_is_an_error(tmp_path: Path, metric: str) -> None:
    empty = write(tmp_path / "empty.parquet", customer=pa.array([], pa.string()))
    full = write(tmp_path / "full.parquet", customer=["a"])
    columns = () if metric == "row_difference" else ("customer",)
    checks = Checks("t")
    for to, more in ((empty, {}), (full, {"to_where": "customer = 'b'"}), (str(tmp_path / "none.parquet"), {})):
        checks.add(metric, columns, to=to, **more)
    checks.add(metric, columns, to="db.customers", to_columns=columns or None)
    said = [str(one.problem) for one in looked(tmp_path, checks)]
    assert f"the other table {empty!r} has no row" == said[0]
    assert "has no row where customer = 'b'" in said[1]
    assert "none.parquet does not exist" in said[2]
    assert "use engine='spark'" in said[3]


def test_what_cannot_be_compared_says_why(tmp_path: Path) -> None:
    to = write(tmp_path / "other.parquet", customer=[1, 2], name=["a", "b"])
    checks = Checks("t")
    checks.refers("customer", to=to)
    checks.refers("customer", to=to, to_columns="id")
    checks.refers("nothing", to=to, to_columns="name")
    checks.col("amount").reconciles(to=to, to_columns=["name"])
    checks.refers("customer", to=to, to_columns="name", id="fine")
    *wrong, fine = looked(tmp_path, checks)
    assert "column 'customer' is string and column 'customer' of the other table" in str(wrong[0].problem)
    assert "No column is named 'id'; the table has: 'customer', 'name'" in str(wrong[1].problem)
    assert "the partition has no column 'nothing'" in str(wrong[2].problem)
    assert "sum is of numbers" in str(wrong[3].problem)
    assert fine.value == 0.5


def test_a_text_table_is_read_as_the_partitions_are(tmp_path: Path) -> None:
    pa.csv.write_csv(pa.table({"id": ["a", "x"]}), tmp_path / "customers.csv")
    checks = Checks("t")
    checks.refers("customer", to=str(tmp_path / "customers.csv"), to_columns="id")
    assert looked(tmp_path, checks)[0].value == 1.0


def test_more_keys_than_are_counted_at_once_are_counted_in_passes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    to = write(tmp_path / "other.parquet", n=list(range(0, 300, 2)))
    rows = {"n": [*range(100), 5, 5, None], "s": [*(str(i % 50) for i in range(102)), ""]}
    rows["g"] = [None if row % 9 == 8 else "large" if row % 3 else f"g{row % 8}" for row in range(103)]
    checks = Checks("t")
    for name in (
        "uniqueness",
        "distinct",
        "duplicate_rows",
        "entropy",
        "distinctness",
        "largest_share",
        "surplus_rows",
        "key",
    ):
        checks.add(name, ("n",), error=">=0")
    checks.uniqueness("n", "s", error=">=0", where="n < 90")
    checks.mutual_information("n", "s", error=">=0")
    for name in ("uniqueness", "entropy", "key"):
        checks.add(name, ("n", "s"), error=">=0", by="g")
    checks.add("mutual_information", ("n", "s"), error=">=0", by="g")
    checks.refers("n", to=to)
    whole = looked(tmp_path, checks, rows)
    monkeypatch.setattr(key_tally, "MOST_KEYS", 48)
    assert looked(tmp_path, checks, rows) == whole
    assert whole[0].numerator == 99
    assert not any(one.problem for one in whole)


def test_keys_that_are_too_many_for_all_passes_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_tally, "MOST_KEYS", 1)
    checks = Checks("t")
    checks.unique("n")
    checks.col("n").complete()
    wide, fine = looked(tmp_path, checks, {"n": list(range(1000))})
    assert "more than 1 distinct keys" in str(wide.problem)
    assert fine.value == 1


def test_a_metric_that_no_profile_has_is_refused_before_anything_is_read() -> None:
    checks = Checks("t")
    checks.col("n").profiled("median", error=">0")
    require_measured(checks)
    checks.col("n").profiled("modian", error=">0", id="typo")
    with pytest.raises(
        ConfigurationError, match=r"Check 'typo': no metric 'modian' is registered; did you mean 'median'"
    ):
        require_measured(checks)
