"""IntArray of a partition after a change that was seen on a sample: the arithmetic under :mod:`..transport`."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

_WINDOW = 100
"""Sampled rows from which the share that stays is estimated around a value."""
_SIGMAS = 2.9
"""A local share is believed when it is so many standard errors off the overall one; else it is noise.

With this window a tenth that stays is still told from none: 10 rows expected, 3 their standard error."""


def moved(full: IntArray, clean: IntArray, injected: IntArray) -> IntArray:
    """The partition's counts after the sample's went from ``clean`` to ``injected``.

    All three are over the same values, in their order.  A value keeps the share of its rows that stays in the
    sample (the least movement that explains it: ``min(clean, injected)`` stay); what is gained goes to the values
    that the sample gains.
    """
    if not clean.any():
        return full + injected
    staying = np.minimum(clean, injected)
    kept = full * kept_share(clean, staying)
    return filled(kept, injected - staying, full.sum() * float(injected.sum() / clean.sum()))


def kept_share(clean: IntArray, staying: IntArray) -> FloatArray:
    """By value: the share of its rows that stays, estimated from the sampled rows around it."""
    overall = float(staying.sum() / clean.sum())
    if overall in (0.0, 1.0):
        # Everywhere the same, whatever is looked at.
        return np.full(len(clean), overall)
    size, rows, stays = len(clean), _running(clean), _running(staying)
    middle = (rows[:-1] + rows[1:]) / 2
    # Small arrays, for which calls take longer than numbers do: both ends at once, and both shares.
    ends = np.concatenate([np.maximum(middle - _WINDOW / 2, 0), np.minimum(middle + _WINDOW / 2, rows[-1])])
    reached = np.interp(ends, rows, stays)
    shares = _believed(
        np.concatenate([clean, ends[size:] - ends[:size]]),
        np.concatenate([staying, reached[size:] - reached[:size]]),
        overall,
    )
    own, around = shares[:size], shares[size:]
    # A value with rows enough to speak for itself does, one with few speaks with the values around it.
    return np.where(own != overall, own, around)


def _running(counts: IntArray) -> FloatArray:
    """The rows before each value, and last all of them."""
    running = np.zeros(len(counts) + 1)
    np.cumsum(counts, dtype=np.float64, out=running[1:])
    return running


def _believed(rows: FloatArray, stay: FloatArray, overall: float) -> FloatArray:
    """The share of the rows that stays where it cannot be chance, else the overall one."""
    # One more: of a few rows, one that moved is no news however small its chance.
    noise = _SIGMAS * np.sqrt(rows * overall * (1.0 - overall)) + 1.0
    return np.where(np.abs(stay - overall * rows) > noise, stay / np.maximum(rows, 1), overall)


def filled(kept: npt.NDArray[Any], gained: npt.NDArray[Any], total: float) -> IntArray:
    """Whole counts of about ``total``: what was kept, and the rest in proportion to what the sample gained."""
    room = max(0.0, total - float(kept.sum()))
    return rounded(kept + gained * (room / max(1.0, float(gained.sum()))))


def rounded(counts: npt.NDArray[np.floating[Any]]) -> IntArray:
    """Whole counts with the same running total, so that many small counts do not vanish together."""
    running: IntArray = np.floor(np.cumsum(counts) + 0.5).astype(np.int64)
    return np.concatenate([running[:1], running[1:] - running[:-1]])


def aligned(parts: list[IntArray], place: IntArray, size: int) -> list[IntArray]:
    """The counts of each part over all values, given where each part's values stand, one part after the other."""
    found, start = [], 0
    for counts in parts:
        over_all = np.zeros(size, dtype=np.int64)
        np.add.at(over_all, place[start : start + len(counts)], counts)
        found.append(over_all)
        start += len(counts)
    return found
