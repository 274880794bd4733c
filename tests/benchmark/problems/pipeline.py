"""What pipelines do to data on its way: exports, loaders, releases; on three tables of other trades.

Written down before anything was said of them. A kind that is told wrongly here may be mended, never a case; what was
mended is measured with another seed.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from tests.benchmark.problems import accident as a
from tests.benchmark.problems.accident import Accident, Happen, Scene, Truth
from tests.benchmark.problems.everyday_table import objects
from tests.benchmark.problems.heldout import part

SEGMENTS = {"visits": ("ward", "insurer"), "clicks": ("country", "device"), "trips": ("depot", "firmware")}
"""What the tables are profiled by, as their owners would ask for it."""


def _taken(scene: Scene, places: np.ndarray) -> dict[str, np.ndarray]:
    return {name: values[places] for name, values in scene.frame.items()}


def page_lost(scene: Scene) -> Truth:
    """One page of an API that gives rows in order, a quarter of the day, was not asked for."""
    size = round(0.25 * scene.rows)
    first = int(scene.rng.integers(size, scene.rows - 2 * size))
    places = np.r_[0:first, first + size : scene.rows]
    return Truth(_taken(scene, places), (), None, ("rows arrived", "nothing came between"), tuple(scene.frame))


def hour_lost(column: str, hour_of: Callable[[Any], int]) -> Happen:
    """The file of one busy hour did not come."""

    def happen(scene: Scene) -> Truth:
        chosen = int(scene.rng.integers(10, 15))
        places = np.flatnonzero([hour_of(one) != chosen for one in scene.frame[column]])
        lost = scene.rows - len(places)
        return Truth(_taken(scene, places), (column,), lost, (f"{chosen:02d}:", "nothing came"), tuple(scene.frame))

    return happen


def limit(rows: int) -> Happen:
    """A query's limit."""
    return a.rows(lambda scene: np.arange(rows), "rows arrived")


def late_rows(scene: Scene) -> Truth:
    """The last part of yesterday, loaded once more with today."""
    other = scene.other_day(-1)
    count = round(scene.rng.uniform(0.15, 0.25) * scene.rows)
    frame = {name: objects([*other[name][-count:], *values]) for name, values in scene.frame.items()}
    return Truth(frame, (), count, ("rows arrived", "earlier", "before"), tuple(frame))


def fan_out(key: str, column: str) -> Happen:
    """A join that finds two partners for some rows, which differ in one column."""

    def happen(scene: Scene) -> Truth:
        more = scene.rng.choice(scene.rows, round(scene.rng.uniform(0.06, 0.12) * scene.rows), replace=False)
        frame = {name: objects([*values, *values[more]]) for name, values in scene.frame.items()}
        frame[column][-len(more) :] = scene.rng.permutation(scene.frame[column])[: len(more)]
        return Truth(frame, (key,), len(more), ("more than once", "twice", "repeat"), tuple(frame))

    return happen


def first_half_twice(scene: Scene) -> Truth:
    """A batch that was begun, and then loaded from its beginning."""
    places = np.r_[0 : scene.rows // 2, 0 : scene.rows]
    return Truth(_taken(scene, places), (), scene.rows // 2, ("more than once", "twice"), tuple(scene.frame))


def of_one_value(column: str, value: Any, times: int) -> Happen:
    """All rows of one value are there more than once."""

    def happen(scene: Scene) -> Truth:
        hit = scene.frame[column] == value
        places = np.sort(np.repeat(np.arange(scene.rows), np.where(hit, times, 1)))
        again = (times - 1) * int(hit.sum())
        return Truth(_taken(scene, places), (), again, ("more than once", "twice"), tuple(scene.frame))

    return happen


def tenant(scene: Scene) -> Truth:
    """A tenant that is there to be tried out leaks into the table."""
    count = int(scene.rng.uniform(0.05, 0.1) * scene.rows)
    frame = {name: objects([*values, *values[:count]]) for name, values in scene.frame.items()}
    frame["visit_id"][-count:] = objects([f"V{990_000_000 + n}" for n in range(count)])
    frame["ward"][-count:] = "Demo"
    frame["insurer"][-count:] = "9999"
    return Truth(frame, ("ward", "insurer"), count, ("Demo", "9999"), tuple(frame))


def shifted(share: tuple[float, float], *columns: str) -> Happen:
    """A separator too many in some rows: their texts stand one column further, and the first is empty."""

    def happen(scene: Scene) -> Truth:
        hit, frame = scene.some(*share), dict(scene.frame)
        for to, of in zip(columns[1:], columns[:-1], strict=True):
            frame[to] = objects(np.where(hit, scene.frame[of], scene.frame[to]))
        frame[columns[0]] = objects(np.where(hit, "", scene.frame[columns[0]]))
        return Truth(frame, columns, int(hit.sum()), ("empty", "new value", "values of"))

    return happen


def at_once(changes: dict[str, Any], share: tuple[float, float], *words: str) -> Happen:
    """Several columns have one value each in the same rows."""

    def happen(scene: Scene) -> Truth:
        hit, frame = scene.some(*share), dict(scene.frame)
        for name, value in changes.items():
            frame[name] = objects(scene.frame[name])
            frame[name][hit] = value
        return Truth(frame, tuple(changes), int(hit.sum()), words)

    return happen


def filled(column: str, value: Any, *words: str) -> Happen:
    """What was missing has a value."""

    def happen(scene: Scene) -> Truth:
        old = scene.frame[column]
        missing = sum(one is None for one in old)
        new = objects([value if one is None else one for one in old])
        return Truth({**scene.frame, column: new}, (column,), missing, words)

    return happen


def swapped_where(where: str, value: Any, one: str, other: str) -> Happen:
    """Two columns are swapped in the rows of one segment."""

    def happen(scene: Scene) -> Truth:
        hit = scene.frame[where] == value
        first = objects(np.where(hit, scene.frame[other], scene.frame[one]))
        second = objects(np.where(hit, scene.frame[one], scene.frame[other]))
        frame = {**scene.frame, one: first, other: second}
        return Truth(frame, (one, other), int(hit.sum()), ("swap", "not as usual"), segment=f"{where} = '{value}'")

    return happen


def bot(scene: Scene) -> Truth:
    """A machine that clicks."""
    count = round(scene.rng.uniform(0.12, 0.2) * scene.rows)
    places = scene.rng.choice(scene.rows, count, replace=False)
    frame = {**scene.frame, "ip": objects(scene.frame["ip"])}
    frame["ip"][places] = "10.66.6.6"
    return Truth(frame, ("ip",), count, ("10.66.6.6",))


def weights(column: str, values: dict[Any, float]) -> Happen:
    """The shares of a split are others."""

    def happen(scene: Scene) -> Truth:
        new = objects(scene.rng.choice(list(values), scene.rows, p=list(values.values())))
        return Truth({**scene.frame, column: new}, (column,), None, ("'A'",))

    return happen


def _wrapped(one: int) -> int:
    return (int(one) + 32_768) % 65_536 - 32_768


def _month_first(one: datetime) -> datetime:
    return one.replace(month=one.day, day=one.month) if one.day <= 12 else one


def _hidden_phone(one: str) -> str:
    return f"{one[:3]} *** {one[-2:]}"


def _hour_of(milliseconds: int) -> int:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).hour


_FAR = datetime(9999, 12, 31, tzinfo=UTC)
_VISITS: dict[str, Happen] = {
    "a page lost": page_lost,
    "an hour lost": hour_lost("admitted_at", lambda one: one.hour),
    "day and month swapped": a.values("admitted_at", _month_first, "later", "day"),
    "ids became texts of floats": a.values("patient_id", lambda one: f"{one}.0", "string|text|type"),
    "open stays end in 9999": filled("discharged_at", _FAR, "9999"),
    "remark null as \\N": filled("remark", "\\N", r"\\N"),
    "triage counted from 0": a.values("triage", lambda one: one - 1.0, "1 lower", "new value 0", "is 0"),
    "sex written out": a.other_codes("sex", {"f": "female", "m": "male", "x": "diverse"}),
    "leading zeros lost of insurer": a.values("insurer", lambda one: str(int(one)), "zero"),
    "phone masked": a.values("phone", _hidden_phone, r"\*"),
    "pounds in one ward": part("ward", "Maternity", {"weight_kg": lambda one: one * 2.2046}, "2.2", "not as usual"),
    "Fahrenheit in one ward": part("ward", "Emergency", {"fever": lambda one: round(one * 1.8 + 32, 1)}, "Fahrenheit",
                                   "not as usual"),
    "cents from one insurer": part("insurer", "0455", {"bill": lambda one: one * 100.0}, "100 times"),
    "late rows again": late_rows,
    "join with two diagnoses": fan_out("visit_id", "diagnosis"),
    "a demo tenant": tenant,
    "copay half gone": a.null(("copay",), 0.45, 0.55),
    "remark half gone": a.null(("remark",), 0.5, 0.6),
    "urgent as numbers": a.schema(
        lambda frame: {**frame, "urgent": frame["urgent"].astype(float)}, ("urgent",), "numeric|type"
    ),
    "bill without cents": a.values("bill", lambda one: float(round(one)), "whole number"),
    "diagnosis without its dot": a.values("diagnosis", lambda one: one.replace(".", ""), r"'\.'", "missing", "without"),
}  # fmt: skip
_CLICKS: dict[str, Happen] = {
    "an hour lost": hour_lost("clicked_ms", _hour_of),
    "seconds for milliseconds": a.values("clicked_ms", lambda one: one // 1000, "1,000 times"),
    "a key of the payload renamed": a.values("payload", lambda one: one.replace("lang", "locale"), "locale", "lang"),
    "payload encoded twice": a.values("payload", lambda one: json.dumps(one), '"', "looks"),
    "share as percent": a.values("ctr", lambda one: one * 100.0, "100 times"),
    "a limit of 1,000": limit(1000),
    "tablets counted as mobiles": a.other_codes("device", {"tablet": "mobile"}, "tablet", "none of", "no longer"),
    "impressions in 16 bits": a.values("impressions", _wrapped, "negative", "smallest", "min", "32,76"),
    "order numbers through a spreadsheet": a.values("order_ref", lambda one: f"{float(one):.5E}", r"E\+", "looks"),
    "columns shifted by one": shifted((0.08, 0.2), "campaign", "country", "device"),
    "yen not converted": part("country", "JP", {"cost": lambda one: one * 155.0}, "not as usual", "about 155"),
    "first half twice": first_half_twice,
    "referrer half gone": a.null(("referrer",), 0.45, 0.55),
    "revenue half gone": a.null(("revenue",), 0.45, 0.55),
    "a test group takes all": weights("test_group", {"A": 0.75, "B": 0.13, "C": 0.12}),
    "a bot": bot,
    "url escaped": a.values("url", lambda one: one.replace("&", "&amp;"), "&amp;", "amp"),
    "url without its query": a.values("url", lambda one: one.partition("?")[0], r"lost .\?"),
    "systems without versions": a.values("system", lambda one: one.partition(" ")[0], "cut", "lost", "new value"),
    "no revenue as zero": filled("revenue", 0.0, "0 instead of missing"),
    "nothing converted": a.stuck("converted", False),
    "cost negative in one country": part("country", "GB", {"cost": lambda one: -one}, "sign", "negative"),
}  # fmt: skip
_TRIPS: dict[str, Happen] = {
    "miles from new firmware": part("firmware", "5.0.0", {"distance_km": lambda one: one / 1.609}, "1.6",
                                    "not as usual"),
    "odometers set back in one depot": part("depot", "north", {"odometer": lambda one: one % 1000}, "not as usual"),
    "lat and lon swapped": a.swap(("lat", "lon")),
    "null island": at_once({"lat": 0.0, "lon": 0.0}, (0.08, 0.2), "(is|are) 0"),
    "positions rounded": a.values("lat", lambda one: round(one, 1), "rounded", "decimal", "multiples"),
    "duration in seconds": a.values("duration_min", lambda one: one * 60.0, "60 times"),
    "a year too early": a.shifted("started_at", -24.0 * 365),
    "plates without their hyphen": a.values("plate", lambda one: one.replace("-", ""), "'-'", "missing", "without"),
    "speed in 7 bits": a.values("top_speed", lambda one: min(one, 127.0), "nothing above 127"),
    "no error is null": a.values("error_code", lambda one: None if one == 0.0 else one, "null"),
    "drivers masked": a.values("driver", lambda one: "***@fleet.example", r"\*", part=(0.3, 0.5)),
    "a battery frozen": a.values("battery_v", lambda one: 12.34, "12.34", part=(0.2, 0.4)),
    "start and end swapped": a.swap(("started_at", "ended_at")),
    "tags with another separator": a.values("tags", lambda one: one.replace(";", "|"), r"'\|' in place of ';'"),
    "depot and region swapped": a.swap(("depot", "region")),
    "kilopascals in one depot": part("depot", "airport", {"tyre_bar": lambda one: one * 100.0}, "100 times"),
    "electric unknown for one firmware": part("firmware", "4.2.1", {"electric": lambda one: None}, "null"),
    "ids negative": a.values("trip_id", lambda one: one - 2**32, "lower", "negative"),
    "one depot three times": of_one_value("depot", "airport", 3),
    "fuel and duration swapped in one depot": swapped_where("depot", "harbour", "fuel_l", "duration_min"),
    "a day of another region": a.rows(
        lambda s: np.flatnonzero(s.frame["region"] == "N"), "rows arrived.*no row has region"
    ),
    "firmware written with v": a.values("firmware", lambda one: f"v{one}", "'v'", "before", "new value"),
    "no trips under 5 km": a.rows(
        lambda s: np.flatnonzero(s.frame["distance_km"] >= 5.0), "distance_km", "rows arrived"
    ),
    "local time without its zone": a.values("started_at", lambda one: one + timedelta(hours=2), "2 h"),
}  # fmt: skip

PIPELINE = tuple(
    Accident(name, table, happen)
    for table, found in (("visits", _VISITS), ("clicks", _CLICKS), ("trips", _TRIPS))
    for name, happen in found.items()
)
