"""What makes an error undone, on values as they arrived: :mod:`airflow_dq.corruption.procedure` the other way round."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from airflow_dq.corruption.clean_column import CleanColumn, Mask
from airflow_dq.corruption.injection import Injected
from airflow_dq.corruption.procedure import linear
from airflow_dq.explain.cause.hypothesis import Undo

_ROUNDING = 1e-9
"""Relative; multiplied and divided again, a number is off by about 1e-16."""


def rescaled(factor: float, offset: float = 0.0) -> Undo:
    """Undo ``factor * number + offset``; what was a whole number is one again."""

    def undo(clean: CleanColumn) -> Injected:
        """Every number as it was."""
        injected = linear(clean, 1.0 / factor, -offset / factor)
        whole = pc.round(injected.values)
        near = pc.less_equal(pc.abs(pc.subtract(injected.values, whole)), pc.multiply(pc.abs(whole), _ROUNDING))
        return replace(injected, values=pc.if_else(near, whole, injected.values))

    return undo


def respelled(original: Callable[[str], str]) -> Undo:
    """Undo a change of spelling.

    :param original: what a value was before, as far as it can be told; else the value itself
    """

    def undo(clean: CleanColumn) -> Injected:
        """Every text as it was."""
        texts = [None if text is None else original(text) for text in clean.texts]
        return Injected(clean, clean.respelled(texts))

    return undo


def present_again(share: float) -> Undo:
    """Undo missing values (null, NaN or empty) in a share of the rows."""
    return partial(_drawn_again, share=share, lost=_missing)


def other_than_zero(share: float) -> Undo:
    """Undo zeros in a share of the rows."""
    return partial(_drawn_again, share=share, lost=_zero)


def other_than(value: str | float, share: float) -> Undo:
    """Undo one value in a share of the rows."""

    def is_it(values: pa.Array) -> Mask:
        """Which rows have the value."""
        same = pc.fill_null(pc.equal(values, pa.scalar(value, values.type)), False)
        return np.asarray(same.to_numpy(zero_copy_only=False), dtype=bool)

    return partial(_drawn_again, share=share, lost=is_it)


def _missing(values: pa.Array) -> Mask:
    mask = values.is_null(nan_is_null=pa.types.is_floating(values.type))
    if pa.types.is_large_string(values.type):
        mask = pc.or_(mask, pc.fill_null(pc.equal(values, ""), False))
    return np.asarray(mask.to_numpy(zero_copy_only=False), dtype=bool)


def _zero(values: pa.Array) -> Mask:
    return np.asarray(pc.fill_null(pc.equal(values, 0.0), False).to_numpy(zero_copy_only=False), dtype=bool)


def _drawn_again(clean: CleanColumn, share: float, lost: Callable[[pa.Array], Mask]) -> Injected:
    """Some of the values that were lost become such as were not; nothing, where no other is left."""
    mask = lost(clean.values)
    others = np.flatnonzero(~mask & ~_missing(clean.values))
    hit = np.flatnonzero(mask)[: round(share * clean.rows)]
    source = np.arange(clean.rows)
    if len(others):
        # Evenly over all others, whatever order they stand in.
        source[hit] = others[np.linspace(0, len(others) - 1, len(hit)).round().astype(np.int64)]
    return Injected(clean, clean.values.take(pa.array(source)))
