from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.exceptions import CodecError
from airflow_dq.states.layout import (
    compress,
    pack,
    pack_floats,
    pack_integers,
    reading,
    unpack,
    unpack_floats,
    unpack_integers,
)
from airflow_dq.states.number import NumberDistribution


def test_sections_come_back_in_order() -> None:
    data = pack("name/1", b"", b"abc", b"\0" * 300)
    assert unpack("name/1", data, 3) == [b"", b"abc", b"\0" * 300]


@pytest.mark.parametrize("sections", [2, 4])
def test_another_number_of_sections_is_an_error(sections: int) -> None:
    with pytest.raises(CodecError, match=r"name/1.*3 sections, not"), reading("name/1"):
        unpack("name/1", pack("name/1", b"", b"", b""), sections)


def test_the_error_says_who_wrote_the_bytes() -> None:
    with pytest.raises(CodecError, match=r"'name/2'.*written by 'name/1'"), reading("name/2"):
        unpack("name/2", pack("name/1", b"x"), 1)


@pytest.mark.parametrize("limit", [0, 1, 127, 128, 2**15, 2**31, 2**63 - 1])
def test_integers_take_the_narrowest_type(limit: int) -> None:
    values = np.array([0, limit, -limit], np.int64)
    assert unpack_integers(pack_integers(values)).tolist() == values.tolist()
    width = next(w for w in (1, 2, 4, 8) if limit < 2 ** (8 * w - 1))
    assert len(pack_integers(values)) == 2 + 3 * width


def test_empty_arrays_and_floats() -> None:
    assert unpack_integers(pack_integers(np.empty(0, np.int64))).tolist() == []
    values = np.array([0.1, -1e300, 5e-324])
    assert unpack_floats(pack_floats(values)).tolist() == values.tolist()
    assert unpack_floats(pack_floats(np.empty(0))).tolist() == []


def test_a_foreign_integer_type_is_an_error() -> None:
    with pytest.raises(ValueError, match="no integer type"):
        unpack_integers(b"f8" + bytes(8))


def test_what_is_compressed_is_read_like_what_is_not() -> None:
    state = NumberDistribution.of(pa.array(np.random.default_rng(0).normal(size=40_000)))
    assert state.sketch is not None
    packed = state.encode()
    stored = compress(packed)
    assert len(stored) < len(packed) / 2
    assert NumberDistribution.decode(stored) == NumberDistribution.decode(packed) == state
    assert NumberDistribution.decode(stored).encode() == packed


def test_damage_is_seen_in_either_form() -> None:
    packed = pack("name/1", b"abc" * 100)
    for data in (packed, compress(packed)):
        for damaged in (data[:-1], data + b"x", data[:20] + bytes([data[20] ^ 1]) + data[21:], data[:1] + b"\xff" * 8):
            with pytest.raises(CodecError, match=r"name/1.*Profile the partition again"), reading("name/1"):
                unpack("name/1", damaged, 1)
