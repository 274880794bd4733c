"""The sixty accidents."""

from __future__ import annotations

import numpy as np

from tests.benchmark.problems import accident as a
from tests.benchmark.problems.accident import Accident, Happen, Scene

_ORDERS: dict[str, Happen] = {
    "price in cents": a.times("unit_price", "amount", factors=(100.0, 1000.0)),
    "price in cents for one country": a.times("unit_price", "amount", factors=(100.0,), where=("country", "DE")),
    "amount in thousands": a.times("amount", "unit_price", factors=(0.001, 0.01)),
    "amount with the other sign": a.times("amount", factors=(-1.0,)),
    "quantity counted from another base": a.values("quantity", lambda one: one + 10, "10 higher", r"\b1?0? ?higher"),
    "created_at in another time zone": a.shifted("created_at", 24.0, 48.0, -24.0, also=("shipped_at",)),
    "load cut at a time": a.rows(
        lambda s: np.arange(int(s.rows * s.rng.uniform(0.45, 0.8))), "nothing came after", "rows arrived"
    ),
    "every row twice": a.rows(lambda s: np.repeat(np.arange(s.rows), 2), "2 times", "twice"),
    "some rows twice": a.rows(
        lambda s: np.concatenate([np.arange(s.rows), s.rng.choice(s.rows, s.rows // 4, replace=False)]),
        "more than once", "twice", "rows arrived",
    ),
    "status stuck": a.stuck("status", "new", "paid", "shipped"),
    "status in another code list": a.other_codes(
        "status", {"new": "N", "paid": "P", "shipped": "S", "returned": "R"}, "new value", "'S'"
    ),
    "country in lower case": a.values("country", str.lower, "lower case", "case"),
    "country padded": a.values("country", lambda one: f"{one:<6}", "white space"),
    "comment cut": a.values("comment", lambda one: one[:20], "cut to 20"),
    "city decoded wrongly": a.values("city", a.wrongly_decoded, "UTF-8|decoded"),
    "carrier join failed": a.null(("carrier", "shipped_at"), 0.3, 0.6),
    "discount lost": a.null(("discount",), 1.0, 1.0),
    "price and amount swapped": a.swap(("unit_price", "amount"), ("quantity", "unit_price")),
    "email empty": a.values("email", lambda one: "", "empty", part=(0.1, 0.4)),
    "no rows": a.rows(lambda s: np.arange(0), "empty"),
    "half of the rows lost": a.rows(lambda s: np.flatnonzero(s.some(0.3, 0.6)), "rows arrived"),
    "header rows as data": a.header_rows,
    "test orders": a.records_of_a_test("email", "test@test.example"),
    "yesterday again": a.another_day("yesterday", "holds what|again|earlier|day"),
    "a channel vanished": a.rows(
        lambda s: np.flatnonzero(s.frame["channel"] != s.pick("app", "web")), "rows arrived", "channel"
    ),
    "text null": a.values("comment", lambda one: "null", "null", part=(0.2, 0.5)),
}  # fmt: skip
_READINGS: dict[str, Happen] = {
    "temperature in Fahrenheit": a.values("temperature", lambda one: one * 1.8 + 32, "Fahrenheit"),
    "pressure in another unit": a.times("pressure", factors=(100.0, 0.1, 0.001)),
    "wind in km/h": a.times("wind", factors=(3.6,)),
    "temperature with an offset": a.values("temperature", lambda one: one + 12.0, "higher"),
    "humidity as a share": a.times("humidity", "battery", factors=(0.01, 100.0)),
    "battery stuck": a.stuck("battery", 3.7, 3.3),
    "flag inverted": a.values("valid", lambda one: not one, "true and false"),
    "clock one hour off": a.shifted("read_at", 24.0, -24.0, 72.0),
    "stations missing": a.rows(
        lambda s: np.flatnonzero(s.frame["station"] > s.pick("ST-014", "ST-021")), "rows arrived", "station"
    ),
    "temperature lost for one firmware": a.null(("temperature", "humidity"), 0.2, 0.5),
    "temperature and humidity swapped": a.swap(("temperature", "humidity"), ("wind", "battery")),
    "zeros": a.values("pressure", lambda one: 0.0, "is 0|zero", part=(0.05, 0.3)),
    "some negative": a.values("wind", lambda one: -one, "negative|sign", part=(0.2, 0.5)),
    "sensor saturated": a.values("humidity", lambda one: min(one, 60.0), "none above", "max", "60"),
    "new firmware": a.values("firmware", lambda one: "2.0.0", "2\\.0\\.0", part=(0.3, 0.7)),
    "every row three times": a.rows(lambda s: np.repeat(np.arange(s.rows), 3), "3 times"),
    "temperature rounded": a.values("temperature", lambda one: float(round(one)), "whole number"),
    "sentinel": a.values("temperature", lambda one: -999.0, "-999", "min", part=(0.03, 0.1)),
    "night missing": a.rows(
        lambda s: np.arange(int(s.rows * s.rng.uniform(0.3, 0.5)), s.rows), "rows arrived", "before"
    ),
    "operator in upper case": a.values("operator", str.upper, "upper case"),
}
_PAYMENTS: dict[str, Happen] = {
    "yen in cents": a.times("gross", factors=(100.0, 1000.0), where=("currency", "USD")),
    "currency in lower case": a.values("currency", str.lower, "lower case", part=(0.2, 0.4)),
    "iban cut": a.values("iban", lambda one: one[:16], "cut to 16"),
    "merchant in upper case": a.values("merchant", str.upper, "upper case"),
    "category in another code list": a.other_codes(
        "category", {11.0: 1011.0, 12.0: 1012.0, 20.0: 1020.0, 31.0: 1031.0, 35.0: 1035.0, 40.0: 1040.0},
        "new value", "higher", "1,011",
    ),
    "join to merchants failed": a.null(("merchant", "country", "fee"), 0.1, 0.3),
    "booked yesterday": a.values("booked_on", lambda one: one.replace(day=one.day - 1), "earlier", "expected"),
    "no refunds": a.stuck("is_refund", False, True),
    "payments twice": a.rows(
        lambda s: np.concatenate([np.arange(s.rows), s.rng.choice(s.rows, s.rows // 5, replace=False)]),
        "more than once", "twice", "rows arrived",
    ),
    "gross and fee swapped": a.swap(("gross", "fee")),
    "country renamed": a.schema(
        lambda f: {("country_name" if n == "country" else n): v for n, v in f.items()}, ("country",), "renamed"
    ),
    "fee dropped": a.schema(lambda f: {n: v for n, v in f.items() if n != "fee"}, ("fee",), "missing"),
    "fee as text": a.schema(
        lambda f: {**f, "fee": np.array([f"{v:.2f} EUR" for v in f["fee"]], dtype=object)}, ("fee",), "string"
    ),
    "merchant with blanks": a.values("merchant", lambda one: "  " + one, "white space", part=(0.2, 0.6)),
}  # fmt: skip

CATALOGUE = tuple(
    Accident(name, table, happen)
    for table, entries in (("orders", _ORDERS), ("readings", _READINGS), ("payments", _PAYMENTS))
    for name, happen in entries.items()
)

__all__ = ["CATALOGUE", "Scene"]
