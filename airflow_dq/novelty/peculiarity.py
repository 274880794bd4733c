"""The index of peculiarity (Morris and Cherry, 1975; Redyuk et al., section 4) of a column of strings.

Of a trigram xyz it is ``(log n(xy) + log n(yz)) / 2 - log n(xyz)``, of a value the root mean square over its trigrams,
of a column the largest of its values'.  It is taken from the counts of the values, which a state keeps up to 20,000
distinct ones or 320 kB; beyond, nothing is known of single letters, and there is none.  A value of more than 200
characters counts with the beginning that is kept of it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from airflow_dq.profile.model import ColumnProfile
from airflow_dq.states.category import CategoryDistribution

LIMIT = 20_000
"""Indices that a process remembers."""
_known: dict[str, float | None] = {}


def peculiarity_of(column: ColumnProfile) -> float | None:
    """The index of a column; None where it has no value of three letters, or its values are not kept."""
    state = column.states.get(CategoryDistribution.key)
    if not isinstance(state, CategoryDistribution) or state.buckets is not None:
        return None
    if column.fingerprint not in _known:
        if len(_known) >= LIMIT:
            # Another thread may have dropped it already.
            _known.pop(next(iter(_known)), None)
        _known[column.fingerprint] = peculiarity(state.readable.to_pylist(), state.counts)
    return _known[column.fingerprint]


def peculiarity(texts: Sequence[str], counts: NDArray[np.int64]) -> float | None:
    """The largest index of some distinct values, each of which occurs so often; None without a trigram."""
    letters = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype="uint32").astype(np.int64)
    owner = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
    # Trigrams that lie inside one value.
    whole = owner[:-2] == owner[2:]
    if not whole.any():
        return None
    # A code point has at most 21 bits.
    _, pair = np.unique(letters[:-1] << 21 | letters[1:], return_inverse=True)
    pairs = np.bincount(pair, counts[owner[:-1]] * (owner[:-1] == owner[1:]))
    first, second, of = pair[:-1][whole], pair[1:][whole], owner[:-2][whole]
    _, triple = np.unique(first * len(pairs) + second, return_inverse=True)
    triples = np.bincount(triple, counts[of])
    index = (np.log(pairs[first]) + np.log(pairs[second])) / 2 - np.log(triples[triple])
    mean_square = np.bincount(of, index**2) / np.maximum(1, np.bincount(of))
    return float(np.sqrt(mean_square.max()))
