"""What was scanned is plausible; what no scan can have measured is not."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import given, settings

from airflow_dq.exceptions import CodecError
from airflow_dq.metrics.descriptor import Reason
from airflow_dq.profile import Profile, ProfileOptions, profile_table
from airflow_dq.profile.model import digest_states
from airflow_dq.profile.plausible import require_plausible
from airflow_dq.settings import HASH_KEY_VARIABLE
from airflow_dq.states.count import Counts
from tests.unit.profile.test_fuzz import tables

PROFILE = profile_table(
    pa.table({"x": [1.0, 2.5, None], "s": ["a", "b", "b"], "y": [3.0, 4.0, 5.0]}), "1", ProfileOptions(sample_rows=0)
)


@settings(max_examples=40, deadline=None)
@given(tables())
def test_what_was_scanned_is_plausible(table: pa.Table) -> None:
    require_plausible(profile_table(table, "1", ProfileOptions(sample_rows=20)))


def test_what_was_scanned_of_hidden_columns_is_plausible(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HASH_KEY_VARIABLE, "a secret of some length")
    table = pa.table({"x": [float(n) / 7 for n in range(500)], "s": [f"n{n % 9}" for n in range(500)]})
    require_plausible(profile_table(table, "1", ProfileOptions(store_values=False)))


def changed(column: str, **fields: object) -> Profile:
    found = replace(PROFILE.columns[column], **fields)  # type: ignore[arg-type]
    return replace(PROFILE, columns={**PROFILE.columns, column: found})


def metrics(column: str, **values: float | Reason) -> Profile:
    return changed(column, metrics={**PROFILE.columns[column].metrics, **values})


Y = PROFILE.columns["y"]
OTHER = {**Y.states, Counts.key: Counts(9, 2)}


@pytest.mark.parametrize(
    ("profile", "said"),
    [
        (replace(PROFILE, row_count=-1), "row_count: -1"),
        (replace(PROFILE, row_count=2**63), "not a number of rows"),
        (metrics("x", row_count=4.0), "4 is not the profile's number of rows, 3"),
        (metrics("x", complete_ratio=1.5), "1.5 is not from 0 to 1"),
        (metrics("s", median=1.0), "a string column has no such metric"),
        (metrics("x", mean=7.0), "7 is not what its states say, 1.75"),
        (metrics("x", mean=Reason.OVERFLOW), "'overflow' is not what its states say, 1.75"),
        (changed("x", states=Y.states), "states_digest"),
        (changed("x", states=Y.states, states_digest=Y.states_digest), "is not what its states say"),
        (changed("x", states=OTHER, states_digest=digest_states(OTHER)), "is not what its states say"),
        (changed("x", states=PROFILE.columns["s"].states), "a numeric column has no such state"),
        (changed("x", distances={"1:abc": {"l1/sketch": -3.0}}), "-3 is not from 0"),
        (changed("x", states={}, metrics={"p25": 3.0, "median": 2.0}), "'median'.*2 is less than 'p25', which is 3"),
    ],
)
def test_what_no_scan_can_have_measured_is_refused(profile: Profile, said: str) -> None:
    with pytest.raises(CodecError, match=said):
        require_plausible(profile)


def test_metrics_of_others_and_dropped_states_are_no_mistake() -> None:
    require_plausible(PROFILE)
    require_plausible(metrics("x", my_own_metric=-7.0))
    require_plausible(changed("x", states={}))
