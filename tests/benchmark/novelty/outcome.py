"""Decisions as the paper reports them: confusion counts, ROC AUC of yes/no answers, by error, magnitude and time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import pandas as pd

from tests.benchmark.novelty.data import ERRORS, MAGNITUDES

COLUMNS = ("data", "place", "detector", "error", "magnitude", "novel")
TABLE = ("explicit", "implicit", "anomaly")
MAGNITUDE = 30
PERIODS = 6
"""Stretches of time of Figure 4: the paper has months, not every data set has."""


class Outcomes:
    """All decisions."""

    def __init__(self) -> None:
        """Without any."""
        self._rows: list[tuple[Any, ...]] = []

    def add(self, *row: Any) -> None:
        """One decision, see :data:`COLUMNS`."""
        self._rows.append(row)

    def tables(self) -> dict[str, list[dict[str, Any]]]:
        """Table 1, Figures 2 to 4 and the pairs of section 5.4, as plain rows."""
        frame = pd.DataFrame(self._rows, columns=list(COLUMNS))
        return {
            "table 1": list(_table(frame)),
            "figure 2": list(_comparison(frame)),
            "figure 3": list(_by_magnitude(frame)),
            "figure 4": list(_over_time(frame)),
            "figure 5": list(_pairs(frame)),
        }

    def lines(self) -> Iterator[str]:
        """Table 1 for a terminal."""
        yield f"{'detector':28} {'error':10} {'AUC':>6} {'TP':>5} {'FP':>5} {'FN':>5} {'TN':>5}"
        for row in self.tables()["table 1"]:
            counts = " ".join(f"{row[name]:5d}" for name in ("TP", "FP", "FN", "TN"))
            yield f"{row['detector']:28} {row['error']:10} {row['auc']:6.3f} {counts}"


def auc(bad: pd.Series, clean: pd.Series) -> float:
    """Area under the curve of yes/no answers, which has one corner."""
    return float((1 + bad.mean() - clean.mean()) / 2)


def _split(frame: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame, pd.DataFrame]]:
    """Of each detector all bad and all clean decisions."""
    for name, rows in frame.groupby("detector", sort=False):
        yield str(name), rows[rows.error != "clean"], rows[rows.error == "clean"]


def _table(frame: pd.DataFrame) -> Iterator[dict[str, Any]]:
    for (name, bad, clean), error in product(list(_split(frame)), TABLE):
        rows = bad[(bad.error == error) & (bad.magnitude == MAGNITUDE)].novel
        if len(rows):
            counts = {"TP": int(rows.sum()), "FP": int(clean.novel.sum()), "FN": int((~rows).sum())}
            value = auc(rows, clean.novel)
            yield {"detector": name, "error": error, "auc": value, **counts, "TN": int((~clean.novel).sum())}


def _comparison(frame: pd.DataFrame) -> Iterator[dict[str, Any]]:
    for (name, bad, clean), data in product(list(_split(frame)), frame.data.unique()):
        dirty, right = bad[(bad.error == "real") & (bad.data == data)].novel, clean[clean.data == data].novel
        if len(dirty):
            yield {"detector": name, "data": data, "auc": auc(dirty, right)}


def _by_magnitude(frame: pd.DataFrame) -> Iterator[dict[str, Any]]:
    for (name, bad, clean), data, error, magnitude in product(
        list(_split(frame)), frame.data.unique(), ERRORS, MAGNITUDES
    ):
        rows = bad[(bad.data == data) & (bad.error == error) & (bad.magnitude == magnitude)].novel
        if len(rows):
            value = auc(rows, clean[clean.data == data].novel)
            yield {"detector": name, "data": data, "error": error, "magnitude": magnitude, "auc": value}


def _over_time(frame: pd.DataFrame) -> Iterator[dict[str, Any]]:
    places = frame.groupby("data").place.rank(pct=True).mul(PERIODS).clip(upper=PERIODS - 1e-9).astype(int)
    for (name, bad, clean), data, error, period in product(
        list(_split(frame.assign(period=places))), frame.data.unique(), ERRORS, range(PERIODS)
    ):
        rows = bad[(bad.data == data) & (bad.error == error) & (bad.period == period)].novel
        right = clean[(clean.data == data) & (clean.period == period)].novel
        if len(rows) and len(right):
            yield {"detector": name, "data": data, "error": error, "period": period, "auc": auc(rows, right)}


def _pairs(frame: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Of each pair of errors the AUC beside the better one of the two alone."""
    for (name, bad, clean), data in product(list(_split(frame)), frame.data.unique()):
        own = bad[(bad.data == data) & (bad.magnitude == 50)]
        found = {error: auc(rows.novel, clean[clean.data == data].novel) for error, rows in own.groupby("error")}
        for error, value in found.items():
            parts = [found[part] for part in str(error).split("+") if part in found]
            if "+" in str(error) and len(parts) == 2:
                yield {"detector": name, "data": data, "error": error, "auc": value, "best alone": max(parts)}
