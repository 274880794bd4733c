"""What learned rules ask of rows: how many break each, counted in the scan as the counts of declared checks are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from airflow_dq.check.model import Check
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.options.rule import LearnedRule
from airflow_dq.pattern.rule import PatternRule
from airflow_dq.profile.check.measured import NO_VALUES, Measured
from airflow_dq.profile.check.quick_pattern import QuickPattern
from airflow_dq.profile.check.tally import Failed, Tally
from airflow_dq.profile.model import ColumnProfile, Profile
from airflow_dq.states.array import DistinctStrings, added_up
from airflow_dq.states.base import Kind
from airflow_dq.states.category import LONGEST, CategoryDistribution
from airflow_dq.states.character import Text
from airflow_dq.states.pattern import readable
from airflow_dq.states.prepared import PreparedColumn

Made = TypeVar("Made")
EXAMPLES = 5
"""Exceptions that are shown."""
_SHOWN = 200
"""Characters of an exception that are kept: what is wrong with it stands at its start, or is its length."""


@dataclass(frozen=True, slots=True)
class Exceptions(Tally):
    """Values that a rule was held against, those that break it, and a few of these with their rows.

    Held are the ``HELD`` exceptions with the smallest hashes, each with the exact number of its rows: whatever way the
    rows are divided, the same ones are.
    """

    tag: ClassVar[str] = "exceptions"
    HELD: ClassVar[int] = 50
    """Most exceptions that are held: more than are shown, for the most frequent ones are not known before the end."""

    values: int = 0
    broken: int = 0
    unusual: int = 0
    """Outside of what most values are, the broken ones included."""
    examples: Mapping[str, int] = field(default_factory=dict)
    """Values that break the rule."""
    others: Mapping[str, int] = field(default_factory=dict)
    """Values that are only unusual."""

    @classmethod
    def of(cls, values: int, broken: DistinctStrings, others: DistinctStrings, *, hidden: bool) -> Self:
        """Count.

        :param broken: values that break the rule
        :param others: values that are only unusual
        :param hidden: keep the shapes of the values in their place
        """
        odd, unusual = int(broken.counts.sum()), int(others.counts.sum())
        return cls(values, odd, odd + unusual, _drawn(_shown(broken, hidden)), _drawn(_shown(others, hidden)))

    def _with(self, other: Any) -> Tally:
        return Exceptions(
            self.values + other.values,
            self.broken + other.broken,
            self.unusual + other.unusual,
            _joined(self.examples, other.examples),
            _joined(self.others, other.others),
        )

    def encode(self) -> tuple[Any, bytes]:
        """The counts."""
        return [self.values, self.broken, self.unusual, dict(self.examples), dict(self.others)], b""

    @classmethod
    def decode(cls, head: Any, data: bytes) -> Self:
        """What :meth:`encode` wrote."""
        return cls(*head)

    def measured(self, check: Check) -> Measured:
        """The share; no declared check asks for it."""
        return self.share

    @property
    def share(self) -> Measured:
        """The share of the values that break the rule."""
        if not self.values:
            return Measured(nothing=NO_VALUES, learned=True)
        found = sorted((self.examples or self.others).items(), key=lambda one: (-one[1], one[0]))[:EXAMPLES]
        return Measured(
            self.broken / self.values,
            self.broken,
            self.values,
            learned=True,
            unusual=self.unusual,
            examples=tuple(found),
        )


def _shown(odd: DistinctStrings, hidden: bool) -> DistinctStrings:
    """Values as they may be kept: cut, or only their shapes."""
    if not len(odd.values):
        return odd
    if hidden:
        shapes = Text.of(odd).distinct_patterns
        odd = DistinctStrings(pa.array(map(readable, shapes.values.to_pylist()), pa.large_string()), shapes.counts)
    return added_up(pc.utf8_slice_codeunits(odd.values, 0, _SHOWN), odd.counts)


def _joined(left: Mapping[str, int], right: Mapping[str, int]) -> dict[str, int]:
    if not left or not right:
        return dict(left or right)
    texts = pa.array([*left, *right], pa.large_string())
    return _drawn(added_up(texts, np.array([*left.values(), *right.values()], np.int64)))


def _drawn(odd: DistinctStrings) -> dict[str, int]:
    order = np.argsort(odd.hashes, kind="stable")[: Exceptions.HELD]
    return dict(zip(odd.values.take(pa.array(order)).to_pylist(), odd.counts[order].tolist(), strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class RuleRows:
    """The rows of a batch as one rule is counted in them."""

    columns: Mapping[str, PreparedColumn]
    """The canonical values of the rule's columns."""
    hidden: Collection[str] = ()
    """Those of the columns of which no value must be kept."""
    before: Tally | None = None
    """What was counted of the batches before, with which this one's will be merged."""
    made: dict[Hashable, Any] = field(default_factory=dict)
    """What was made of these rows, for all rules that need the same."""

    def once(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What a rule makes of the rows, unless another one has.

        :param key: says what it is, the columns that it is made of included
        """
        if key not in self.made:
            self.made[key] = make()
        found: Made = self.made[key]
        return found


class RowRule(ABC):
    """How the rules of one family are counted."""

    families: ClassVar[dict[str, type[RowRule]]] = {}

    def __init_subclass__(cls, *, family: str) -> None:
        RowRule.families[family] = cls

    @abstractmethod
    def __init__(self, rule: LearnedRule) -> None:
        """Read the rule.

        :raises CodecError: when its document is damaged, or of another version
        """

    @abstractmethod
    def count(self, rows: RuleRows) -> Tally:
        """The exceptions among some rows, or what they are found by once all rows are known."""

    @abstractmethod
    def answers(self, columns: Sequence[ColumnProfile], profile: Profile) -> bool:
        """Whether a profile may keep what answers it, too: the same of equal columns, or nothing.

        :param columns: the rule's, in the profile
        """

    @abstractmethod
    def answer(self, rule: LearnedRule, profile: Profile) -> Measured | None:
        """The exceptions by what a profile keeps; None where that does not tell."""


class RowPattern(RowRule, family="pattern"):
    """The values of a column of strings have one of some patterns; missing and blank ones are not looked at."""

    def __init__(self, rule: LearnedRule) -> None:
        self.pattern = PatternRule.from_json(rule.document)
        self._quick = QuickPattern(self.pattern)

    def count(self, rows: RuleRows) -> Exceptions:
        """Each different value once; of a column of another kind than texts nothing is counted."""
        (column,) = rows.columns.values()
        if not pa.types.is_large_string(column.values.type):
            return Exceptions()
        return self._of_distinct(column.strings, hidden=bool(rows.hidden))

    def held_against(self, values: pa.Array) -> Exceptions:
        """The exceptions among some canonical values of a column that is not hidden."""
        return self._of_distinct(PreparedColumn.of(values).strings, hidden=False)

    def answers(self, columns: Sequence[ColumnProfile], profile: Profile) -> bool:
        """Where states are kept."""
        return all(column.states for column in columns)

    def answer(self, rule: LearnedRule, profile: Profile) -> Measured | None:
        """By the counts of all values, where each was counted."""
        column = profile.columns[rule.columns[0]]
        state = column.states.get(CategoryDistribution.key)
        if column.kind is not Kind.STRING or not isinstance(state, CategoryDistribution) or state.buckets is not None:
            return None
        if profile.options.hides(column.name) or pc.max(pc.utf8_length(state.values)).as_py() == LONGEST:
            return None  # hashes; or longer ones that are kept as their beginnings
        return self._of_distinct(DistinctStrings(state.values, state.counts), hidden=False).share

    def _of_distinct(self, strings: DistinctStrings, *, hidden: bool) -> Exceptions:
        right = self._quick.accepts(strings.values)
        values = int(strings.counts[right].sum())
        if right.all():
            return Exceptions(values)
        doubtful, counts = strings.values.filter(pa.array(~right)), strings.counts[~right]
        conforms, usual = self.pattern.conforming(doubtful), self.pattern.usual_of(doubtful)
        values += int(counts[_flags(conforms.is_valid())].sum())
        broken = _flags(pc.invert(pc.fill_null(conforms, True)))
        others = _flags(pc.fill_null(pc.and_(conforms, pc.invert(usual)), False))
        if not broken.any() and not others.any():
            return Exceptions(values)
        odd, rest = (DistinctStrings(doubtful.filter(pa.array(flags)), counts[flags]) for flags in (broken, others))
        return Exceptions.of(values, odd, rest, hidden=hidden)


def _flags(truth: pa.BooleanArray) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = truth.to_numpy(zero_copy_only=False)
    return found


@lru_cache(maxsize=4096)
def row_rule(rule: LearnedRule) -> RowRule | Failed:
    """How a rule is counted, or why it cannot be: one that is damaged must not lose a profile."""
    kind = RowRule.families.get(rule.family)
    if kind is None:
        return Failed(f"there are no rules of the family {rule.family!r} in this version")
    try:
        return kind(rule)
    except Exception as error:
        return Failed(f"the stored rule cannot be read: {error}")


def count_rules(
    columns: Mapping[str, PreparedColumn], options: ProfileOptions, before: Mapping[str, Tally] | None = None
) -> dict[str, Tally]:
    """The exceptions of a batch to each rule on columns that are there, by what is counted.

    :param columns: canonical values
    :param before: the same of the batches before
    """
    found: dict[str, Tally] = {}
    made: dict[Hashable, Any] = {}
    for rule in options.rules:
        if not all(name in columns for name in rule.columns):
            continue
        reader = row_rule(rule)
        if isinstance(reader, Failed):
            found[rule.measure] = reader
            continue
        hidden = {name for name in rule.columns if options.hides(name)}
        own = {name: columns[name] for name in rule.columns}
        try:
            found[rule.measure] = reader.count(RuleRows(own, hidden, (before or {}).get(rule.measure), made))
        except MemoryError:
            raise
        except Exception as error:
            # Whatever it is, it concerns this rule, and must not lose the others.
            found[rule.measure] = Failed(f"counting it failed with {type(error).__name__}")
    return found


def answer_rule(rule: LearnedRule, profile: Profile) -> Measured | None:
    """The exceptions of a partition to a rule: as they were counted, or by what is kept; None where neither tells."""
    counted = profile.checks.get(rule.measure)
    if counted is not None and counted.problem is None:
        return counted
    if any(name not in profile.columns for name in rule.columns):
        return counted
    found = _from_profile(rule, profile)
    return counted if found is None else found


def _from_profile(rule: LearnedRule, profile: Profile) -> Measured | None:
    columns, reader = [profile.columns[name] for name in rule.columns], row_rule(rule)
    if isinstance(reader, Failed) or not reader.answers(columns, profile):
        # Also when it has been asked before: what is said of a partition must not depend on who asked earlier.
        return None
    key = (rule.measure, profile.drawn, *(column.fingerprint for column in columns))
    if key not in _KNOWN:
        answer = reader.answer(rule, profile)
        if answer is None:
            return None
        if len(_KNOWN) >= _MOST_KNOWN:
            _KNOWN.clear()
        _KNOWN[key] = answer
    return _KNOWN[key]


_KNOWN: dict[tuple[str, ...], Measured] = {}
"""What is known of contents and conditions: a walk through the past asks the same of each partition many times."""
_MOST_KNOWN = 50_000
"""Some 20 MB: a thousand columns over fifty partitions."""
