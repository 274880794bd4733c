"""Tables with planted dependencies, keys and counters, and with decoys that look like them: one seed, one table."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.random import Generator

from airflow_dq.relation.base import Relation
from airflow_dq.relation.dependency import Counter, Dependency, Key, Step
from airflow_dq.relation.inclusion import Inclusion
from airflow_dq.relation.total import Total


@dataclass(frozen=True)
class Planted:
    """A table over time."""

    partitions: list[pa.Table]
    """Oldest first."""
    relations: frozenset[tuple[str, ...]] = field(default_factory=frozenset)
    """What was planted: of each the kind and the columns (:func:`name_of`)."""
    true: frozenset[tuple[str, ...]] = field(default_factory=frozenset)
    """What holds besides, because it follows: no discovery of it is a false one."""


def name_of(relation: Relation) -> tuple[str, ...]:
    """Kind and columns of a relation."""
    return (relation.kind, *relation.columns)


def events(seed: int, partitions: int = 6, rows: int = 4_000) -> Planted:
    """Rows that come once: a key, codes with names that last, a session with its device, and noise."""
    rng = np.random.default_rng(seed)
    shops, cities = int(rng.integers(20, 400)), int(rng.integers(8, 20))
    city_of, name_of_shop = rng.integers(0, cities, shops), [f"Shop {one:03d}" for one in rng.permutation(shops)]
    dirty = float(rng.choice([0.0, 0.002, 0.01]))
    tables = [_event_table(rng, at, rows, city_of, name_of_shop, dirty) for at in range(partitions)]
    planted = {
        name_of(Key(("event_id",))),
        name_of(Dependency(("shop_id",), "shop_name", lasting=True)),
        name_of(Dependency(("shop_id",), "city", lasting=True)),
        name_of(Dependency(("session",), "device", lasting=False)),
    }
    true = {
        name_of(Dependency(("shop_name",), "shop_id", lasting=True)),
        name_of(Dependency(("shop_name",), "city", lasting=True)),
    }
    return Planted(tables, frozenset(planted), frozenset(true))


def _event_table(rng: Generator, at: int, rows: int, city_of: np.ndarray, names: list[str], dirty: float) -> pa.Table:
    shop = rng.zipf(1.3, rows) % len(names)
    city = city_of[shop]
    wrong = rng.random(rows) < dirty
    city = np.where(wrong, rng.integers(0, city_of.max() + 1, rows), city)
    session = rng.integers(0, rows // 6, rows)
    device_of = rng.integers(0, 4, rows)
    noisy = np.where(rng.random(rows) < 0.8, shop % 5, rng.integers(0, 5, rows))
    return pa.table(
        {
            "event_id": pa.array((at * rows + np.arange(rows)).astype(float)),
            "shop_id": pa.array((1_000 + shop).astype(float)),
            "shop_name": pa.array([names[one] for one in shop], pa.large_string()),
            "city": pa.array([f"C{one}" for one in city], pa.large_string()),
            "session": pa.array([f"s{at}-{one}" for one in session], pa.large_string()),
            "device": pa.array([f"d{device_of[one]}" for one in session], pa.large_string()),
            # Decoys: nearly constant, small domains, a noisy dependency, measurements, a date, amounts.
            "flag": pa.array(np.where(rng.random(rows) < 0.002, "y", "n").tolist(), pa.large_string()),
            "grade": pa.array([f"g{one}" for one in rng.integers(0, 3, rows)], pa.large_string()),
            "colour": pa.array([f"c{one}" for one in noisy], pa.large_string()),
            "price": pa.array(np.round(rng.lognormal(3, 1, rows), 2)),
            "pieces": pa.array(rng.poisson(3, rows).astype(float)),
            "cents": pa.array(rng.integers(0, 10_000_000, rows).astype(float)),
            "weight": pa.array(rng.random(rows)),
            "day": pa.array(np.full(rows, 86_400.0 * at)),
            "user": pa.array([f"u{one}" for one in rng.integers(0, rows // 2, rows)], pa.large_string()),
        }
    )


def snapshots(seed: int, partitions: int = 10, keys: int | None = None) -> Planted:
    """One row for each place in every partition: a key, attributes that last, a counter, numbers that come and go."""
    rng = np.random.default_rng(seed)
    keys = keys or int(rng.integers(30, 500))
    region_of, total = rng.integers(0, max(4, keys // 12), keys), rng.integers(0, 5_000, keys).astype(float)
    lat = np.round(rng.uniform(36, 47, keys), 6)
    tables = []
    for at in range(partitions):
        there = np.sort(rng.permutation(keys)[: int(keys * 0.98)])
        new = rng.poisson(rng.uniform(0.2, 20), keys).astype(float)
        total = total + new
        now = rng.normal(100, 30, keys).round()
        tables.append(
            pa.table(
                {
                    "day": pa.array(np.full(len(there), 86_400.0 * at)),
                    "place": pa.array([f"P{one:04d}" for one in there], pa.large_string()),
                    "place_name": pa.array([f"Town of {one}" for one in there], pa.large_string()),
                    "region": pa.array([f"R{region_of[one]}" for one in there], pa.large_string()),
                    "lat": pa.array(lat[there]),
                    "total": pa.array(total[there]),
                    "new": pa.array(new[there]),
                    "now": pa.array(now[there]),
                    "mood": pa.array([f"m{one}" for one in rng.integers(0, 4, len(there))], pa.large_string()),
                }
            )
        )
    planted = {
        name_of(Key(("place",))),
        name_of(Dependency(("place",), "place_name", lasting=True)),
        name_of(Dependency(("place",), "region", lasting=True)),
        name_of(Dependency(("place",), "lat", lasting=True)),
        name_of(Counter(("place",), "total", 1.0, 1.0)),
        name_of(Step(("place",), "total", "new")),
    }
    true = {
        name_of(Inclusion("place", "place", lasting=True)),
        name_of(Key(("place_name",))),
        name_of(Dependency(("place_name",), "place", lasting=True)),
        name_of(Counter(("place_name",), "total", 1.0, 1.0)),
    }
    return Planted(tables, frozenset(planted), frozenset(true))


def lines(seed: int, partitions: int = 4, rows: int = 3_000) -> Planted:
    """Order lines: a composite key, what depends on the order alone, and prices of products that last."""
    rng = np.random.default_rng(seed)
    products = int(rng.integers(40, 300))
    price_of = np.round(rng.lognormal(3, 1, products), 2)
    tables = []
    for at in range(partitions):
        sizes = rng.geometric(0.3, rows // 3)
        order = np.repeat(np.arange(len(sizes)), sizes)
        line = np.concatenate([np.arange(1, one + 1) for one in sizes])
        product, customer = rng.integers(0, products, len(order)), rng.integers(0, 5_000, len(sizes))
        tables.append(
            pa.table(
                {
                    "order_id": pa.array((at * 100_000 + order).astype(float)),
                    "line": pa.array(line.astype(float)),
                    "customer": pa.array([f"k{one}" for one in customer[order]], pa.large_string()),
                    "product": pa.array([f"p{one}" for one in product], pa.large_string()),
                    "price": pa.array(price_of[product]),
                    "amount": pa.array(rng.poisson(2, len(order)).astype(float)),
                    "note": pa.array([f"n{one}" for one in rng.integers(0, 40, len(order))], pa.large_string()),
                }
            )
        )
    planted = {
        name_of(Key(("order_id", "line"))),
        name_of(Dependency(("order_id",), "customer", lasting=False)),
        name_of(Dependency(("product",), "price", lasting=True)),
    }
    return Planted(tables, frozenset(planted))


def shipments(seed: int, partitions: int = 6, rows: int = 3_000) -> Planted:
    """What two columns determine together: a tariff that lasts, a class within the partition; and a sum of numbers."""
    rng = np.random.default_rng(seed)
    countries, bands = int(rng.integers(8, 20)), int(rng.integers(5, 15))
    tariffs, dirty = rng.integers(0, 9, (countries, bands)), float(rng.choice([0.0, 0.002, 0.01]))
    tables = []
    for at in range(partitions):
        country, band, trip, seat = (rng.integers(0, most, rows) for most in (countries, bands, rows // 4, 3))
        tariff, classes = tariffs[country, band], rng.integers(0, 6, (rows // 4, 3))
        tariff = np.where(rng.random(rows) < dirty, rng.integers(0, 9, rows), tariff)
        left, right = rng.integers(0, 9, rows).astype(float), rng.integers(0, 9, rows).astype(float)
        words = {
            "country": country,
            "area": country // 3,
            "band": band,
            "tariff": tariff,
            "trip": at * rows + trip,
            "seat": seat,
            "class": classes[trip, seat],
            "noise": rng.integers(0, 5, rows),
            "leaning": np.where(rng.random(rows) < 0.8, (country + band) % 5, rng.integers(0, 5, rows)),
            "rare": rng.random(rows) < 0.01,
        }
        columns = {
            name: pa.array([f"{name[0]}{one}" for one in some], pa.large_string()) for name, some in words.items()
        }
        tables.append(pa.table(columns | {"left": left, "right": right, "sum": left + right}))
    planted = {
        name_of(Dependency(("country",), "area", lasting=True)),
        name_of(Dependency(("country", "band"), "tariff", lasting=True)),
        name_of(Dependency(("trip", "seat"), "class", lasting=False)),
    }
    return Planted(tables, frozenset(planted))


def totals(seed: int, partitions: int = 8, regions: int | None = None) -> Planted:
    """Regions with the row of the whole country among them, of each sex and both; and totals that look like some."""
    rng = np.random.default_rng(seed)
    regions = regions or int(rng.integers(8, 40))
    names, rollup = [f"Region {one}" for one in range(regions)], bool(rng.integers(0, 2))
    tables = []
    for at in range(partitions):
        people = rng.lognormal(6, 1, (regions, 2)).round()
        both = np.column_stack([people, people.sum(axis=1)])
        cube = np.vstack([both, both.sum(axis=0)])
        spent = np.round(rng.lognormal(3, 1, cube.shape), 2)
        spent[-1] = spent[:-1].sum(axis=0)
        rate, largest, nearly, few = (rng.random(cube.shape), *(rng.lognormal(6, 1, cube.shape).round() for _ in "123"))
        rate[-1], largest[-1] = rate[:-1].mean(axis=0), largest[:-1].max(axis=0)
        nearly[-1] = nearly[:-1].sum(axis=0) + rng.integers(1, 9, 3)
        few[-1] = np.where(rng.random(3) < 0.4, few[:-1].sum(axis=0), few[-1])
        rare = np.where(rng.random(cube.shape) < 0.01, 1.0, 0.0)
        whole: str | None = None if rollup else "All"
        tables.append(
            pa.table(
                {
                    "day": pa.array(np.full(cube.size, 86_400.0 * at)),
                    "region": pa.array(np.repeat([*names, whole], 3).tolist(), pa.large_string()),
                    "sex": pa.array(["f", "m", "both"] * (regions + 1), pa.large_string()),
                    "people": cube.ravel(),
                    "spent": spent.ravel(),
                    # Decoys: means, largest ones, sums of something else, sums on some days, and nothing but zeros.
                    "rate": rate.ravel(),
                    "largest": largest.ravel(),
                    "nearly": nearly.ravel(),
                    "few": few.ravel(),
                    "rare": rare.ravel(),
                    "grade": pa.array([f"g{one}" for one in rng.integers(0, 5, cube.size)], pa.large_string()),
                }
            )
        )
    planted = {
        name_of(Total("region", "", "people", ("sex",))),
        name_of(Total("region", "", "spent", ("sex",))),
        name_of(Total("sex", "", "people", ("region",))),
    }
    true = {name_of(Key(("region", "sex"))), name_of(Inclusion("region", "region", lasting=True))}
    return Planted(tables, frozenset(planted), frozenset(true))


SHAPES = {"events": events, "snapshots": snapshots, "lines": lines, "shipments": shipments, "totals": totals}
"""The kinds of table."""
