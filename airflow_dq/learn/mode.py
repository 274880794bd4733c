"""The two ways in which a program is made: AVH as published, and calibrated on what real tables do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from airflow_dq.learn.array import FloatArray
from airflow_dq.learn.choose.candidate import Learned, Stationary
from airflow_dq.learn.expect.calibration import FEW, REFERENCE, Calibration
from airflow_dq.learn.expect.support import size_of
from airflow_dq.learn.history.series import Before, ColumnHistory
from airflow_dq.learn.history.timeline import Timeline
from airflow_dq.metrics.descriptor import Metric
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.profile.model import Profile
from airflow_dq.states.base import Kind


class Mode(ABC):
    """Which metrics are learned from, and how their constraints are made."""

    judges_rows_once: ClassVar[bool]
    """Whether the number of rows is judged once for the table, and not again in each column."""
    judges_delivery: ClassVar[bool]
    """Whether a partition is also checked for being the one that its key names, and not an earlier one over again."""
    needs_errors: ClassVar[bool]
    """Whether a column without injected errors gets no program."""
    guards: ClassVar[Mapping[str, frozenset[Kind]]] = {}
    """Metrics that are always watched, on columns of these kinds, as far as they can be paid for."""
    margins: ClassVar[tuple[float, ...]] = ()
    """An injected error counts once more for each of these margins if bounds that are wider by it catch it too."""
    margins_from: ClassVar[int] = 0
    """Margins count from this many partitions of history on: before, they would only add clauses, and false alarms."""
    expects_novelty: ClassVar[bool] = False
    """Whether new values may come, though none has, while the history is short for a table as wide."""
    tightens_from: ClassVar[int | None] = None
    """What the choice leaves of the budget tightens constraints learned from at least this many values (None: none)."""
    tightens_at: ClassVar[float] = 0.0
    """Smaller budgets are not spent on tighter bounds: no history is long enough to vouch for such rare events."""

    @abstractmethod
    def uses(self, metric: Metric, *, named: bool) -> bool:
        """Whether constraints are put on a metric; ``named``: a user has chosen the metrics, this one among them."""

    @abstractmethod
    def timeline(self, history: Sequence[Profile]) -> Timeline:
        """Where the partitions of a history lie in time."""

    @abstractmethod
    def learn(self, metric: Metric, values: FloatArray, past: ColumnHistory, *, stationary: bool) -> Learned | str:
        """What constraints on one metric of a column are made from, or the reason why there are none."""


class Paper(Mode):
    """AVH as published (KDD 2023)."""

    judges_rows_once = False
    judges_delivery = False
    needs_errors = True

    def uses(self, metric: Metric, *, named: bool) -> bool:
        """The metrics of the paper's tables."""
        return metric.paper

    def timeline(self, history: Sequence[Profile]) -> Timeline:
        """One after the other."""
        return Timeline.plain(len(history))

    def learn(self, metric: Metric, values: FloatArray, past: ColumnHistory, *, stationary: bool) -> Learned | str:
        """Algorithm 3 on a series made stationary by Algorithm 5."""
        return Stationary.of(metric, values[~np.isnan(values)], stationary=stationary)


class Calibrated(Mode):
    """Bounds that hold on real tables, see :mod:`airflow_dq.learn.expect.calibration`."""

    judges_rows_once = True
    judges_delivery = True
    needs_errors = False
    # Injected errors lose values at random, real ones may lose them so that every other metric stays as it was.
    # None changes how many elements a list has, moves all moments by the same hours, replaces every value by another
    # spelling that looks alike, or leaves out one of a few values.
    guards: ClassVar[Mapping[str, frozenset[Kind]]] = {
        "complete_ratio": frozenset(Kind),
        "size_mean": frozenset(Kind),
        "mean": frozenset({Kind.TIMESTAMP}),
        "unseen_ratio": frozenset({Kind.STRING}),
        "js_div": frozenset({Kind.STRING, Kind.BOOLEAN}),
    }
    # The next error will not be the injected one: what is caught by a hair is caught half of the time.
    margins = (0.5,)
    margins_from = FEW
    expects_novelty = True
    tightens_from = FEW
    tightens_at = REFERENCE

    left_out = ("row_count", "range", "kl_div", "pat_kl_div", "chi_squared", "pat_chi_squared")
    """The row count is the table's, the others cost more false alarms than they catch errors that no other catches."""

    def uses(self, metric: Metric, *, named: bool) -> bool:
        """All but those in ``left_out``; one that is not calibrated is used only when it is named."""
        return (metric.calibrated or named) and metric.name not in self.left_out

    def timeline(self, history: Sequence[Profile]) -> Timeline:
        """As their keys say: a partition that is missing leaves a gap."""
        return Timeline.of([profile.partition for profile in history])

    def learn(self, metric: Metric, values: FloatArray, past: ColumnHistory, *, stationary: bool) -> Learned | str:
        """Prediction intervals around a forecast."""
        return Calibration.of(metric, values, size_of(past, metric), moving=stationary, week=past.timeline.week)


MODES: dict[str, Mode] = {"paper": Paper(), "calibrated": Calibrated()}
"""The modes by the name that :class:`~airflow_dq.options.learning.SynthesisOptions` gives them."""


def before_partition(options: SynthesisOptions, history: Sequence[Profile], partition: str | None) -> Before:
    """The history of the partition with this key, placed in time as the options' mode does it."""
    return Before(history, MODES[options.mode].timeline(history).steps_to(partition))
