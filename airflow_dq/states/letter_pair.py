"""Pairs of letters side by side in texts (bigrams), as far as values are counted one by one.

Letters are bytes of UTF-8, of which there are 65,536 pairs: which of them occur is a table that needs no sorting.
Digits count as one letter and two of them as none new, for numbers inside texts never repeat and get longer; what a
text ends with is paired with its end.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from airflow_dq.states.array import string_bytes
from airflow_dq.states.category import CategoryDistribution

_PAIRS = 1 << 16
"""How many pairs of bytes there are."""
_END = 0xFF
"""Stands behind the last letter: no byte of UTF-8."""
_LETTERS = bytes.maketrans(b"0123456789", b"0" * 10)
_DIGITS = ord("0") << 8 | ord("0")
"""Two digits side by side."""


def unseen_share(now: CategoryDistribution, before: Iterable[CategoryDistribution]) -> float:
    """Share of the values that have a pair of letters which no value of the others has; see :func:`with_unseen`."""
    return float(now.counts[with_unseen(now, before)].sum() / now.total)


def with_unseen(now: CategoryDistribution, before: Iterable[CategoryDistribution]) -> NDArray[np.bool_]:
    """Which values have a pair of letters that no value of the others has.

    All are of values that are counted one by one, and the first has one.
    """
    known = np.zeros(_PAIRS, bool)
    known[_DIGITS] = True
    for one in before:
        if one.total:
            known[_pairs(one)[0]] = True
    pairs, starts = _pairs(now)
    return np.logical_or.reduceat(~known[pairs], starts)


def _pairs(texts: CategoryDistribution) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """The pairs of all values, none of which is empty, and where those of each begin."""
    data, ends = string_bytes(texts.readable)
    letters = np.frombuffer(data.tobytes().translate(_LETTERS), np.uint8)
    following = np.append(letters[1:], np.uint8(_END))
    following[ends[1:] - 1] = _END
    # As places in the table at once: numpy would make such ones of others, in twice the time.
    return letters.astype(np.intp) << 8 | following, ends[:-1]
