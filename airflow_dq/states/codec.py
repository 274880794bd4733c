"""The binary layout of stored states: ``zlib(key, 0, sections)``, where a section is bytes or a packed array."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np
from numpy.typing import NDArray

from airflow_dq.exceptions import CodecError

_LENGTH = struct.Struct("<Q")
_INTEGERS = {name: (np.iinfo(name).min, np.iinfo(name).max) for name in ("i1", "i2", "i4", "i8")}
_LEVEL = 3
_compresses = ContextVar("compresses", default=True)


def pack(key: str, *sections: bytes) -> bytes:
    """Bytes that :func:`unpack` splits again; the key is part of them, damage is detected by zlib's checksum."""
    body = b"".join(_LENGTH.pack(len(section)) + section for section in sections)
    return zlib.compress(key.encode() + b"\0" + body, level(_LEVEL))


def unpack(key: str, data: bytes, sections: int) -> list[bytes]:
    """The sections given to :func:`pack`; call it inside :func:`reading`, which turns errors into CodecError."""
    stream = zlib.decompressobj()
    body = stream.decompress(data)
    if not stream.eof or stream.unused_data:
        raise ValueError("the data is cut short or has a tail")
    prefix = key.encode() + b"\0"
    if not body.startswith(prefix):
        raise ValueError(f"it was written by {body[:40].partition(bytes(1))[0].decode(errors='replace')!r}")
    found: list[bytes] = []
    position = len(prefix)
    while position < len(body):
        (length,) = _LENGTH.unpack_from(body, position)
        position += _LENGTH.size + length
        found.append(body[position - length : position])
    if len(found) != sections or position != len(body):
        raise ValueError(f"it has {len(found)} sections, not {sections}")
    return found


@contextmanager
def uncompressed() -> Iterator[None]:
    """Within, states take no time to compress: for whoever compresses many of them together, or keeps none.

    What they are encoded to is read like all that they are encoded to.
    """
    token = _compresses.set(False)
    try:
        yield
    finally:
        _compresses.reset(token)


def level(usual: int) -> int:
    """How hard zlib is to try: as usual, or not at all within :func:`uncompressed`."""
    return usual if _compresses.get() else 0


@contextmanager
def reading(key: str) -> Iterator[None]:
    """Turn whatever damaged bytes raise into one clear error.

    :raises CodecError: naming the state that could not be read.
    """
    try:
        yield
    except (ValueError, ArithmeticError, IndexError, KeyError, TypeError, struct.error, zlib.error) as error:
        raise CodecError(
            f"Stored bytes are not a readable {key!r} state: {error}. Profile the partition again."
        ) from error


def pack_integers(values: NDArray[np.int64]) -> bytes:
    """Integers in the narrowest type that holds them all."""
    low, high = (int(values.min()), int(values.max())) if len(values) else (0, 0)
    name = next(name for name, (least, most) in _INTEGERS.items() if least <= low and high <= most)
    return name.encode() + _shuffle(values.astype(f"<{name}"))


def unpack_integers(data: bytes) -> NDArray[np.int64]:
    """The array given to :func:`pack_integers`."""
    name = data[:2].decode()
    if name not in _INTEGERS:
        raise ValueError(f"{name!r} is no integer type")
    return _unshuffle(data[2:], f"<{name}").astype(np.int64)


def pack_floats(values: NDArray[np.float64]) -> bytes:
    """Float64 values."""
    return _shuffle(values.astype("<f8"))


def unpack_floats(data: bytes) -> NDArray[np.float64]:
    """The array given to :func:`pack_floats`."""
    return _unshuffle(data, "<f8").astype(np.float64)


def _shuffle(values: NDArray[np.generic]) -> bytes:
    # Bytes of equal significance next to each other: zlib then sees the repetition of the high bytes.
    return np.ascontiguousarray(values).view(np.uint8).reshape(-1, values.itemsize).T.tobytes()


def _unshuffle(data: bytes, dtype: str) -> NDArray[np.generic]:
    width = np.dtype(dtype).itemsize
    columns = np.frombuffer(data, np.uint8).reshape(width, -1)
    return np.ascontiguousarray(columns.T).reshape(-1).view(dtype)
