"""Pairs that go together: exact however the rows are divided, bounded, and never a clear value where it is hidden."""

from __future__ import annotations

from functools import reduce

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.exceptions import CodecError
from airflow_dq.profile.check.coded import CodedRows, of_numbers
from airflow_dq.profile.check.held import Held
from airflow_dq.states.prepared import PreparedColumn


def coded(values: pa.Array) -> CodedRows:
    return CodedRows.of(PreparedColumn(values))


def held(groups: list[str | None], members: list[float | None], *, hidden: bool = False) -> Held:
    left = coded(pa.array(groups, pa.large_string()))
    return Held.of(left, coded(pa.array(members, pa.float64())), hidden=hidden)


def content(one: Held) -> tuple[object, ...]:
    one = one.whole
    texts = one.group_texts.to_pylist(), one.member_texts.to_pylist()
    return one.rows, one.limit, one.groups.tolist(), one.members.tolist(), one.counts.tolist(), *texts


def test_rows_are_counted_by_pair_and_those_without_a_value_are_none() -> None:
    found = held(["a", "a", "b", "", None, "b", "b"], [1.0, 1.0, 2.0, 3.0, 4.0, None, -0.0])
    pairs = zip(found.group_texts.to_pylist(), found.member_texts.to_pylist(), found.counts.tolist(), strict=True)
    assert sorted(pairs) == [("a", "1", 2), ("b", "0", 1), ("b", "2", 1)]
    assert (found.rows, found.counts.sum()) == (4, 4)


def test_a_group_without_a_member_hides_no_second_one_of_another() -> None:
    found = held(["a", "a", "b"], [1.0, 2.0, None])
    assert sorted(zip(found.group_texts.to_pylist(), found.member_texts.to_pylist(), strict=True)) == [
        ("a", "1"),
        ("a", "2"),
    ]


@pytest.mark.parametrize(("size", "pairs"), [(7, 40_000), (20_000, 40_000), (20_000, 50), (20_000, 2)])
def test_any_division_holds_the_same(monkeypatch: pytest.MonkeyPatch, size: int, pairs: int) -> None:
    monkeypatch.setattr(Held, "SIZE", size)
    monkeypatch.setattr(Held, "PAIRS", pairs)
    monkeypatch.setattr(Held, "TEXTS", 5)
    rng = np.random.default_rng(0)
    groups, members = rng.integers(0, 40, 300), rng.integers(0, 3, 300)
    names, numbers = [f"g{one}" for one in groups], members.astype(float).tolist()
    whole = held(names, numbers)
    assert len(np.unique(whole.groups)) <= size
    assert len(whole.groups) <= pairs
    assert (whole.counts.sum() == whole.rows) == (size > 40 and pairs > 120)
    for _ in range(5):
        part = rng.integers(0, 4, 300)
        parts = [
            held([names[i] for i in rows], [numbers[i] for i in rows])
            for rows in map(np.flatnonzero, part == np.arange(4)[:, None])
        ]
        rng.shuffle(parts)
        travelled = [Held.decode(*one.encode()) for one in parts]
        assert content(reduce(Held.merge, travelled)) == content(whole)
        assert content(Held.merged(travelled)) == content(whole)


@pytest.mark.parametrize(("size", "pairs"), [(7, 40_000), (20_000, 40_000), (20_000, 50), (20_000, 2)])
@pytest.mark.parametrize("close", [True, False])
@pytest.mark.parametrize("members", [1, 3, 300])
def test_what_the_batches_before_say_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, size: int, pairs: int, close: bool, members: int
) -> None:
    monkeypatch.setattr(Held, "SIZE", size)
    monkeypatch.setattr(Held, "PAIRS", pairs)
    monkeypatch.setattr(Held, "TEXTS", 5)
    rng = np.random.default_rng(1)
    # Close together they are counted by their difference, far apart by their hashes.
    keys = rng.integers(0, 40, 300) * (1 if close else 10**12)
    rows = pa.array(keys), pa.array((keys if members == 1 else rng.integers(0, members, 300)).astype(float))
    whole = Held.of(coded(rows[0]), coded(rows[1]), hidden=False)
    known: Held | None = None
    for at in range(0, 300, 60):
        group, member = (coded(one.slice(at, 60)) for one in rows)
        part = Held.of(group, member, hidden=False, before=known)
        known = part if known is None else known.merge(part)
    assert known is not None
    assert content(known) == content(whole)
    assert content(Held.decode(*known.encode())) == content(whole)


@pytest.mark.parametrize("times", [1, 2, 10])
@pytest.mark.parametrize("hidden", [True, False])
def test_of_many_keys_the_rows_of_the_drawn_ones_wait_for_the_merge(
    monkeypatch: pytest.MonkeyPatch, times: int, hidden: bool
) -> None:
    monkeypatch.setattr(Held, "SIZE", 50)
    monkeypatch.setattr(Held, "TEXTS", 20)
    rng = np.random.default_rng(times)
    keys = pa.array(rng.permutation(np.arange(3_000) // times).astype(float) * 10**9)
    members = pa.array(np.where(rng.random(3_000) < 0.1, np.nan, rng.integers(0, 2, 3_000)))
    whole = Held.of(coded(keys), coded(members), hidden=hidden)
    known = Held.of(coded(keys.slice(0, 500)), coded(members.slice(0, 500)), hidden=hidden)
    waited = 0
    for at in range(500, 3_000, 500):
        group, member = (coded(one.slice(at, 500)) for one in (keys, members))
        part = Held.of(group, member, hidden=hidden, before=known)
        waited += sum(len(one.groups) for one in part.loose)
        known = known.merge(part)
    assert content(known) == content(whole)
    assert 0 < waited < 1_250


def test_a_held_group_has_all_of_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Held, "SIZE", 10)
    names = [f"g{one % 100}" for one in range(1_000)]
    found = reduce(Held.merge, [held(names[at : at + 50], [1.0] * 50) for at in range(0, 1_000, 50)]).whole
    assert (found.rows, found.counts.tolist()) == (1_000, [10] * 10)
    assert found.counts.sum() < found.rows


def test_nothing_hidden_is_held() -> None:
    found = Held.of(coded(pa.array(["Anna"], pa.large_string())).keyed(b"secret"), 0, hidden=True)
    assert (len(found.groups), len(found.group_texts)) == (1, 0)
    assert found.groups.tolist() != coded(pa.array(["Anna"], pa.large_string())).hashes.tolist()
    assert b"Anna" not in found.to_bytes()


def test_several_columns_are_one_group() -> None:
    left, right = coded(pa.array(["a", "a", "b", None], pa.large_string())), coded(pa.array([1.0, 2.0, 1.0, 1.0]))
    found = Held.of(CodedRows.of_all([left, right]), 0, hidden=False)
    assert (found.rows, sorted(found.group_texts.to_pylist())) == (3, ["a, 1", "a, 2", "b, 1"])
    other = CodedRows.of_all([coded(pa.array(["b", "a"], pa.large_string())), coded(pa.array([1.0, 2.0]))])
    assert set(Held.of(other, 0, hidden=False).groups.tolist()) < set(found.groups.tolist())


def test_numbers_that_differ_by_rounding_are_one_and_whole_ones_never_are() -> None:
    found = coded(pa.array([0.1 + 0.2, 0.3, -0.0, 0.0, 2.0**53 - 1, 2.0**53 - 2, 1e-300, None, float("nan")]))
    _, codes = np.unique(found.hashes[found.known], return_inverse=True)
    first = dict(zip(codes.tolist()[::-1], range(6, -1, -1), strict=True))
    assert [first[code] for code in codes.tolist()] == [0, 0, 2, 2, 4, 5, 6]
    assert found.known.tolist() == [True] * 7 + [False] * 2


def test_numbers_are_held_as_they_are() -> None:
    column = PreparedColumn(pa.array([2.5, -1.0]))
    found = Held.of(coded(pa.array(["a", "b"], pa.large_string())), of_numbers(column.numbers), hidden=False)
    assert sorted(found.members.view(np.float64).tolist()) == [-1.0, 2.5]


def test_damaged_bytes_are_told() -> None:
    data = held(["a", "b"], [1.0, 2.0]).to_bytes()
    with pytest.raises(CodecError, match="held/1"):
        Held.from_bytes(data[:-3])
