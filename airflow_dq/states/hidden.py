"""Values that must not be stored in clear: keyed hashes of strings, outward rounded bounds of numbers."""

from __future__ import annotations

import base64
from hashlib import blake2b

import numpy as np
import pyarrow as pa

from airflow_dq.states.grid import log_edges, log_keys
from airflow_dq.states.hashing import Hashes, hash_floats

_DIGEST_BYTES = 9
"""72 bits: 12 characters, and no two of a billion values alike but with a chance of one in ten thousand."""


def hidden_strings(values: pa.LargeStringArray, key: bytes) -> pa.LargeStringArray:
    """Each string as a hash that only the key's owner can make: equal strings stay equal, in any partition.

    :param key: 1 to 64 bytes
    """
    hidden = [
        base64.urlsafe_b64encode(blake2b(value.encode(), key=key, digest_size=_DIGEST_BYTES).digest()).decode()
        for value in values.to_pylist()
    ]
    return pa.array(hidden, pa.large_string())


def hidden_hashes(hashes: Hashes, key: bytes) -> Hashes:
    """Hashes that cannot be made again from the values without the key.

    :param key: 1 to 64 bytes
    """
    secret = np.uint64(int.from_bytes(blake2b(key=key, digest_size=8).digest(), "little"))
    # It mixes the bits, whatever they stand for.
    return hash_floats((hashes ^ secret).view(np.float64))


def rounded_outwards(low: float, high: float) -> tuple[float, float]:
    """The edges of the logarithmic bins (at most 0.8 % wide) that hold the smallest and the largest value."""
    first, last = log_keys(np.array([low, high])).tolist()
    below, above = log_edges(np.array([first, last + 1])).tolist()
    largest = float(np.finfo(np.float64).max)
    # Zero is a bin of its own and shows nothing; beyond the last bin is infinity.
    return max(below, -largest), 0.0 if last == 0 else min(above, largest)
