"""The name classifier: what it was trained on is told, and how well it did stands in its file."""

from __future__ import annotations

import json
from importlib.resources import files

import numpy as np
import pytest

from airflow_dq.backtest.unique_name import SIZE, features, probability

FILE = json.loads(files("airflow_dq.backtest").joinpath("unique_name.json").read_text())


def test_it_says_where_it_comes_from_and_how_good_it_is() -> None:
    assert FILE["auc_without_id"] >= 0.859, "that of the paper"
    assert FILE["columns"] > 5_000
    assert len(FILE["sources"]) >= 10
    for said in FILE["sources"].values():
        assert not any(word in said for word in ("GPL", "AGPL", "UNKNOWN", "None"))


@pytest.mark.parametrize(
    ("table", "column", "kind"), [("orders", "id", "numeric"), ("customers", "username", "string")]
)
def test_names_of_keys_are_likely(table: str, column: str, kind: str) -> None:
    assert probability(table, column, kind) > 0.5


@pytest.mark.parametrize(
    ("table", "column", "kind"),
    [("orders", "price", "numeric"), ("orders", "created_at", "timestamp"), ("deaths", "deceduti", "numeric")],
)
def test_names_of_measures_are_not(table: str, column: str, kind: str) -> None:
    assert probability(table, column, kind) < 0.2


def test_any_name_has_features_in_reach() -> None:
    for name in ("", "ä", "Order ID", "x" * 300, "CamelCaseName", "a.b"):
        places = features(name, name, "string")
        assert places.min() >= 0
        assert places.max() < SIZE
        assert 0.0 < probability(name, name, "string") < 1.0
    assert np.array_equal(features("orders", "OrderId", "numeric"), features("orders", "order_id", "numeric"))
