"""HyperLogLog: the number of distinct values from 64 KB, stored in 23, mergeable exactly."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

PRECISION = 16
"""2**16 registers: a standard error of 1.04 / sqrt(2**16) = 0.41 %, below 1 % in 98 of 100 columns."""
_REGISTERS = 1 << PRECISION
"""A register for each value of a hash's first bits."""
_BITS = 64 - PRECISION
"""The rest of a hash: the place of its first one is what a register holds."""
_NONE = bytes(_REGISTERS)
_HALF = _REGISTERS // 2
"""Bytes of the registers when two share one."""
_FAR = 15
"""So far above the least register it is told by itself."""


@dataclass(frozen=True)
class HyperLogLog:
    """Registers of the longest run of leading zeros seen among the hashes of each class.

    Estimated with the improved raw estimator of O. Ertl, "New cardinality estimation algorithms for
    HyperLogLog sketches" (2017), algorithm 6: no bias tables, no switch between ranges.
    """

    registers: bytes = _NONE

    @classmethod
    def of(cls, hashes: NDArray[np.uint64]) -> HyperLogLog:
        """The sketch of values given by their 64-bit hashes."""
        index = (hashes >> np.uint64(_BITS)).astype(np.int64)
        # The exponent gives the bit length: the 48 remaining bits are an exact float.  That of zero is the least.
        rest = (hashes & np.uint64((1 << _BITS) - 1)).astype(np.float64).view(np.int64)
        rank = np.minimum(_BITS + 1023 - (rest >> 52), _BITS + 1).astype(np.uint8)
        registers = np.zeros(_REGISTERS, np.uint8)
        np.maximum.at(registers, index, rank)
        return cls(registers.tobytes())

    def merge(self, other: HyperLogLog) -> HyperLogLog:
        """The sketch of the union."""
        if self.registers == other.registers:
            return self
        both = (np.frombuffer(sketch.registers, np.uint8) for sketch in (self, other))
        return HyperLogLog(np.maximum(*both).tobytes())

    def to_bytes(self) -> bytes:
        """The registers as half bytes above the least of them; those that are far above it come first, whole.

        Compressed they are within 2 % of their entropy, of which whole bytes would miss a tenth.
        """
        if self.registers == _NONE:
            return b""
        registers = np.frombuffer(self.registers, np.uint8)
        least = registers.min()
        steps = np.minimum(registers - least, _FAR)
        return b"".join([bytes([least]), registers[steps == _FAR].tobytes(), (steps[::2] | steps[1::2] << 4).tobytes()])

    @classmethod
    def from_bytes(cls, data: bytes) -> HyperLogLog:
        """The sketch that :meth:`to_bytes` wrote.

        :raises ValueError: when the bytes cannot be registers.
        """
        if not data:
            return cls()
        if len(data) <= _HALF:
            raise ValueError("it holds no HyperLogLog registers")
        registers = _unpacked(data)
        if len(registers) != _REGISTERS or np.frombuffer(registers, np.uint8).max() > _BITS + 1:
            raise ValueError("it holds no HyperLogLog registers")
        return cls(registers)

    # Once: the number and the share of distinct values are metrics of their own.
    @cached_property
    def estimate(self) -> float:
        """Estimated number of distinct values; 0.0 when none was added, infinite when every register is full."""
        return _estimate(self.registers)


def _estimate(registers: bytes) -> float:
    histogram = np.bincount(np.frombuffer(registers, np.uint8), minlength=_BITS + 2)
    if histogram[0] == _REGISTERS:
        return 0.0
    total = _REGISTERS * _tau(1.0 - histogram[_BITS + 1] / _REGISTERS)
    for rank in range(_BITS, 0, -1):
        total = 0.5 * (total + float(histogram[rank]))
    total += _REGISTERS * _sigma(float(histogram[0]) / _REGISTERS)
    return _REGISTERS**2 / (2.0 * math.log(2.0) * total) if total else math.inf


def _unpacked(data: bytes) -> bytes:
    halves = np.frombuffer(data, np.uint8, _HALF, len(data) - _HALF)
    steps = np.stack([halves & 15, halves >> 4], axis=1).ravel()
    registers = steps + data[0]
    far, told = steps == _FAR, np.frombuffer(data, np.uint8, len(data) - _HALF - 1, 1)
    if np.count_nonzero(far) != len(told):
        raise ValueError("its HyperLogLog registers do not fit together")
    registers[far] = told
    return registers.astype(np.uint8).tobytes()


def _sigma(x: float) -> float:
    weight, total = 1.0, x
    while True:
        x *= x
        previous = total
        total += x * weight
        weight += weight
        if total == previous:
            return total


def _tau(x: float) -> float:
    if x in (0.0, 1.0):
        return 0.0
    weight, total = 1.0, 1.0 - x
    while True:
        x = math.sqrt(x)
        previous = total
        weight *= 0.5
        total -= (1.0 - x) ** 2 * weight
        if total == previous:
            return total / 3.0
