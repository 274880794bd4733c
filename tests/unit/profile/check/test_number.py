"""Numbers of any two types are compared and computed with, however large; whole ones keep their last digit."""

from __future__ import annotations

import operator
from collections.abc import Callable
from decimal import Decimal
from itertools import product
from typing import Any

import pyarrow as pa
import pytest

from airflow_dq.check.expression import Scalar
from airflow_dq.check.parser import predicate
from airflow_dq.profile.check.evaluate import Batch, RuleError

LARGE = 2**53 + 1
COLUMNS = {
    "tiny": pa.array([100, -3, None], pa.int8()),
    "whole": pa.array([LARGE, -LARGE, 7], pa.int64()),
    "natural": pa.array([2**64 - 1, 7, 0], pa.uint64()),
    "small": pa.array([7, 7, None], pa.uint64()),
    "half": pa.array([0.5, -1.5, 2.5], pa.float32()),
    "price": pa.array([Decimal("1.10"), Decimal("-2.00"), None], pa.decimal128(30, 2)),
}
BATCH = Batch(COLUMNS, 3)
SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
}


def plain(name: str, other: str) -> list[Any]:
    """As Spark compares them: both as fractions where one is."""
    values = COLUMNS[name].to_pylist()
    if "half" in (name, other):
        return [None if one is None else float(one) for one in values]
    return values


@pytest.mark.parametrize(("left", "right"), list(product(COLUMNS, COLUMNS)))
def test_any_two_numbers_compare(left: str, right: str) -> None:
    pairs = list(zip(plain(left, right), plain(right, left), strict=True))
    for sign, compare in SIGNS.items():
        wanted = [None if None in pair else compare(*pair) for pair in pairs]
        assert BATCH.truth(predicate(f"{left} {sign} {right}")).to_pylist() == wanted, sign


@pytest.mark.parametrize(("left", "right", "sign"), list(product(COLUMNS, COLUMNS, "+-/%")))
def test_any_two_numbers_are_computed_with(left: str, right: str, sign: str) -> None:
    found = BATCH.truth(predicate(f"({left} {sign} {right}) is not null")).to_pylist()
    pairs = zip(COLUMNS[left].to_pylist(), COLUMNS[right].to_pylist(), strict=True)
    assert found == [None not in pair and not (sign in "/%" and not pair[1]) for pair in pairs]


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        (f"whole = {LARGE}", [True, False, False]),
        (f"whole in ({LARGE}, 0.5)", [True, False, False]),
        (f"whole + 1 = {LARGE + 1}", [True, False, False]),
        (f"natural in ({2**64 - 1}, -1)", [True, False, False]),
        (f"natural = {2**64 - 1}", [True, False, False]),
        (f"natural < {10**30}", [True, True, True]),
        ("price in (1.1, 2)", [True, False, None]),
        ("price * 10 = 11", [True, False, None]),
        ("coalesce(price, whole) > 5", [False, False, True]),
        ("coalesce(tiny, half) > 2", [True, False, True]),
        ("abs(natural) > 1", [True, True, False]),
        ("tiny + tiny = 200", [True, False, None]),
        ("whole between 0.5 and 1e18", [True, False, True]),
    ],
)
def test_a_rule_of_large_numbers(sql: str, found: list[Scalar | None]) -> None:
    assert BATCH.truth(predicate(sql)).to_pylist() == found


def test_a_whole_number_beyond_64_bits_is_no_value() -> None:
    with pytest.raises(RuleError, match="beyond 64 bits"):
        BATCH.truth(predicate("whole * whole > 1"))
