"""Counting in the scan: each failure by itself, parts in any order, nothing kept that must not be."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from functools import reduce
from itertools import pairwise, permutations
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from airflow_dq import ProfileOptions, from_json, profile_table, to_json
from airflow_dq.check import Checks
from airflow_dq.check.metric import METRICS
from airflow_dq.exceptions import CodecError, ConfigurationError
from airflow_dq.profile import Profile
from airflow_dq.profile.check import key_tally, order_tally, tally
from airflow_dq.profile.check.answer import answer
from airflow_dq.profile.check.measured import Measured
from airflow_dq.profile.check.tally import Tally
from airflow_dq.profile.table import TableState
from airflow_dq.settings import HASH_KEY_VARIABLE

ANY = ">=-9e99"


def of_all_sorts() -> Checks:
    """One check or more for each way of counting."""
    checks = Checks("t")
    checks.rows(where="n > 0", error=ANY.replace("-9e99", "0"))
    checks.rule("n <= f", nulls="fail")
    checks.col("s").isin(["a", ""])
    checks.col("s").not_in(["N/A"])
    checks.col("s").matches("^a")
    checks.col("s").completeness(where="b", error=">=0")
    checks.col("s").min_length(error=">=0")
    checks.col("n").mean(where="s = 'a'", error=ANY)
    checks.col("s").add("mean_length", where="b", error=">=0")
    checks.unique("s", "n")
    checks.col("n").distinct(error=">=0")
    checks.correlation("n", "f", error=ANY)
    checks.mutual_information("s", "n", error=">=0")
    checks.metric("total", "sum(n * f) + count(*)", error=ANY)
    checks.col("s").add("casing")
    checks.col("n").gaps(every=2)
    checks.col("f").gaps(every=0.5, where="f < 1e9")
    checks.overlaps("n", "f", "s", where="n is not null")
    checks.overlaps("n", "m", "s")
    checks.col("f").increasing("n", "b", strict=True)
    checks.col("n").mean(by="s", error=ANY)
    checks.rule("n <= f", by="b")
    checks.col("s").predictable_from("n", "f", precision=">=0")
    return checks


CHECKS = tuple(of_all_sorts())
OPTIONS = ProfileOptions(checks=CHECKS, sample_rows=0)
rows = st.lists(
    st.tuples(
        st.none() | st.integers(-3, 3),
        st.none() | st.sampled_from([0.5, -1.25, float("nan"), float("inf"), 1e300]),
        st.none() | st.sampled_from(["a", "", "ab", "N/A"]),
        st.none() | st.booleans(),
    ),
    max_size=30,
)


def table(given_rows: list[tuple[Any, ...]]) -> pa.Table:
    columns = list(zip(*given_rows, strict=True)) or [()] * 4
    types = {"n": pa.int64(), "f": pa.float64(), "s": pa.string(), "b": pa.bool_()}
    made = {name: pa.array(values, kind) for (name, kind), values in zip(types.items(), columns, strict=True)}
    return pa.table({**made, "m": made["n"]})


@given(rows, st.lists(st.integers(0, 30), max_size=3), st.randoms())
def test_the_parts_of_a_partition_in_any_order_count_what_the_whole_counts(
    given_rows: list[tuple[Any, ...]], cuts: list[int], shuffled: random.Random
) -> None:
    whole = table(given_rows)
    edges = sorted({0, *(cut for cut in cuts if cut < whole.num_rows), whole.num_rows})
    parts = [TableState.of(whole.slice(a, b - a), OPTIONS) for a, b in pairwise(edges)]
    parts = [TableState.decode(part.encode()) for part in parts] or [TableState.of(whole, OPTIONS)]
    shuffled.shuffle(parts)
    found = reduce(TableState.merge, parts).profile("1", OPTIONS).checks
    assert found == profile_table(whole, "1", OPTIONS).checks
    assert found.keys() == {check.measure for check in CHECKS}
    for one in found.values():
        assert Measured.of_dict(one.to_dict()) == one


@given(rows)
def test_a_profile_with_checks_survives_its_json(given_rows: list[tuple[Any, ...]]) -> None:
    profile = profile_table(table(given_rows), "1", OPTIONS)
    assert from_json(Profile, to_json(profile)) == profile


def test_one_check_that_fails_loses_no_other_and_no_profile() -> None:
    checks = Checks("t")
    checks.rule("s > 3")
    checks.rule("n * 9223372036854775807 > 0", id="overflow")
    checks.rule("missing > 3", id="missing")
    checks.metric("text", "sum(s)", error=ANY)
    checks.correlation("s", "n", error=ANY)
    checks.unique("l")
    checks.col("n").min_length(error=">=0")
    checks.rule("n > 0", id="fine")
    given_table = table([(1, 0.5, "a", True), (2, 0.5, "b", None)]).append_column("l", pa.array([[1], [2]]))
    profile = profile_table(given_table, "1", ProfileOptions(checks=tuple(checks)))
    problems = {check.id: answer(check, profile).problem for check in checks}
    assert problems.pop("fine") is None
    assert problems["missing"] == "the partition has no column 'missing'; its columns are 'n', 'f', 's', 'b', 'm', 'l'"
    assert "beyond 64 bits" in str(problems["overflow"])
    assert all(problems.values())
    assert profile.columns["n"].metrics["mean"] == 1.5


def test_a_fault_in_counting_is_the_check_s_and_quotes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(self: object, *_: object) -> Measured:
        raise RuntimeError("secret value")

    monkeypatch.setattr(tally.Shares, "measured", breaks)
    checks = Checks("t")
    checks.rule("n > 0")
    profile = profile_table(table([(1, None, None, None)]), "1", ProfileOptions(checks=tuple(checks)))
    (check,) = checks
    assert answer(check, profile).problem == "measuring it failed with RuntimeError"


def test_too_many_keys_are_told_and_not_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_tally, "MOST_KEYS", 5)
    checks = Checks("t")
    checks.unique("n", "s")
    options = ProfileOptions(checks=tuple(checks), sample_rows=0)
    parts = [TableState.of(table([(i, None, "a", None) for i in range(start, start + 4)]), options) for start in (0, 4)]
    merged = reduce(TableState.merge, [TableState.decode(part.encode()) for part in parts]).profile("1", options)
    assert "more than 5 distinct keys" in str(answer(options.checks[0], merged).problem)


def test_a_column_s_values_do_not_multiply_what_is_kept_for_a_check(monkeypatch: pytest.MonkeyPatch) -> None:
    checks = Checks("t")
    checks.unique("n", by="s")
    checks.col("n").increasing("m", by="s")
    options = ProfileOptions(checks=tuple(checks), sample_rows=0)
    rows = [(i, None, f"g{i % 4}", None) for i in range(8)]
    profile = profile_table(table(rows), "1", options)
    assert [answer(check, profile).value for check in checks] == [4, 4]
    monkeypatch.setattr(key_tally, "MOST_KEYS", 5)
    monkeypatch.setattr(order_tally, "MOST_KEPT", 5)
    parts = [TableState.of(table(some), options) for some in (rows[:3], rows[3:6], rows[6:])]
    for one in permutations(parts):
        merged = reduce(TableState.merge, [TableState.decode(part.encode()) for part in one]).profile("1", options)
        found = [profile.groups for profile in (merged.checks[check.measure] for check in checks)]
        problems = [{one.problem for one in groups.values()} for groups in found]
        assert [len(groups) for groups in found] == [4, 4]
        assert [len(said) for said in problems] == [1, 1]
        assert "more than 5 distinct keys" in str(problems[0])
        assert "more than 5 rows" in str(problems[1])


def test_freshness_is_told_by_the_moment_of_the_profile_and_changes_no_fingerprint() -> None:
    checks = Checks("t")
    checks.fresh("at", within="26h")
    checks.col("at").not_future()
    checks.col("s").fresh("1h")
    options = ProfileOptions(checks=tuple(checks), sample_rows=0)
    moments = [datetime.now(UTC) - timedelta(hours=hours) for hours in (3, 30)]
    given_table = pa.table({"at": pa.array(moments, pa.timestamp("us", "UTC")), "s": ["a", "b"]})
    profile = profile_table(given_table, "1", options)
    age, ahead, wrong = (answer(check, profile) for check in checks)
    assert age.value == pytest.approx(3 * 3600, abs=60)
    assert age.timed
    assert ahead.value == pytest.approx(3 * 3600, abs=60)
    assert wrong.problem == "column 's' is string, and fresh is of timestamps"
    again = profile_table(given_table, "1", options)
    assert again.fingerprint == profile.fingerprint
    assert profile_table(given_table, "1", ProfileOptions(sample_rows=0)).fingerprint != profile.fingerprint


def test_a_hidden_column_is_counted_and_none_of_its_values_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HASH_KEY_VARIABLE, "a secret of ours")
    checks = Checks("t")
    checks.col("s").isin(["person-1"])
    checks.metric("most", "max(n)", error=ANY)
    checks.col("n").max(where="n > 0", error=ANY)
    checks.unique("s")
    options = ProfileOptions(checks=tuple(checks), hidden=("s", "n"))
    profile = profile_table(table([(1234567, None, "person-1", None), (5, None, "person-2", None)]), "1", options)
    share, most, highest, unique = (answer(check, profile) for check in checks)
    assert (share.value, unique.value) == (0.5, 1.0)
    assert "hidden" in str(most.problem)
    assert highest.value != 1234567
    kept = str([one.to_dict() for one in profile.checks.values()])
    assert "1234567" not in kept
    assert "person-2" not in to_json(profile)


def test_a_check_of_what_is_not_profiled_is_refused_before_anything_is_read() -> None:
    checks = Checks("t")
    checks.rule("a < b")
    for options in ({"exclude": ("b",)}, {"columns": ("a",)}):
        with pytest.raises(ConfigurationError, match="reads 'b'"):
            ProfileOptions(checks=tuple(checks), **options)


def test_columns_types_and_their_order_are_told_by_the_schema() -> None:
    profile = profile_table(table([(1, 0.5, "a", True)]), "1")
    checks = Checks("t")
    checks.has_columns("n", "s")
    checks.has_columns("s", "n", ordered=True)
    checks.has_columns("n", "x", exactly=True)
    for kind in ("numeric", "int64", "string"):
        checks.col("n").type(kind)
    found = [answer(check, profile) for check in checks]
    assert [one.value for one in found] == [0, 2, 5, 1, 1, 0]
    assert found[2].seen == "missing: 'x'; not expected: 'f', 's', 'b', 'm'"
    assert found[5].seen == "numeric (int64)"


def _subclasses(kind: type[Tally]) -> list[type[Tally]]:
    return [one for own in kind.__subclasses__() for one in (own, *_subclasses(own))]


def test_every_counting_class_has_a_tag_of_its_own() -> None:
    known = _subclasses(Tally)
    assert {kind.tag: kind.__qualname__ for kind in known} == {
        tag: kind.__qualname__ for tag, kind in Tally._types.items()
    }
    assert len(Tally._types) == len({kind.__qualname__ for kind in known})
    with pytest.raises(KeyError):
        Tally.named("none")


@pytest.mark.parametrize(
    "stored", [5, {}, {"value": 1, "problem": "x"}, {"value": 1, "numerator": 3, "denominator": 2}, {"x": 1}]
)
def test_what_nobody_can_have_measured_is_not_read(stored: object) -> None:
    with pytest.raises(CodecError):
        Measured.of_dict(stored)


def of_every_metric() -> Checks:
    """Each metric of columns of each type, with and without a filter."""
    needed = {"sql": "n > 0", "values": ("a",), "pattern": "a", "format": "email", "quantile": 0.5, "type": "string"}
    needed |= {"every": 1, "to": "other"}
    checks = Checks("t")
    for name, entry in METRICS.items():
        arguments = {one: needed.get(one, "x") for one in entry.arguments} | ({"low": 0} if name == "between" else {})
        arguments |= {"sql": "sum(n)"} if name == "metric" else {}
        for columns in (("n", "f"), ("s", "z"), ("b", "n"), ("z", "s")):
            for where in (None, "n > 0") if "where" in entry.options else (None,):
                for more in ({}, {"by": "s"}, {"scope": "total"}) if entry.grows and name != "predictable" else ({},):
                    asked = {} if entry.default is not None else {"error": ">=0"}
                    given = {**arguments, **asked, **more, "where": where, "id": str(len(checks))}
                    checks.add(name, columns[: entry.columns[0]], **given)
    return checks


@pytest.mark.parametrize("size", [0, 1, 3])
@pytest.mark.parametrize("counted", [True, False])
def test_every_metric_answers_any_column_with_a_value_or_a_reason(size: int, counted: bool) -> None:
    given_table = table([(1, 0.5, "a", True)] * size).append_column("z", pa.nulls(size))
    checks = tuple(of_every_metric())
    profile = profile_table(given_table, "1", ProfileOptions(checks=checks if counted else (), sample_rows=0))
    for check in checks:
        found = answer(check, profile)
        assert (found.value is None) != (found.nothing is None and found.problem is None)
        # Nothing is right for there being no row.
        assert size or check.metric == "rows" or check.entry.source == "schema" or found.value is None
