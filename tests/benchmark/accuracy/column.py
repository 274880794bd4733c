"""Columns of every shape that has ever broken a sketch, with a seed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa

Generator = np.random.Generator
Make = Callable[[Generator, int, float], np.ndarray]

NUMBERS: dict[str, Make] = {
    "normal": lambda rng, n, s: rng.normal(s, 1, n),
    "normal at 1,000": lambda rng, n, s: rng.normal(1000 + s, 1, n),
    "normal at 1e9": lambda rng, n, s: rng.normal(1e9 + s, 1, n),
    "lognormal": lambda rng, n, s: rng.lognormal(3 + s, 2, n),
    "point masses": lambda rng, n, s: np.where(rng.random(n) < 0.4 + s / 10, 5.0, rng.normal(6, 1, n)),
    "prices": lambda rng, n, s: np.floor(rng.exponential(50_000 * (1 + s), n)) + 0.99,
    "cents": lambda rng, n, s: np.round(rng.exponential(500 * (1 + s), n), 2),
    "seconds of a day": lambda rng, n, s: 1.7e9 + 86400 * s + np.round(86400 * rng.beta(2, 5, n), 3),
    "timestamps, two wrong": lambda rng, n, s: np.append(1.7e9 + 86400 * (s + rng.random(n - 2)), [0.0, 9.9e12]),
    "5 % at 1e9": lambda rng, n, s: np.where(
        rng.random(n) < 0.05, rng.normal(1e9, 1e7, n), rng.normal(10 + s, 0.01, n)
    ),
    "many zeros": lambda rng, n, s: np.where(rng.random(n) < 0.7 - s / 4, 0.0, rng.exponential(1, n)),
    "cauchy": lambda rng, n, s: rng.standard_cauchy(n) + s,
    "zipf": lambda rng, n, s: np.minimum(rng.zipf(1.2 + s / 10, n), 10**12).astype(float),
    "identifiers": lambda rng, n, s: np.arange(n) + 1e6 * (1 + s),
}
"""Name -> values, given a generator, how many, and a shift."""


def texts(rng: Generator, size: int, shift: float, distinct: int) -> pa.Array:
    """Strings with so many distinct values, a few frequent and most rare."""
    ranks = np.minimum((distinct * rng.random(size) ** (2 + shift)).astype(int), distinct - 1)
    return pa.array([f"item {rank * 7919 % distinct}" for rank in ranks.tolist()])


def table(rng: Generator, rows: int) -> pa.Table:
    """Twelve columns as they are found in daily tables."""
    words = np.array(["the", "quick", "brown", "fox", "jumps", "over", "a", "lazy", "dog", "while", "nobody", "looks"])
    text = [" ".join(row) for row in words[rng.integers(0, len(words), (rows, 6))].tolist()]
    return pa.table(
        {
            "id": np.arange(rows) + 10**9,
            "uuid": [f"{a:016x}-{b:08x}" for a, b in rng.integers(0, 2**32, (rows, 2)).tolist()],
            "amount": np.round(rng.lognormal(3, 1, rows), 2),
            "measure": rng.normal(20, 5, rows),
            "quantity": rng.integers(1, 30, rows),
            "share": rng.random(rows),
            "city": texts(rng, rows, 0, 300),
            "product": texts(rng, rows, 0, 15_000),
            "customer": texts(rng, rows, 0, 80_000),
            "comment": text,
            "at": pa.array((1.7e15 + 8.64e10 * rng.random(rows)).astype("int64"), pa.timestamp("us")),
            "flag": rng.random(rows) < 0.2,
        }
    )
