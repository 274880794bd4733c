"""Which ranges a program has: of the number of rows, and of each column those that catch most within its rate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from airflow_dq.learn.array import median
from airflow_dq.learn.choose.budget import allot
from airflow_dq.learn.choose.column import Choice, Chosen, ColumnChoice, WatchedMetric
from airflow_dq.learn.choose.prepare import prepare_column
from airflow_dq.learn.constraint.base import TABLE, ColumnReport, Detector, Learned, Scope, Skipped
from airflow_dq.learn.constraint.direction import one_sided, opened
from airflow_dq.learn.constraint.range import Range, without_idle
from airflow_dq.learn.constraint.view import even_rows
from airflow_dq.learn.expect.band import Band
from airflow_dq.learn.expect.sampling import SamplingError
from airflow_dq.learn.history.clock import LocalClock
from airflow_dq.learn.history.history import History
from airflow_dq.metrics.registry import metrics_for
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.states.base import Kind

OF_ROWS = 0.5
"""The part of a table's false-positive rate that the number of rows has to itself: nothing else finds lost rows."""
OF_PATTERNS = 0.1
"""The part of a column's rate that its pattern has, where it is one of texts.  A pattern catches at a tenth of the rate
what it catches at all of it but for shares of exceptions that are a quarter smaller; ranges need all they can get."""


class RangeDetector(Detector):
    """Bounds metrics, those first that catch most injected errors within the false-positive rate."""

    name: ClassVar[str] = "range"

    def learn(self, history: History, options: SynthesisOptions) -> Learned | Skipped:
        """One range of the number of rows, and the chosen ones of each column."""
        names = [name for name in history.columns if options.judges(name)]
        kinds = {name: history.kind(name) for name in names}
        share = equal_share(options, names)
        clock = LocalClock.of(options.timezone, history.partitions)
        rows = _rows(history, options, clock)
        sharing = len(kinds) if options.scope == "partition" else 1
        found = {
            name: prepare_column(history, name, kind, options.of_column(name), rows, sharing)
            for name, kind in kinds.items()
        }
        able = {
            name: replace(one, watched=one_sided(one.watched, options.of_column(name).direction))
            for name, one in found.items()
            if isinstance(one, ColumnChoice)
        }
        parts = {name: 1.0 - (OF_PATTERNS if _has_pattern(kind, options) else 0.0) for name, kind in kinds.items()}
        chosen = _choose(able, options, share, parts)
        ranges = [] if rows is None else [Range.of(TABLE, Kind.NUMERIC, rows, directions=options.direction)]
        for name, choice in chosen.items():
            past, directions = history.column(name, kinds[name]), options.of_column(name).direction
            ranges += [Range.of(Scope((name,)), kinds[name], one, past, directions) for one in choice.chosen]
        kept = [replace(one, clock=clock) for one in without_idle(ranges)]
        bounded = {one.column for one in kept}
        reports = {name: _report(kinds[name], one, chosen.get(name), name in bounded) for name, one in found.items()}
        return Learned(tuple(kept), reports) if kept else Skipped(_nothing_bounded(names), reports)


def equal_share(options: SynthesisOptions, names: Sequence[str]) -> float:
    """The false-positive rate of each column without a rate of its own."""
    if options.scope == "column":
        return options.target_fpr
    sharing = sum(options.own_rate(name) is None for name in names)
    return (1.0 - OF_ROWS) * options.target_fpr / max(1, sharing)


def _rows(history: History, options: SynthesisOptions, clock: LocalClock | None) -> Chosen | None:
    """The range of the number of rows; None when it cannot be bounded."""
    metric = next(metric for metric in metrics_for(Kind.NUMERIC, pair=False) if metric.of_table)
    rows = even_rows(history, clock)
    known = rows[~np.isnan(rows)]
    sampling = SamplingError(max(1.0, median(known)) if len(known) else 1.0)
    band = Band.of(metric, rows, sampling, moving=options.stationary, week=history.timeline.week)
    if isinstance(band, str):
        return None
    watched = WatchedMetric(metric, band, rows, False, history.answers.widening(None, metric.name))
    found = watched.candidates(options.target_fpr * (1.0 if options.scope == "column" else OF_ROWS))
    candidates = opened(found, options.direction.get(metric.name))
    # The one that takes the whole budget: nothing else competes for it.
    return Chosen(watched, candidates, int(np.argmax(candidates.fpr)))


def _has_pattern(kind: Kind, options: SynthesisOptions) -> bool:
    """Whether a column may have a pattern, which takes a part of its rate."""
    return options.patterns and kind is Kind.STRING


def _choose(
    able: Mapping[str, ColumnChoice], options: SynthesisOptions, share: float, parts: Mapping[str, float]
) -> dict[str, Choice]:
    """Every column's ranges, at its own rate or at its part of the table's.

    :param parts: what of its rate each column has for ranges
    """
    tried: dict[str, tuple[Choice, ...]] = {}
    competing: dict[str, list[int]] = {}
    for name, column in able.items():
        own = options.own_rate(name)
        if own is not None or column.training is None or options.scope == "column":
            tried[name] = (column.at((own or share) * parts[name]),)
        else:
            tried[name] = column.at_levels(share * parts[name])
            competing[name] = [choice.coverage for choice in tried[name]]
    level = allot(competing)
    return {name: choices[level.get(name, 0)] for name, choices in tried.items()}


def _nothing_bounded(columns: Sequence[str]) -> str:
    missing = "no metric of a column could be bounded" if columns else "there is no column to judge"
    return f"{missing}, and neither could the number of rows"


def _report(kind: Kind, found: ColumnChoice | str, choice: Choice | None, bounded: bool) -> ColumnReport:
    if isinstance(found, str) or choice is None:
        return ColumnReport(kind, reason=str(found))
    reason = None
    if choice.chosen and not bounded:
        reason = "its metrics have varied so much that ranges of them would exclude nothing"
    elif not choice.chosen:
        trained = found.training is not None and found.watched
        reason = "no range catches an injected error within the target" if trained else "no metric could be bounded"
    return ColumnReport(kind, found.errors, choice.coverage, found.ignored, reason)
