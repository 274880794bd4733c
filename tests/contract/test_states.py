"""What every state promises; a new one is tested here without a line being added."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from airflow_dq.exceptions import CodecError
from airflow_dq.states.base import Kind, State, decode_state, state_types, states_for, states_of
from airflow_dq.states.count import Counts
from airflow_dq.states.layout import compress
from airflow_dq.states.prepared import PreparedColumn

SPECIAL = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    5e-324,
    -5e-324,
    1e-310,
    1e308,
    -1.7e308,
    1e16,
    float("nan"),
    float("inf"),
    -float("inf"),
]
NUMBERS = st.one_of(st.none(), st.sampled_from(SPECIAL), st.integers(-5, 5).map(float), st.floats())
STRINGS = st.one_of(
    st.none(),
    st.sampled_from(
        [
            "",
            "a",
            "b",
            "AB-12",
            " x",
            "x ",
            "Zürich",
            "naïve 1",
            "東京１２",
            "\x00",
            "-1.5",
            "+2e3",
            "007",
            "x" * 250,
            "y" * 200,
        ]
    ),
    st.text(max_size=12),
)
VALUES = {
    Kind.NUMERIC: (NUMBERS, pa.float64()),
    Kind.TIMESTAMP: (NUMBERS, pa.float64()),
    Kind.STRING: (STRINGS, pa.large_string()),
    Kind.BOOLEAN: (st.sampled_from([None, True, False]), pa.bool_()),
    Kind.BINARY: (st.one_of(st.none(), st.binary(max_size=5)), pa.binary()),
    Kind.NESTED: (st.one_of(st.none(), st.lists(st.integers(0, 9), max_size=2)), pa.list_(pa.int64())),
    Kind.NULL: (st.none(), pa.null()),
}
CASES = [
    pytest.param(state, kind, limit, id=f"{state.key}-{kind}-{limit or 'default'}")
    for state in state_types()
    for kind in sorted(state.kinds)
    for limit in ((None, 3) if hasattr(state, "limit") else (None,))
]
FEWER = settings(max_examples=settings.default.max_examples // 2)
"""There are forty cases of every test."""
every_state = pytest.mark.parametrize(("state", "kind", "limit"), CASES)


@contextmanager
def limited(state: type[State], limit: int | None):
    """Lower the number of exactly counted values, so that a few values reach the sketch."""
    if limit is None:
        yield
        return
    before = state.__dict__.get("limit")
    state.limit = limit
    try:
        yield
    finally:
        if before is None:
            del state.limit
        else:
            state.limit = before


def arrays(kind: Kind, max_size: int = 40) -> st.SearchStrategy[pa.Array]:
    values, data_type = VALUES[kind]
    return st.lists(values, max_size=max_size).map(lambda items: pa.array(items, data_type))


def test_every_kind_of_column_has_a_state() -> None:
    assert {kind for state in state_types() for kind in state.kinds} == set(Kind)
    assert all("counts/1" in {state.key for state in states_for(kind)} for kind in Kind)


def test_keys_are_a_name_and_a_version() -> None:
    for state in state_types():
        name, _, version = state.key.partition("/")
        assert name.isidentifier()
        assert version.isdigit()


@pytest.mark.parametrize("state", state_types(), ids=lambda state: state.key)
def test_every_state_is_documented(state: type[State]) -> None:
    assert state.__doc__
    assert not state.__doc__.startswith(f"{state.__name__}(")


@every_state
@FEWER
@given(data=st.data(), times=st.sampled_from([1, 2, 3, 10]))
def test_rows_that_occur_several_times_are_the_state_merged_as_often(state, kind, limit, data, times) -> None:
    array = data.draw(arrays(kind, 10))
    with limited(state, limit):
        one = state.of(array)
        assert one.repeated(times) == state.of(pa.concat_arrays([array] * times))
        assert one.repeated(times).encode() == state.merged([one] * times).encode()


@every_state
@given(data=st.data())
def test_merging_any_split_is_the_state_of_the_whole(state, kind, limit, data) -> None:
    array = data.draw(arrays(kind))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(array)), max_size=4)))
    parts = [array[a:b] for a, b in zip([0, *cuts], [*cuts, len(array)], strict=True)]
    with limited(state, limit):
        whole = state.of(array)
        states = [state.of(part) for part in parts]
        order = data.draw(st.permutations(states))
        merged = order[0]
        for other in order[1:]:
            merged = merged.merge(other)
        nested = states[-1]
        for other in reversed(states[:-1]):
            nested = other.merge(nested)
        at_once = state.merged(order)
        assert merged == whole
        assert nested == whole
        assert at_once == whole
        assert merged.encode() == whole.encode() == at_once.encode()


@every_state
@given(data=st.data())
@FEWER
def test_merge_is_commutative_and_empty_is_its_identity(state, kind, limit, data) -> None:
    with limited(state, limit):
        a, b = (state.of(data.draw(arrays(kind))) for _ in range(2))
        empty = state.of(pa.array([], VALUES[kind][1]))
        assert a.merge(b) == b.merge(a)
        assert a.merge(empty) == a == empty.merge(a)
        assert empty.merge(empty) == empty == state()


@every_state
@given(data=st.data())
@FEWER
def test_a_sketch_to_compare_is_the_sketch_without_what_no_distance_reads(state, kind, limit, data) -> None:
    with limited(state, limit):
        made = state.of(data.draw(arrays(kind)))
        assert made.compared_sketch().encode() == made.as_sketch().compared().encode()


@every_state
@given(data=st.data())
@FEWER
def test_the_codec_restores_an_equal_state(state, kind, limit, data) -> None:
    with limited(state, limit):
        original = state.of(data.draw(arrays(kind)))
        restored = state.decode(original.encode())
        assert type(restored) is state
        assert restored == original
        assert decode_state(state.key, original.encode()) == original
        # What is restored must also go on working.
        assert restored.merge(original) == original.merge(original)


def sample(state: type[State], kind: Kind) -> pa.Array:
    rng = np.random.default_rng(1)
    items = {
        Kind.NUMERIC: rng.normal(size=60).tolist(),
        Kind.TIMESTAMP: (1.7e9 + rng.random(60)).tolist(),
        Kind.STRING: [text for i in range(30) for text in (f"v-{i} é", f"{i}.25")],
        Kind.BOOLEAN: [True, False] * 30,
        Kind.BINARY: [b"x"] * 60,
        Kind.NESTED: [[1]] * 60,
        Kind.NULL: [None] * 60,
    }
    return pa.array(items[kind], VALUES[kind][1])


@every_state
@pytest.mark.parametrize("compressed", [False, True])
def test_damaged_bytes_are_one_clear_error(state, kind, limit, compressed) -> None:
    with limited(state, limit):
        original = state.of(sample(state, kind))
        good = compress(original.encode()) if compressed else original.encode()
    step = max(1, len(good) // 60)
    damaged = [good[:n] for n in range(0, len(good), step)] + [good + b"x", b"", b"\0" * 50, b"not a state at all"]
    damaged += [good[:i] + bytes([good[i] ^ 0x10]) + good[i + 1 :] for i in range(0, len(good), step)]
    for data in damaged:
        message = outcome(original, data)
        # The header of a compressed frame has bits without a meaning for reading: those may be damaged unnoticed.
        assert (compressed and message == "") or state.key in message


def outcome(original: State, data: bytes) -> str:
    """The message of the error that the bytes raise; empty when they were read as what they were before."""
    try:
        restored = type(original).decode(data)
    except CodecError as error:
        return str(error)
    return "" if restored == original else "something else was read"


@pytest.mark.parametrize("state", state_types(), ids=lambda state: state.key)
def test_the_bytes_of_another_state_are_refused(state) -> None:
    for other in state_types():
        if other is not state:
            with pytest.raises(CodecError, match=state.key):
                state.decode(other().encode())


def test_an_unknown_key_names_the_known_ones() -> None:
    with pytest.raises(CodecError, match="moments/1"):
        decode_state("moments/99", b"")


@every_state
def test_chunked_and_sliced_arrays_are_read_like_whole_ones(state, kind, limit) -> None:
    array = sample(state, kind)
    chunked = pa.chunked_array([array[:7], array[7:]])
    padded = pa.concat_arrays([array[:5], array, array[:5]])[5 : 5 + len(array)]
    with limited(state, limit):
        assert state.of(chunked) == state.of(array) == state.of(padded)


@pytest.mark.parametrize("kind", sorted(Kind))
@pytest.mark.parametrize("key", [None, b"secret"])
def test_states_of_one_prepared_column_are_those_made_of_it_alone(kind: Kind, key: bytes | None) -> None:
    array = sample(Counts, kind)
    for name, state in states_of(kind, array, key).items():
        alone = PreparedColumn.of(array)
        made = type(state).of_column(alone) if key is None else type(state).of_hidden(alone, key)
        assert (name, made.encode()) == (state.key, state.encode())


@every_state
def test_reading_a_state_changes_nothing_of_it(state, kind, limit) -> None:
    with limited(state, limit):
        made = state.of(sample(state, kind))
    before = made.encode()
    assert made.reader() == made
    assert made.reader().encode() == made.encode() == before


@every_state
def test_more_data_is_another_state(state, kind, limit) -> None:
    array = sample(state, kind)
    with limited(state, limit):
        small, large = state.of(array), state.of(pa.concat_arrays([array, array]))
    assert small != large
    assert small != "something else"
