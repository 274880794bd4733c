"""Texts that are written otherwise by one rule: another decimal sign, leading zeros lost, ``.0`` behind whole numbers.

A new value was made by a rule when the text that it is taken back to is a value of before, or looks like one, and the
rule makes the new value of that text again; of a rule that loses something, when it makes the value of one of before.
"""

from __future__ import annotations

from collections.abc import Mapping

from airflow_dq.explain.cause.hypothesis import Cause, hypothesis, percent
from airflow_dq.explain.comparison import Comparison
from airflow_dq.explain.rewriting import Rewrite, Rule, rules
from airflow_dq.explain.undo import respelled
from airflow_dq.explain.wording import beside
from airflow_dq.learn.distribution import FREQUENT, ValueShares, shape
from airflow_dq.states.base import Kind

_NEW = 0.02
"""With less than this share of values that are written otherwise there is nothing to be explained."""
_USUAL = 0.5
"""Where more than this share of the values is new every time, it is their shapes that tell new ones."""
_MOST = 2000
"""Most values that are looked at on either side."""
_LONG = 128
"""Longer texts are prose, which no rule of one symbol explains."""


@hypothesis(Kind.STRING, trust=0.98)
def rewritten(comparison: Comparison) -> Cause | None:
    """Texts written otherwise by a rule that is taken back."""
    sides = comparison.values
    if comparison.hidden or sides is None or not sides[1].exact:
        return None
    now, before = (_few(side) for side in sides)
    usual = comparison.usual_novelty
    by_value = None if usual > _USUAL else _made(comparison, now, before, usual, by_shape=False)
    # Among values that are new on any day those that look otherwise still show.
    return by_value or _made(comparison, now, before, 0.0, by_shape=True)


def _made(
    comparison: Comparison, now: Mapping[str, float], before: Mapping[str, float], noise: float, *, by_shape: bool
) -> Cause | None:
    """The rule that has made most of the new values.

    :param noise: the share of them that is usual
    :param by_shape: whether what looks otherwise than those of before is new, and not any other value
    """
    known = _Known(before, by_shape=by_shape)
    new = {value: share for value, share in now.items() if value not in known}
    mass = sum(new.values())
    if mass < _NEW + 2.0 * noise:
        return None
    found = [(known.made(new, rule), rule) for rule in rules(new, before)]
    explained, rule = max(found, key=lambda one: one[0], default=(0.0, None))
    if rule is None or not explained:
        return None
    # What is so with those that are looked at is so with the others.
    share = explained / sum(now.values())
    return _cause(comparison, rule, known, new, share, min(1.0, explained / (mass - noise)))


def _cause(
    comparison: Comparison, rule: Rule, known: _Known, new: Mapping[str, float], share: float, score: float
) -> Cause:
    back = known.original(rule)
    undo = None if back is None else respelled(lambda text: text if text in known.values else back(text))
    return Cause(
        "rewritten",
        rule.fact,
        f"{rule.fact} in {percent(share)} of the values",
        score,
        undo=undo,
        fact=rule.fact,
        detail=" -> ".join(beside(*known.example(new, rule))),
        rows=round(share * comparison.present[0]),
    )


def _few(side: ValueShares) -> dict[str, float]:
    """The most frequent values, with their shares."""
    chosen = list(side.all_shares.items())[:_MOST]
    return {value: share for value, share in chosen if len(value) <= _LONG}


class _Known:
    """The values of before, and what they look like."""

    def __init__(self, before: Mapping[str, float], *, by_shape: bool) -> None:
        self.by_shape = by_shape
        self.values = set(before)
        # Where all are others every day, a few hundred show what they look like.
        self._shown = list(before)[:FREQUENT] if by_shape else list(before)
        self._shapes = {shape(value) for value in before} if by_shape else set[str]()

    def __contains__(self, value: str) -> bool:
        return value in self.values or (self.by_shape and shape(value) in self._shapes)

    def made(self, new: Mapping[str, float], rule: Rule) -> float:
        """The share of the new values that the rule has made."""
        if rule.back is None:
            lost = {self._key(made) for value in self._shown if (made := rule.forth(value)) != value}
            return sum(share for value, share in new.items() if self._key(value) in lost)
        pairs = ((value, share, rule.back(value)) for value, share in new.items())
        sure = rule.evident and self.by_shape
        return sum(
            share for value, share, was in pairs if was != value and rule.forth(was) == value and (sure or was in self)
        )

    def original(self, rule: Rule) -> Rewrite | None:
        """What takes a value back to what it was; None where too much was lost for that."""
        if rule.back is not None or self.by_shape:
            return rule.back
        made = {rule.forth(value): value for value in self.values}
        return (lambda text: made.get(text, text)) if len(made) == len(self.values) else None

    def example(self, new: Mapping[str, float], rule: Rule) -> tuple[str, str]:
        """A value as it was, and as it is now: of the partition, where it can be taken back."""
        if rule.back is not None:
            return next((was, value) for value in new if (was := rule.back(value)) != value)
        return next((value, made) for value in self._shown if (made := rule.forth(value)) != value)

    def _key(self, value: str) -> str:
        return shape(value) if self.by_shape else value
