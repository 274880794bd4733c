"""Profiles made by hand for the tests of the store: small, and every value known."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from airflow_dq.metrics.descriptor import Reason
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.profile.model import ColumnProfile, Profile, Variant
from airflow_dq.states.base import Kind
from airflow_dq.states.count import Counts

ODD_NAME = 'a "quoted"; .dotted\u00e9 %s :name'


def column(name: str, kind: Kind, metrics: Mapping[str, float | Reason], rows: int) -> ColumnProfile:
    """A column with the given metrics and real counts."""
    return ColumnProfile(name, kind, "double", dict(metrics), {Counts.key: Counts(rows, 1)}, remark=None)


def make_profile(partition: str, rows: int = 1000, mean: float = 10.0, *, variants: bool = True) -> Profile:
    """Two columns: a number with its mean, and text under an awkward name, with a metric that has no value."""
    price = column(
        "price", Kind.NUMERIC, {"mean": mean, "row_count": float(rows), "complete_ratio": 1 - 1 / rows}, rows
    )
    label = column(ODD_NAME, Kind.STRING, {"str_len": 7.25, "digit_len": Reason.NO_VALUES, "tiny": 5e-324}, rows)
    errors = tuple(
        Variant("unit_change", f"x{factor}", {**price.metrics, "mean": mean * factor}, price.states)
        for factor in (10, 100, 1000)
    )
    return Profile(
        partition=partition,
        row_count=rows,
        columns={"price": price, ODD_NAME: label},
        variants={"price": errors} if variants else {},
        options=ProfileOptions(exclude=("secret",), sample_rows=500),
    )


def days(count: int, seed: int = 7) -> list[Profile]:
    """So many days of a quiet table: means around 10, rows around 1000."""
    rng = np.random.default_rng(seed)
    return [
        make_profile(f"2024-01-{day:02d}", int(rng.normal(1000, 5)), float(rng.normal(10, 0.1)))
        for day in range(1, count + 1)
    ]
