"""Three more recurring tables, with texts that hold numbers, codes and dates as exports of other systems do."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa

from tests.benchmark.problems.table import BEGIN, Frame, Table

_TIME, _DAY, _TEXT = pa.timestamp("us", "UTC"), pa.date32(), pa.string()
_FIRST = ["Zoë", "José", "Anna", "Jürgen", "Lukas", "Søren", "Marta", "Chloé", "Paul", "Inès", "Piotr", "Eva"]
_LAST = ["Müller", "García", "Nowak", "Dubois", "Schmidt", "Åkesson", "Rossi", "Lefèvre", "Weiß", "Smith"]
_SUPPLIERS = ["Acme", "Borealis", "Contoso", "Delta Tools", "Eurofix"]
_PLANS = ["free", "basic", "pro", "team"]


def objects(values: Any) -> np.ndarray:
    """An array that takes any values."""
    made = np.empty(len(values), dtype=object)
    made[:] = list(values)
    return made


def _day(index: int) -> date:
    return BEGIN + timedelta(days=index)


def _times(rng: np.random.Generator, index: int, rows: int) -> np.ndarray:
    start = datetime.combine(_day(index), datetime.min.time(), UTC)
    seconds = np.sort(np.where(rng.random(rows) < 0.2, rng.random(rows), rng.beta(4, 3, rows))) * 86_399
    return objects([start + timedelta(seconds=float(one)) for one in seconds.round(0)])


def _count(rng: np.random.Generator, index: int, usual: int) -> int:
    return int(rng.normal(usual * (0.6 if index % 7 >= 5 else 1.0), usual * 0.03))


def _shipments(rng: np.random.Generator, index: int) -> Frame:
    rows = _count(rng, index, 1000)
    supplier = rng.choice(_SUPPLIERS, rows, p=[0.35, 0.25, 0.2, 0.12, 0.08])
    weight = (rng.gamma(2.5, 1.6, rows) + 0.1).round(2)
    zips = rng.integers(1000, 99_999, rows)
    phones = rng.integers(1_000_000, 9_999_999, rows)
    due = objects([_day(index) + timedelta(days=int(one)) for one in rng.integers(1, 9, rows)])
    return {
        "shipment_id": objects([f"{9_000_000 + 1100 * index + n:010d}" for n in range(rows)]),
        "sent_at": _times(rng, index, rows),
        "due_on": due,
        "supplier": objects(supplier),
        "warehouse": objects(rng.choice(["north", "south", "harbour"], rows, p=[0.5, 0.3, 0.2])),
        "weight": weight,
        "cost": (3.5 + 1.2 * weight + rng.gamma(2.0, 0.8, rows)).round(2),
        "zip": objects([f"{one:05d}" for one in zips]),
        "phone": objects([f"+49 30 {one}" for one in phones]),
        "insured": objects(rng.choice(["yes", "no"], rows, p=[0.3, 0.7])),
        "driver_id": 1.0 + rng.integers(0, 60, rows),
        "note": _some(rng, [f"box {n} of {n + m}" for n, m in rng.integers(1, 9, (rows, 2))], 0.4),
    }


def _ledger(rng: np.random.Generator, index: int) -> Frame:
    rows = _count(rng, index, 1500)
    refund = rng.random(rows) < 0.12
    value = rng.lognormal(3.2, 0.8, rows).round(2)
    tax = (value * rng.choice([0.07, 0.19], rows, p=[0.3, 0.7])).round(2)
    return {
        "entry_id": 5_000_000 + 1700 * index + np.arange(rows),
        "booked_at": _times(rng, index, rows),
        "kind": objects(np.where(refund, "refund", rng.choice(["sale", "fee"], rows, p=[0.85, 0.15]))),
        "account": objects([f"AC-{one:04d}" for one in rng.integers(0, 300, rows)]),
        "country": objects(rng.choice(["DE", "GB", "SE", "US"], rows, p=[0.45, 0.25, 0.1, 0.2])),
        "source": objects(rng.choice(["pos", "shop", "import"], rows, p=[0.5, 0.35, 0.15])),
        "value": np.where(refund, -value, value),
        "tax": np.where(refund, -tax, tax),
        "rate": objects(rng.choice([1.0, 1.17, 0.088, 0.92], rows, p=[0.45, 0.25, 0.1, 0.2])),
        "approved_by": _some(rng, [f"user{n}" for n in rng.integers(0, 40, rows)], 0.15),
        "cost_centre": _some(rng, [f"{n}" for n in rng.integers(4000, 4030, rows)], 0.05),
    }


def _signups(rng: np.random.Generator, index: int) -> Frame:
    rows = _count(rng, index, 1200)
    names = zip(rng.choice(_FIRST, rows), rng.choice(_LAST, rows), strict=True)
    born = [date(1950, 1, 1) + timedelta(days=int(one)) for one in rng.integers(0, 20_000, rows)]
    paid = rng.gamma(3.0, 600.0, rows).round(2)
    return {
        "user_id": objects([f"u{one:08x}" for one in rng.integers(0, 1 << 32, rows)]),
        "signed_up_at": _times(rng, index, rows),
        "name": objects([f"{one} {other}" for one, other in names]),
        "born_on": objects(born),
        "plan": objects(rng.choice(_PLANS, rows, p=[0.5, 0.25, 0.15, 0.1])),
        "newsletter": rng.random(rows) < 0.4,
        "revenue": objects([f"{one:.2f}" for one in paid]),
        "age": objects([float(2026 - one.year) for one in born]),
        "campaign": _some(rng, rng.choice(["spring", "partner", "search", "none"], rows).tolist(), 0.1),
        "ip": objects([f"10.{a}.{b}.{c}" for a, b, c in rng.integers(0, 256, (rows, 3))]),
        "language": objects(rng.choice(["de-DE", "en-GB", "fr-FR", "es-ES"], rows, p=[0.4, 0.3, 0.2, 0.1])),
        "score": _some(rng, rng.integers(0, 101, rows).astype(float).tolist(), 0.2),
    }


def _some(rng: np.random.Generator, values: list[Any], missing: float) -> np.ndarray:
    found = objects(values)
    found[rng.random(len(found)) < missing] = None
    return found


_TEXTS = {
    "shipments": ("shipment_id", "supplier", "warehouse", "zip", "phone", "insured", "note"),
    "ledger": ("kind", "account", "country", "source", "approved_by", "cost_centre"),
    "signups": ("user_id", "name", "plan", "revenue", "campaign", "ip", "language"),
}
_OTHERS: dict[str, dict[str, pa.DataType]] = {
    "shipments": {"sent_at": _TIME, "due_on": _DAY, "weight": pa.float64(), "cost": pa.float64()},
    "ledger": {"entry_id": pa.int64(), "booked_at": _TIME, "value": pa.float64(), "tax": pa.float64()},
    "signups": {"signed_up_at": _TIME, "born_on": _DAY, "newsletter": pa.bool_(), "age": pa.float64()},
}
TABLES = {
    name: Table(name, {**dict.fromkeys(_TEXTS[name], _TEXT), **_OTHERS[name]}, make)
    for name, make in (("shipments", _shipments), ("ledger", _ledger), ("signups", _signups))
}
