from __future__ import annotations

import math

import numpy as np
import pytest

from airflow_dq.states.hashing import hash_floats
from airflow_dq.states.hyperloglog import HyperLogLog
from airflow_dq.states.layout import compress


@pytest.mark.parametrize("size", [1, 10, 1_000, 30_000, 300_000])
def test_standard_error_is_below_one_percent(size: int) -> None:
    rng = np.random.default_rng(size)
    errors = [HyperLogLog.of(hash_floats(rng.random(size))).estimate / size - 1 for _ in range(20)]
    assert np.sqrt(np.mean(np.square(errors))) < 0.01
    assert abs(np.mean(errors)) < 0.005


def test_merging_is_sketching_the_union() -> None:
    hashes = hash_floats(np.arange(50_000, dtype=float))
    parts = HyperLogLog.of(hashes[:30_000]).merge(HyperLogLog.of(hashes[20_000:]))
    assert parts == HyperLogLog.of(hashes)


def test_repeated_values_count_once() -> None:
    hashes = hash_floats(np.repeat(np.arange(100, dtype=float), 50))
    assert HyperLogLog.of(hashes) == HyperLogLog.of(hashes[::50])
    assert HyperLogLog.of(hashes).estimate == pytest.approx(100, abs=2)


def test_nothing_is_zero_and_foreign_bytes_are_refused() -> None:
    assert HyperLogLog().estimate == 0.0
    with pytest.raises(ValueError, match="registers"):
        HyperLogLog.from_bytes(HyperLogLog(b"\xff" * 2**16).to_bytes())
    with pytest.raises(ValueError, match="registers"):
        HyperLogLog.from_bytes(b"x" * 100)
    stored = HyperLogLog(bytes([49, 0]) * 2**15).to_bytes()
    with pytest.raises(ValueError, match="registers do not fit together"):
        HyperLogLog.from_bytes(stored[:1] + stored[2:])


@pytest.mark.parametrize("size", [1, 1_000, 50_000, 5_000_000])
def test_registers_come_back(size: int) -> None:
    sketch = HyperLogLog.of(np.random.default_rng(size).integers(0, 2**64, size, dtype=np.uint64))
    stored = sketch.to_bytes()
    assert HyperLogLog.from_bytes(stored) == sketch
    shares = np.bincount(np.frombuffer(sketch.registers, np.uint8)) / 2**16
    entropy = -float((shares[shares > 0] * np.log2(shares[shares > 0])).sum()) * 2**13
    assert len(compress(stored)) < max(1.03 * entropy, 20_000)


def test_full_registers_are_more_than_can_be_counted() -> None:
    assert HyperLogLog(bytes([49]) * 2**16).estimate == math.inf
    assert 1e15 < HyperLogLog(bytes([48]) * 2**16).estimate < math.inf


def test_a_sketch_of_no_values_takes_next_to_nothing() -> None:
    stored = HyperLogLog().to_bytes()
    assert len(stored) < 100
    assert HyperLogLog.from_bytes(stored) == HyperLogLog.of(np.empty(0, np.uint64)) == HyperLogLog()


def test_a_register_holds_the_place_of_the_first_one_of_the_rest() -> None:
    rests = [0, *(1 << bit for bit in range(48)), *((2 << bit) - 1 for bit in range(48))]
    hashes = np.array([(place << 48) | rest for place, rest in enumerate(rests)], np.uint64)
    registers = HyperLogLog.of(hashes).registers
    assert list(registers[: len(rests)]) == [49 - rest.bit_length() for rest in rests]
    assert not any(registers[len(rests) :])
