"""What a data engineer meets in a year, of kinds that neither of the other two catalogues has, on three other tables.

Written down before anything was said of them. A kind that is told wrongly here may be mended, never a case; what was
mended is measured with another seed.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import numpy as np

from tests.benchmark.problems import accident as a
from tests.benchmark.problems.accident import Accident, Happen, Scene, Truth
from tests.benchmark.problems.everyday_table import objects
from tests.benchmark.problems.heldout import part

SEGMENTS = {"shipments": ("supplier", "warehouse"), "ledger": ("country", "source"), "signups": ("plan", "language")}
"""What the tables are profiled by, as their owners would ask for it."""


def _taken(scene: Scene, places: np.ndarray) -> dict[str, np.ndarray]:
    return {name: values[places] for name, values in scene.frame.items()}


def both_days(scene: Scene) -> Truth:
    """Yesterday's file lies beside today's."""
    other = scene.other_day(-1)
    frame = {name: objects([*values, *other[name]]) for name, values in scene.frame.items()}
    return Truth(frame, (), None, ("rows arrived", "again", "twice", "earlier"), tuple(frame))


def shards(scene: Scene) -> Truth:
    """Of eight files that are written by the hash of the key, three to five arrive."""
    kept = int(scene.rng.integers(3, 6))
    places = np.flatnonzero(scene.rng.integers(0, 8, scene.rows) < kept)
    return Truth(_taken(scene, places), (), len(places), ("rows arrived",), tuple(scene.frame))


def recycled(column: str, before: int) -> Happen:
    """Keys that were given out some days ago."""

    def happen(scene: Scene) -> Truth:
        first = scene.other_day(-before)[column][0]
        new = first + np.arange(scene.rows)
        return Truth({**scene.frame, column: new}, (column,), scene.rows, ("lower", "earlier", "again", "day"))

    return happen


def merged(frame_of: Callable[[Scene], dict[str, np.ndarray]], columns: tuple[str, ...], *words: str) -> Happen:
    """Rows whose values stand in the wrong columns."""

    def happen(scene: Scene) -> Truth:
        return Truth({**scene.frame, **frame_of(scene)}, columns, None, words)

    return happen


def shifted(share: tuple[float, float], *columns: str) -> Happen:
    """A separator too many in some rows: their texts stand one column further."""

    def happen(scene: Scene) -> Truth:
        hit, frame = scene.some(*share), dict(scene.frame)
        for to, of in zip(columns[1:], columns[:-1], strict=True):
            frame[to] = objects(np.where(hit, scene.frame[of], scene.frame[to]))
        first = objects(scene.frame[columns[0]])
        first[hit] = ""
        frame[columns[0]] = first
        return Truth(frame, columns, int(hit.sum()), ("empty", "new value", "values of", "column", "null"))

    return happen


def late(scene: Scene) -> Truth:
    """A day that is loaded with the key of the day after it: every date in it is one day old."""
    return Truth(dict(scene.other_day(-1)), (), None, ("holds what", "again", "earlier", "day"), tuple(scene.frame))


def stale(scene: Scene) -> Truth:
    """Ten days old, with some new rows."""
    old = scene.other_day(-10)
    count = len(next(iter(old.values())))
    keep = np.arange(int(0.95 * count))
    new = np.arange(int(0.05 * scene.rows))
    frame = {name: objects([*old[name][keep], *values[new]]) for name, values in scene.frame.items()}
    return Truth(frame, (), None, ("earlier", "day", "again"), tuple(frame))


def test_users(scene: Scene) -> Truth:
    """Rows that a test of the sign-up form has left."""
    count = int(scene.rng.uniform(0.06, 0.12) * scene.rows)
    places = scene.rng.choice(scene.rows, count, replace=False)
    frame = {name: objects(values) for name, values in scene.frame.items()}
    frame["name"][places] = "Test User"
    frame["campaign"][places] = "qa"
    return Truth(frame, ("name", "campaign"), count, ("Test User", "qa"), ("name", "campaign"))


def null_as_text(scene: Scene) -> Truth:
    """A null that an export has written out."""
    old = scene.frame["approved_by"]
    new = objects(["NULL" if one is None else one for one in old])
    return Truth({**scene.frame, "approved_by": new}, ("approved_by",), sum(one is None for one in old), ("NULL",))


def no_minus(scene: Scene) -> Truth:
    """Refunds that are written as what was paid back."""
    frame = {**scene.frame, "value": np.abs(scene.frame["value"]), "tax": np.abs(scene.frame["tax"])}
    rows = int((scene.frame["value"] < 0).sum())
    return Truth(frame, ("value",), rows, ("minus",), ("tax",))


def _local(hours: int) -> Callable[[Any], Any]:
    return lambda one: one + timedelta(hours=hours)


def _thousands(text: str) -> str:
    return f"{float(text):,.2f}"


def _comma(text: str) -> str:
    return text.replace(".", ",")


def _phone(text: str) -> str:
    return "0" + text.removeprefix("+49 ").replace(" ", "/")


def _emoji(text: str) -> str:
    return text.encode("utf-8").decode("ascii", errors="replace").replace("�", "?")


_SHIPMENTS: dict[str, Happen] = {
    "yesterday's file beside today's": both_days,
    "shards missing": shards,
    "pounds from one supplier": part("supplier", "Acme", {"weight": lambda one: one * 2.2046}, "2.2", "not as usual"),
    "leading zeros lost of zip": a.values("zip", lambda one: str(int(one)), "zero"),
    "leading zeros lost of ids": a.values("shipment_id", lambda one: str(int(one)), "zero"),
    "phones written otherwise": a.values("phone", _phone, "white space|new value|shape|pattern"),
    "yes and no as true and false": a.other_codes("insured", {"yes": "true", "no": "false"}),
    "no-break space behind the supplier": a.values("supplier", lambda one: one + "\u00a0", "white space|space"),
    "dates default to 1970": a.values("due_on", lambda one: date(1970, 1, 1), "1970", part=(0.15, 0.4)),
    "dates default to 9999": a.values("due_on", lambda one: date(9999, 12, 31), "9999", part=(0.05, 0.2)),
    "columns shifted by one": shifted((0.1, 0.3), "supplier", "warehouse", "zip"),
    "driver ids text with .0": a.values("driver_id", lambda one: f"{one:.1f}", "string|text|type"),
    "warehouse written in two ways": a.values("warehouse", str.capitalize, "case", "capital", part=(0.3, 0.5)),
    "cost without its fraction": a.values("cost", lambda one: float(int(one)), "whole number"),
    "grams in one warehouse": part("warehouse", "harbour", {"weight": lambda one: one * 1000.0}, "1,000 times"),
}
_LEDGER: dict[str, Happen] = {
    "pence in one country": part("country", "GB", {"value": lambda one: one * 100.0}, "100 times"),
    "kronor not converted": part(
        "country",
        "SE",
        {"value": lambda one: one * 11.4, "tax": lambda one: one * 11.4},
        "not as usual",
        "about 10 times",
    ),
    "refunds without their sign": no_minus,
    "local time from one source": part("source", "pos", {"booked_at": _local(2)}, "2 h", "later"),
    "ids recycled": recycled("entry_id", 8),
    "nulls as text": null_as_text,
    "approvals not joined": a.null(("approved_by", "cost_centre"), 0.2, 0.4),
    "rates of one": a.values("rate", lambda one: 1.0, "is 1|every value", part=(1.0, 1.0)),
    "cost centre with .0": a.values("cost_centre", lambda one: f"{one}.0", r"\.0", "additional", "new value", "end"),
    "accounts in lower case": a.values("account", str.lower, "lower case", part=(0.3, 0.5)),
    "late by a day": late,
    "a source twice": a.rows(
        lambda s: np.sort(np.concatenate([np.arange(s.rows), np.flatnonzero(s.frame["source"] == "shop")])),
        "twice", "more than once", "rows arrived",
    ),
    "tax in percent of the value": a.values("tax", lambda one: round(one * 100.0, 2), "100 times", part=(0.3, 0.5)),
    "only refunds": a.rows(lambda s: np.flatnonzero(s.frame["kind"] == "refund"), "rows arrived", "refund", "kind"),
    "value rounded to tens": a.values("value", lambda one: round(one, -1), "multiple", "whole", "round"),
    "tax of another day": merged(
        lambda s: {"tax": s.rng.permutation(s.frame["tax"])}, ("tax",), "no cause is right here"
    ),
}  # fmt: skip
_SIGNUPS: dict[str, Happen] = {
    "decimal comma": a.values("revenue", _comma, "new value", "','", "comma", "type|number|shape"),
    "thousands separators": a.values("revenue", _thousands, "additional", "','", "comma", "new value", "number|shape"),
    "thousands separators in one language": part("language", "en-GB", {"revenue": _thousands}, ",", "comma"),
    "names read as Latin-1": a.values(
        "name", lambda one: one.encode("utf-8").decode("latin-1"), "UTF-8|decoded|Latin"
    ),
    "names without their accents": a.values("name", _emoji, r"'\?'", r"\?", "decoded|letter|replaced|lost"),
    "plans gain lower and upper case": a.values("plan", str.upper, "upper case", part=(0.2, 0.4)),
    "test users": test_users,
    "ages from birth years of 1900": a.values("age", lambda one: 126.0, "126", part=(0.2, 0.4)),
    "birth dates default to 1900": a.values("born_on", lambda one: date(1900, 1, 1), "1900", part=(0.2, 0.4)),
    "a hundred years too young": a.values(
        "born_on", lambda one: one.replace(year=one.year + 100, day=min(one.day, 28)), "100 years|later", "36,5",
        part=(0.1, 0.3),
    ),
    "stale snapshot": stale,
    "language without its country": a.values("language", lambda one: one[:2], "cut to 2"),
    "language with an underscore": a.values(
        "language", lambda one: one.replace("-", "_"), "new value", "_", "replaced"
    ),
    "ips hidden": a.values("ip", lambda one: ".".join([*one.split(".")[:3], "0"]), "end|new|distinct|'0'|0"),
    "an emoji behind names": a.values("name", lambda one: one + " 🎉", "🎉", "additional", "behind", part=(0.1, 0.3)),
    "score as a share": a.values("score", lambda one: one / 100.0, "100 times"),
    "newsletter all yes": a.stuck("newsletter", True),
    "campaign null as text": a.values("campaign", lambda one: "None", "None", part=(0.1, 0.2)),
    "scores clipped": a.values("score", lambda one: max(one, 20.0), "none below", "20", "smallest", "min"),
    "ids in upper case": a.values("user_id", str.upper, "upper case"),
}  # fmt: skip


EVERYDAY = tuple(
    Accident(name, table, happen)
    for table, found in (("shipments", _SHIPMENTS), ("ledger", _LEDGER), ("signups", _SIGNUPS))
    for name, happen in found.items()
)
