"""Compressed bytes that somebody else may have made: a few of them must not become all of the memory."""

from __future__ import annotations

import zlib

LARGEST = 64 * 2**20
"""Bytes that anything stored may unpack to.  The largest seen, an exact count of 20,000 long texts, has 2 MB; a
document of 5,000 columns 25."""


def inflate(data: bytes, words: bytes = b"") -> bytes:
    """What ``zlib`` compressed.

    :param words: what the compression was given as known
    :raises ValueError: when it is cut short, has a tail, or unpacks to more than :data:`LARGEST`
    :raises zlib.error: when it is damaged
    """
    stream = zlib.decompressobj(zdict=words) if words else zlib.decompressobj()
    found = stream.decompress(data, LARGEST)
    if stream.unconsumed_tail:
        raise ValueError(f"it unpacks to more than {LARGEST:,} bytes")
    if not stream.eof:
        raise ValueError("its end is missing")
    if stream.unused_data:
        raise ValueError("it has a tail")
    return found
