"""A column's injected variants as one blob: a JSON head, then the encoded states, each distinct one once.

Most variants leave some states as they were (a change of casing leaves the counts), and the others are much like those
of another variant: they are compressed together, which takes half of the bytes and a sixth of the time that each alone
would take.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any, overload

import pyarrow as pa

from airflow_dq.exceptions import CodecError
from airflow_dq.metrics.encoding import decode_metrics, encode_metrics, strict_json
from airflow_dq.profile.model import Variant
from airflow_dq.states.base import State, decode_state
from airflow_dq.states.inflate import inflate
from airflow_dq.states.layout import unzstd

_VERSION = 2
"""Of the layout; a blob with another one is refused."""
_PREFIX = struct.Struct("<HI")  # version, length of the compressed head


class PackedVariants(Sequence[Variant]):
    """The variants of one column as their blob, decoded when someone looks at them.

    Tasks send them in this form to the driver, which only stores them.
    """

    def __init__(self, blob: bytes) -> None:
        """Take what :func:`encode_variants` wrote."""
        self.blob = blob

    @cached_property
    def variants(self) -> tuple[Variant, ...]:
        """The variants themselves.

        :raises CodecError: when the blob is of another version, or damaged.
        """
        return decode_variants(self.blob)

    def __len__(self) -> int:
        """How many there are, for which no state is decoded."""
        with _reading():
            return len(_head(self.blob)["variants"])

    @overload
    def __getitem__(self, index: int) -> Variant: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Variant]: ...
    def __getitem__(self, index: int | slice) -> Variant | Sequence[Variant]:
        """One or some of them."""
        return self.variants[index]


def encode_variants(variants: Sequence[Variant]) -> bytes:
    """The blob of one column's variants."""
    if isinstance(variants, PackedVariants):
        return variants.blob
    places: dict[bytes, tuple[int, int]] = {}
    # By identity first: most variants share a state with others, which then is encoded once.
    encoded: dict[int, bytes] = {}
    end = 0
    heads = []
    for variant in variants:
        states = {}
        for name, state in variant.states.items():
            if id(state) not in encoded:
                encoded[id(state)] = state.encode()
            data = encoded[id(state)]
            if data not in places:
                places[data] = (end, len(data))
                end += len(data)
            states[name] = places[data]
        heads.append([variant.type, variant.parameter, encode_metrics(variant.metrics), states])
    head = zlib.compress(strict_json({"bytes": end, "variants": heads}).encode())
    body = pa.Codec("zstd", 3).compress(b"".join(places), asbytes=True)
    return b"".join([_PREFIX.pack(_VERSION, len(head)), head, body])


def decode_variants(blob: bytes) -> tuple[Variant, ...]:
    """The variants that :func:`encode_variants` was given.

    :raises CodecError: when the blob is of another version, or damaged.
    """
    with _reading():
        head = _head(blob)
        body = _body(blob, head["bytes"])
        decoded: dict[tuple[str, int, int], State] = {}

        def state(name: str, start: int, size: int) -> State:
            place = (name, start, size)
            if place not in decoded:
                decoded[place] = decode_state(name, body[start : start + size])
            return decoded[place]

        return tuple(
            Variant(
                type=kind,
                parameter=parameter,
                metrics=decode_metrics(metrics),
                states={name: state(name, *place) for name, place in states.items()},
            )
            for kind, parameter, metrics, states in head["variants"]
        )


def _head(blob: bytes) -> dict[str, Any]:
    """Type, parameter, metrics and places of states of each variant, and the bytes of all states."""
    version, length = _PREFIX.unpack_from(blob)
    if version != _VERSION:
        raise CodecError(f"Injected variants are stored in version {version}; this version reads {_VERSION}.")
    return json.loads(inflate(blob[_PREFIX.size : _PREFIX.size + length]))  # type: ignore[no-any-return]


def _body(blob: bytes, size: int) -> bytes:
    """The encoded states, one after the other."""
    _, length = _PREFIX.unpack_from(blob)
    return unzstd(blob[_PREFIX.size + length :], size)


@contextmanager
def _reading() -> Iterator[None]:
    try:
        yield
    except (struct.error, zlib.error, OSError, ValueError, TypeError, LookupError, AttributeError) as error:
        raise CodecError(f"The stored injected variants are damaged: {error}.") from error
