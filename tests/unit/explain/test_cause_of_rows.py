"""Accidents to whole rows and to single values of a table of known days; each must be told by what happened."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.explain.cause import Cause, likely_cause
from airflow_dq.explain.cause.rows import limited, values_gone
from airflow_dq.explain.comparison import Comparison
from airflow_dq.explain.header import header_rows
from airflow_dq.explain.previous import PreviousPartition
from airflow_dq.explain.row_cause import hit_by_copies, row_cause
from airflow_dq.profile import profile_table
from airflow_dq.profile.model import Profile

DAYS, ROWS = 8, 400
NAMES = ("id", "at", "shop", "price", "heat", "paid")


def _frame(index: int) -> dict[str, list[object]]:
    rng = np.random.default_rng(index)
    start = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=index)
    return {
        "id": (10_000 * index + np.arange(ROWS)).tolist(),
        "at": [start + timedelta(seconds=86_399 * place / (ROWS - 1)) for place in range(ROWS)],
        "shop": rng.choice(["north", "south", "east", "west"], ROWS, p=[0.4, 0.3, 0.2, 0.1]).tolist(),
        "price": rng.gamma(4.0, 10.0, ROWS).round(2).tolist(),
        "heat": rng.normal(20.0, 5.0, ROWS).round(1).tolist(),
        "paid": (rng.random(ROWS) < 0.8).tolist(),
    }


def _profile(index: int, frame: dict[str, list[object]]) -> Profile:
    return profile_table(pa.table(frame), partition=f"2026-01-{index + 1:02d}")


HISTORY = [_profile(index, _frame(index)) for index in range(DAYS)]
PREVIOUS = PreviousPartition(HISTORY[-1])


def _compared(frame: dict[str, list[object]]) -> tuple[Profile, dict[str, Comparison]]:
    now = _profile(DAYS, frame)
    found = {name: Comparison.of(name, now, HISTORY, PREVIOUS) for name in NAMES}
    return now, {name: one for name, one in found.items() if one is not None}


def _picked(places: Sequence[int] | np.ndarray) -> dict[str, list[object]]:
    return {name: [column[place] for place in places] for name, column in _frame(DAYS).items()}


def _why(frame: dict[str, list[object]]) -> str | None:
    cause = row_cause(_compared(frame)[1].values())
    return None if cause is None else cause.words


def _changed(name: str, value: object, every: int = 1) -> Cause | None:
    frame = _frame(DAYS)
    frame[name] = [value if place % every == 0 else old for place, old in enumerate(frame[name])]
    return likely_cause(_compared(frame)[1][name])


def test_a_load_that_ended_early_or_began_late_is_told_by_its_time() -> None:
    assert (_why(_picked(range(200))) or "").startswith("nothing came after 2026-01-09 11:58:")
    assert (_why(_picked(range(200, ROWS))) or "").startswith("nothing came before 2026-01-09 12:01:")


def test_values_that_are_gone_with_their_rows_are_named() -> None:
    frame = _frame(DAYS)
    left = [place for place, shop in enumerate(frame["shop"]) if shop != "north"]
    assert (_why(_picked(left)) or "").startswith("no row has shop 'north', as ")


def test_values_that_are_written_otherwise_are_not_gone_with_their_rows() -> None:
    frame = _picked(range(int(0.7 * ROWS)))
    frame["shop"] = ["n\u00c3\u00b6rth" if shop == "north" else shop for shop in frame["shop"]]
    assert values_gone(_compared(frame)[1]["shop"]) is None


def test_rows_lost_by_chance_have_no_cause() -> None:
    assert _why(_picked(np.flatnonzero(np.random.default_rng(0).random(ROWS) < 0.5))) is None


def test_some_rows_twice_explain_every_column_with_fewer_distinct_values() -> None:
    _, compared = _compared(_picked([*range(ROWS), *range(100)]))
    cause = likely_cause(compared["id"])
    assert cause is not None
    assert (cause.rows, cause.fact) == (100, "100 of 500 rows are there more than once")
    assert set(hit_by_copies(compared, {"id": cause})) >= {"at", "price"}


def test_header_rows_are_told_from_texts_and_nulls_alike() -> None:
    frame = {name: [*column, *([name if name == "shop" else None] * 6)] for name, column in _frame(DAYS).items()}
    now, compared = _compared(frame)
    found = header_rows(now, compared)
    assert set(found) == set(NAMES)
    assert (found["id"].fact, found["id"].rows) == ("the header was read as data in 6 rows", 6)
    assert header_rows(*_compared(_frame(DAYS))) == {}


@pytest.mark.parametrize(
    ("name", "value", "fact"),
    [("heat", -999.0, "is -999"), ("shop", "n/a", "is 'n/a'")],
)
def test_a_value_that_no_row_had_before_is_named(name: str, value: object, fact: str) -> None:
    cause = _changed(name, value, every=10)
    assert cause is not None
    assert cause.fact == fact
    assert cause.rows == pytest.approx(40, abs=2)


def test_one_truth_in_every_row_is_stuck() -> None:
    cause = _changed("paid", True)
    assert cause is not None
    assert (cause.type, cause.fact) == ("stuck", "is true")


def test_values_at_a_limit() -> None:
    frame = _frame(DAYS)
    frame["heat"] = [min(float(str(one)), 22.0) for one in frame["heat"]]
    cause = likely_cause(_compared(frame)[1]["heat"])
    assert cause is not None
    assert cause.fact == "has nothing above 22 and is exactly that"
    assert cause.rows == pytest.approx(sum(one == 22.0 for one in frame["heat"]), abs=2)


def test_a_factor_is_told_by_the_decimals_that_it_leaves() -> None:
    frame = _frame(DAYS)
    frame["price"] = [float(str(one)) * 0.001 for one in frame["price"]]
    cause = likely_cause(_compared(frame)[1]["price"])
    assert cause is not None
    assert cause.fact == "is 1,000 times too small"


@pytest.mark.parametrize("highest", [True, False])
def test_the_rows_of_a_query_that_was_sorted_and_cut(highest: bool) -> None:
    prices = np.array(_frame(DAYS)["price"], dtype=float)
    order = np.argsort(-prices if highest else prices, kind="stable")[:180]
    edge = f"{prices[order[-1]]:g}"
    told = _why(_picked(order)) or ""
    # 45% of this day's, and of the prices of the day before about as many.
    share = re.match(rf"only the {'highest' if highest else 'lowest'} (\d+)% of price came", told)
    assert share is not None
    assert abs(int(share[1]) - 45) <= 10
    assert told.endswith(f"% of price came, none {'below' if highest else 'above'} {edge}")


def test_fewer_rows_of_any_size_were_not_cut_by_size() -> None:
    told = _why(_picked(np.random.default_rng(3).permutation(ROWS)[:180]))
    assert "price" not in (told or "")


def test_rows_of_the_day_before_among_those_of_the_day() -> None:
    frame, before = _frame(DAYS), _frame(DAYS - 1)
    both = {name: [*before[name][-100:], *values] for name, values in frame.items()}
    cause = row_cause(_compared(both)[1].values())
    assert cause is not None
    assert (cause.rows, cause.fact) == (100, "100 of 500 rows are of an earlier partition's time")


@pytest.mark.parametrize(("rows", "told"), [(1000, True), (65_536, True), (65_535, True), (999, False), (1001, False)])
def test_a_number_of_rows_that_a_limit_leaves(rows: int, told: bool) -> None:
    cause = limited(rows)
    assert (cause is not None) is told
    assert cause is None or cause.words == f"exactly {rows:,}, as a limit leaves them"


def test_a_known_value_in_place_of_others() -> None:
    cause = _changed("heat", 20.0, every=3)
    assert cause is not None
    assert (cause.type, cause.fact) == ("overwritten", "is 20 in place of other values")
    assert cause.rows == pytest.approx(134, rel=0.1)
    shops = _changed("shop", "west", every=2)
    assert shops is not None
    assert (shops.type, shops.fact) == ("overwritten", "is 'west' in place of other values")


def test_one_code_for_another_is_no_value_whose_rows_are_gone() -> None:
    frame = _frame(DAYS)
    frame["shop"] = ["north" if shop == "east" else shop for shop in frame["shop"]]
    cause = likely_cause(_compared(frame)[1]["shop"])
    assert cause is not None
    assert cause.fact == "is 'north' in place of 'east'"
    assert cause.rows == pytest.approx(_frame(DAYS)["shop"].count("east"), rel=0.3)


def test_nulls_in_place_of_one_value() -> None:
    frame = _frame(DAYS)
    frame["shop"] = [None if shop == "south" else shop for shop in frame["shop"]]
    cause = likely_cause(_compared(frame)[1]["shop"])
    assert cause is not None
    assert (cause.type, cause.fact) == ("increased_nulls", "is null instead of 'south'")
    assert cause.rows == _frame(DAYS)["shop"].count("south")


@pytest.mark.parametrize(("decimals", "to"), [(1, "1 decimal"), (2, "2 decimals")])
def test_numbers_with_fewer_decimals(decimals: int, to: str) -> None:
    history = [_profile(index, {"lat": _places(index)}) for index in range(DAYS)]
    now = _profile(DAYS, {"lat": [round(one, decimals) for one in _places(DAYS)]})
    comparison = Comparison.of("lat", now, history, PreviousPartition(history[-1]))
    assert comparison is not None
    cause = likely_cause(comparison)
    assert cause is not None
    assert (cause.type, cause.fact) == ("rounding", f"is rounded to {to}")


def _places(index: int) -> list[float]:
    return np.random.default_rng(900 + index).normal(49.0, 0.3, ROWS).round(5).tolist()


def test_seconds_in_place_of_milliseconds_are_told_of_whole_numbers() -> None:
    history = [_profile(index, {"ms": _moments(index)}) for index in range(DAYS)]
    now = _profile(DAYS, {"ms": [one // 1000 for one in _moments(DAYS)]})
    comparison = Comparison.of("ms", now, history, PreviousPartition(history[-1]))
    assert comparison is not None
    cause = likely_cause(comparison)
    assert cause is not None
    assert cause.fact == "is 1,000 times too small"


def _moments(index: int) -> list[int]:
    start = 1_770_000_000_000 + 86_400_000 * index
    return (start + np.sort(np.random.default_rng(index).integers(0, 86_400_000, ROWS))).tolist()
