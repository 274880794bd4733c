"""Totals over partitions are those of all their rows, and say so where they cannot be."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from airflow_dq import ProfileOptions, profile_table
from airflow_dq.check import Checks
from airflow_dq.check.model import Check
from airflow_dq.profile.check.answer import NOT_COUNTED, answer
from airflow_dq.profile.check.total import with_totals
from airflow_dq.profile.model import Profile
from airflow_dq.settings import HASH_KEY_VARIABLE

ANY = ">=-9e99"
SOME = ">=0"


def declared(**more: Any) -> tuple[Check, ...]:
    checks = Checks("t")
    checks.rows(error=SOME, **more)
    checks.col("s").completeness(error=SOME, **more)
    checks.col("n").mean(error=ANY, **more)
    checks.col("n").max(where="n < 3", error=ANY, **more)
    checks.unique("s", "n", **more)
    checks.col("s").distinct(error=SOME, **more)
    checks.col("s").entropy(error=SOME, **more)
    checks.rule("n > 0", **more)
    checks.metric("total", "sum(n) / count(*)", error=ANY, **more)
    checks.rows(by="s", error=SOME, id="rows by s", **more)
    checks.col("n").gaps(1, **more)
    return tuple(checks)


def table(rows: list[tuple[Any, Any]]) -> pa.Table:
    numbers, texts = zip(*rows, strict=True) if rows else ((), ())
    return pa.table({"n": pa.array(numbers, pa.int64()), "s": pa.array(texts, pa.string())})


def profiled(rows: list[tuple[Any, Any]], key: str, checks: tuple[Check, ...]) -> Profile:
    return profile_table(table(rows), key, ProfileOptions(checks=checks, sample_rows=0))


rows = st.lists(
    st.tuples(st.none() | st.integers(-3, 3), st.none() | st.sampled_from(["a", "b", ""])), min_size=0, max_size=12
)


@given(st.lists(rows, min_size=1, max_size=3))
def test_a_total_is_what_one_scan_of_all_rows_counts(partitions: list[list[tuple[Any, Any]]]) -> None:
    total, whole = declared(scope="total"), declared()
    found = [*with_totals(profiled(part, str(place), total) for place, part in enumerate(partitions))]
    together = profiled([row for part in partitions for row in part], "all", whole)
    for one, other in zip(total, whole, strict=True):
        wanted, known = answer(other, together), answer(one, found[-1])
        assert known.timed
        assert (known.problem, known.nothing) == (wanted.problem, wanted.nothing), one.id
        assert known.value == (None if wanted.value is None else pytest.approx(wanted.value)), one.id
        assert {label: group.value for label, group in known.groups.items()} == {
            label: group.value for label, group in wanted.groups.items()
        }


def test_a_total_of_which_a_part_was_not_counted_is_none() -> None:
    total = declared(scope="total")
    first, second = profiled([(1, "a")], "1", ()), profiled([(2, "b")], "2", total)
    found = [*with_totals([first, second])]
    assert {answer(check, found[1]).problem for check in total} == {
        "partitions before were profiled without this check"
    }
    assert {answer(check, second).problem for check in total} == {NOT_COUNTED}


def test_what_a_hidden_column_s_total_needs_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HASH_KEY_VARIABLE, "a secret of ours")
    total = declared(scope="total")
    options = ProfileOptions(checks=total, sample_rows=0, hidden=("s", "n"))
    (profile,) = with_totals([profile_table(table([(1, "a"), (2, "b")]), "1", options)])
    found = {check.id.partition(".")[0]: answer(check, profile) for check in total}
    assert {name for name, one in found.items() if one.problem is not None and "is hidden" in one.problem} == {
        "uniqueness",
        "distinct",
        "entropy",
        "metric",
        "gaps",
    }
    assert found["rows"].value == 2
