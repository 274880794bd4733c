"""The shares of unseen values: each measured once, and the same wherever they come from."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.learn.constraint.novelty import _unseen
from airflow_dq.learn.history.distance import Distances
from airflow_dq.learn.history.history import History
from airflow_dq.novelty import unseen
from airflow_dq.novelty.unseen import BEFORE, FINER, LETTERS, LONG, UNSEEN, measured_unseen
from airflow_dq.profile import ProfileOptions, profile_table
from airflow_dq.profile.model import Profile
from airflow_dq.states.base import Kind

ASKED = (("city", Kind.STRING, UNSEEN), ("city", Kind.STRING, LETTERS), ("price", Kind.NUMERIC, UNSEEN))


def day(place: int) -> Profile:
    table = pa.table({"city": [f"town {place % 7}", "Rome"], "price": [float(place), 1.0]})
    return profile_table(table, partition=f"{place:03d}", options=ProfileOptions(sample_rows=0))


DAYS = [day(place) for place in range(LONG + 4)]


def test_the_first_partitions_of_a_long_history_have_no_shares_and_others_have() -> None:
    long = measured_unseen(DAYS, ASKED)
    assert np.isnan(long[:BEFORE]).all()
    assert long[BEFORE:, 2] == pytest.approx(0.5)
    short = measured_unseen(DAYS[:10], ASKED)
    assert np.isnan(short[0]).all()
    assert not np.isnan(short[1:]).any()


def test_as_a_history_moves_on_only_the_newest_partition_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    unseen._known.clear()
    measured_unseen(DAYS[:-1], ASKED)
    asked = []

    def counted(name: object, now: object, before: object) -> float:
        asked.append((name, now))
        return 0.0

    monkeypatch.setattr(unseen, "_measured", counted)
    measured_unseen(DAYS[1:], ASKED)
    assert asked == [(metric, DAYS[-1].columns[name]) for name, _, metric in ASKED]
    unseen._known.clear()


def columns(values: pa.Array) -> Profile:
    return profile_table(pa.table({"one": values}), options=ProfileOptions(sample_rows=0))


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ([[1.0, 2.0], [3.0, None], [2.0]], [1.0, 1.0, 4.0, None, -1.0, 9.0]),
        ([[2**60, 2**60 + 1]], [2**60 + 1, 2**60 + 2, 2**60 + 2]),
        ([[1.0], [None]], [None]),
        ([[1.5, 2.25], [None], [3.0]], [1.125, 2.5, 0.1 + 0.2, 1e300]),
        ([[None], [None]], [1.0]),
        ([["a", "b"], ["c"], [None, "a"]], ["a", "d", "d", None]),
        ([["a"]], ["b"]),
        ([["x" * 300 + "y"]], ["x" * 300 + "z", "x" * 300 + "y"]),
        # More values than are kept one by one: of each side, and of those before together.
        ([[float(i) for i in range(20_001)]], [0.0, 0.5]),
        ([[float(i) for i in range(15_000)], [i + 0.5 for i in range(15_000)]], [0.0, -1.0]),
        ([[f"v{i}" for i in range(15_000)], [f"w{i}" for i in range(15_000)]], ["v1", "u"]),
    ],
)
def test_a_share_that_is_counted_is_the_metrics(
    before: list[list[object]], now: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = pa.string() if any(isinstance(one, str) for one in before[0]) else None
    kind = kind or (pa.int64() if any(isinstance(one, int) for one in before[0]) else pa.float64())
    earlier = [columns(pa.array(one, kind)).columns["one"] for one in before]
    new = columns(pa.array(now, kind)).columns["one"]
    shares = [UNSEEN, LETTERS if kind == pa.string() else FINER]
    counted = [unseen._measured(name, new, earlier) for name in shares]
    monkeypatch.setattr(unseen, "_counted", lambda name, now, before: None)
    assert counted == pytest.approx([unseen._measured(name, new, earlier) for name in shares], abs=0.0, nan_ok=True)


def test_the_gate_looks_up_what_the_states_tell() -> None:
    history = History.of(DAYS[:-1], distances=Distances(), dated=False)
    found = _unseen(history, DAYS, ASKED)
    assert found == pytest.approx(measured_unseen(DAYS, ASKED), nan_ok=True)
