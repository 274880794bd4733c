"""States that are nothing but named integer counters: merged by adding, stored as their numbers."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Self, cast

import numpy as np

from airflow_dq.states.base import State
from airflow_dq.states.layout import pack, pack_integers, reading, unpack, unpack_integers


class CounterState(State):
    """Base of a frozen dataclass whose fields are all non-negative counters starting at zero."""

    __slots__ = ()

    def _counters(self) -> tuple[int, ...]:
        # Not ``astuple``, which makes a deep copy of each number.
        return tuple(getattr(self, one.name) for one in fields(cast(Any, self)))

    def merge(self, other: Self) -> Self:
        """The state of the concatenation of both inputs."""
        return type(self)(*(a + b for a, b in zip(self._counters(), other._counters(), strict=True)))

    def encode(self) -> bytes:
        """Bytes from which :meth:`decode` restores an equal state."""
        return pack(self.key, pack_integers(np.array(self._counters(), np.int64)))

    @classmethod
    def decode(cls, data: bytes) -> Self:
        """The state that :meth:`encode` wrote.

        :raises CodecError: when the bytes are not of this state and version.
        """
        with reading(cls.key):
            counters = unpack_integers(unpack(cls.key, data, 1)[0]).tolist()
            if len(counters) != len(fields(cast(Any, cls))) or min(counters) < 0:
                raise ValueError("its counters are not the expected ones")
            return cls(*counters)
