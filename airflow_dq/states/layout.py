"""The binary layout of states: ``S``, a checksum, and ``key, 0, sections``, a section being bytes or a packed array.

To be stored they are compressed; whoever compresses many of them together takes them as they are.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from airflow_dq.exceptions import CodecError
from airflow_dq.states.inflate import LARGEST

_PLAIN, _COMPRESSED = b"S", b"Z"
"""First bytes: of a packed state, and of a compressed one."""
_CHECKSUM = struct.Struct("<I")
_LENGTH = struct.Struct("<Q")
_INTEGERS = {name: (np.iinfo(name).min, np.iinfo(name).max) for name in ("i1", "i2", "i4", "i8")}
_LEVEL = 3
"""Compression level of zstd: its own default."""


def pack(key: str, *sections: bytes) -> bytes:
    """Bytes that :func:`unpack` splits again; the key is part of them, and a checksum that tells damage."""
    parts = [key.encode(), b"\0"]
    for section in sections:
        parts += [_LENGTH.pack(len(section)), section]
    body = b"".join(parts)
    return b"".join([_PLAIN, _CHECKSUM.pack(zlib.crc32(body)), body])


def unpack(key: str, data: bytes, sections: int) -> list[bytes]:
    """The sections given to :func:`pack`; call it inside :func:`reading`, which turns errors into CodecError.

    :param data: packed, compressed or not
    """
    body = _body(data)
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


def _body(data: bytes) -> bytes:
    """The key and the sections, checked."""
    if data.startswith(_COMPRESSED):
        data = decompress(data)
    if not data.startswith(_PLAIN):
        raise ValueError("it does not begin like a state")
    start = 1 + _CHECKSUM.size
    body = data[start:]
    if _CHECKSUM.unpack_from(data, 1) != (zlib.crc32(body),):
        raise ValueError("its checksum is another one")
    return body


def compress(data: bytes, level: int = _LEVEL) -> bytes:
    """Fewer bytes, which :func:`decompress` restores; of a packed state :func:`unpack` reads both."""
    return b"".join([_COMPRESSED, _LENGTH.pack(len(data)), pa.Codec("zstd", level).compress(data, asbytes=True)])


def decompress(data: bytes, largest: int = LARGEST) -> bytes:
    """The bytes given to :func:`compress`.

    :param largest: how many there may be
    :raises ValueError: when these are not of it, or there would be more
    :raises struct.error: when they are cut short
    :raises OSError: when they are damaged
    """
    (size,) = _LENGTH.unpack_from(data, 1)
    if not data.startswith(_COMPRESSED):
        raise ValueError("it does not begin like compressed bytes")
    return unzstd(data[1 + _LENGTH.size :], size, largest)


def unzstd(data: bytes, size: int, largest: int = LARGEST) -> bytes:
    """What ``zstd`` compressed.

    :param size: its length, as it is told beside it: as much memory is taken before a byte is read
    :raises ValueError: when that is more than the largest
    :raises OSError: when the bytes are damaged, or unpack to another number
    """
    if not 0 <= size <= largest:
        raise ValueError(f"it would unpack to {size:,} bytes, and {largest:,} are the most")
    found: bytes = pa.Codec("zstd").decompress(data, size, asbytes=True)
    return found


@contextmanager
def reading(key: str) -> Iterator[None]:
    """Turn whatever damaged bytes raise into one clear error.

    :raises CodecError: naming the state that could not be read.
    """
    try:
        yield
    except (ValueError, ArithmeticError, IndexError, KeyError, TypeError, OSError, struct.error, zlib.error) as error:
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
    if values.itemsize == 1:
        return values.tobytes()
    # Bytes of equal significance next to each other: compression then sees the repetition of the high bytes.
    return np.ascontiguousarray(values).view(np.uint8).reshape(-1, values.itemsize).T.tobytes()


def _unshuffle(data: bytes, dtype: str) -> NDArray[np.generic]:
    width = np.dtype(dtype).itemsize
    columns = np.frombuffer(data, np.uint8).reshape(width, -1)
    return np.ascontiguousarray(columns.T).reshape(-1).view(dtype)
