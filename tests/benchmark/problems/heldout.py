"""Accidents of kinds that the catalogue has not: written down before anything was said of them, for judging alone.

A kind that is told wrongly here may be mended, never a case; what was mended is measured with another seed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import numpy as np

from tests.benchmark.problems import accident as a
from tests.benchmark.problems.accident import Accident, Happen, Scene, Truth

SEGMENTS = {"orders": ("country", "channel"), "readings": ("firmware",), "payments": ("currency", "country")}
"""What the tables are profiled by, as their owners would ask for it."""


def _objects(values: Any) -> np.ndarray:
    made = np.empty(len(values), dtype=object)
    made[:] = list(values)
    return made


def _changed(scene: Scene, hit: np.ndarray, column: str, change: Callable[[Any], Any]) -> tuple[np.ndarray, int]:
    old = scene.frame[column]
    new = _objects([change(one) if there and one is not None else one for one, there in zip(old, hit, strict=True)])
    return new, sum(b is not c and b != c for b, c in zip(old, new, strict=True))


def part(where: str, value: Any, changes: dict[str, Callable[[Any], Any]], *words: str) -> Happen:
    """Some columns are others in the rows of one segment, which is to be named."""

    def happen(scene: Scene) -> Truth:
        hit = scene.frame[where] == value
        frame, rows = dict(scene.frame), 0
        for column, change in changes.items():
            frame[column], changed = _changed(scene, hit, column, change)
            rows = max(rows, changed)
        return Truth(frame, tuple(changes), rows, words, segment=f"{where} = '{value}'")

    return happen


def hour(times: int) -> Happen:
    """An hour of the clock change: it is there twice, or not at all."""

    def happen(scene: Scene) -> Truth:
        column = "created_at" if "created_at" in scene.frame else "read_at"
        chosen = int(scene.rng.integers(10, 16))
        there = np.array([one.hour == chosen for one in scene.frame[column]])
        places = np.sort(np.repeat(np.arange(scene.rows), np.where(there, times, 1)))
        frame = {name: values[places] for name, values in scene.frame.items()}
        words = ("more than once", "twice", "rows arrived") if times else ("rows arrived", column, "missing", "gone")
        return Truth(frame, (column,) if not times else (), int(there.sum()), words, tuple(frame))

    return happen


def _decimal_comma(value: float) -> float:
    """``12.5`` is written ``12,5`` and read as 125."""
    return float(f"{value:.10g}".replace(".", ""))


def ids_from_one(scene: Scene) -> Truth:
    """A sequence that was created anew."""
    return Truth(
        {**scene.frame, "order_id": 1 + np.arange(scene.rows)}, ("order_id",), scene.rows, ("lower", "smaller", "start")
    )


def fan_out(scene: Scene) -> Truth:
    """A join that finds two partners for a few rows."""
    more = scene.rng.choice(scene.rows, round(scene.rng.uniform(0.02, 0.05) * scene.rows), replace=False)
    places = np.sort(np.concatenate([np.arange(scene.rows), more]))
    frame = {name: values[places] for name, values in scene.frame.items()}
    return Truth(frame, ("order_id",), len(more), ("twice", "more than once", "repeat"), tuple(frame))


def shifted_columns(*columns: str) -> Happen:
    """Each column has the values of the one before it."""

    def happen(scene: Scene) -> Truth:
        moved = {to: scene.frame[of] for of, to in zip(columns, (*columns[1:], columns[0]), strict=True)}
        return Truth({**scene.frame, **moved}, columns, scene.rows, ("swap", "values of", "shift", "column"))

    return happen


def load_test(scene: Scene) -> Truth:
    """Rows of a load test: one merchant, one amount."""
    count = int(scene.rng.uniform(0.1, 0.2) * scene.rows)
    places = scene.rng.choice(scene.rows, count)
    frame = {name: _objects([*values, *values[places]]) for name, values in scene.frame.items()}
    for name, value in (("merchant", "Loadtest 1"), ("gross", 1.0), ("fee", 0.01)):
        frame[name][-count:] = value
    frame["payment_id"][-count:] = _objects([f"{n:016x}" for n in range(count)])
    return Truth(frame, ("merchant",), count, ("Loadtest",), tuple(frame))


def sorted_and_cut(column: str) -> Happen:
    """The first rows of a sorted query."""

    def happen(scene: Scene) -> Truth:
        order = np.argsort(-scene.frame[column].astype(float), kind="stable")
        places = order[: int(scene.rows * scene.rng.uniform(0.4, 0.6))]
        frame = {name: values[places] for name, values in scene.frame.items()}
        return Truth(frame, (column,), len(places), ("highest", "none below", "rows arrived"), tuple(frame))

    return happen


def gone(column: str, value: Any) -> Happen:
    """One source delivers nothing; it is to be named."""

    def happen(scene: Scene) -> Truth:
        places = np.flatnonzero(scene.frame[column] != value)
        frame = {name: values[places] for name, values in scene.frame.items()}
        return Truth(frame, (column,), None, (value,), tuple(frame), segment=f"'?{value}'?")

    return happen


def last_week(scene: Scene) -> Truth:
    """The file of the same weekday, a week ago."""
    frame = scene.other_day(-7)
    return Truth(frame, (), None, ("holds what", "again", "earlier", "day", "ago"), tuple(frame))


def half_in_another_zone(column: str) -> Happen:
    """One of two servers writes local time."""

    def happen(scene: Scene) -> Truth:
        hours = int(scene.pick(7, 9, -8))
        hit = scene.some(0.4, 0.6)
        new, rows = _changed(scene, hit, column, lambda one: one + timedelta(hours=hours))
        return Truth({**scene.frame, column: new}, (column,), rows, (rf"{abs(hours)} h",), ("shipped_at",))

    return happen


def one_key(scene: Scene) -> Truth:
    """A key that some rows did not get."""
    hit = scene.some(0.2, 0.4)
    new = _objects(scene.frame["payment_id"])
    new[hit] = "0" * 16
    return Truth({**scene.frame, "payment_id": new}, ("payment_id",), int(hit.sum()), ("0000", "is the same"))


def _month_first(value: date) -> date:
    return value.replace(month=min(value.day, 12), day=value.month)


def _escaped(value: str) -> str:
    return "".join(one if ord(one) < 128 else f"&#{ord(one)};" for one in value)


_ORDERS: dict[str, Happen] = {
    "the hour of the clock change twice": hour(2),
    "the hour of the clock change missing": hour(0),
    "decimal comma read as nothing": a.values("unit_price", _decimal_comma, "times too large"),
    "join with two partners": fan_out,
    "ids begin at 1 again": ids_from_one,
    "domain in upper case": a.values(
        "email", lambda one: f"{one.split('@')[0]}@{one.split('@')[1].upper()}", "upper", "case"
    ),
    "discount in percent": a.values("discount", lambda one: one * 100, "100 times too large"),
    "city and channel swapped": a.swap(("city", "channel")),
    "e-mail cut to 10": a.values("email", lambda one: one[:10], "cut to 10"),
    "columns shifted by one": shifted_columns("country", "status", "channel"),
    "half of the times in another zone": half_in_another_zone("created_at"),
    "comment filled with n/a": a.values("comment", lambda one: "n/a", "n/a"),
    "file of last week": last_week,
    "sign in one country": part("country", "FR", {"amount": lambda one: -one}, "sign", "negative"),
    "two prices in cents in one channel": part(
        "channel", "marketplace", {"unit_price": lambda one: one * 100, "amount": lambda one: one * 100}, "100 times"
    ),
    "no discount in one country": part("country", "DE", {"discount": lambda one: None}, "null"),
    "city escaped for HTML": a.values("city", _escaped, "new value", "&#", "value"),
    "e-mail made anonymous": a.values("email", lambda one: hashlib.sha256(one.encode()).hexdigest()[:24]),
    "city with a blank in front": a.values("city", lambda one: f" {one}", "white space|blank|space"),
}
_READINGS: dict[str, Happen] = {
    "leading zeros lost": a.values("station", lambda one: f"ST-{int(one[3:])}", "new value", "digit", "zero", "shape"),
    "a new operator": a.values("operator", lambda one: "west", "west", part=(0.2, 0.4)),
    "one firmware drifts": part("firmware", "1.4.2", {"temperature": lambda one: one + 15.0}, "higher", "not as usual"),
    "temperature as text with its unit": a.values("temperature", lambda one: f"{one} C", "type", "text"),
    "half of the stations in Fahrenheit": a.values("temperature", lambda one: one * 1.8 + 32, part=(0.4, 0.6)),
    "wind as whole numbers": a.values("wind", lambda one: float(int(one)), "whole number"),
}
_PAYMENTS: dict[str, Happen] = {
    "currency switched in one country": part("country", "Poland", {"gross": lambda one: one * 4.3}, "not as usual"),
    "dates default to 1970": a.values("booked_on", lambda one: date(1970, 1, 1), "1970", part=(0.1, 0.3)),
    "rare currencies merged into one": a.values(
        "currency", lambda one: "OTHER" if one in ("GBP", "JPY") else one, "OTHER", "new value"
    ),
    "gross cast to whole numbers": a.values("gross", lambda one: float(int(one)), "whole number"),
    "merchant read as Latin-1": a.values(
        "merchant", lambda one: one.encode("utf-8").decode("latin-1"), "UTF-8|decoded|Latin"
    ),
    "rows of a load test": load_test,
    "a currency is gone": gone("currency", "USD"),
    "sorted and cut": sorted_and_cut("gross"),
    "merchant not available": a.values("merchant", lambda one: "N/A", "N/A", part=(0.2, 0.3)),
    "a few amounts a million times too large": a.values("gross", lambda one: one * 1e6, part=(0.01, 0.02)),
    "one key for many rows": one_key,
    "day and month swapped": a.values("booked_on", _month_first, "later", "earlier", "expected", "month"),
}
HELD_OUT = tuple(
    Accident(name, table, happen)
    for table, found in (("orders", _ORDERS), ("readings", _READINGS), ("payments", _PAYMENTS))
    for name, happen in found.items()
)
