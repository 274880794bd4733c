"""The synthetic errors of AVH, Appendix B: one decorated function per kind of error, discovered by registration.

An injection gets the clean values of one column of the row sample and returns what the column would hold if
the error had happened.  It is deterministic: the generator it gets is seeded by the profile's seed, the
column's name and the injection's own label.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from airflow_dq.states.base import Kind
from airflow_dq.states.memo import remember_last

Texts = list[str | None]
Generator = np.random.Generator
Procedure = Callable[["Clean", float, Generator], "Injected | None"]


@dataclass(frozen=True, slots=True)
class Clean:
    """The values to inject into: canonical (:data:`airflow_dq.profile.column.CANONICAL`), one per sampled row."""

    kind: Kind
    values: pa.Array
    neighbour: pa.Array | None
    """The next column of the same kind: where a schema change takes its values from; None when there is none."""
    texts: Texts
    """The values as text; None for a null (and for a number that has no digits)."""

    @property
    def rows(self) -> int:
        """Number of sampled rows."""
        return len(self.values)


@dataclass(frozen=True, slots=True)
class Injected:
    """The column after an error."""

    values: pa.Array
    repeat: int = 1
    """Each value arrives this many times."""
    share: float = 1.0
    """Below 1: the values are this share of the rows, and the others did not arrive."""
    linear: tuple[float, float] | None = None
    """Factor and offset, when that is all that happened to every number."""


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

    def apply(self, clean: Clean, seed: int, column: str) -> Injected | None:
        """The column after the error; None where it cannot happen or would change nothing."""
        injected = self.procedure(clean, self.magnitude, _generator(seed, column, self.label))
        if injected is None or (injected.repeat == 1 and same_values(injected.values, clean.values)):
            return None
        return injected


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


def injections_for(kind: Kind) -> tuple[Injection, ...]:
    """The injections of a kind of column, in the order of Appendix B."""
    return tuple(entry for entry in registered() if kind in entry.kinds)


def registered() -> tuple[Injection, ...]:
    """Every injection of every kind."""
    # The procedures live apart from their registry; importing them registers them.
    from airflow_dq.corruption import procedure  # noqa: F401

    return tuple(_injections)


def same_values(left: pa.Array, right: pa.Array) -> bool:
    """True when both hold the same values in the same rows; NaN is the same as NaN."""
    if not pa.types.is_floating(left.type):
        return bool(left.equals(right))
    return len(left) == len(right) and not changed_rows(left, right).any()


@remember_last
def changed_rows(left: pa.Array, right: pa.Array) -> npt.NDArray[np.bool_]:
    """By row: True where two columns of equal length and type differ."""
    if pa.types.is_floating(left.type):
        a, b = (side.to_numpy(zero_copy_only=False) for side in (left, right))
        differ = (a != b) & ~(np.isnan(a) & np.isnan(b))
    else:
        a, b = (side.to_numpy(zero_copy_only=False) for side in (left, right))
        differ = np.asarray(a != b, dtype=bool)
    if left.null_count or right.null_count:
        missing_left, missing_right = (side.is_null().to_numpy(zero_copy_only=False) for side in (left, right))
        differ = np.where(missing_left | missing_right, missing_left != missing_right, differ)
    return np.asarray(differ, dtype=bool)


def _generator(seed: int, column: str, label: str) -> Generator:
    digest = hashlib.blake2b(f"{seed}\0{label}\0{column}".encode(), digest_size=16).digest()
    return np.random.default_rng(int.from_bytes(digest, "little"))
