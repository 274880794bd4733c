"""What may have happened to a column: each hypothesis is one small function, the best one is named if it stands out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from airflow_dq.explain.cause.hypothesis import Cause, Disturbance, hypotheses_for, undenied
from airflow_dq.explain.comparison import Comparison

CONVINCING = 0.7
"""Least share of what happened that a cause must explain to be named."""
AHEAD = 0.04
"""How much more it must explain than the next best one of another type."""

_STUCK = "stuck"
"""The type of a column that has one value."""
_REWRITTEN, _CUT = "rewritten", "truncation"
"""The types of texts that are written by another rule, and of those that are cut to a length."""


def likely_cause(comparison: Comparison, disturbance: Disturbance = Disturbance.NONE) -> Cause | None:
    """The error that explains clearly best what happened to the column; None when none does.

    :param disturbance: what was found of the values, which no cause may deny
    """
    found = contenders(comparison, disturbance)
    return found[0] if len(found) == 1 else None


def contenders(comparison: Comparison, disturbance: Disturbance = Disturbance.NONE) -> tuple[Cause, ...]:
    """The errors that explain best what happened to the column, one of each type: several where none stands out.

    :param disturbance: what was found of the values, which no cause may deny
    """
    possible = (undenied(cause, disturbance) for cause in _explanations(comparison))
    found = sorted((cause for cause in possible if cause is not None), key=lambda cause: -cause.score)
    if not found or found[0].score < CONVINCING:
        return ()
    best: dict[str, Cause] = {}
    for cause in found:
        if cause is found[0] or found[0].score - cause.score < AHEAD:
            best.setdefault(cause.type, cause)
    if _STUCK in best:
        # Of one value all else is so as well: its length, its case, its place in the order.
        return (best[_STUCK],)
    if _REWRITTEN in best:
        # What a rule makes of the texts of before is as long as it makes it.
        best.pop(_CUT, None)
    return tuple(best.values())


def _explanations(comparison: Comparison) -> Iterator[Cause]:
    """What the hypotheses say, as long as one can still come near the best so far."""
    best = 0.0
    for hypothesis in hypotheses_for(comparison.kind):
        if hypothesis.trust <= best - AHEAD:
            return
        cause = hypothesis.examine(comparison)
        if cause is not None:
            score = hypothesis.trust * cause.score
            yield replace(cause, score=score)
            best = max(best, score)


__all__ = ["Cause", "Disturbance", "contenders", "likely_cause"]
