"""Three recurring tables as a data engineer has them: orders, readings, payments; one frame for each day."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa

Frame = dict[str, np.ndarray]
"""Column -> its values; None for a null, in arrays of objects."""
BEGIN = date(2026, 1, 5)
"""A Monday."""
_TIME, _DAY = pa.timestamp("us", "UTC"), pa.date32()
_CITIES = ["München", "Köln", "Berlin", "Zürich", "Hamburg", "Málaga", "Bonn", "Gdańsk", "Paris", "Düsseldorf"]
_WORDS = [
    *("please", "leave", "parcel", "at", "neighbour", "door", "ring", "twice", "fragile", "gift", "wrap", "call"),
    *("before", "blue", "size", "thanks", "soon"),
]
_NAMES = ["Café Noir", "Bäcker Schön", "Metro", "Tesco", "Jumbo", "El Corte Inglés", "Rewe", "Łaciate", "Ikea", "Shell"]
_COUNTRIES = ["Germany", "France", "Spain", "Poland", "Italy", "Austria"]


@dataclass(frozen=True)
class Table:
    """A table: the types of its columns, and what makes a day of it."""

    name: str
    types: dict[str, pa.DataType]
    make: Callable[[np.random.Generator, int], Frame]

    def day(self, seed: int, index: int) -> Frame:
        """The frame of one day, the same for the same seed."""
        return self.make(np.random.default_rng([seed, index, len(self.name)]), index)

    def arrow(self, frame: Frame) -> pa.Table:
        """A frame as a table; columns that an accident has made of another type are taken as they are."""
        return pa.table({name: self._array(name, values) for name, values in frame.items()})

    def _array(self, name: str, values: np.ndarray) -> pa.Array:
        plain = values.tolist()
        if name not in self.types or any(isinstance(one, str) for one in plain) != (self.types[name] == pa.string()):
            return pa.array(plain)
        return pa.array(plain, self.types[name])


def key_of(index: int) -> str:
    """The partition's key."""
    return (BEGIN + timedelta(days=index)).isoformat()


def _objects(values: Any) -> np.ndarray:
    found = np.empty(len(values), dtype=object)
    found[:] = list(values)
    return found


def _with_nulls(rng: np.random.Generator, values: np.ndarray, share: float) -> np.ndarray:
    found = _objects(values.tolist())
    found[rng.random(len(found)) < share] = None
    return found


def _where(there: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The values of some rows, null in the others."""
    found = _objects(values.tolist())
    found[~there] = None
    return found


def _times(rng: np.random.Generator, index: int, rows: int) -> np.ndarray:
    start = datetime.combine(BEGIN + timedelta(days=index), datetime.min.time(), UTC)
    # Busiest in the afternoon, and some at every hour.
    seconds = np.sort(np.where(rng.random(rows) < 0.3, rng.random(rows), rng.beta(5, 4, rows))) * 86_399
    return _objects([start + timedelta(seconds=float(one)) for one in seconds.round(3)])


def _rows(rng: np.random.Generator, index: int, usual: int) -> int:
    weekend = 0.7 if index % 7 >= 5 else 1.0
    return int(rng.normal(usual * weekend, usual * 0.03))


def _orders(rng: np.random.Generator, index: int) -> Frame:
    rows = _rows(rng, index, 1200)
    quantity = 1.0 + rng.poisson(2.0, rows)
    price = rng.gamma(3.0, 12.0, rows).round(2) + 0.5
    times = _times(rng, index, rows)
    sent = rng.random(rows) < 0.7
    texts = [" ".join(rng.choice(_WORDS, rng.integers(3, 14))) for _ in range(rows)]
    return {
        "order_id": 100_000 + 1300 * index + np.arange(rows),
        "created_at": times,
        "email": _objects([f"user{number}@mail{number % 7}.example" for number in rng.integers(0, 9000, rows)]),
        "country": _objects(rng.choice(["DE", "FR", "ES", "PL", "IT"], rows, p=[0.4, 0.25, 0.15, 0.12, 0.08])),
        "status": _objects(rng.choice(["new", "paid", "shipped", "returned"], rows, p=[0.2, 0.35, 0.4, 0.05])),
        "channel": _objects(rng.choice(["web", "app", "marketplace"], rows, p=[0.5, 0.38, 0.12])),
        "city": _objects(rng.choice(_CITIES, rows)),
        "quantity": quantity,
        "unit_price": price,
        "discount": _with_nulls(rng, rng.choice([0.05, 0.1, 0.15, 0.2], rows), 0.4),
        "amount": (quantity * price).round(2) + rng.gamma(2.0, 3.0, rows).round(2),
        "comment": _with_nulls(rng, _objects(texts), 0.3),
        "carrier": _where(sent, rng.choice(["dhl", "ups", "gls"], rows)),
        "shipped_at": _where(
            sent, times + _objects([timedelta(hours=float(one)) for one in rng.gamma(2.0, 5.0, rows)])
        ),
    }


def _readings(rng: np.random.Generator, index: int) -> Frame:
    rows = _rows(rng, index - index % 7, 1920)  # stations do not know weekends
    season = 3.0 * np.sin(index / 30.0)
    return {
        "read_at": _times(rng, index, rows),
        "station": _objects([f"ST-{number:03d}" for number in rng.integers(0, 40, rows)]),
        "temperature": (rng.normal(11.0 + season, 5.0, rows)).round(1),
        "humidity": np.clip(rng.normal(62.0, 14.0, rows), 5.0, 100.0).round(1),
        "pressure": rng.normal(1013.0, 8.0, rows).round(1),
        "wind": rng.weibull(2.0, rows).round(2) * 6.0,
        "battery": rng.normal(3.7, 0.12, rows).round(3),
        "valid": rng.random(rows) < 0.93,
        "firmware": _objects(rng.choice(["1.4.2", "1.4.3", "1.5.0"], rows, p=[0.3, 0.2, 0.5])),
        "signal": rng.integers(1, 6, rows).astype(float),
        "operator": _with_nulls(rng, _objects(rng.choice(["north", "south", "east"], rows)), 0.02),
    }


def _payments(rng: np.random.Generator, index: int) -> Frame:
    rows = _rows(rng, index, 850)
    digits = rng.integers(0, 10, (rows, 20))
    day = BEGIN + timedelta(days=index)
    return {
        "payment_id": _objects([f"{value:016x}" for value in rng.integers(1 << 60, 1 << 62, rows)]),
        "booked_on": _objects([day] * rows),
        "iban": _objects([f"DE{''.join(map(str, row))}" for row in digits]),
        "currency": _objects(rng.choice(["EUR", "USD", "GBP", "JPY"], rows, p=[0.6, 0.2, 0.12, 0.08])),
        "gross": rng.lognormal(3.5, 0.9, rows).round(2),
        "fee": (0.2 + rng.gamma(2.0, 0.4, rows)).round(2),
        "merchant": _objects([f"{_NAMES[n % 10]} {n // 10}" for n in rng.zipf(1.6, rows) % 200]),
        "category": rng.choice([11.0, 12.0, 20.0, 31.0, 35.0, 40.0], rows, p=[0.3, 0.2, 0.2, 0.1, 0.1, 0.1]),
        "is_refund": rng.random(rows) < 0.06,
        "country": _objects(rng.choice(_COUNTRIES, rows, p=[0.4, 0.2, 0.15, 0.1, 0.1, 0.05])),
        "rating": _with_nulls(rng, rng.integers(1, 6, rows).astype(float), 0.5),
    }


TABLES = {
    table.name: table
    for table in (
        Table(
            "orders",
            {
                **{"order_id": pa.int64(), "created_at": _TIME, "shipped_at": _TIME},
                **dict.fromkeys(("email", "country", "status", "channel", "city", "comment", "carrier"), pa.string()),
                **dict.fromkeys(("quantity", "unit_price", "discount", "amount"), pa.float64()),
            },
            _orders,
        ),
        Table(
            "readings",
            {
                **{"read_at": _TIME, "valid": pa.bool_()},
                **dict.fromkeys(("station", "firmware", "operator"), pa.string()),
                **dict.fromkeys(("temperature", "humidity", "pressure", "wind", "battery", "signal"), pa.float64()),
            },
            _readings,
        ),
        Table(
            "payments",
            {
                **{"booked_on": _DAY, "is_refund": pa.bool_()},
                **dict.fromkeys(("payment_id", "iban", "currency", "merchant", "country"), pa.string()),
                **dict.fromkeys(("gross", "fee", "category", "rating"), pa.float64()),
            },
            _payments,
        ),
    )
}
