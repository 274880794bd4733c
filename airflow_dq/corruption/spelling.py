"""Values as text and back, for the errors that happen to characters."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from airflow_dq.corruption.registry import Clean, Texts
from airflow_dq.states.base import Kind
from airflow_dq.states.memo import remember_last

Points = npt.NDArray[np.uint32]
_EXACT_INTEGER = 2.0**53


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


def from_texts(clean: Clean, texts: Texts) -> pa.Array:
    """The column with new texts; a number whose text did not change stays as it was, NaN and infinities too."""
    if clean.kind is Kind.STRING:
        return pa.array(texts, pa.large_string())
    old = _numbers(clean.values)
    parsed = [
        number if text == before else _parse(text) for number, text, before in zip(old, texts, clean.texts, strict=True)
    ]
    return pa.array(parsed, pa.float64())


@remember_last
def join_points(texts: Texts) -> tuple[Points, list[int | None]]:
    """All texts' code points in one array, which is read-only, and the length of each text (None: no text)."""
    joined = "".join(text for text in texts if text is not None)
    points = np.frombuffer(joined.encode("utf-32-le"), dtype="<u4")
    return points, [None if text is None else len(text) for text in texts]


def split_points(points: Points, lengths: list[int | None]) -> Texts:
    """The texts that :func:`join_points` joined."""
    joined, texts, start = points.tobytes().decode("utf-32-le"), list[str | None](), 0
    for length in lengths:
        texts.append(None if length is None else joined[start : start + length])
        start += length or 0
    return texts


@remember_last
def _numbers(values: pa.Array) -> list[float | None]:
    return values.to_pylist()  # type: ignore[no-any-return]


def _whole(number: float) -> str:
    return str(int(number))


def _parse(text: str | None) -> float | None:
    """The number a reader would get from a damaged text: null when it is none, or none that fits a float."""
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if abs(number) < float("inf") else None
