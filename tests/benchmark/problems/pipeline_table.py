"""Three more recurring tables: visits to a hospital, clicks on advertisements, trips of vehicles."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta

import numpy as np
import pyarrow as pa

from tests.benchmark.problems.everyday_table import objects
from tests.benchmark.problems.table import BEGIN, Frame, Table

_TIME, _DAY, _TEXT = pa.timestamp("us", "UTC"), pa.date32(), pa.string()
_WARDS = ["Surgery", "Cardiology", "Maternity", "Paediatrics", "Emergency"]
_CAMPAIGNS = ["spring_sale", "retarget", "brand", "newsletter", "app_install", "outlet", "loyalty", "back_to_school"]
_SYSTEMS = ["iOS 17.2", "iOS 16.7", "Android 14", "Android 13", "Windows 11", "macOS 14.1"]


def _seconds(rng: np.random.Generator, rows: int, early: float, late: float) -> np.ndarray:
    """Seconds of the day, some in every hour and most around noon, in order."""
    return np.sort(np.where(rng.random(rows) < 0.35, rng.random(rows), rng.beta(early, late, rows))) * 86_399


def _midnight(index: int) -> datetime:
    return datetime.combine(BEGIN + timedelta(days=index), datetime.min.time(), UTC)


def _later(start: datetime, seconds: np.ndarray) -> np.ndarray:
    return objects([start + timedelta(seconds=int(one)) for one in seconds])


def _null(there: np.ndarray, values: np.ndarray | list[object]) -> np.ndarray:
    return objects([one if is_there else None for one, is_there in zip(values, there, strict=True)])


def _visits(rng: np.random.Generator, index: int) -> Frame:
    rows = int(rng.normal(1100 * (0.55 if index % 7 >= 5 else 1.0), 30))
    seconds, hours = _seconds(rng, rows, 3, 4), rng.gamma(1.5, 20.0, rows)
    born = [date(1930, 1, 1) + timedelta(days=int(one)) for one in rng.integers(0, 34_000, rows)]
    area, line = rng.integers(30, 9999, rows), rng.integers(100_000, 9_999_999, rows)
    return {
        "visit_id": objects([f"V{260_000_000 + 1400 * index + n}" for n in range(rows)]),
        "patient_id": rng.integers(1, 60_000, rows),
        "admitted_at": _later(_midnight(index), seconds),
        "discharged_at": _null(rng.random(rows) < 0.8, _later(_midnight(index), seconds + hours * 3600)),
        "ward": objects(rng.choice(_WARDS, rows, p=[0.25, 0.2, 0.15, 0.15, 0.25])),
        "triage": 1.0 + rng.choice(5, rows, p=[0.05, 0.15, 0.35, 0.3, 0.15]),
        "diagnosis": objects([f"{'ABCEIJKMNRST'[n % 12]}{10 + n // 2:02d}.{n % 7}" for n in rng.zipf(1.5, rows) % 120]),
        "sex": objects(rng.choice(["f", "m", "x"], rows, p=[0.51, 0.48, 0.01])),
        "born_on": objects(born),
        "insurer": objects(rng.choice(["0101", "0230", "0455", "1072", "1180"], rows, p=[0.3, 0.25, 0.2, 0.15, 0.1])),
        "postcode": objects([f"{one:05d}" for one in rng.integers(1067, 99_998, rows)]),
        "phone": objects([f"+49 {one} {other}" for one, other in zip(area, line, strict=True)]),
        "bill": (80.0 + hours * 14.0 + rng.gamma(2.0, 60.0, rows)).round(2),
        "copay": _null(rng.random(rows) < 0.35, 10.0 * rng.integers(1, 9, rows)),
        "weight_kg": np.clip(rng.normal(74.0, 15.0, rows), 30, 180).round(1),
        "fever": rng.normal(37.1, 0.7, rows).round(1),
        "urgent": rng.random(rows) < 0.3,
        "remark": _null(rng.random(rows) < 0.06, [f"see file {n}" for n in rng.integers(100, 999, rows)]),
    }


def _clicks(rng: np.random.Generator, index: int) -> Frame:
    rows = int(rng.normal(2400 * (1.15 if index % 7 >= 5 else 1.0), 70))
    seconds = _seconds(rng, rows, 5, 3)
    start = int(_midnight(index).timestamp() * 1000)
    bid, converted = rng.gamma(2.0, 0.3, rows).round(3) + 0.05, rng.random(rows) < 0.05
    sizes = rng.choice([(300, 250), (728, 90), (160, 600)], rows)
    speech = rng.choice(["de", "fr", "en", "es"], rows)
    return {
        "event_id": objects([f"{a:08x}-{b:08x}" for a, b in rng.integers(0, 1 << 32, (rows, 2))]),
        "clicked_ms": start + (seconds * 1000).astype(np.int64),
        "campaign": objects(rng.choice(_CAMPAIGNS, rows, p=[0.25, 0.2, 0.15, 0.12, 0.1, 0.08, 0.06, 0.04])),
        "country": objects(rng.choice(["DE", "FR", "GB", "JP", "ES"], rows, p=[0.4, 0.22, 0.18, 0.08, 0.12])),
        "device": objects(rng.choice(["mobile", "desktop", "tablet"], rows, p=[0.6, 0.32, 0.08])),
        "system": objects(rng.choice(_SYSTEMS, rows, p=[0.2, 0.15, 0.25, 0.1, 0.2, 0.1])),
        "url": objects([f"https://shop.example/p/{a}?utm_source=ad{b}&v=2" for a, b in rng.integers(1, 90, (rows, 2))]),
        "referrer": _null(rng.random(rows) < 0.6, rng.choice(["search", "social", "mail"], rows)),
        "bid": bid,
        "cost": np.where(rng.random(rows) < 0.45, 0.0, bid * rng.uniform(0.6, 1.0, rows)).round(4),
        "ctr": rng.beta(2.0, 60.0, rows).round(5),
        "impressions": rng.lognormal(7.0, 1.6, rows).astype(np.int64) + 1,
        "converted": converted,
        "revenue": _null(converted, rng.gamma(3.0, 15.0, rows).round(2)),
        "payload": objects(
            [json.dumps({"w": int(w), "h": int(h), "lang": one}) for (w, h), one in zip(sizes, speech, strict=True)]
        ),
        "test_group": objects(rng.choice(["A", "B", "C"], rows, p=[0.4, 0.3, 0.3])),
        "ip": objects([f"10.{a}.{b}.{c}" for a, b, c in rng.integers(1, 255, (rows, 3))]),
        "order_ref": objects([f"{one}" for one in rng.integers(10**11, 10**12, rows)]),
    }


def _trips(rng: np.random.Generator, index: int) -> Frame:
    rows = int(rng.normal(1500 * (0.75 if index % 7 >= 5 else 1.0), 40))
    seconds, distance = _seconds(rng, rows, 4, 4), rng.gamma(2.0, 11.0, rows).round(1) + 0.3
    minutes = (distance * rng.uniform(1.2, 2.4, rows) + 3.0).round()
    car = rng.integers(0, 150, rows)
    depot = rng.choice(["harbour", "airport", "centre", "north"], rows, p=[0.3, 0.2, 0.35, 0.15])
    return {
        "trip_id": 7_000_000 + 1800 * index + np.arange(rows),
        "plate": objects([f"KA-{1000 + 37 * n}" for n in car]),
        "started_at": _later(_midnight(index), seconds),
        "ended_at": _later(_midnight(index), seconds + minutes * 60),
        "depot": objects(depot),
        "region": objects(rng.choice(["N", "S", "E", "W"], rows, p=[0.4, 0.3, 0.2, 0.1])),
        "distance_km": distance,
        "duration_min": minutes,
        "fuel_l": (distance * rng.normal(0.07, 0.006, rows) + 0.2).round(2),
        "odometer": 20_000 + 1000.0 * car + 55 * index + rng.integers(0, 40, rows),
        "top_speed": rng.normal(96, 22, rows).clip(20, 190).round(),
        "lat": rng.normal(49.01, 0.06, rows).round(5),
        "lon": rng.normal(8.40, 0.08, rows).round(5),
        "tyre_bar": rng.normal(2.4, 0.08, rows).round(2),
        "battery_v": rng.normal(12.6, 0.25, rows).round(2),
        "error_code": rng.choice([0.0, 12.0, 31.0, 57.0], rows, p=[0.9, 0.05, 0.03, 0.02]),
        "firmware": objects(rng.choice(["4.1.0", "4.2.1", "5.0.0"], rows, p=[0.5, 0.3, 0.2])),
        "driver": _null(rng.random(rows) < 0.92, [f"driver{n}@fleet.example" for n in rng.integers(0, 90, rows)]),
        "electric": rng.random(rows) < 0.22,
        "tags": objects([f"{a};{b}" for a, b in rng.choice(["city", "night", "toll", "cargo"], (rows, 2))]),
    }


_TEXTS = {
    "visits": ("visit_id", "ward", "diagnosis", "sex", "insurer", "postcode", "phone", "remark"),
    "clicks": (
        "event_id",
        "campaign",
        "country",
        "device",
        "system",
        "url",
        "referrer",
        "payload",
        "test_group",
        "ip",
        "order_ref",
    ),
    "trips": ("plate", "depot", "region", "firmware", "driver", "tags"),
}
_OTHERS: dict[str, dict[str, pa.DataType]] = {
    "visits": {"admitted_at": _TIME, "discharged_at": _TIME, "born_on": _DAY, "copay": pa.float64()},
    "clicks": {"revenue": pa.float64()},
    "trips": {"started_at": _TIME, "ended_at": _TIME},
}
TABLES = {
    name: Table(name, {**dict.fromkeys(_TEXTS[name], _TEXT), **_OTHERS[name]}, make)
    for name, make in (("visits", _visits), ("clicks", _clicks), ("trips", _trips))
}
