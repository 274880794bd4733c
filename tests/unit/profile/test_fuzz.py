"""Tables of every common type: never a crash, never NaN, and no split ever shows."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from functools import reduce
from itertools import pairwise

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from airflow_dq.codec import from_json, to_json
from airflow_dq.corruption.variant import all_variants
from airflow_dq.metrics.descriptor import Reason
from airflow_dq.metrics.evaluate import compare
from airflow_dq.profile import Profile, ProfileOptions, profile_table
from airflow_dq.profile.table import TableState
from airflow_dq.settings import HASH_KEY_VARIABLE
from airflow_dq.states import grid
from airflow_dq.states.category import CategoryDistribution
from airflow_dq.states.heavy import HeavyHitters
from airflow_dq.states.number import NumberDistribution
from airflow_dq.states.value_sample import ValueSample

QUANTILES = {"p05", "p25", "median", "p75", "p95"}

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
TYPES = {
    pa.int8(): st.integers(-128, 127),
    pa.int64(): st.integers(-(2**63), 2**63 - 1),
    pa.uint64(): st.integers(0, 2**64 - 1),
    pa.float32(): st.floats(width=32),
    pa.float64(): st.floats(),
    pa.decimal128(38, 5): st.integers(-(10**30), 10**30).map(lambda n: Decimal(n).scaleb(-5)),
    pa.bool_(): st.booleans(),
    pa.string(): TEXT,
    pa.large_string(): TEXT,
    pa.dictionary(pa.int32(), pa.string()): TEXT,
    pa.binary(): st.binary(max_size=5),
    pa.date32(): st.dates(),
    pa.timestamp("us"): st.datetimes(),
    pa.timestamp("ns", "Asia/Tokyo"): st.integers(-(2**63) + 1, 2**63 - 1),
    pa.duration("s"): st.timedeltas().map(lambda delta: int(delta.total_seconds())),
    pa.list_(pa.int8()): st.lists(st.integers(0, 3), max_size=2),
    pa.map_(pa.string(), pa.int8()): st.dictionaries(TEXT, st.integers(0, 3), max_size=2).map(
        lambda d: list(d.items())
    ),
    pa.list_view(pa.string()): st.lists(TEXT, max_size=2),
    pa.struct([("a", pa.int8())]): st.fixed_dictionaries({"a": st.none() | st.integers(0, 3)}),
    pa.null(): st.none(),
}


@st.composite
def tables(draw):
    rows = draw(st.integers(0, 12))
    columns = {}
    for name in draw(st.lists(TEXT, min_size=1, max_size=2, unique=True)):
        data_type = draw(st.sampled_from(list(TYPES)))
        values = draw(st.lists(st.none() | TYPES[data_type], min_size=rows, max_size=rows))
        columns[name] = pa.array(values, data_type)
    return pa.table(columns)


@pytest.fixture
def tiny_limits(monkeypatch):
    """A few distinct values are already too many: every path through a sketch is taken."""
    monkeypatch.setattr(NumberDistribution, "limit", 2)
    monkeypatch.setattr(CategoryDistribution, "limit", 2)
    monkeypatch.setattr(HeavyHitters, "CAPACITY", 3)
    monkeypatch.setattr(ValueSample, "SIZE", 4)
    monkeypatch.setattr(grid, "LOG_CELLS", 3)
    monkeypatch.setenv(HASH_KEY_VARIABLE, "a secret of ours")


def checked(values):
    for value in values.values():
        assert isinstance(value, Reason) or (type(value) is float and math.isfinite(value))


@given(table=tables(), cuts=st.lists(st.integers(0, 12), max_size=3), sample_rows=st.sampled_from([1, 3, 1000]))
def test_any_table_can_be_profiled_and_split(table, cuts, sample_rows):
    options = ProfileOptions(sample_rows=sample_rows)
    whole = profile_table(table, "p", options)
    assert whole.row_count == table.num_rows
    for column in whole.columns.values():
        checked(column.metrics)
    edges = [0, *sorted(min(cut, table.num_rows) for cut in cuts), table.num_rows]
    parts = [TableState.of(table.slice(a, b - a), options) for a, b in pairwise(edges)]
    merged = reduce(TableState.merge, [TableState.decode(part.encode()) for part in reversed(parts)])
    merged = merged.profile("p", options)
    assert merged == whole
    assert merged.fingerprint == whole.fingerprint
    assert all_variants(merged) == all_variants(whole)


@given(table=tables(), sample_rows=st.sampled_from([1, 2, 1000]))
def test_any_table_has_variants_and_strict_json(table, sample_rows):
    profile = profile_table(table, None, ProfileOptions(sample_rows=sample_rows))
    for found in all_variants(profile).values():
        for variant in found:
            checked(variant.metrics)
    text = to_json(profile)
    json.loads(text, parse_constant=lambda constant: 1 / 0)
    again = from_json(Profile, text)
    assert again == profile
    assert again.variants == all_variants(profile)


@pytest.mark.usefixtures("tiny_limits")
@settings(suppress_health_check=list(HealthCheck))
@given(table=tables(), cut=st.integers(0, 12), store_values=st.booleans())
def test_any_table_can_be_sketched_and_hidden(table, cut, store_values):
    options = ProfileOptions(store_values=store_values)
    whole = profile_table(table, "p", options)
    cut = min(cut, table.num_rows)
    left, right = (TableState.of(part, options) for part in (table.slice(0, cut), table.slice(cut)))
    merged = TableState.decode(right.encode()).merge(TableState.decode(left.encode())).profile("p", options)
    for name, column in merged.columns.items():
        checked(column.metrics)
        # The lightest of the heavy hitters depend on the split, and with them what is only estimated beyond a limit.
        estimated = {"mode_ratio", "entropy", "pat_entropy", "skewness", "kurtosis", *QUANTILES}
        exact = {metric: value for metric, value in column.metrics.items() if metric not in estimated}
        assert exact == {metric: whole.columns[name].metrics[metric] for metric in exact}
        checked(compare(column.kind, column.states, whole.columns[name].states))
    for found in all_variants(merged).values():
        for variant in found:
            checked(variant.metrics)
    assert from_json(Profile, to_json(merged)) == merged
