"""A few stored bytes cannot take all of the memory, in whatever compressed form they are stored."""

from __future__ import annotations

import base64
import json
import struct
import tracemalloc
import zlib
from collections.abc import Callable
from functools import cache

import pyarrow as pa
import pytest

from airflow_dq.codec import from_json, to_json
from airflow_dq.corruption.blob import _PREFIX, _VERSION, decode_variants
from airflow_dq.exceptions import CodecError
from airflow_dq.profile import Profile, ProfileOptions, profile_table
from airflow_dq.states.base import decode_state, state_types
from airflow_dq.states.inflate import LARGEST, inflate
from airflow_dq.states.layout import compress
from airflow_dq.store import document

TOO_MUCH = LARGEST + 1
STATES = sorted(state.key for state in state_types())


@cache
def zstd_bomb() -> bytes:
    return compress(bytes(TOO_MUCH))


@cache
def zlib_bomb(words: bytes = b"") -> bytes:
    compressor = zlib.compressobj(9, zdict=words) if words else zlib.compressobj(9)
    return compressor.compress(bytes(TOO_MUCH)) + compressor.flush()


def lying(data: bytes) -> bytes:
    """The same, with a length told that it does not have."""
    return data[:1] + struct.pack("<Q", 2**62) + data[9:]


def variants(head: bytes, body: bytes = b"") -> bytes:
    return _PREFIX.pack(_VERSION, len(head)) + head + body


def in_a_profile(blob: bytes) -> Profile:
    told = json.loads(to_json(profile_table(pa.table({"x": [1.0, 2.5]}), "1", ProfileOptions(sample_rows=0))))
    states = told["columns"]["x"]["states"]
    states[next(iter(states))] = base64.b64encode(blob).decode()
    return from_json(Profile, json.dumps(told))


READERS: dict[str, Callable[[], object]] = {
    "a state": lambda: decode_state(STATES[0], zstd_bomb()),
    "a state with a wrong length": lambda: decode_state(STATES[0], lying(zstd_bomb())),
    "a profile's document": lambda: in_a_profile(zstd_bomb()),
    "the head of injected errors": lambda: decode_variants(variants(zlib_bomb())),
    "the states of injected errors": lambda: decode_variants(
        variants(zlib.compress(json.dumps({"bytes": TOO_MUCH, "variants": []}).encode()), zstd_bomb()[9:])
    ),
    "a document": lambda: document.decode(zlib_bomb()),
    "metrics": lambda: document.decode(zlib_bomb(document.METRIC_WORDS), document.METRIC_WORDS),
}


@pytest.mark.parametrize("what", READERS)
def test_what_would_unpack_to_too_much_is_refused(what: str) -> None:
    read = READERS[what]
    zstd_bomb(), zlib_bomb(), zlib_bomb(document.METRIC_WORDS)
    tracemalloc.start()
    try:
        with pytest.raises(CodecError, match="unpack"):
            read()
        assert tracemalloc.get_traced_memory()[1] < 2.2 * LARGEST
    finally:
        tracemalloc.stop()


def test_the_limit_itself_is_no_mistake() -> None:
    assert len(inflate(zlib.compress(bytes(LARGEST), 1))) == LARGEST


@pytest.mark.parametrize("head", [b"[]", b"{}", b'{"bytes": 0, "variants": [1]}', b'{"bytes": -1, "variants": []}',
                                  b'{"bytes": 0, "variants": [["a", "b", [], {}]]}', b"1", b"null"])  # fmt: skip
def test_a_head_of_another_shape_is_damage(head: bytes) -> None:
    with pytest.raises(CodecError, match="damaged"):
        decode_variants(variants(zlib.compress(head)))
