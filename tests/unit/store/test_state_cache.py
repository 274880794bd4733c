from __future__ import annotations

import pyarrow as pa
import pytest

from airflow_dq.profile import profile_table
from airflow_dq.states.count import Counts
from airflow_dq.store import state_cache
from airflow_dq.store.state_cache import StateCache


def test_states_are_found_by_their_digest_in_whatever_profile() -> None:
    profile = profile_table(pa.table({"a": [1, 2, 3], "b": ["x", "y", "y"]}), "p")
    cache = StateCache()
    cache.keep_all(profile)
    for column in profile.columns.values():
        found = cache.get(column.states_digest)
        assert found == column.states
        assert type(found) is dict, "without the bytes that a profile's own mapping remembers"
    assert cache.get("another") is None


def test_columns_without_states_or_digest_are_not_kept() -> None:
    cache = StateCache()
    cache.keep("", {Counts.key: Counts(1, 0)})
    cache.keep("nothing", {})
    assert cache.get("") is cache.get("nothing") is None


def test_what_was_not_used_for_longest_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_cache, "COLUMNS", 2)
    cache = StateCache()
    for digest in ("a", "b"):
        cache.keep(digest, {Counts.key: Counts(1, 0)})
    assert cache.get("a") is not None
    cache.keep("c", {Counts.key: Counts(2, 0)})
    assert [cache.get(digest) is not None for digest in "abc"] == [True, False, True]
