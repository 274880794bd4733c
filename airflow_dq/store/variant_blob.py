"""A column's injected variants as one blob: a JSON head, then the encoded states, each distinct one once.

Most variants leave some states as they were (a change of casing leaves the counts), so sharing them is most of
the compression; the states are compressed by their own codecs already.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Sequence

from airflow_dq.exceptions import CodecError
from airflow_dq.profile.model import Variant
from airflow_dq.states.base import State, decode_state
from airflow_dq.store.value import decode_metrics, encode_metrics, to_json

_VERSION = 1
_PREFIX = struct.Struct("<HI")  # version, length of the compressed head


def encode_variants(variants: Sequence[Variant]) -> bytes:
    """The blob of one column's variants."""
    places: dict[bytes, tuple[int, int]] = {}
    end = 0
    heads = []
    for variant in variants:
        states = {}
        for name, state in variant.states.items():
            data = state.encode()
            if data not in places:
                places[data] = (end, len(data))
                end += len(data)
            states[name] = places[data]
        heads.append([variant.type, variant.parameter, encode_metrics(variant.metrics), states])
    head = zlib.compress(to_json(heads).encode())
    return b"".join([_PREFIX.pack(_VERSION, len(head)), head, *places])


def decode_variants(blob: bytes) -> tuple[Variant, ...]:
    """The variants that :func:`encode_variants` was given.

    :raises CodecError: when the blob is of another version, or damaged.
    """
    try:
        version, length = _PREFIX.unpack_from(blob)
        if version != _VERSION:
            raise CodecError(f"Injected variants are stored in version {version}; this version reads {_VERSION}.")
        body = _PREFIX.size + length
        heads = json.loads(zlib.decompress(blob[_PREFIX.size : body]))
        decoded: dict[tuple[str, int, int], State] = {}

        def state(name: str, start: int, size: int) -> State:
            place = (name, start, size)
            if place not in decoded:
                decoded[place] = decode_state(name, blob[body + start : body + start + size])
            return decoded[place]

        return tuple(
            Variant(
                type=kind,
                parameter=parameter,
                metrics=decode_metrics(metrics),
                states={name: state(name, *place) for name, place in states.items()},
            )
            for kind, parameter, metrics, states in heads
        )
    except (struct.error, zlib.error, ValueError, TypeError) as error:
        raise CodecError(f"The stored injected variants are damaged: {error}.") from error
