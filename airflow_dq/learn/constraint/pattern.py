"""The values of a column of strings look as they always have: few or none break the pattern that was learned of them.

It needs no history: held against what the rule was learned from, a share of exceptions is judged from the second
partition on.  A column that has had exceptions in partition after partition has a range of their share as well, and
alarms when neither lets expect so many.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from airflow_dq.learn.constraint.base import Constraint, Detector, Finding, Learned, NotEvaluated, Scope, Skipped
from airflow_dq.learn.constraint.range_detector import OF_PATTERNS, equal_share
from airflow_dq.learn.constraint.share import Past, highest_usual, past_answers
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.learn.history.history import History
from airflow_dq.learn.rule import learned_rules, pattern_of
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.options.rule import LearnedRule
from airflow_dq.pattern import NoPattern, PatternRule
from airflow_dq.pattern.significance import predictive, usual_predictive
from airflow_dq.profile.check.learned import answer_rule
from airflow_dq.profile.check.measured import Measured
from airflow_dq.states.base import Kind

RULE = "pattern"
"""What its findings are called."""
OF_A_PARTITION = 4.0
"""As how many values one more partition counts for what is usual: its values are of one kind more often than not."""
OPEN_SET = 20
"""A column of fewer different values is taken for one of codes, where each new form is news: a shop of twenty products
is small, and a list of twenty states of an order long."""
AGAIN = 2.0
"""A value that comes less often than this, on average, is not one that comes many times."""
AS_OFTEN = 0.2
"""A value that comes with less than this part of the usual number of rows is rather a damaged one of another."""
MORE_OFTEN = 3.0
"""A value that comes in more than so many times the usual number of rows is rather a word for a missing one."""
METRIC = "nonconforming_ratio"
"""The share of exceptions, by which people's answers, severities and snoozes name it."""


@dataclass(frozen=True, slots=True)
class Tier:
    """One of the two things that a rule says of values: what they may be, and what most of them are."""

    name: str

    def count(self, measured: Measured) -> int:
        """The exceptions."""
        return (measured.numerator if self.name == BROKEN else measured.unusual) or 0

    def share(self, measured: Measured) -> float:
        """Their share of the values."""
        return self.count(measured) / measured.denominator if measured.denominator else 0.0

    def trained(self, rule: PatternRule) -> int:
        """The exceptions among the values that the rule was learned from."""
        return rule.nonconforming if self.name == BROKEN else rule.unusual

    def surprise(self, rule: PatternRule, past: Sequence[Past], measured: Measured) -> float:
        """How likely so many exceptions are, by those in the training and in the partitions since."""
        known = sum(one.denominator or 0 for _, one in past), sum(self.count(one) for _, one in past)
        before, odd = max((rule.values, self.trained(rule)), known)
        now = self.count(measured), measured.denominator or 0
        if self.name == BROKEN:
            return predictive(odd, before, *now)
        return usual_predictive(self._evidence(rule, past), odd, before, *now)

    def _evidence(self, rule: PatternRule, past: Sequence[Past]) -> float:
        """As how many values what was before counts: less where shares differ by more than so many would let them."""
        most = rule.evidence + OF_A_PARTITION * len(past)
        shares = np.sort([self.share(one) for _, one in past])[:-1]
        if len(shares) < 2 or not shares[-1] > shares[0]:
            return most
        mean = float(shares.mean())
        return min(most, max(rule.evidence, mean * (1 - mean) / float(shares.var()) - 1))

    def is_known(self, rule: PatternRule) -> bool:
        """Whether the rule says it."""
        return self.name == BROKEN or bool(rule.usual)


def surprise_of_values(rule: PatternRule, measured: Measured, distinct: int) -> float:
    """How likely so many different values break a rule, where each of them comes many times.

    A player, a product or a supplier brings a name of a new form into as many rows as any other has: that is one
    event, and not as many as there are rows.  Rows that are damaged one by one are different values, and hardly any
    comes twice.

    :param measured: the exceptions, of which the most frequent values are known
    :param distinct: how many different values the partition has
    :return: 0.0 where values do not come many times, or those that break the rule come more rarely or more often
    """
    odd, counts = measured.numerator or 0, [rows for _, rows in measured.examples]
    times = (measured.denominator or 0) / max(1, distinct)
    if rule.distinct < OPEN_SET or times < AGAIN or not counts or counts[0] > MORE_OFTEN * times:
        return 0.0
    # Those that are not among the examples are no more frequent.
    values = len(counts) + math.ceil(max(0, odd - sum(counts)) / counts[-1])
    if odd < max(AGAIN, AS_OFTEN * times) * values:
        return 0.0
    return predictive(math.ceil(rule.nonconforming / times), rule.distinct, values, max(values, distinct))


BROKEN, UNUSUAL = "broken", "unusual"
TIERS = (Tier(BROKEN), Tier(UNUSUAL))
"""Values that may not be, then values that are only unusual: of those it takes most of a partition."""


@dataclass(frozen=True, slots=True)
class Conforming(Constraint):
    """The values of a column have one of the patterns of a learned rule, as far as they always had."""

    family: ClassVar[str] = "pattern"
    suffices: ClassVar[bool] = False

    learned: LearnedRule
    fpr: float
    """The false-positive rate that it may take."""
    min_history: int
    """So many past shares are needed for a range of them."""

    def check(self, partition: PartitionView) -> Finding | NotEvaluated | None:
        """More exceptions than the training lets expect, and than there have been since."""
        (name,) = self.scope.columns
        measured, now = answer_rule(self.learned, partition.profile), partition.column(name)
        if now is None or now.kind is not Kind.STRING:
            return self._not_evaluated("it is no column of texts in the partition")
        if measured is None or measured.problem is not None:
            return self._not_evaluated(
                "its exceptions were not counted when the partition was profiled, which was before the rule was learned"
                if measured is None or measured.problem is None
                else measured.problem
            )
        if measured.value is None or not measured.denominator:
            return self._not_evaluated(str(measured.nothing))
        past = self.past(partition)
        tier = next((tier for tier in TIERS if self._is_odd(tier, measured, partition, past)), None)
        if tier is None:
            return None
        rows = tier.count(measured)
        return Finding(
            RULE,
            self.scope,
            METRIC,
            observed=rows / measured.denominator,
            seen=tier.name,
            expected=str(self.pattern),
            upper=self._usual(tier, partition, past),
            partitions=len(set(self.learned.partitions) | {key for key, _ in past}),
            rows=rows,
            examples=tuple(f"{value!r} ({rows:,})" for value, rows in measured.examples),
        )

    @property
    def pattern(self) -> PatternRule:
        """The rule as its family reads it."""
        return pattern_of(self.learned)

    def past(self, partition: PartitionView) -> list[Past]:
        """What is known of the past partitions, oldest first, by their keys."""
        return past_answers(self.learned, partition.history)

    def shares(self, partition: PartitionView, tier: Tier | None = None) -> tuple[tuple[str | None, float | None], ...]:
        """The history of a share, by default that of values that break the rule: what a chart shows."""
        known, counted = dict(self.past(partition)), tier or TIERS[0]
        return tuple(
            (one.partition, None if (found := known.get(one.partition)) is None else counted.share(found))
            for one in partition.history.profiles
        )

    def _is_odd(self, tier: Tier, measured: Measured, partition: PartitionView, past: Sequence[Past]) -> bool:
        """Whether neither all exceptions so far nor the history of their share lets expect so many."""
        if not tier.count(measured) or not tier.is_known(self.pattern):
            return False
        # Each tier may take half of the rate.
        rate = self.fpr / len(TIERS)
        if tier.surprise(self.pattern, past, measured) >= rate:
            return False
        (name,) = self.scope.columns
        if tier.name == BROKEN and not partition.profile.options.hides(name):
            distinct = partition.profile.columns[name].metrics.get("dist_val_count")
            if isinstance(distinct, float) and surprise_of_values(self.pattern, measured, int(distinct)) >= rate:
                return False
        upper = self._usual(tier, partition, past)
        return upper is None or tier.share(measured) > upper

    def _usual(self, tier: Tier, partition: PartitionView, past: Sequence[Past]) -> float | None:
        """The largest share that the history of shares lets expect; None where it says nothing beyond their sum."""
        if len(past) < self.min_history:
            return None
        shares = [value for _, value in self.shares(partition, tier)]
        # One odd partition is no range: what was accepted once would hide all that is less.  Only the newest may go on.
        newest = max(place for place, share in enumerate(shares) if share is not None)
        oddest = max(range(len(shares)), key=lambda place: shares[place] or 0.0)
        if oddest != newest:
            shares[oddest] = None
        if not any(shares):
            return None
        values = float(np.median([one.denominator or 1 for _, one in past]))
        return highest_usual(shares, values, self.fpr, partition)

    def _not_evaluated(self, reason: str) -> NotEvaluated:
        # Nothing was promised of a partition that is older than the rule: it is judged by what else is known.
        return NotEvaluated(RULE, self.scope, reason, METRIC, applies=False)


class PatternDetector(Detector):
    """Takes the rules that are stored of a dataset; where there is no store, learns them of the newest partitions."""

    name: ClassVar[str] = "pattern"

    def learn(self, history: History, options: SynthesisOptions) -> Learned | Skipped:
        """One constraint for each column of strings that has a pattern; one partition is enough."""
        if not options.patterns:
            return Skipped("patterns are switched off")
        names = [name for name in history.columns if options.judges(name)]
        share, why = equal_share(options, names), dict[str, str]()
        found = tuple(self._constraints(history, names, options, share, why))
        if found:
            return Learned(found)
        return Skipped("; ".join(f"{name}: {reason}" for name, reason in why.items()) or "there are no texts")

    def _constraints(
        self, history: History, names: Sequence[str], options: SynthesisOptions, share: float, why: dict[str, str]
    ) -> Iterator[Conforming]:
        rules = learned_rules(history, names)
        for name, rule in rules.items():
            own = options.of_column(name)
            if isinstance(rule, NoPattern):
                why[name] = rule.reason
            elif own.metrics is None:
                rate = OF_PATTERNS * (options.own_rate(name) or share)
                yield Conforming(Scope((name,)), rule, rate, own.min_history)
