"""One column's program at any budget: the constraints on its metrics, what each catches, and the choice among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from airflow_dq.learn.array import BoolArray
from airflow_dq.learn.choose.budget import LEVELS
from airflow_dq.learn.choose.candidate import Candidates, Learned
from airflow_dq.learn.choose.greedy import CoverageProblem, guarded, select, tightened, tightest
from airflow_dq.learn.choose.training import Tested, Training
from airflow_dq.learn.mode import MODES
from airflow_dq.learn.model import ColumnProgram
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.states.base import Kind


@dataclass(frozen=True, slots=True)
class WatchedMetric:
    """What the history says about one metric, and the metric on the injected errors, when there are any."""

    learned: Learned
    tested: Tested | None


@dataclass(frozen=True, slots=True)
class _Space:
    """The constraints on one metric at a budget."""

    constraints: Candidates
    caught: BoolArray
    """Constraints x errors: which constraint catches which injected error, then the same again with each margin."""


@dataclass(frozen=True, slots=True)
class ColumnSynthesis:
    """Everything that a column's program is made from but its budget, so that several budgets can be tried."""

    column: str
    kind: Kind
    watched: Sequence[WatchedMetric]
    """The metrics that can be bounded."""
    margins: tuple[float, ...]
    """See :attr:`Mode.margins`; none while the history is short."""
    training: Training | None
    ignored: Mapping[str, str]
    """The metrics that cannot be bounded, and why."""
    options: SynthesisOptions

    def program(self, budget: float) -> ColumnProgram:
        """The column's program at this false-positive rate."""
        spaces = [self._space(metric, budget) for metric in self.watched]
        if self.training is None:
            return self._untrained([space.constraints for space in spaces], budget)
        return self._trained(spaces, self.training, budget)

    def programs(self, share: float) -> tuple[ColumnProgram, ...]:
        """The programs at each level of this share; none above the share if that already catches every error."""
        found: list[ColumnProgram] = []
        for level in LEVELS:
            found.append(self.program(level * share))
            if level >= 1.0 and found[-1].coverage == found[-1].variants:
                break
        return tuple(found)

    def _space(self, metric: WatchedMetric, budget: float) -> _Space:
        constraints, tested = metric.learned.constraints(budget), metric.tested
        if tested is None:
            return _Space(constraints, np.zeros((len(constraints.fpr), 0), dtype=bool))
        wider = [constraints, *(constraints.widened(margin) for margin in self.margins)]
        return _Space(constraints, np.concatenate([tested.caught(one) for one in wider], axis=1))

    def _untrained(self, constraints: Sequence[Candidates], budget: float) -> ColumnProgram:
        """A clause on each metric, for an equal share of the budget.

        For a column that no error can be injected into, or an old partition whose injected errors are not kept: a
        program that is wider than a trained one is better than none.
        """
        most = self.options.max_clauses
        share = budget / max(1, min(len(constraints), most or len(constraints)))
        clauses = []
        for found in constraints[:most]:
            affordable = np.flatnonzero(found.fpr <= share)
            if len(affordable):
                clauses.append(found.clause(int(affordable[0]), self.column, ()))
        reason = None if clauses else "no metric could be bounded"
        return ColumnProgram(self.column, self.kind, tuple(clauses), 0, 0, self.ignored, reason)

    def _trained(self, spaces: Sequence[_Space], training: Training, budget: float) -> ColumnProgram:
        """The clauses that catch most of the injected errors."""
        variants = len(training.variants)
        if not spaces:
            return ColumnProgram(self.column, self.kind, (), variants, 0, self.ignored, "no metric could be bounded")
        sizes = [len(space.constraints.fpr) for space in spaces]
        problem = CoverageProblem(
            cost=np.concatenate([space.constraints.fpr for space in spaces]),
            coverage=np.concatenate([space.caught for space in spaces]),
            budget=budget,
            group=np.repeat(np.arange(len(spaces)), sizes),
            max_groups=self.options.max_clauses,
        )
        chosen = self._choice(spaces, problem)
        caught = problem.coverage[:, :variants]
        labels, first = np.array(training.labels), np.cumsum([0, *sizes])
        clauses = []
        for index in chosen:
            group = int(problem.group[index])
            catches = tuple(labels[caught[index]].tolist())
            clauses.append(spaces[group].constraints.clause(index - int(first[group]), self.column, catches))
        coverage = int(caught[chosen].any(axis=0).sum()) if chosen else 0
        reason = (
            None if clauses else f"no constraint catches an injected error within a false-alarm rate of {budget:.2g}"
        )
        return ColumnProgram(self.column, self.kind, tuple(clauses), variants, coverage, self.ignored, reason)

    def _choice(self, spaces: Sequence[_Space], problem: CoverageProblem) -> list[int]:
        """Algorithm 1 with the guards of the mode; where the mode says so, the rest of the budget tightens bounds."""
        mode = MODES[self.options.mode]
        metrics = [space.constraints.metric.name for space in spaces]
        guards = [group for group, name in enumerate(metrics) if self.kind in mode.guards.get(name, ())]
        chosen = tightest(problem, guarded(problem, select(problem), guards))
        if mode.tightens_from is None or problem.budget < mode.tightens_at:
            return chosen
        # Bounds learned from few values are not worth paying for.
        few = [i for i in chosen if spaces[problem.group[i]].constraints.samples < mode.tightens_from]
        return tightened(problem, chosen, fixed=few)
