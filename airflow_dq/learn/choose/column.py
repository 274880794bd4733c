"""One column's ranges at any budget: the candidates on its metrics, what each catches, and the choice among them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from airflow_dq.learn.array import BoolArray, FloatArray
from airflow_dq.learn.choose.budget import LEVELS
from airflow_dq.learn.choose.error import Training
from airflow_dq.learn.choose.greedy import CoverageProblem, guarded, select, tightened, tightest
from airflow_dq.learn.expect.candidate import Candidates, Learned, joined
from airflow_dq.learn.history.answer import Widening
from airflow_dq.metrics.descriptor import Metric

FEW = 20
"""With fewer partitions little is known of what is usual."""
MARGINS = (0.5,)
"""An injected error counts once more for each of these margins if bounds that are wider by it catch it too: the next
error will not be the injected one, and what is caught by a hair is caught half of the time."""
MARGINS_FROM = FEW
"""Margins count from this many partitions of history on: before, they would only add ranges, and false alarms."""


@dataclass(frozen=True, slots=True)
class WatchedMetric:
    """A metric that can be bounded."""

    metric: Metric
    learned: Learned
    past: FloatArray
    """Its values on their slots."""
    may_be_absent: bool
    """Whether past partitions had nothing to measure."""
    widening: Widening | None = None
    """By how much people's answers widen its ranges."""

    def candidates(self, budget: float) -> Candidates:
        """The ranges when this false-positive rate may be spent, as wide as people's answers make them."""
        return self.at_each((budget,))[0]

    def at_each(self, budgets: Sequence[float]) -> Sequence[Candidates]:
        """The same for each of several rates."""
        found = self.learned.at_each(budgets)
        return found if self.widening is None else [one.reaching(self.widening.factor) for one in found]


@dataclass(frozen=True, slots=True)
class Chosen:
    """One range that was chosen among the candidates on a metric."""

    watched: WatchedMetric
    candidates: Candidates
    index: int
    catches: tuple[str, ...] = ()
    """Labels of the injected errors that violate it."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The ranges of one column."""

    chosen: tuple[Chosen, ...]
    coverage: int = 0
    """How many of the injected errors violate at least one of them."""


@dataclass(frozen=True, slots=True)
class Space:
    """All candidates on all metrics of a column, and which of them catches which injected error."""

    watched: Sequence[WatchedMetric]
    candidates: Sequence[Candidates]
    """Of each metric."""
    coverage: Sequence[BoolArray]
    """Of each metric: candidates x errors, perhaps with further columns that count for the choice only."""
    training: Training

    def choose(self, pick: Callable[[CoverageProblem], list[int]], budget: float, max_clauses: int | None) -> Choice:
        """The candidates that ``pick`` takes for a false-positive rate, at most one of each metric."""
        if not self.candidates:
            return Choice(())
        sizes = [len(found.fpr) for found in self.candidates]
        problem = CoverageProblem(
            cost=np.concatenate([found.fpr for found in self.candidates]),
            coverage=np.concatenate(self.coverage),
            budget=budget,
            group=np.repeat(np.arange(len(self.candidates)), sizes),
            max_groups=max_clauses,
        )
        picked = pick(problem)
        caught = problem.coverage[:, : len(self.training.errors)]
        labels, first = np.array(self.training.errors.labels), np.cumsum([0, *sizes])
        chosen = []
        for place in picked:
            group = int(problem.group[place])
            catches = tuple(labels[caught[place]].tolist())
            chosen.append(Chosen(self.watched[group], self.candidates[group], place - int(first[group]), catches))
        return Choice(tuple(chosen), int(caught[picked].any(axis=0).sum()) if picked else 0)


@dataclass(frozen=True, slots=True)
class ColumnChoice:
    """Everything that a column's ranges are chosen from but the budget, so that several budgets can be tried."""

    watched: Sequence[WatchedMetric]
    always: frozenset[str]
    """Metrics that get a range whatever it catches, as far as it can be paid for."""
    training: Training | None
    partitions: int
    """Number of partitions learned from."""
    max_clauses: int | None
    ignored: Mapping[str, str]
    """The metrics that cannot be bounded, and why."""

    @property
    def errors(self) -> int:
        """Number of injected errors that ranges are chosen by."""
        return 0 if self.training is None else len(self.training.errors)

    def at(self, budget: float) -> Choice:
        """The ranges at this false-positive rate."""
        return next(self._choices((budget,)))

    def at_levels(self, share: float) -> tuple[Choice, ...]:
        """The ranges at each level of this share; none above the share if that already catches every error."""
        found: list[Choice] = []
        for level, choice in zip(LEVELS, self._choices([level * share for level in LEVELS]), strict=True):
            found.append(choice)
            if level >= 1.0 and choice.coverage == self.errors:
                break
        return tuple(found)

    def _choices(self, budgets: Sequence[float]) -> Iterator[Choice]:
        """The ranges at each false-positive rate."""
        candidates = [one.at_each(budgets) for one in self.watched]
        if self.training is None:
            for place, budget in enumerate(budgets):
                yield self._untrained([one[place] for one in candidates], budget)
            return
        # What is held against a metric's ranges is the same at every rate.
        by_metric = zip(self.watched, candidates, strict=True)
        coverage = [self._caught(watched, found, self.training) for watched, found in by_metric]
        for place, budget in enumerate(budgets):
            at_rate = [one[place] for one in candidates], [one[place] for one in coverage]
            yield self._trained(*at_rate, self.training, budget)

    def _untrained(self, candidates: Sequence[Candidates], budget: float) -> Choice:
        """A range on each metric, for an equal share of the budget.

        For a column that no error can be injected into, or an old partition whose injected errors are not kept: ranges
        that are wider than trained ones are better than none.
        """
        most = self.max_clauses
        share = budget / max(1, min(len(candidates), most or len(candidates)))
        chosen = []
        for watched, found in list(zip(self.watched, candidates, strict=True))[:most]:
            affordable = np.flatnonzero(found.fpr <= share)
            if len(affordable):
                chosen.append(Chosen(watched, found, int(affordable[0])))
        return Choice(tuple(chosen))

    def _trained(
        self, candidates: Sequence[Candidates], coverage: Sequence[BoolArray], training: Training, budget: float
    ) -> Choice:
        """The ranges that catch most of the injected errors (AVH, Algorithm 1), and those that are always there."""
        space = Space(self.watched, candidates, coverage, training)
        return space.choose(lambda problem: self._pick(candidates, problem), budget, self.max_clauses)

    def _caught(
        self, watched: WatchedMetric, candidates: Sequence[Candidates], training: Training
    ) -> Sequence[BoolArray]:
        """Ranges x errors, for each rate's candidates: which catches which, then the same again with each margin."""
        values = training.errors.observed(watched.metric)
        past = training.before(watched.past)
        margins = MARGINS if self.partitions >= MARGINS_FROM else ()
        together = joined(candidates)
        ranges = joined([together, *(together.widened(margin) for margin in margins)])
        violated = ranges.violations(values, past, may_be_absent=watched.may_be_absent)
        # Side by side: first as the ranges are, then with each margin.
        found = np.concatenate([*violated.reshape(1 + len(margins), len(together.fpr), -1)], axis=1)
        ends = accumulate(len(one.fpr) for one in candidates)
        return [found[end - len(one.fpr) : end] for one, end in zip(candidates, ends, strict=True)]

    def _pick(self, candidates: Sequence[Candidates], problem: CoverageProblem) -> list[int]:
        """Algorithm 1 with the metrics that are always watched; the rest of the budget tightens what was chosen."""
        guards = [group for group, found in enumerate(candidates) if found.metric.name in self.always]
        picked = tightest(problem, guarded(problem, select(problem), guards))
        return tightened(problem, picked)
