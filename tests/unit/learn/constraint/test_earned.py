"""A relation has to earn it that it stops a partition, and more rows that break it never do less."""

from __future__ import annotations

import pytest

from airflow_dq.learn.constraint.earned import EARNED, FAR, FEW, MOST_FEW, severity_of_broken
from airflow_dq.profile.check.measured import Measured
from airflow_dq.relation import Relation, Sum
from airflow_dq.relation.dependency import Counter, Dependency, Key
from airflow_dq.relation.inclusion import Inclusion

LASTING = Dependency(("code",), "name", lasting=True)


def told(broken: int, rows: int, past: int = EARNED, before: int = 0, relation: Relation = LASTING) -> str:
    """By rows that are a place each."""
    now = Measured(broken / rows, broken, rows, learned=True, places=broken, all_places=rows)
    earlier = [Measured(0.0, 0, rows, learned=True)] * (past - 1)
    earlier.append(Measured(before / rows, before, rows, learned=True))
    return severity_of_broken(relation, now, earlier, None)


@pytest.mark.parametrize("before", [0, 1, 3])
@pytest.mark.parametrize("rows", [10, 60, 100, 1_000, 20_000, 1_000_000, 10_000_000])
def test_more_rows_that_break_it_are_never_less_severe(rows: int, before: int) -> None:
    steps = sorted(
        {round(rows * share) for share in (0.0002, 0.002, 0.009, 0.011, 0.02, 0.1, 0.5, 1.0)} | {1, 2, 3, 4, 5}
    )
    fails = [told(broken, rows, before=before) == "fail" for broken in steps if 0 < broken <= rows]
    assert fails == sorted(fails)
    assert not fails[0]
    assert fails[-1] or before


def test_many_rows_fail_however_small_their_share() -> None:
    assert told(90_000, 10_000_000) == "fail"
    assert told(MOST_FEW + 1, 10_000_000) == "fail"
    assert told(MOST_FEW, 10_000_000) == "warn"


def test_the_same_number_of_rows_is_no_more_severe_in_a_larger_table() -> None:
    for broken in range(1, 40):
        fails = [told(broken, rows) == "fail" for rows in (50, 500, 1_500, 5_000, 10**7)]
        assert fails == sorted(fails, reverse=True)


@pytest.mark.parametrize(
    "relation", [LASTING, Key(("id",)), Counter(("id",), "n", 0.5, 1.0), Inclusion("a", "b", False)]
)
def test_what_has_not_held_for_long_only_warns(relation: Relation) -> None:
    assert told(500, 1_000, past=EARNED - 1, relation=relation) == "warn"
    assert told(500, 1_000, past=EARNED, relation=relation) == "fail"


def test_what_has_had_exceptions_fails_only_far_beyond_them() -> None:
    seen = 20
    assert told(int(FAR * seen), 1_000, before=seen) == "warn"
    assert told(int(FAR * seen) + 1, 1_000, before=seen) == "fail"


def test_one_place_with_many_rows_is_one_place() -> None:
    now = Measured(0.3, 300, 1_000, learned=True, places=FEW, all_places=10)
    assert severity_of_broken(LASTING, now, [Measured(0.0, 0, 1_000)] * EARNED, None) == "warn"


def test_arithmetic_fails_with_a_single_row() -> None:
    assert told(1, 1_000, past=7, relation=Sum("total", ("price", "fee"), 0.0)) == "fail"
