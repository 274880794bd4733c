"""The blob of a column's injected variants."""

from __future__ import annotations

import numpy as np
import pytest

from airflow_dq.corruption import blob as variant_blob
from airflow_dq.corruption.blob import PackedVariants, decode_variants, encode_variants
from airflow_dq.exceptions import CodecError
from airflow_dq.metrics.descriptor import Reason
from airflow_dq.profile.model import Variant
from airflow_dq.states.base import State
from airflow_dq.states.count import Counts
from airflow_dq.states.number import NumberDistribution

SHARED = Counts(10, 1)
VARIANTS = (
    Variant("unit_change", "x10", {"mean": 1.5, "median": Reason.NO_VALUES}, {Counts.key: SHARED}),
    Variant("unit_change", "x100", {"mean": 15.0}, {Counts.key: SHARED}),
    Variant("missing_values", "50%", {}, {Counts.key: Counts(10, 5)}),
    Variant("volume_change", "x2", {"mean": -1e300}, {}),
)


def test_round_trip() -> None:
    assert decode_variants(encode_variants(VARIANTS)) == VARIANTS
    assert decode_variants(encode_variants(())) == ()


def test_equal_states_are_stored_once() -> None:
    once = len(encode_variants(VARIANTS[:1]))
    many = encode_variants(VARIANTS[:1] * 50)
    assert len(many) - once < len(SHARED.encode()) + 100
    first, *others = decode_variants(many)
    assert all(other.states[Counts.key] is first.states[Counts.key] for other in others)


def test_packed_variants_are_the_same_and_encode_as_they_came() -> None:
    blob = encode_variants(VARIANTS)
    packed = PackedVariants(blob)
    assert tuple(packed) == VARIANTS
    assert (len(packed), packed[1], tuple(packed[1:])) == (4, VARIANTS[1], VARIANTS[1:])
    assert encode_variants(packed) is blob


def test_to_count_packed_variants_decodes_no_state(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(key: str, data: bytes) -> State:
        raise AssertionError(key)

    monkeypatch.setattr(variant_blob, "decode_state", refuse)
    assert len(PackedVariants(encode_variants(VARIANTS))) == 4
    assert not PackedVariants(encode_variants(()))
    with pytest.raises(CodecError):
        len(PackedVariants(b"\x01"))


@pytest.mark.parametrize("cut", [0, 3, 10, -1])
def test_damage_is_a_codec_error(cut: int) -> None:
    with pytest.raises(CodecError):
        decode_variants(encode_variants(VARIANTS)[:cut])


def test_other_version_is_named() -> None:
    with pytest.raises(CodecError, match="version 3; this version reads 2"):
        decode_variants(b"\x03\x00" + encode_variants(VARIANTS)[2:])


def test_states_that_are_alike_take_few_bytes_together() -> None:
    numbers = np.sqrt(np.arange(2_000.0))
    alike = [NumberDistribution.from_counts(numbers[start:], np.full(2_000 - start, 3)) for start in range(20)]
    blob = encode_variants([Variant("x", str(at), {}, {state.key: state}) for at, state in enumerate(alike)])
    assert len(blob) < 3 * len(alike[0].encode())
    assert [variant.states[NumberDistribution.key] for variant in decode_variants(blob)] == alike


def test_a_byte_that_changed_is_a_codec_error() -> None:
    blob = encode_variants(VARIANTS)
    for place in range(len(blob)):
        damaged = bytearray(blob)
        damaged[place] ^= 0x55
        with pytest.raises(CodecError):
            decode_variants(bytes(damaged))
