"""Learned rules from what profiles keep of columns of strings: no row is read a second time."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from airflow_dq.learn.counting import count_of
from airflow_dq.learn.history.answer import Answered
from airflow_dq.learn.history.history import History
from airflow_dq.options.rule import LearnedRule
from airflow_dq.pattern import NoPattern, PatternRule, find_pattern
from airflow_dq.pattern.text import present
from airflow_dq.profile.check.learned import answer_rule
from airflow_dq.profile.model import ColumnProfile, Profile
from airflow_dq.states.base import Kind
from airflow_dq.states.text_sample import TextSample

LEARNED_FROM = 4
"""Newest partitions that a rule is learned from.  The same number of values from 5 partitions in place of one halves
the false alarms; of so many partitions every history has the texts."""
GROWN = 1.5
"""A rule is learned again from so many times as many partitions: from 2 and 3 after the first."""
DISMISSED = 2
"""After so many accepted alarms a rule is learned again, with what was accepted."""
AS_MANY = 1_000
"""Values that a rule is learned from, in the shares that they have in the partitions: more take longer, and tell
nothing more."""
TOO_LONG = 0.005
"""A column of which more values are too long to be kept whole is text that people write, and has no pattern."""
PATTERN = "pattern"
"""The family of rules on what the values of a column of strings look like."""
_CONDITION = ("patterns", "null_words", "min_length", "max_length", "usual")
"""What a row is asked; the rest of a pattern rule says what it was learned from."""


def learned_rules(history: History, columns: Sequence[str]) -> Mapping[str, LearnedRule | NoPattern]:
    """The pattern of each column of texts, or why it has none: as it is stored, or learned of the newest partitions."""
    if history.rules is not None:
        own = {rule.columns[0]: rule for rule in history.rules if rule.family == PATTERN}
        return {name: own[name] for name in columns if name in own}
    found: dict[str, LearnedRule | NoPattern] = {}
    for name in columns:
        profiles = newest_texts(history.profiles, name)
        if not profiles:
            continue
        key = (name, *(profile.columns[name].fingerprint for profile in profiles))
        if key not in _LEARNED:
            if len(_LEARNED) >= _MOST_LEARNED:
                _LEARNED.clear()
            _LEARNED[key] = learn_rule(profiles, name)
        found[name] = _LEARNED[key]
    return found


_LEARNED: dict[tuple[str, ...], LearnedRule | NoPattern] = {}
"""What was learned of equal contents: several programs of one history (a backtest's targets) learn it once."""
_MOST_LEARNED = 10_000
"""So many are remembered, which is 100 tables of 100 columns; then it begins anew."""


def reason_to_learn(
    rule: LearnedRule | None, profiles: Sequence[Profile], column: str, bad: Collection[str], answered: Answered
) -> str | None:
    """Why a column's rule is to be learned, or learned again; None where it is not.

    :param profiles: the partitions that it could be learned from
    :param bad: partitions that must not be learned from any more
    :param answered: what people said of the rule's alarms in partitions that it was not learned from
    """
    if rule is None:
        return "the first"
    if any(key in bad for key in rule.partitions):
        return "a partition that it was learned from is learned from no more"
    if answered.accepted - answered.rejected >= DISMISSED:
        return f"people accepted {answered.accepted} of its alarms"
    known = sum(column in profile.columns for profile in profiles)
    if known >= GROWN * len(rule.partitions):
        return f"there are {known} partitions to learn from, in place of {len(rule.partitions)}"
    return None


def newest_texts(profiles: Sequence[Profile], column: str) -> list[Profile]:
    """The newest partitions in a row whose texts of a column are known, oldest first, at most :data:`LEARNED_FROM`."""
    found: list[Profile] = []
    for profile in reversed(profiles):
        now = profile.columns.get(column)
        if now is None or now.kind is Kind.NULL:
            continue  # it says nothing of what the values look like
        texts = _texts(profile, column)
        if texts is None or len(found) == LEARNED_FROM:
            break
        if len(texts.values) or texts.longer:
            found.insert(0, profile)
    return found


def learn_rule(profiles: Sequence[Profile], column: str) -> LearnedRule | NoPattern:
    """What the values of a column look like, or why nothing can be said of it.

    :param profiles: partitions whose texts are known (:func:`newest_texts`), oldest first
    """
    samples = [texts for profile in profiles if (texts := _texts(profile, column)) is not None]
    longer, kept = (sum(one) for one in zip(*map(_sizes, samples), strict=True)) if samples else (0, 0)
    if longer > TOO_LONG * (longer + kept):
        return NoPattern("free text", f"{longer} of {longer + kept} values are longer than any that is kept whole.")
    if not kept:
        return NoPattern("no values", "The column has no values that are kept.")
    count = count_of([profile.columns.get(column) for profile in profiles])
    found = find_pattern(drawn(samples)) if count is None else count.rule(drawn(samples))
    if isinstance(found, NoPattern):
        return found
    # In which order rows came, nobody knows: equal ones of a partition are taken for one run, and another partition's
    # for another, whichever values happen to stand where the samples meet.
    runs = sum(len(present(texts.values.to_pylist())) for texts in samples)
    found = replace(found, runs=min(found.values, runs))
    partitions = tuple(str(profile.partition) for profile in profiles)
    learned = _as_learned(found, column, partitions)
    return _trained(learned, found, profiles)


def pattern_of(rule: LearnedRule) -> PatternRule:
    """A rule as its family reads it.

    :raises CodecError: when it is damaged
    """
    return PatternRule.from_json(rule.document)


def _as_learned(found: PatternRule, column: str, partitions: tuple[str, ...]) -> LearnedRule:
    condition = json.dumps({name: getattr(found, name) for name in _CONDITION}, ensure_ascii=False)
    return LearnedRule(PATTERN, (column,), condition, found.to_json(), partitions)


def _trained(learned: LearnedRule, found: PatternRule, profiles: Sequence[Profile]) -> LearnedRule:
    """The rule with the exceptions among all values that it was learned from, where they are counted one by one."""
    counted = [answer_rule(learned, profile) for profile in profiles]
    if any(one is None or one.value is None for one in counted):
        return learned
    values = sum(one.denominator or 0 for one in counted if one is not None)
    broken = sum(one.numerator or 0 for one in counted if one is not None)
    unusual = sum(one.unusual or 0 for one in counted if one is not None)
    # What half of the values says of the other half is more than what all of them say of themselves.
    scale = values / max(1, found.values)
    trained = replace(
        found,
        values=values,
        distinct=min(found.distinct, values),
        runs=min(found.runs, values),
        nonconforming=min(values, max(broken, round(found.nonconforming * scale))),
        unusual=min(values, max(unusual, round(found.unusual * scale))),
    )
    return replace(learned, document=trained.to_json())


def _texts(profile: Profile, column: str) -> TextSample | None:
    """What is known of a column's texts; None where the column is not there, or is no text, or is hidden."""
    found: ColumnProfile | None = profile.columns.get(column)
    if found is None or found.kind is not Kind.STRING or profile.options.hides(column):
        return None
    state = found.states.get(TextSample.key)
    return state if isinstance(state, TextSample) else None


def _sizes(texts: TextSample) -> tuple[int, int]:
    return texts.longer, int(texts.counts.sum())


def drawn(samples: Sequence[TextSample]) -> Iterable[str]:
    """So many values as are learned from, each as often as its share asks for, and once at least."""
    for texts in samples:
        total = int(texts.counts.sum())
        most = AS_MANY / len(samples)
        times = np.maximum(1, np.rint(texts.counts * (min(1.0, most / max(1, total)))).astype(np.int64))
        for value, number in zip(texts.values.to_pylist(), times.tolist(), strict=True):
            yield from (value for _ in range(number))
