"""Data on which tools disagree, each with the right value: counted in the scan, in parts, and from what is kept."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from typing import Any

import pyarrow as pa
import pytest

from airflow_dq import ProfileOptions, profile_table
from airflow_dq.check import Checks
from airflow_dq.profile.check.answer import NOT_COUNTED, answer
from airflow_dq.profile.check.measured import NO_ROWS, NO_VALUES, Measured
from airflow_dq.profile.model import Profile
from airflow_dq.profile.table import TableState

ANY = ">=-9e99"
Declare = Callable[[Checks], object]


def measured(columns: Mapping[str, Any], declare: Declare) -> list[Measured]:
    """What a check measures: in one scan, and in two parts that travel and are merged, which must be the same.

    Where a profile that was made without the check answers it, too, that must be the same again.
    """
    checks = Checks("t")
    declare(checks)
    table, options = pa.table(dict(columns)), ProfileOptions(checks=tuple(checks), sample_rows=0)
    whole = profile_table(table, "1", options)
    parts = [TableState.of(part, options) for part in (table.slice(2), table.slice(0, 2))]
    travelled = [TableState.decode(part.encode()) for part in parts]
    merged = travelled[0].merge(travelled[1]).profile("1", options)
    bare = profile_table(table, "1", ProfileOptions(sample_rows=0))
    found = [answer(check, whole) for check in checks]
    for check, one in zip(checks, found, strict=True):
        assert answer(check, merged) == one or one.timed
        kept = answer(check, bare)
        assert kept == one or kept.problem, check.id
    return found


def value(columns: Mapping[str, Any], declare: Declare) -> Measured:
    (found,) = measured(columns, declare)
    return found


U = {"u": ["a", "a", "b", "c", None, None]}


@pytest.mark.parametrize(
    ("metric", "wanted", "counts"),
    [
        ("completeness", 4 / 6, (4, 6)),
        ("uniqueness", 2 / 4, (2, 4)),
        ("unique_value_ratio", 2 / 3, (2, 3)),
        ("distinctness", 3 / 4, (3, 4)),
        ("largest_share", 2 / 4, (2, 4)),
        ("distinct", 3, (None, None)),
        ("duplicate_rows", 2, (2, 4)),
        ("surplus_rows", 1, (1, 4)),
        ("duplicate_values", 1, (1, 3)),
        ("entropy", 1.0397207708399179, (None, None)),
        ("key", 2 / 6, (2, 6)),
    ],
)
def test_values_with_nulls_are_counted_by_what_is_there(metric: str, wanted: float, counts: Any) -> None:
    found = value(U, lambda checks: checks.col("u").add(metric, error=ANY if metric == "entropy" else ">=0"))
    assert found.value == pytest.approx(wanted, abs=1e-12)
    assert (found.numerator, found.denominator) == counts


def test_a_key_of_which_a_part_is_missing_is_none() -> None:
    assert value({"k": ["a", "b", None, None]}, lambda checks: checks.key("k")).value == 0.5


@pytest.mark.parametrize(
    ("columns", "seen"),
    [
        (U, "2 rows have a value that occurs more than once and 2 rows have a value missing"),
        ({"k": ["a", "a", "b"]}, "2 rows have a value that occurs more than once"),
        ({"k": ["a", None, "b"]}, "1 row has a value missing"),
        ({"a": ["x", "x", None, None], "b": ["1", None, "1", None]}, "3 rows have a value missing"),
        ({"k": ["a", "b"]}, None),
    ],
)
def test_a_broken_key_tells_whether_values_repeat_or_lack(columns: dict[str, Any], seen: str | None) -> None:
    assert value(columns, lambda checks: checks.key(*columns)).seen == seen


def test_equal_values_have_no_skewness_to_be_wrong() -> None:
    def declare(checks: Checks) -> None:
        checks.add("skewness", ("x",), error=0)
        checks.add("kurtosis", ("x",), error=0)
        checks.add("skewness", ("x",), error=0, where="x > 1")

    said = {one.nothing for one in measured({"x": [3.0, 3.0, 3.0]}, declare)}
    assert said == {"all values in scope are equal, so that there is none"}


def test_rows_without_any_value_of_a_key_are_not_counted() -> None:
    pairs = {"a": ["a", "a", "a", None], "b": ["1", None, None, None]}
    found = value(pairs, lambda checks: checks.uniqueness("a", "b", error=1))
    assert (found.numerator, found.denominator) == (1, 3)


X = {"x": [5, -1, None, 7, None]}


@pytest.mark.parametrize(("nulls", "counts"), [("pass", (4, 5)), ("fail", (2, 5)), ("skip", (2, 3))])
@pytest.mark.parametrize("between", [False, True])
def test_a_row_that_is_neither_right_nor_wrong_is_what_the_check_says(
    nulls: Any, counts: tuple[int, int], between: bool
) -> None:
    def declare(checks: Checks) -> object:
        return checks.col("x").between(0, 10, nulls=nulls) if between else checks.rule("x > 0", nulls=nulls)

    found = value(X, declare)
    assert (found.numerator, found.denominator) == counts
    assert found.value == counts[0] / counts[1]


def test_no_row_in_scope_leaves_nothing_to_check() -> None:
    assert value(X, lambda checks: checks.col("x").complete(where="x > 100")).nothing == NO_ROWS
    assert value(X, lambda checks: checks.col("x").mean(where="x > 100", error=ANY)).nothing == NO_ROWS
    assert value({"x": pa.nulls(3, pa.int64())}, lambda checks: checks.rule("x > 0")).nothing == NO_VALUES


@pytest.mark.parametrize("rows", [[5, 7], []])
def test_a_number_of_rows_in_scope_is_a_number_even_when_it_is_none(rows: list[int]) -> None:
    table = {"x": pa.array(rows, pa.int64())}
    assert value(table, lambda checks: checks.rows(where="x > 100", error=">=5")).value == 0
    assert value(table, lambda checks: checks.rows(error=">=5")).value == len(rows)


def test_an_empty_partition_has_no_values_to_be_right() -> None:
    def declare(checks: Checks) -> None:
        checks.col("x").complete()
        checks.unique("x")
        checks.rule("x > 0")
        checks.col("x").min(error=ANY)
        checks.metric("total", "sum(x)", error=ANY)

    assert {one.nothing for one in measured({"x": pa.array([], pa.int64())}, declare)} == {NO_ROWS}


@pytest.mark.parametrize(("nulls", "counts"), [("skip", (1, 2)), ("fail", (1, 4))])
def test_a_comparison_of_columns_is_null_where_one_of_them_is(nulls: Any, counts: tuple[int, int]) -> None:
    pairs = {"a": [1, 1, 3, None], "b": [2, None, 2, None]}
    found = value(pairs, lambda checks: checks.rule("a < b", nulls=nulls))
    assert (found.numerator, found.denominator) == counts


def test_quotes_and_backslashes_are_characters_like_others() -> None:
    texts = {"s": ["it's", "b", "a\\b", "c"]}
    assert value(texts, lambda checks: checks.col("s").isin(["it's", "b", "a\\b", "c"])).value == 1.0
    assert value(texts, lambda checks: checks.rule("s in ('it''s', 'a\\b')")).value == 0.5


def test_the_empty_text_matches_what_matches_anything() -> None:
    assert value({"s": ["", "a"]}, lambda checks: checks.col("s").matches(".*")).value == 1.0


def test_texts_are_no_numbers() -> None:
    found = value({"s": ["abc", "-5", "3"]}, lambda checks: checks.col("s").non_negative())
    assert str(found.problem).startswith("text is compared with int64; cast")


def test_nan_is_a_value_that_is_missing() -> None:
    numbers = {"f": [1.0, math.nan, 3.0]}

    def declare(checks: Checks) -> None:
        checks.col("f").max(error=ANY)
        checks.col("f").mean(error=ANY)
        checks.col("f").completeness(error=">=0")
        checks.rule("f >= 0")
        checks.rule("f is null", id="null")

    assert [one.value for one in measured(numbers, declare)] == [3.0, 2.0, 2 / 3, 1.0, 1 / 3]


def test_quantiles_of_few_values_are_exact() -> None:
    numbers = {"n": list(range(1, 11))}
    assert value(numbers, lambda checks: checks.col("n").median(error=ANY)).value == 5.5
    assert value(numbers, lambda checks: checks.col("n").quantile(0.25, error=ANY)).value == 3.25
    assert value(numbers, lambda checks: checks.col("n").add("iqr", error=ANY)).value == 4.5


def test_a_correlation_is_that_of_the_rows_that_have_both() -> None:
    pairs = {"a": [1, 2, 3, 4, None], "b": [2, 4, 7, None, 1]}
    found = value(pairs, lambda checks: checks.correlation("a", "b", error=ANY))
    assert found.value == pytest.approx(0.9933992677987828, abs=1e-15)
    constant = value({"a": [1, 1], "b": [1, 2]}, lambda checks: checks.correlation("a", "b", error=ANY))
    assert constant.nothing is not None


def test_a_deviation_is_that_of_the_values_themselves() -> None:
    numbers = {"n": [1, 2, 3, 4]}
    assert value(numbers, lambda checks: checks.col("n").std(error=ANY)).value == pytest.approx(1.118033988749895)
    assert value(numbers, lambda checks: checks.col("n").add("variance", error=ANY)).value == pytest.approx(1.25)


def test_mutual_information_is_that_of_the_rows_that_have_both() -> None:
    pairs = {"a": ["a", "a", "b", "b"], "b": ["x", "x", "y", None]}
    found = value(pairs, lambda checks: checks.mutual_information("a", "b", error=">=0"))
    assert found.value == pytest.approx(0.6365141682948128, abs=1e-12)


def test_a_share_among_filtered_rows_divides_by_these() -> None:
    table = {"s": ["a", "a", "b", "b"], "k": [1, 2, 3, 4]}
    found = value(table, lambda checks: checks.rule("s = 'a'", where="k <= 2"))
    assert (found.numerator, found.denominator) == (2, 2)


def test_sums_in_one_expression_are_those_of_their_own_columns() -> None:
    table = {"c": [8, 10], "d": [4, 4], "a": [1, 3], "b": [2, 2]}

    def declare(checks: Checks) -> None:
        checks.metric("other", "sum(c) / sum(d)", error=ANY)
        checks.metric("ratio", "sum(a) / sum(b)", error=ANY)

    assert [one.value for one in measured(table, declare)] == [2.25, 1.0]


def test_merged_counts_are_those_of_all_rows() -> None:
    found = value({"u": ["a", "b", "c", "a", "d"]}, lambda checks: checks.col("u").uniqueness(error=">=0"))
    assert (found.value, found.numerator, found.denominator) == (0.6, 3, 5)


def test_whole_numbers_beyond_53_bits_are_exact() -> None:
    numbers = {"m": [9007199254740993, 1]}

    def declare(checks: Checks) -> None:
        checks.col("m").max(error=ANY)
        checks.metric("most", "max(m)", error=ANY)
        checks.rule("m <= 9007199254740992")
        checks.col("m").isin([9007199254740992, 1])

    assert [one.value for one in measured(numbers, declare)] == [9007199254740993, 9007199254740993, 0.5, 0.5]


def test_timestamps_and_dates_have_a_maximum_in_utc() -> None:
    moments = {"at": [datetime(2026, 1, 1, 12, tzinfo=UTC)], "day": [date(2026, 1, 2)]}

    def declare(checks: Checks) -> None:
        checks.col("at").max(error=ANY)
        checks.col("day").max(error=ANY)
        checks.col("at").between("2026-01-01", "2026-01-01T12:00:00")
        checks.col("day").between("2026-01-02", id="day")
        checks.rule("at < '2026-01-01T13:30:00+01:00'", id="zone")

    found = [one.value for one in measured(moments, declare)]
    assert found == [
        datetime(2026, 1, 1, 12, tzinfo=UTC).timestamp(),
        datetime(2026, 1, 2, tzinfo=UTC).timestamp(),
        1,
        1,
        1,
    ]


def test_a_filter_that_is_null_leaves_the_row_out() -> None:
    table = {"f": [True, None, False, True], "v": [1, None, 1, None]}
    found = value(table, lambda checks: checks.col("v").completeness(where="f", error=">=0"))
    assert (found.numerator, found.denominator) == (1, 2)


def test_lengths_are_in_characters() -> None:
    texts = {"s": ["ß", "größe", None, "日本語!"]}

    def declare(checks: Checks) -> None:
        checks.col("s").min_length(error=ANY)
        checks.col("s").max_length(error=ANY)
        checks.col("s").max_length(where="s <> 'größe'", error=ANY)

    assert [one.value for one in measured(texts, declare)] == [1, 5, 4]


def test_what_a_profile_cannot_answer_says_so_and_never_holds() -> None:
    checks = Checks("t")
    checks.rule("a < b")
    bare: Profile = profile_table(pa.table({"a": [1], "b": [2]}), "1")
    (check,) = checks
    assert answer(check, bare) == Measured(problem=NOT_COUNTED)


def test_a_deviation_of_a_sample_is_not_asked_for_and_can_be_computed() -> None:
    """Trap 21 has both: the deviation of the values, and what an expression makes of it."""
    numbers = {"n": [1, 2, 3, 4]}
    found = value(
        numbers, lambda checks: checks.metric("v", "(sum(n * n) - sum(n) * avg(n)) / (count(n) - 1)", error=ANY)
    )
    assert math.sqrt(found.value or 0) == pytest.approx(1.2909944487358056)


@pytest.mark.parametrize(
    ("format", "right", "wrong"),
    [
        (
            "credit_card",
            ["4111 1111 1111 1111", "378282246310005", "6011-1111-1111-1117"],
            ["4111111111111112", "0000", "4"],
        ),
        ("iban", ["DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432"], ["DE88370400440532013000", "DE", "dE89"]),
        ("json", ['{"a": [1, null]}', "3", '"x"', " true"], ["{a: 1}", "NaN", "", "{", "[1,]", "nul"]),
        (
            "ssn",
            ["078-05-1120", "078051120"],
            ["000-12-3456", "666-12-3456", "900-12-3456", "123-00-4567", "123-45-0000"],
        ),
        (
            "ip",
            ["1.2.3.4", "255.255.255.255", "::1", "2001:db8::ff00:42:8329"],
            ["1.2.3", "256.1.1.1", "1.2.3.4.", "01.2.3.4"],
        ),
        ("ipv4", ["0.0.0.0"], ["1.2.3.4.", "::1"]),
        ("mac", ["00:1A:2b:3c:4d:5e", "00-1A-2B-3C-4D-5E"], ["00:1A-2b:3c:4d:5e", "001A2B3C4D5E"]),
        ("phone", ["+491701234567"], ["0170 1234567", "+0123456789", "+49"]),
        ("time", ["23:59", "00:00:01.5"], ["24:00", "1:00"]),
        ("boolean", ["true", "FALSE"], ["yes", "1", "truely"]),
        ("uuid", ["123e4567-e89b-12d3-a456-426614174000"], ["123e4567e89b12d3a456426614174000"]),
        ("email", ["a.b@c.de"], ["a@b", "a b@c.de", "@c.de"]),
        ("url", ["https://a.b/c?d=1"], ["a.b/c", "http://"]),
    ],
)
def test_a_format_is_what_it_promises(format: str, right: list[str], wrong: list[str]) -> None:
    found = value({"s": [*right, *wrong, None]}, lambda checks: checks.col("s").format(format))
    assert (found.numerator, found.denominator) == (len(right), len(right) + len(wrong))


@pytest.mark.parametrize(
    ("values", "right"),
    [
        (["N/A", " n/a ", "unknown", "", "-", "NULL", "x", "nano"], 2),
        ([-1, 9999999, 5, 0, -2], 3),
        ([-999.0, 1.5], 1),
        ([date(9999, 12, 31), date(1900, 1, 1), date(2026, 1, 1)], 1),
        ([datetime(9999, 12, 31, 23, 59, 59), datetime(2026, 1, 1)], 1),
    ],
)
def test_what_often_stands_for_a_missing_value_is_found(values: list[Any], right: int) -> None:
    found = value({"v": [*values, None]}, lambda checks: checks.col("v").no_placeholder())
    assert (found.numerator, found.denominator) == (right, len(values))
    own = value({"v": [*values, None]}, lambda checks: checks.rule("v is not null"))
    assert own.numerator == len(values)


def test_placeholders_may_be_named_and_some_columns_have_none() -> None:
    assert value({"v": ["x", "0"]}, lambda checks: checks.col("v").no_placeholder(["0"])).value == 0.5
    assert "give values" in str(value({"v": [True]}, lambda checks: checks.col("v").no_placeholder()).problem)


def test_several_columns_are_complete_together_or_one_of_them() -> None:
    pairs = {"a": [1, None, None], "b": ["x", "y", ""]}
    assert value(pairs, lambda checks: checks.all_complete("a", "b")).numerator == 1
    assert value(pairs, lambda checks: checks.any_complete("a", "b")).numerator == 2


def test_zeros_are_counted_and_zero_is_not_above_zero() -> None:
    numbers = {"n": [0.0, -0.0, 1.0, None, math.nan]}
    zeros = value(numbers, lambda checks: checks.col("n").add("zeros"))
    assert (zeros.value, zeros.denominator) == (2, 5)
    positive = value(numbers, lambda checks: checks.col("n").positive())
    assert (positive.numerator, positive.denominator) == (1, 3)


def test_gaps_are_told_with_the_first_of_them() -> None:
    hours = [datetime(2026, 1, 1, hour, 59, tzinfo=UTC) for hour in (0, 1, 4)]
    found = value({"at": hours}, lambda checks: checks.col("at").gaps("1h"))
    assert (found.value, found.denominator, found.seen) == (2, 5, "the first at 2026-01-01T02:00:00+00:00")
    assert value({"n": [1, 2, 5, 5]}, lambda checks: checks.col("n").gaps(1)).value == 2
    assert value({"n": [-0.5, 0.5, 2.5]}, lambda checks: checks.col("n").gaps(1)).value == 1
    assert value({"s": ["a"]}, lambda checks: checks.col("s").gaps(1)).problem is not None


def test_ranges_that_begin_before_an_earlier_one_ends_overlap() -> None:
    ranges = {"low": [1, 5, 3, 1, None], "high": [5, None, 4, 2, 9], "g": ["a", "a", "a", "b", "b"]}
    alone = value(ranges, lambda checks: checks.overlaps("low", "high"))
    assert (alone.value, alone.denominator) == (2, 4)
    grouped = value(ranges, lambda checks: checks.overlaps("low", "high", "g"))
    assert (grouped.value, grouped.denominator) == (1, 4)
    touching = {"low": [1.0, 2.0, -1.5], "high": [2.0, 3.0, 1.0]}
    assert value(touching, lambda checks: checks.overlaps("low", "high")).value == 0


def test_an_order_is_that_of_the_column_that_gives_it() -> None:
    table = {"n": [3.0, -1.0, 2.0, 2.0], "at": [date(2026, 1, day) for day in (4, 1, 2, 3)], "g": ["a", "a", "b", "a"]}
    assert value(table, lambda checks: checks.col("n").increasing("at")).value == 1
    strict = value(table, lambda checks: checks.col("n").increasing("at", strict=True))
    assert (strict.numerator, strict.denominator) == (2, 3)
    assert value(table, lambda checks: checks.col("n").increasing("at", "g", strict=True)).denominator == 2


def test_spellings_that_differ_in_case_only_are_counted() -> None:
    found = value({"s": ["Berlin", "BERLIN", "berlin", "Rom", None]}, lambda checks: checks.col("s").add("casing"))
    assert (found.value, found.denominator) == (2, 4)


def test_what_is_asked_of_each_value_of_a_column_is_asked_of_its_rows() -> None:
    table = {"g": ["a", "a", None, "b"], "n": [1, 3, 5, 7]}
    found = value(table, lambda checks: checks.col("n").mean(by="g", error=ANY))
    assert {label: one.value for label, one in found.groups.items()} == {"(null)": 5, "a": 2, "b": 7}


def test_the_names_and_the_number_of_columns_are_told_by_the_schema() -> None:
    table = {"a": [1], "B": [2]}
    assert value(table, lambda checks: checks.add("column_count", error=2)).value == 2
    names = value(table, lambda checks: checks.add("column_names", pattern="^[a-z]+$"))
    assert (names.value, names.seen) == (0.5, "others: 'B'")


def test_a_metric_of_the_profile_is_checked_by_its_name() -> None:
    table = {"n": [1, 2, 3]}
    assert value(table, lambda checks: checks.col("n").profiled("median", error=ANY)).value == 2
    unknown = value(table, lambda checks: checks.col("n").profiled("modian", error=ANY))
    assert "the profile has no metric 'modian' of column 'n'; it has" in str(unknown.problem)


@pytest.mark.parametrize(
    ("given", "counts", "seen"),
    [
        (["1", "2.5", "x", None, ""], (2, 3), "most are of type number"),
        (["2026-01-31", "2026-01-31 10:00", "2026-02-01", "31.01.2026", "true"], (2, 5), "most are of type date"),
        ([True, None, False, True], (3, 3), "most are of type boolean"),
        ([1, 2, None], (2, 2), "most are of type number"),
        ([None, None, None], (None, None), None),
    ],
)
def test_the_most_frequent_type_is_told_however_the_values_are_written(
    given: list[Any], counts: tuple[int | None, int | None], seen: str | None
) -> None:
    found = value({"v": given}, lambda checks: checks.col("v").consistent_type())
    assert (found.numerator, found.denominator, found.seen) == (*counts, seen)
