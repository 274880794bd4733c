"""A hypothesis is a function that says how well one type of error explains what happened to a column."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from airflow_dq.explain.comparison import Comparison
from airflow_dq.states.base import Kind


@dataclass(frozen=True, slots=True)
class Cause:
    """One error that may have happened."""

    type: str
    """As injected variants are named: ``unit_change``, ``increased_nulls``, ..."""
    parameter: str
    """What makes two causes of this type the same accident: ``x60``, ``null 37%``; empty when the type says it all."""
    words: str
    """What it looks like, for a person: ``change of unit, x60``."""
    score: float
    """Share of what happened that it explains, 0 to 1."""


Procedure = Callable[[Comparison], "Cause | None"]
_hypotheses: list[tuple[frozenset[Kind], float, Procedure]] = []


def hypothesis(*kinds: Kind, trust: float = 1.0) -> Callable[[Procedure], Procedure]:
    """Register a hypothesis about columns of these kinds; it returns None where it explains nothing.

    :param trust: factor on its scores: the more cases a hypothesis can be made to fit, the less a good fit proves
    """

    def register(procedure: Procedure) -> Procedure:
        """Keep the function, and hand it back as it is."""
        _hypotheses.append((frozenset(kinds), trust, procedure))
        return procedure

    return register


def considered(comparison: Comparison) -> Iterator[tuple[float, Procedure]]:
    """The hypotheses about the column's kind, each with its trust, the most trusted ones first."""
    from airflow_dq.explain.cause import letter, number, presence, source, subset, text  # noqa: F401

    able = ((trust, procedure) for kinds, trust, procedure in _hypotheses if comparison.kind in kinds)
    return iter(sorted(able, key=lambda entry: -entry[0]))


def fit(rest: float, noise: float, effect: float) -> float:
    """Score of a cause that leaves ``rest`` of a distance ``effect``: 1 when only noise is left, 0 when all is."""
    return min(1.0, max(0.0, 1.0 - max(0.0, rest - noise) / max(effect - noise, 1e-9)))


def percent(share: float) -> str:
    """A share for a sentence: ``37%``, ``0.4%``, ``all``."""
    if share >= 0.995:
        return "all"
    return f"{100 * share:.0f}%" if share >= 0.1 else f"{100 * share:.2g}%"
