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


def likely_cause(comparison: Comparison, disturbance: Disturbance = Disturbance.NONE) -> Cause | None:
    """The error that explains clearly best what happened to the column; None when none does.

    :param disturbance: what was found of the values, which no cause may deny
    """
    possible = (undenied(cause, disturbance) for cause in _explanations(comparison))
    found = sorted((cause for cause in possible if cause is not None), key=lambda cause: -cause.score)
    if not found or found[0].score < CONVINCING:
        return None
    others = [cause.score for cause in found[1:] if cause.type != found[0].type]
    return found[0] if not others or found[0].score - others[0] >= AHEAD else None


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


__all__ = ["Cause", "Disturbance", "likely_cause"]
