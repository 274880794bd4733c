"""Relations that are found among rows, and those that only chance put there."""

from __future__ import annotations

import logging
import time
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.profile.column import canonical
from airflow_dq.relation import Linear
from airflow_dq.relation.basis import Basis, reduced
from airflow_dq.relation.chance import log_chance
from airflow_dq.relation.mine import MOST, mine
from airflow_dq.states.prepared import PreparedColumn

ROWS = 600
DAY = 1_767_225_600
RNG = np.random.default_rng


def mined(columns: dict[str, Any], **options: Any) -> list[str]:
    arrays = {name: one if isinstance(one, pa.Array) else pa.array(one) for name, one in columns.items()}
    moments = [name for name, one in arrays.items() if pa.types.is_timestamp(one.type)]
    found = mine({name: PreparedColumn(canonical(one)) for name, one in arrays.items()}, moments, **options)
    return sorted(str(one.relation) for one in found)


def orders(seed: int = 0, rows: int = ROWS) -> dict[str, Any]:
    """What a shop writes: amounts that add up, moments in order, parcels that were sent or not."""
    rng = RNG(seed)
    quantity, price = rng.integers(1, 12, rows), np.round(rng.lognormal(3, 0.6, rows), 2)
    amount, shipping = np.round(quantity * price, 2), np.round(rng.exponential(5.0, rows), 2)
    fee = np.round(rng.exponential(2.0, rows), 2)
    ordered = DAY + rng.integers(0, 86_400, rows)
    took = rng.exponential(30_000, rows).astype(int)
    state = rng.choice(["open", "sent"], rows)
    sent = [int(moment) if one == "sent" else None for moment, one in zip(ordered + took, state, strict=True)]
    return {
        "quantity": quantity,
        "price": price,
        "amount": amount,
        "shipping": shipping,
        "fee": fee,
        "total": np.round(amount + shipping + fee, 2),
        "ordered": pa.array(ordered, pa.timestamp("s")),
        "sent": pa.array(sent, pa.timestamp("s")),
        "took": pa.array(took, pa.int64()),
        "state": state,
        "carrier": ["dhl" if one else None for one in sent],
    }


def test_what_a_shop_keeps_is_found_and_in_one_form_only() -> None:
    assert mined(orders()) == [
        "amount = quantity * price",
        "ordered <= sent",
        "sent - ordered = took (in seconds)",
        "sent is missing if and only if carrier is",
        "total = amount + shipping + fee",
        "where state is 'open', sent is missing",
        "where state is 'sent', sent is present",
    ]


@pytest.mark.parametrize("rows", [60, 5_000])
def test_it_takes_few_rows_and_more_say_the_same(rows: int) -> None:
    found = mined(orders(1, rows))
    assert {"amount = quantity * price", "total = amount + shipping + fee"} <= set(found)


def test_a_few_exceptions_leave_it_a_relation() -> None:
    columns = orders(2, 2_000)
    columns["total"][:10] += 7.0
    columns["price"][20:30] *= 3.0
    assert {"amount = quantity * price", "total = amount + shipping + fee"} <= set(mined(columns))


def test_equal_columns_are_said_once_each() -> None:
    rng = RNG(0)
    one = rng.normal(0, 1, ROWS)
    other = rng.integers(0, 10**6, ROWS)
    found = mined({"a": one, "b": one, "c": one, "d": one + other, "e": other.astype(str), "f": other.astype(str)})
    assert found == ["a = b", "a = c", "e = f"]


def test_factors_offsets_and_rounding_are_read_off() -> None:
    rng = RNG(0)
    price = np.round(rng.lognormal(3, 1, ROWS), 2)
    celsius = np.round(rng.normal(10, 8, ROWS), 1)
    parts = rng.lognormal(2, 1, (2, ROWS))
    found = mined(
        {
            "euro": price,
            "cent": np.rint(price * 100).astype(int),
            "gross": np.round(price * 1.19, 2),
            "celsius": celsius,
            "kelvin": np.round(celsius + 273.15, 2),
            "x": parts[0],
            "y": parts[1],
            "rounded": np.rint(parts.sum(axis=0)),
        }
    )
    assert found == [
        "cent = 100 * euro",
        "gross = 1.19 * euro, within 0.005",
        "kelvin = celsius + 273.15",
        "rounded = x + y, within 0.5",
    ]


def decoys(seed: int, rows: int = ROWS) -> dict[str, Any]:
    """Nothing of this belongs together."""
    rng = RNG(seed)
    return {
        "id": np.arange(rows),
        "other_id": 5_000 + 3 * np.arange(rows),
        "counter": 100 + np.cumsum(rng.integers(1, 3, rows)),
        "flag": rng.integers(0, 2, rows),
        "flag_too": rng.integers(0, 2, rows),
        "small": rng.integers(0, 4, rows),
        "small_too": rng.integers(0, 4, rows),
        "small_sum": rng.integers(0, 7, rows),
        "nearly": np.where(rng.random(rows) < 0.005, 1, 0),
        "nearly_too": np.where(rng.random(rows) < 0.005, 1, 0),
        "large": rng.normal(1e6, 10, rows),
        "price": np.round(rng.lognormal(3, 1, rows), 2),
        "cost": np.round(rng.lognormal(1, 1, rows), 2),
        "seen": pa.array(DAY + np.sort(rng.integers(0, 86_400, rows)), pa.timestamp("s")),
        "note": np.where(rng.random(rows) < 0.01, "x", None),
        "remark": np.where(rng.random(rows) < 0.97, None, "y"),
        "state": rng.choice(["a", "b", "c"], rows, p=[0.8, 0.18, 0.02]),
    }


@pytest.mark.parametrize("seed", range(2))
def test_nothing_is_found_where_nothing_belongs_together(seed: int) -> None:
    assert mined(decoys(seed)) == []


@pytest.mark.parametrize("seed", range(3))
def test_what_is_shuffled_does_not_belong_together_any_more(seed: int) -> None:
    rng = RNG(seed)
    columns = {name: one.take(pa.array(rng.permutation(ROWS))) if isinstance(one, pa.Array) else rng.permutation(one)
               for name, one in orders(seed).items()}  # fmt: skip
    assert mined(columns) == []


def test_copies_of_few_rows_are_no_evidence() -> None:
    few = {name: one[:6] for name, one in orders().items()}
    many = {
        name: pa.concat_arrays([one] * 200) if isinstance(one, pa.Array) else np.tile(one, 200)
        for name, one in few.items()
    }
    assert not [one for one in mined(many) if "=" in one]


def test_no_value_of_a_hidden_column_is_named() -> None:
    columns = orders()
    assert any("'open'" in one for one in mined(columns))
    assert not any("'open'" in one for one in mined(columns, hidden=["state"]))


BAD: dict[str, dict[str, Any]] = {
    "nothing": {},
    "one column": {"a": [1.0, 2.0]},
    "no rows": {"a": pa.array([], pa.float64()), "b": pa.array([], pa.float64())},
    "one row": {"a": [1.0], "b": [1.0]},
    "all null": {f"c{place}": pa.nulls(ROWS, pa.float64()) for place in range(30)},
    "untyped": {f"c{place}": pa.nulls(ROWS) for place in range(3)},
    "constant": {f"c{place}": np.full(ROWS, 3.5) for place in range(30)},
    "all distinct texts": {f"c{place}": [f"{place}-{row}" for row in range(ROWS)] for place in range(5)},
    "not finite": {"a": np.array([np.nan, np.inf, -np.inf] * 200), "b": np.array([np.inf, 0.0, 1e308] * 200)},
    "bytes": {"a": pa.array([b"x", None] * 300), "b": pa.array([b"x", None] * 300)},
}


@pytest.mark.parametrize("columns", BAD.values(), ids=BAD)
@pytest.mark.filterwarnings("error")
def test_a_table_without_relations_has_none(columns: dict[str, Any]) -> None:
    assert all("missing" in one for one in mined(columns))


def test_a_very_wide_table_takes_bounded_time_and_says_what_was_left_out(caplog: pytest.LogCaptureFixture) -> None:
    rng = RNG(0)
    columns: dict[str, Any] = {f"n{place}": rng.normal(0, 1, 200) for place in range(1_000)}
    columns |= {f"s{place}": np.where(rng.random(200) < 0.5, "x", None) for place in range(1_000)}
    columns["n2"] = columns["n0"] + columns["n1"]
    started = time.process_time()
    with caplog.at_level(logging.INFO):
        found = mined(columns, dataset="wide")
    assert time.process_time() - started < 20
    assert found == ["n2 = n0 + n1"]
    assert "Dataset 'wide'" in caplog.text
    assert "the first 64 of 1000 columns" in caplog.text
    assert len(found) <= MOST


def test_more_evidence_is_never_less_surprising() -> None:
    kept = np.full(1_000, 0.5)
    chances = [log_chance(kept[:rows], 0) for rows in (0, 1, 10, 100, 1_000)]
    assert chances == sorted(chances, reverse=True)
    assert chances[-1] == pytest.approx(1_000 * np.log(0.5))
    broken = [log_chance(kept, number) for number in (0, 1, 10, 100, 500)]
    assert broken == sorted(broken)
    assert broken[-1] == 0.0


def test_the_bound_holds_for_coins() -> None:
    # 30 rows, each keeping it with .8: at most one breaks it with probability .0105.
    assert 0.0105 <= np.exp(log_chance(np.full(30, 0.8), 1)) < 0.1


def test_what_follows_is_known() -> None:
    basis = Basis(["a", "b", "c"])
    basis.add(Linear("a", "b", factor=2.0))
    basis.add(Linear("b", "c", constant=10.0))
    assert basis.follows(Linear("b", "a", factor=0.5))
    assert not basis.follows(Linear("a", "c", factor=2.0))
    assert basis.follows(Linear("c", "b", constant=-10.0))
    assert reduced({("a", "b"): 3.0, ("b", "c"): 2.0, ("a", "c"): 1.0}) == [("a", "b"), ("b", "c")]
