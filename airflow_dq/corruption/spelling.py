"""Values as text and back, for the errors that happen to characters."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from airflow_dq.states.base import Kind

Texts = list[str | None]
_EXACT_INTEGER = 2.0**53
"""Up to here every whole number is a float of its own."""


@dataclass(frozen=True, slots=True, eq=False)
class CodePoints:
    """The characters of several texts, one after the other."""

    points: npt.NDArray[np.uint32]
    """Read-only."""
    lengths: list[int | None]
    """Characters of each text; None where there is no text."""


def to_texts(kind: Kind, values: pa.Array) -> Texts:
    """Text of every value of a string or numeric column; no text for other kinds.

    Numbers are written in decimal, without a fraction when no value of the column has one.
    """
    if kind is Kind.STRING:
        return values.to_pylist()  # type: ignore[no-any-return]
    if kind is not Kind.NUMERIC:
        return []
    numbers = values.to_numpy(zero_copy_only=False)
    finite = numbers[np.isfinite(numbers)]
    whole = bool(np.all((finite == np.floor(finite)) & (np.abs(finite) <= _EXACT_INTEGER)))
    write = _whole if whole else repr
    return [
        write(number) if usable else None for number, usable in zip(numbers.tolist(), np.isfinite(numbers), strict=True)
    ]


def parsed(texts: Texts, before: Texts, numbers: list[float | None]) -> pa.Array:
    """The numbers that a reader gets from texts; one whose text is as it was before stays as it was."""
    found = [number if text == old else _parse(text) for number, text, old in zip(numbers, texts, before, strict=True)]
    return pa.array(found, pa.float64())


def join_points(texts: Texts) -> CodePoints:
    """All texts' code points in one array."""
    joined = "".join(text for text in texts if text is not None)
    points = np.frombuffer(joined.encode("utf-32-le"), dtype="<u4")
    return CodePoints(points, [None if text is None else len(text) for text in texts])


def split_points(points: npt.NDArray[np.uint32], lengths: list[int | None]) -> Texts:
    """The texts that :func:`join_points` joined."""
    joined = points.tobytes().decode("utf-32-le")
    ends = accumulate(length or 0 for length in lengths)
    return [None if length is None else joined[end - length : end] for length, end in zip(lengths, ends, strict=True)]


def _whole(number: float) -> str:
    return str(int(number))


def _parse(text: str | None) -> float | None:
    """The number a reader would get from a damaged text: null when it is none, or none that fits a float."""
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if abs(number) < float("inf") else None
