"""The synthetic errors of AVH, Appendix B: one decorated function per kind of error.

An injection gets the clean values of one column of the row sample and returns what the column would hold if
the error had happened.  It is deterministic: the generator it gets is seeded by the profile's seed, the
column's name and the injection's own label.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from airflow_dq.corruption.clean_column import CleanColumn, Mask, changed_rows
from airflow_dq.states.base import Kind

Generator = np.random.Generator
Procedure = Callable[[CleanColumn, float, Generator], "Injected | None"]


@dataclass(frozen=True, eq=False)
class Injected:
    """The column after an error."""

    clean: CleanColumn
    """The column before it."""
    values: pa.Array
    repeat: int = 1
    """Each value arrives this many times."""
    share: float = 1.0
    """Below 1: the values are this share of the rows, and the others did not arrive."""
    linear: tuple[float, float] | None = None
    """Factor and offset, when that is all that happened to every number."""

    @cached_property
    def changed(self) -> Mask:
        """By row: whether the value is another one.  Only where all rows arrived once."""
        return changed_rows(self.values, self.clean.values)

    @property
    def changes_nothing(self) -> bool:
        """Whether the column holds what it held before."""
        if self.repeat != 1 or len(self.values) != self.clean.rows:
            return False
        if not pa.types.is_floating(self.values.type):
            return bool(self.values.equals(self.clean.values))
        return not self.changed.any()


@dataclass(frozen=True, slots=True)
class Injection:
    """One procedure with one magnitude, for some kinds of column."""

    type: str
    parameter: str
    magnitude: float
    kinds: frozenset[Kind]
    appendix_b: bool
    """True for the procedures and magnitudes that Appendix B lists; False for our further ones."""
    procedure: Procedure

    @property
    def label(self) -> str:
        """``type parameter``, unique within a kind."""
        return f"{self.type} {self.parameter}"

    def apply(self, clean: CleanColumn, seed: int, column: str) -> Injected | None:
        """The column after the error; None where it cannot happen or would change nothing."""
        injected = self.procedure(clean, self.magnitude, _generator(seed, column, self.label))
        return None if injected is None or injected.changes_nothing else injected


_injections: list[Injection] = []


def injection(
    name: str, kinds: set[Kind], appendix_b: dict[str, float], further: dict[str, float] | None = None
) -> Callable[[Procedure], Procedure]:
    """Register a procedure once per magnitude.

    :param name: the type of error, as a variant and an explanation name it
    :param kinds: the kinds of column in which the error can happen
    :param appendix_b: parameter in words -> magnitude, as Appendix B lists them
    :param further: the same for magnitudes beyond Appendix B
    """

    def register(procedure: Procedure) -> Procedure:
        for listed, parameters in ((True, appendix_b), (False, further or {})):
            for parameter, magnitude in parameters.items():
                _injections.append(Injection(name, parameter, magnitude, frozenset(kinds), listed, procedure))
        return procedure

    return register


def registered() -> tuple[Injection, ...]:
    """Every injection that has been registered so far, in the order of registration.

    The built-in ones are there once :mod:`airflow_dq.corruption.procedure` is imported.
    """
    return tuple(_injections)


def _generator(seed: int, column: str, label: str) -> Generator:
    digest = hashlib.blake2b(f"{seed}\0{label}\0{column}".encode(), digest_size=16).digest()
    return np.random.default_rng(int.from_bytes(digest, "little"))
