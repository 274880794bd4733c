"""A hypothesis is a function that says how well one type of error explains what happened to a column."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cache
from importlib import import_module

from airflow_dq.corruption.clean_column import CleanColumn
from airflow_dq.corruption.injection import Injected
from airflow_dq.explain.comparison import Comparison
from airflow_dq.states.base import Kind

CONVINCING = 0.5
"""A cause that leaves more than half of what was found is not what happened."""
LEFT = 0.7
"""A cause that leaves more than this share of a distance as it was explains another thing."""
Undo = Callable[[CleanColumn], Injected]
"""From a column as it arrived to what it would have been without the error."""


@dataclass(frozen=True, slots=True)
class Proof:
    """How much of what was found of a column is gone with the error undone."""

    vanished: int
    """Findings that are gone."""
    findings: int
    """All that there were."""

    @property
    def convinces(self) -> bool:
        """Whether the cause may be named."""
        return self.vanished >= max(1.0, CONVINCING * self.findings)

    @property
    def words(self) -> str:
        """``undone, its metrics are as usual``, ``undone, 5 of 7 metrics are as usual``."""
        if self.vanished == self.findings:
            return "undone, its metrics are as usual"
        return f"undone, {self.vanished} of {self.findings} metrics are as usual"


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
    plain: str | None = None
    """The words without their claim that the values are distributed as before; None where they claim no such thing."""
    undo: Undo | None = None
    """What makes the error undone, so that the cause can be proven; None where nothing can."""
    fact: str | None = None
    """What is so with the column, to be read after its name: ``is 60 times too large``; None: the words will do."""
    detail: str | None = None
    """What shows it, for a bracket: ``median 139 -> 9,360``."""
    rows: int | None = None
    """Rows concerned; None where they are not known."""
    hit: int | None = None
    """Rows that it has happened in, also without a trace: those among them that had been null. None: as it did not
    happen in some rows by themselves, or nobody knows."""
    of_rows: bool = False
    """Whether the fact speaks of whole rows, and needs no column's name before it."""
    column: str | None = None
    """The column that tells it, of a cause of the number of rows."""
    proof: Proof | None = None
    """What became of the column when it was undone."""
    segment: str | None = None
    """The segment that the rows concerned are: ``country = 'DE'``; None where no segment is by itself odd."""
    share: float = 0.0
    """Of all rows, those of the segment."""


class Disturbance(IntEnum):
    """What was found of a column's values."""

    NONE = 0
    """Nothing."""
    VALUES = 1
    """Other single values than before, as there are where fewer of many came."""
    SHAPE = 2
    """Another distribution, which no number of rows explains."""


def undenied(cause: Cause, disturbance: Disturbance) -> Cause | None:
    """The cause without a claim that what was found denies; None when nothing of it is left."""
    if cause.plain is None or disturbance is Disturbance.NONE:
        return cause
    return None if disturbance is Disturbance.SHAPE else replace(cause, words=cause.plain)


Examine = Callable[[Comparison], "Cause | None"]


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One registered function, and how far its scores are trusted."""

    kinds: frozenset[Kind]
    """The kinds of column that it is about."""
    trust: float
    """Factor on its scores, above 0 to 1."""
    examine: Examine
    """Its cause of what happened; None where it explains nothing."""


_registered: list[Hypothesis] = []


def hypothesis(*kinds: Kind, trust: float = 1.0) -> Callable[[Examine], Examine]:
    """Register a hypothesis about columns of these kinds; it returns None where it explains nothing.

    :param trust: factor on its scores: the more cases a hypothesis can be made to fit, the less a good fit proves
    """

    def register(examine: Examine) -> Examine:
        """Keep the function, and hand it back as it is."""
        _registered.append(Hypothesis(frozenset(kinds), trust, examine))
        return examine

    return register


@cache
def hypotheses_for(kind: Kind) -> tuple[Hypothesis, ...]:
    """The hypotheses about columns of a kind, the most trusted ones first; modules of this package are found."""
    # On the first look-up, not on import: the modules register themselves here, so this one must be complete by then.
    package = import_module(__package__ or "")
    for module in pkgutil.iter_modules(package.__path__):
        import_module(f"{package.__name__}.{module.name}")
    able = [entry for entry in _registered if kind in entry.kinds]
    return tuple(sorted(able, key=lambda entry: (-entry.trust, entry.examine.__module__)))


def fit(rest: float, noise: float, effect: float) -> float:
    """Score of a cause that leaves ``rest`` of a distance ``effect``: 1 when only noise is left, 0 when all is."""
    if rest > LEFT * effect:
        # Whatever is usual: of what happened it explains next to nothing.
        return 0.0
    return min(1.0, max(0.0, 1.0 - max(0.0, rest - noise) / max(effect - noise, 1e-9)))


def percent(share: float) -> str:
    """A share for a sentence: ``37%``, ``0.4%``, ``all``."""
    if share >= 0.995:
        return "all"
    return f"{100 * share:.0f}%" if share >= 0.1 else f"{100 * share:.2g}%"
