"""SQL beyond our own: DuckDB computes it where it is installed, and where it is not the error says what to install."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Any

import pyarrow as pa
import pytest

from airflow_dq import ProfileOptions, profile_table
from airflow_dq.check import Checks
from airflow_dq.check.expression import Aggregate, Column, Foreign
from airflow_dq.check.parser import aggregate, predicate
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.export.sql import ANSI, DIALECTS, SPARK, query_of
from airflow_dq.profile.check.answer import answer
from airflow_dq.profile.check.evaluate import Batch
from tests.unit.check.spark_says import SPARK_ROWS, SPARK_SAYS

CASE = "case when status = 'shipped' then shipped_at is not null else true end"


@pytest.fixture
def duck() -> None:
    pytest.importorskip("duckdb")
    pytest.importorskip("sqlglot")


ROWS = pa.table(
    {
        "status": ["shipped", "new", "shipped", None],
        "shipped_at": ["2026-01-02", None, None, "2026-01-01"],
        "odd name": [1.0, float("nan"), 3.0, 0.0],
        "whole": [10, 20, 9_007_199_254_740_993, 5],
    }
)


def value(**more: Any) -> Any:
    checks = Checks("t")
    checks.add(more.pop("kind", "rule"), **({"error": ">=-9e99"} | more))
    (check,) = checks
    return answer(check, profile_table(ROWS, "1", ProfileOptions(checks=(check,), sample_rows=0)))


def test_what_neither_we_nor_anybody_here_knows_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("duckdb", "sqlglot"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ConfigurationError, match=r"(?s)there is no function 'regexp_extract'.*pip install 'airflow"):
        predicate("regexp_extract(status, 's(.*)', 1) = 'hipped'")
    with pytest.raises(ConfigurationError, match=r"pip install 'airflow-provider-dq\[duckdb\]'"):
        aggregate("sum(case when whole > 10 then 1 else 0 end)")


@pytest.mark.usefixtures("duck")
@pytest.mark.parametrize(
    ("sql", "found"),
    [
        (CASE, (3, 4)),
        # A null is neither true nor false, NaN is null, and so is what is divided by zero.
        ("substring(status, 1, 1) = 's'", (2, 3)),
        ("nullif(`odd name`, 3) > 0", (1, 2)),
        ("sqrt(whole / `odd name`) > 0", (2, 2)),
        # What has no root is NaN in Spark, and so null here.
        ("sqrt(`odd name` - 2) > 0", (1, 1)),
        ("cast(status as int) > 1", None),
        ("datediff(shipped_at, '2026-01-01') = 1", (1, 2)),
        ("pow(2, 2) = 4", (4, 4)),
        ("nvl(status, 'none') = 'none' or whole > 9007199254740992", (2, 4)),
    ],
)
def test_a_rule_has_the_value_that_spark_gives_it(sql: str, found: tuple[int, int] | None) -> None:
    measured = value(sql=sql)
    assert measured.problem is None
    assert (None if measured.value is None else (measured.numerator, measured.denominator)) == found


@pytest.mark.usefixtures("duck")
def test_a_metric_adds_up_what_it_computes_of_each_row() -> None:
    node = aggregate("sum(case when whole > 10 then 1 else 0 end) / count(*)")
    inner = [one.of for one in node.aggregates]
    assert isinstance(inner[0], Foreign)
    assert node.aggregates[1] == Aggregate("count", None)
    sql = "sum(case when whole > 10 then 1 else 0 end) / count(*) - -(avg(char_length(status)))"
    assert value(kind="metric", name="m", sql=sql).value == pytest.approx(2 / 4 + 17 / 3)


@pytest.mark.usefixtures("duck")
def test_what_it_reads_is_known_before_the_scan() -> None:
    node = predicate("nvl(`odd name`, b.c) > 0")
    assert node.columns == ("odd name", "b.c")
    assert predicate(CASE).columns == ("status", "shipped_at")
    (read,) = aggregate("sum(nvl(whole, 0))").aggregates
    assert read.of is not None
    assert read.of.columns == ("whole",)
    assert isinstance(Column("a"), Column)


@pytest.mark.usefixtures("duck")
@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("discount <== price", "cannot be read at character"),
        ("levenshtien(a, b) < 3", "with name levenshtien does not exist; did you mean 'levenshtein'?"),
        ("now() > a", "computed nowhere here; fresh"),
        ("isnan(a)", "NaN is null here: ask 'x is null'"),
        ("luhn_check(a)", "format\\('credit_card'\\)"),
        ("regexp_extract(a, 'x', 0)", "is neither true nor false of a row: .* is VARCHAR"),
        ("a in (select b from c)", "has a query"),
        ("row_number() over (order by a) = 1", "has a window"),
        ("nvl(max(a), 0) > 1", "has an aggregate, of all rows"),
        ("a > 1; drop table b", "cannot be read"),
    ],
)
def test_what_cannot_be_computed_is_told_where_it_is_declared(sql: str, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        predicate(sql)


@pytest.mark.usefixtures("duck")
@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("a and b + 1", "one side of 'and'"),
        ("nvl(a, b) and b + 1", "one side of 'AND'"),
        ("not (nvl(a, 1) + 1)", "one side of 'NOT'"),
        ("round(a, 1, 2) = 1", "takes 1 to 2 arguments"),
        ("a rlike '('", "no regular expression"),
        ("a rlike '(?=x)'", "RE2 does not know"),
        ("a in ()", "not computed here"),
        ("(" * 200 + "a" + ")" * 200, "within each other"),
        ("foo(" * 400 + "a" + ")" * 400, "there is no function 'foo'"),
        (" and ".join(["a"] * 300), "terms are joined"),
        ("a <= b c", "stands where"),
        # Another value each time, or another one than on Spark.
        ("now() > a", r"NOW\(\)"),
        ("nvl(a, rand()) > 0.5", r"RAND\(\)"),
        ("hash(a) > 1", r"HASH\(a\)"),
    ],
)
def test_what_nobody_can_mean_is_refused_with_duckdb_too(sql: str, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        predicate(sql)


@pytest.mark.usefixtures("duck")
@pytest.mark.parametrize("sql", ["count(distinct whole)", "nvl(sum(whole), 0)", "sum(whole) + nvl(whole, 0)"])
def test_a_metric_of_what_cannot_be_added_up_is_refused(sql: str) -> None:
    with pytest.raises(ConfigurationError, match=r"outside of (its|an) aggregate"):
        aggregate(sql)


@pytest.mark.usefixtures("duck")
def test_a_type_that_does_not_fit_says_so_and_quotes_no_value() -> None:
    measured = value(sql="sqrt(status) > 1")
    assert measured.problem is not None
    assert "shipped" not in measured.problem
    assert value(sql="array_contains(status, 'x')").problem is not None


@pytest.mark.usefixtures("duck")
def test_nothing_but_the_rows_is_read() -> None:
    for sql in ("length(getenv('HOME')) > 0", "length(read_text('/etc/passwd')) > 0"):
        with suppress(ConfigurationError):
            assert value(sql=sql).problem is not None


@pytest.mark.usefixtures("duck")
def test_other_tools_are_told_it_in_their_own_words() -> None:
    checks = Checks("t")
    checks.rule("nvl(whole, 0) > 1")
    (check,) = checks
    for dialect, said in ((SPARK, "coalesce(whole, 0)"), (DIALECTS["duckdb"], "coalesce(whole, 0)"), (ANSI, "whole")):
        query = query_of(check, dialect, {})
        assert not isinstance(query, str)
        assert said in query.value.lower()


@pytest.mark.usefixtures("duck")
def test_a_division_by_zero_is_null_as_in_our_own_rules() -> None:
    found = [value(sql=sql) for sql in ("pow(whole, 1) / `odd name` > 0", "whole / `odd name` > 0")]
    assert [(one.numerator, one.denominator, one.problem) for one in found] == [(2, 2, None)] * 2


@pytest.mark.usefixtures("duck")
@pytest.mark.parametrize("sql", SPARK_SAYS)
def test_an_expression_means_what_it_means_in_spark(sql: str) -> None:
    batch = Batch({name: SPARK_ROWS[name] for name in SPARK_ROWS.column_names}, 3)
    assert batch.truth(predicate(sql)).to_pylist() == SPARK_SAYS[sql]


@pytest.mark.usefixtures("duck")
@pytest.mark.parametrize(
    "sql",
    [
        *(
            "uuid() = a",
            "current_date() > d",
            "months_between(d, d) = 1",
            "split_part(a, '.', n) = 'x'",
            "not isnan(x)",
            "typeof(a) = 'string'",
        ),
        *("substring(a, 0, 2) = 'x'", "extract(isodow from d) = 1", "bin(n) = '1'", "a in (a, rand())"),
    ],
)
def test_what_means_another_thing_in_duckdb_is_refused(sql: str) -> None:
    with pytest.raises(ConfigurationError, match="not computed here as Spark computes it"):
        predicate(sql)
