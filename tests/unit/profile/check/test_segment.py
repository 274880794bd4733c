"""Segments: counted like whole partitions, however their rows are divided."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.profile.check.segment import COMPLETE, MEAN, MISSING, MOST_SEGMENTS, ROWS, measure_of
from airflow_dq.profile.model import Profile
from airflow_dq.profile.table import TableState, profile_table
from airflow_dq.settings import HASH_KEY_VARIABLE

BY_COUNTRY = ProfileOptions(segments=("country",), sample_rows=0)


def sales(rows: int = 1_000, seed: int = 0) -> pa.Table:
    rng = np.random.default_rng(seed)
    return pa.table(
        {
            "country": rng.choice(["DE", "FR", None], rows).tolist(),
            "price": pa.array([None if one < 0.1 else 1e10 * one for one in rng.random(rows)]),
            "note": ["" if one < 0.3 else "x" for one in rng.random(rows)],
        }
    )


def known(profile: Profile, statistic: str, column: str | None = None, by: str = "country") -> dict[str, float | None]:
    return {label: one.value for label, one in profile.checks[measure_of(by, statistic, column)].groups.items()}


def test_each_statistic_is_that_of_the_rows_by_themselves() -> None:
    table = sales()
    profile = profile_table(table, options=BY_COUNTRY)
    for label, mask in (
        ("DE", pc.equal(table["country"], "DE")),
        ("FR", pc.equal(table["country"], "FR")),
        (MISSING, pc.is_null(table["country"])),
    ):
        alone = profile_table(table.filter(pc.fill_null(mask, False)), options=ProfileOptions(sample_rows=0))
        assert known(profile, ROWS)[label] == alone.row_count
        for name in ("price", "note"):
            assert known(profile, COMPLETE, name)[label] == alone.columns[name].metrics["complete_ratio"]
        assert known(profile, MEAN, "price")[label] == alone.columns["price"].metrics["mean"]
    assert measure_of("country", MEAN, "note") not in profile.checks


def test_the_rows_may_be_divided_and_travel() -> None:
    table, cuts = sales(5_000), (0, 1, 700, 701, 4_000, 5_000)
    parts = [TableState.of(table.slice(start, end - start), BY_COUNTRY) for start, end in pairwise(cuts)]
    merged = parts[-1]
    for part in parts[:-1]:
        merged = merged.merge(TableState.decode(part.encode()))
    assert merged.profile(options=BY_COUNTRY).checks == profile_table(table, options=BY_COUNTRY).checks


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ([7, 7, None], {"7", MISSING}),
        ([1.5, float("nan"), 2.0], {"1.5", "2", MISSING}),
        ([True, False, None], {"true", "false", MISSING}),
        ([None, None, None], {MISSING}),
    ],
)
def test_values_of_any_plain_type_are_segments(values: list[object], labels: set[str]) -> None:
    profile = profile_table(pa.table({"by": values, "other": [1, 2, 3]}), options=ProfileOptions(segments=("by",)))
    assert set(known(profile, ROWS, by="by")) == labels


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (pa.array([f"id-{row}" for row in range(MOST_SEGMENTS + 1)]), f"more than {MOST_SEGMENTS} different values"),
        (pa.array([["x"]] * 5), "whose values are no segments"),
    ],
)
def test_what_has_no_segments_says_so(column: pa.Array, said: str) -> None:
    options = ProfileOptions(segments=("by", "gone"))
    profile = profile_table(pa.table({"by": column, "other": range(len(column))}), options=options)
    assert said in str(profile.checks[measure_of("by", ROWS)].problem)
    assert profile.checks[measure_of("gone", ROWS)].problem == "the partition has no column 'gone'"


def test_values_of_a_hidden_column_are_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HASH_KEY_VARIABLE, "a secret of ours")
    options = ProfileOptions(segments=("country",), hidden=("country",))
    stored = str(profile_table(sales(), options=options).checks)
    assert "DE" not in stored
    assert MISSING in stored


def test_segments_that_are_not_profiled_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="segments names 'country', which columns or exclude leaves out"):
        ProfileOptions(segments=("country",), exclude=("country",))
    with pytest.raises(ConfigurationError, match="is a text; give a tuple"):
        ProfileOptions(segments="country")  # type: ignore[arg-type]
