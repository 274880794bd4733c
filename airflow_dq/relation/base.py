"""What a relation between columns is: frozen data that says itself in words, and in strict JSON.

A kind is a frozen dataclass below :class:`Relation`, named by its ``kind``; its fields are texts, numbers and tuples of
texts.  One that a row breaks or keeps by itself is a :class:`RowRelation`.  The JSON is read where executors count
rows, which have numpy and pyarrow only.
"""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, ClassVar, get_type_hints

import numpy as np
from numpy.typing import NDArray

from airflow_dq.exceptions import CodecError
from airflow_dq.states.prepared import PreparedColumn

Flags = NDArray[np.bool_]
Columns = Mapping[str, PreparedColumn]
"""The canonical values of columns, by name, all of the same rows."""


@dataclass(frozen=True, slots=True)
class Tested:
    """What some rows say to a relation."""

    speaks: Flags
    """Rows that could have broken it: those with a value wherever it needs one."""
    breaks: Flags
    """Of these, the ones that do."""

    @classmethod
    def where(cls, speaks: Flags, keeps: Flags) -> Tested:
        """By the rows that keep it; whatever stands there for those it does not speak of is nothing."""
        return cls(speaks, speaks & ~keeps)

    @property
    def rows(self) -> int:
        """Number of rows that could have broken it."""
        return int(np.count_nonzero(self.speaks))

    @property
    def broken(self) -> int:
        """Number of rows that do."""
        return int(np.count_nonzero(self.breaks))


@dataclass(frozen=True, slots=True)
class Relation(ABC):
    """Something that holds between columns; ``str`` says it in words."""

    kind: ClassVar[str]
    """Name of the kind in the JSON form; never used for another one."""
    _kinds: ClassVar[dict[str, type[Relation]]] = {}

    def __init_subclass__(cls) -> None:
        # A dataclass with slots is made twice; the second one is the class that counts.
        if "kind" in cls.__dict__:
            Relation._kinds[cls.kind] = cls

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The columns that it reads, each once, in the order of the words."""

    @abstractmethod
    def __str__(self) -> str:
        """In words: ``total = price + fee``."""

    def to_json(self) -> str:
        """One line of strict JSON, the same for equal relations."""
        given = {"kind": self.kind, **{one.name: getattr(self, one.name) for one in fields(self)}}
        return json.dumps(given, ensure_ascii=False, allow_nan=False, separators=(",", ":"))

    @staticmethod
    def from_json(text: str) -> Relation:
        """The relation that :meth:`to_json` wrote.

        :raises CodecError: naming what is missing, unknown or of a wrong type
        """
        try:
            given = json.loads(text)
        except ValueError as error:
            raise CodecError(f"The stored relation is not JSON: {error}.") from error
        word = given.pop("kind", None) if isinstance(given, dict) else None
        kind = Relation._kinds.get(word) if isinstance(word, str) else None
        if kind is None:
            raise CodecError(f"The stored relation is of the kind {word!r}; known are {', '.join(Relation._kinds)}.")
        return kind._of(given)

    @classmethod
    def _of(cls, given: dict[str, Any]) -> Relation:
        hints = _hints(cls)
        names = [one.name for one in fields(cls)]
        if wrong := set(names).symmetric_difference(given):
            raise CodecError(f"The stored relation {cls.kind!r} lacks, or does not know: {', '.join(sorted(wrong))}.")
        return cls(**{name: _checked(name, given[name], hints[name]) for name in names})


class RowRelation(Relation, ABC):
    """A relation that each row keeps or breaks by itself."""

    __slots__ = ()

    @abstractmethod
    def test(self, rows: Columns) -> Tested:
        """Which rows it speaks of, and which break it.

        :param rows: the relation's columns at least; of one whose values it cannot read it speaks of no row
        """


@cache
def _hints(kind: type[Relation]) -> dict[str, Any]:
    """The types of a relation's fields: to find them takes longer than all else that reading it does."""
    return get_type_hints(kind)


def _checked(name: str, value: Any, kind: Any) -> Any:
    """A field's value of its type, lists as tuples, whole numbers as floats where these belong."""
    if kind == tuple[str, ...]:
        if isinstance(value, list) and all(isinstance(one, str) for one in value):
            return tuple(value)
    elif kind is float:
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            return float(value)
    elif type(value) is kind:
        return value
    raise CodecError(f"The stored relation's {name!r} is {value!r}: of the wrong type.")
