"""HyperLogLog: the number of distinct values from 64 KB, stored in 23, mergeable exactly."""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from airflow_dq.states.codec import level

PRECISION = 16
"""2**16 registers: a standard error of 1.04 / sqrt(2**16) = 0.41 %, below 1 % in 98 of 100 columns."""
_REGISTERS = 1 << PRECISION
_BITS = 64 - PRECISION
_NONE = bytes(_REGISTERS)
_NONE_STORED = zlib.compress(_NONE, wbits=-zlib.MAX_WBITS)


@dataclass(frozen=True, slots=True)
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
        rest = (hashes & np.uint64((1 << _BITS) - 1)).astype(np.float64)
        # frexp gives the bit length: the 48 remaining bits are an exact float.
        rank = (_BITS + 1 - np.frexp(rest)[1]).astype(np.uint8)
        registers = np.zeros(_REGISTERS, np.uint8)
        np.maximum.at(registers, index, rank)
        return cls(registers.tobytes())

    def merge(self, other: HyperLogLog) -> HyperLogLog:
        """The sketch of the union."""
        both = (np.frombuffer(sketch.registers, np.uint8) for sketch in (self, other))
        return HyperLogLog(np.maximum(*both).tobytes())

    def to_bytes(self) -> bytes:
        """The registers, each in the bits that its frequency deserves: within 2 % of their entropy."""
        if self.registers == _NONE:
            return _NONE_STORED
        hard = level(zlib.Z_BEST_COMPRESSION)
        coder = zlib.compressobj(hard, zlib.DEFLATED, -zlib.MAX_WBITS, 9, zlib.Z_HUFFMAN_ONLY)
        return coder.compress(self.registers) + coder.flush()

    @classmethod
    def from_bytes(cls, data: bytes) -> HyperLogLog:
        """The sketch that :meth:`to_bytes` wrote.

        :raises ValueError: when the bytes cannot be registers.
        """
        if data == _NONE_STORED:
            return cls()
        try:
            registers = zlib.decompress(data, -zlib.MAX_WBITS)
        except zlib.error as error:
            raise ValueError(f"it holds no HyperLogLog registers ({error})") from error
        if len(registers) != _REGISTERS or np.frombuffer(registers, np.uint8).max() > _BITS + 1:
            raise ValueError("it holds no HyperLogLog registers")
        return cls(registers)

    def estimate(self) -> float:
        """Estimated number of distinct values; 0.0 when none was added, infinite when every register is full."""
        histogram = np.bincount(np.frombuffer(self.registers, np.uint8), minlength=_BITS + 2)
        if histogram[0] == _REGISTERS:
            return 0.0
        total = _REGISTERS * _tau(1.0 - histogram[_BITS + 1] / _REGISTERS)
        for rank in range(_BITS, 0, -1):
            total = 0.5 * (total + float(histogram[rank]))
        total += _REGISTERS * _sigma(float(histogram[0]) / _REGISTERS)
        return _REGISTERS**2 / (2.0 * math.log(2.0) * total) if total else math.inf


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
