"""What a column's ranges are chosen from: its comparable history, its injected errors, and the metrics to watch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from airflow_dq.learn.array import FloatArray
from airflow_dq.learn.choose.column import FEW, Chosen, ColumnChoice, WatchedMetric
from airflow_dq.learn.choose.error import Training
from airflow_dq.learn.counting import NEARLY_ALL, Count, count_of
from airflow_dq.learn.expect.band import Band
from airflow_dq.learn.expect.sampling import SamplingError
from airflow_dq.learn.history.column import ColumnHistory
from airflow_dq.learn.history.history import History
from airflow_dq.metrics.descriptor import Metric
from airflow_dq.metrics.registry import metrics_for
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.profile.model import ColumnProfile
from airflow_dq.states.base import Kind
from airflow_dq.states.initial import Initials
from airflow_dq.states.pattern import PatternDistribution
from airflow_dq.states.text import TextShape
from airflow_dq.states.written import WrittenNumbers

PER_COLUMN = 0.5
"""Values without anything new that are needed for each column judged: the columns' chances of a false alarm add up.

That no new value has come so far does not say that none will: a metric that never changed in n partitions changes in
the next one about once in n + 2 (Laplace's rule of succession), after a week far more often than any target allows.
Most such metrics are watched all the same, for little else catches the errors that move them.  Shares of new values are
not while the partitions are few for so many columns: where new values are many, the distances of the whole distribution
show them.  On a simulated clean table of 40 columns with 7 partitions of history alarms fell from 34 to 11 of 117 days.
"""
CODES = 0.01
"""With more than this share of needless zeros texts of digits are codes: a few may be mistakes among numbers."""
_OF_DIGITS = frozenset({"str_len", "digit_len", "max_len"})
"""Of texts that count up: as long as the number is large."""


def prepare_column(
    history: History, name: str, kind: Kind, options: SynthesisOptions, rows: Chosen | None, sharing: int
) -> ColumnChoice | str:
    """Gather what a column's ranges are chosen from, or say why nothing can be learned.

    :param kind: the column's, as far back as it has been of which it is looked at
    :param options: those of this column
    :param rows: the range of the table's number of rows: errors that it catches are not left to the columns
    :param sharing: how many columns share one false-positive rate
    """
    past = history.column(name, kind)
    if len(past.profiles) < options.min_history:
        return f"{len(past.profiles)} of {options.min_history} partitions have it as a {kind} column so far"
    metrics = [metric for metric in metrics_for(kind) if _is_used(metric, options)]
    asked = ("training", name, kind, *(metric.name for metric in metrics))
    training = history.remembered(asked, lambda: Training.of(past, kind, metrics))
    if training is not None and rows is not None:
        training = _without_caught(training, rows)
    column = _Column(history, past, kind, options, training, sharing)
    found = column.watch(metrics)
    ignored = {name: one for name, one in found.items() if isinstance(one, str)}
    return ColumnChoice(
        watched=[one for one in found.values() if not isinstance(one, str)],
        always=frozenset(
            name for name, one in found.items() if isinstance(one, WatchedMetric) and _is_always(one, kind)
        ),
        training=training,
        partitions=len(past.profiles),
        max_clauses=options.max_clauses,
        ignored=ignored,
    )


def _without_caught(training: Training, rows: Chosen) -> Training:
    """The injected errors that the table's number of rows does not give away."""
    past = training.before(rows.watched.past)
    caught = rows.candidates.violations(training.errors.observed(rows.watched.metric), past)
    return replace(training, errors=training.errors.without(caught[rows.index]))


def _is_used(metric: Metric, options: SynthesisOptions) -> bool:
    named = options.metrics is not None
    return metric.learned(named=named) and (options.metrics is None or metric.name in options.metrics)


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of which metrics are to be bounded."""

    history: History
    past: ColumnHistory
    kind: Kind
    options: SynthesisOptions
    training: Training | None
    sharing: int
    """How many columns share one false-positive rate."""

    def watch(self, metrics: Sequence[Metric]) -> dict[str, WatchedMetric | str]:
        """By name each metric to bound, or the reason why it cannot be."""
        values = [(metric, self._values(metric)) for metric in metrics]
        bands = self._bands([(metric, one) for metric, one in values if not isinstance(one, str)])
        rare = self.past.is_rare(self.past.rows)
        found: dict[str, WatchedMetric | str] = {}
        for metric, one in values:
            if isinstance(one, str):
                found[metric.name] = one
            elif isinstance(band := bands[metric.name], str):
                found[metric.name] = band
            else:
                found[metric.name] = self._watched(metric, band, one, rare)
        return found

    def _values(self, metric: Metric) -> FloatArray | str:
        """The metric's values on their slots, or why nothing can be learned of it."""
        newest = self.history.newest
        if metric.of_letters and newest is not None and newest.options.hides(self.past.name):
            return "it is hidden: its values are kept as hashes, which have no letters of theirs"
        if self.options.metrics is None and (reason := _moved_on(metric, self._count)):
            return reason
        if self.options.metrics is None and metric.states == (Initials,) and self._tells_apart:
            return "its values are numbers that tell rows apart: their first digits move on as they grow"
        if self.options.metrics is None and WrittenNumbers in metric.states and self._are_codes:
            return "some of its values begin with a needless zero: they are codes, of which a mean says nothing"
        values = self.past.slotted(metric, self.options.min_history - (metric.pool if metric.pair else 0))
        # A metric that a user has named is watched.
        if isinstance(values, str) or not metric.counts_new or self.options.metrics is not None:
            return values
        return _unproven(values, self.sharing) or values

    @property
    def _count(self) -> Count | None:
        """How it counts up, if it holds texts that do."""
        return self.history.remembered(("counts up", self.past.name), lambda: count_of(self.past.columns))

    @property
    def _tells_apart(self) -> bool:
        """Whether it holds texts that are numbers, each of them once: ids, of what came last for the most part."""
        return all(self.past.typical(name) >= NEARLY_ALL for name in ("numeric_ratio", "unique_ratio"))

    @property
    def _are_codes(self) -> bool:
        """Whether it holds texts of digits that some begin with a zero, as post codes do.

        One in ten does where digits are as likely as each other: just so many that the others are numbers of which
        there is a mean on one day, and are too few on the next.
        """
        past = self.past
        return self.history.remembered(("codes", past.name), lambda: any(map(_begin_with_zeros, past.columns)))

    def _bands(self, known: Sequence[tuple[Metric, FloatArray]]) -> Mapping[str, Band | str]:
        """By name what is expected of each metric, or why it cannot be bounded."""
        names = tuple(metric.name for metric, _ in known)
        return self.history.remembered(
            ("bands", self.past.name, self.kind, names, self.options.min_history, self.options.stationary),
            lambda: dict(zip(names, self._learned(known), strict=True)),
        )

    def _learned(self, known: Sequence[tuple[Metric, FloatArray]]) -> list[Band | str]:
        several = [(metric, values, self._sampling(metric)) for metric, values in known]
        return Band.of_each(several, moving=self.options.stationary, week=self.past.timeline.week)

    def _sampling(self, metric: Metric) -> SamplingError:
        """What chance may do to a metric; a number that counts may get another digit, and never has one less."""
        found, count = SamplingError.of(self.past, metric), self._count
        if count is None or metric.name not in _OF_DIGITS:
            return found
        return replace(found, above=max(found.above, float(count.more_digits)))

    def _watched(self, metric: Metric, band: Band, values: FloatArray, rare: bool) -> WatchedMetric | str:
        if self.training is not None and any(value is None for value in self.training.errors.values(metric)):
            return "not measured on the injected errors (their statistics are not kept)"
        may_be_absent = rare or self.past.series(metric.name, metric.pair).has_absent
        widening = self.history.answers.widening(self.past.name, metric.name)
        return WatchedMetric(metric, band, values, may_be_absent, widening)


def _is_always(watched: WatchedMetric, kind: Kind) -> bool:
    """Whether a metric is watched whatever errors it catches: as it says, or since it has moved by chance alone."""
    band = watched.learned
    return kind in watched.metric.always or (isinstance(band, Band) and band.moves_by_chance)


def _moved_on(metric: Metric, count: Count | None) -> str | None:
    """Why a metric says nothing of values that count up: how numbers are written moves on with them."""
    if count is None:
        return None
    if count.is_bare:
        of_digits = metric.name in _OF_DIGITS or not {Initials, PatternDistribution}.isdisjoint(metric.states)
    else:
        # Of their size nothing is known: what they look like is looked at as long as it stays.
        of_digits = (count.begins_anew and Initials in metric.states) or (
            count.more_digits > 0 and PatternDistribution in metric.states
        )
    return "its values are numbers that count up: how they are written moves on with them" if of_digits else None


def _begin_with_zeros(column: ColumnProfile | None) -> bool:
    """Whether more than :data:`CODES` of a column's values have a needless zero in front."""
    states = {} if column is None else column.states
    text, written = states.get(TextShape.key), states.get(WrittenNumbers.key)
    if not isinstance(text, TextShape) or not isinstance(written, WrittenNumbers):
        return False
    return text.numeric - written.count > CODES * text.count


def _unproven(values: FloatArray, sharing: int) -> str | None:
    """Why a column that got no new values so far cannot be expected to get none; None where it can, or got some."""
    known, needed = values[~np.isnan(values)], min(FEW, int(PER_COLUMN * sharing))
    if len(known) >= needed or known.any():
        return None
    return f"no new values in {len(known)} partitions; with {sharing} columns {needed} are needed to expect none"
