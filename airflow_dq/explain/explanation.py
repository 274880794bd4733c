"""Findings in words: an alert for each, the likely cause of each column, those with one cause together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from airflow_dq.explain.alert import Alert, Change
from airflow_dq.explain.bounds import as_read, widths_outside
from airflow_dq.explain.cause import Cause, Disturbance, contenders
from airflow_dq.explain.change import changes_of
from airflow_dq.explain.comparison import Comparison
from airflow_dq.explain.exception import exception_cause, looks_words
from airflow_dq.explain.grouping import grouped
from airflow_dq.explain.header import header_rows
from airflow_dq.explain.headline import Known, with_facts
from airflow_dq.explain.history import history_changes, past_values
from airflow_dq.explain.novelty import novel_causes
from airflow_dq.explain.previous import PreviousPartition
from airflow_dq.explain.proof import prove
from airflow_dq.explain.related import related_columns
from airflow_dq.explain.relation import Found, not_outnumbered
from airflow_dq.explain.row_cause import hit_by_copies, row_cause, without_disproved
from airflow_dq.explain.segment_cause import row_segment, with_segments
from airflow_dq.explain.statement import statement_of
from airflow_dq.explain.strange import rows_told, strange_rows
from airflow_dq.explain.swapped import swapped
from airflow_dq.learn.constraint.base import Constraint, Finding
from airflow_dq.learn.constraint.declared import Declared
from airflow_dq.learn.constraint.first_occurrence import NeverSeen
from airflow_dq.learn.constraint.gone import NoneGone, SomeNegative
from airflow_dq.learn.constraint.novelty import NoNovelty
from airflow_dq.learn.constraint.outsized import NoneOutsized
from airflow_dq.learn.constraint.pattern import Conforming
from airflow_dq.learn.constraint.period import WithinPeriod
from airflow_dq.learn.constraint.range import Range
from airflow_dq.learn.constraint.relation import Holding
from airflow_dq.learn.constraint.schema import ExpectedColumn, NoOtherColumn
from airflow_dq.learn.constraint.segment import UsualSegments
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.metrics.descriptor import Reason
from airflow_dq.metrics.extrapolation import unchanged
from airflow_dq.metrics.registry import find_metric


def explain(partition: PartitionView, found: Sequence[Found], judged: int) -> tuple[Alert, ...]:
    """Every reason why a partition does not pass: alerts with one cause together, the one to look at first.

    :param judged: number of columns that were judged
    """
    previous = None if partition.history.newest is None else PreviousPartition(partition.history.newest)
    schema = [one for one in found if isinstance(one[0], ExpectedColumn | NoOtherColumn)]
    alerts = [alert for one in schema for alert in _schema_alerts(partition, *one)]
    others = _telling([one for one in found if one not in schema], partition.profile.row_count)
    of_table = [one for one in others if one[0].scope.column is None]
    rows = any(isinstance(constraint, Range) for constraint, _ in of_table)
    why = None
    if rows and previous is not None:
        every = (_compare(partition, name, previous) for name in partition.profile.columns)
        why = row_cause(one for one in every if one is not None)
    accused = {name for constraint, _ in others if (name := constraint.scope.column) is not None}
    odd = [finding for constraint, finding in of_table if isinstance(constraint, NoNovelty)]
    novel = novel_causes(odd, lambda name: None if name in accused else _compare(partition, name, previous))
    disturbances = [(constraint.scope.column, _disturbance(constraint, finding)) for constraint, finding in others]
    by_column: dict[str, list[Found]] = {}
    for one in others:
        if one[0].scope.column is not None:
            by_column.setdefault(one[0].scope.column, []).append(one)
    compared, causes = {}, dict[str, Cause]()
    for name, own in by_column.items():
        comparison = _compare(partition, name, previous)
        if comparison is not None:
            compared[name] = comparison
            cause = _proven(partition, name, contenders(comparison, _worst(disturbances, name)), own)
            causes |= {} if cause is None else {name: cause}
    causes |= swapped(compared) | header_rows(partition.profile, compared)
    causes = not_outnumbered(others, without_disproved(partition, causes), partition.profile.row_count)
    causes |= hit_by_copies(compared, causes)
    causes = with_segments(partition, others, causes, compared)
    if rows and why is None and not any(cause.of_rows for cause in causes.values()):
        why = row_segment(partition, others)
    alerts += _alerts(partition, of_table, why, ())
    for name, own in by_column.items():
        changes = changes_of(compared[name]) if name in compared else ()
        alerts += _alerts(partition, own, causes.get(name), changes)
    disturbed = max((one for _, one in disturbances), default=Disturbance.NONE)
    strange = {name: hit for name, one in compared.items() if (hit := strange_rows(one)) is not None}
    told = {name: hit for name, one in compared.items() if (hit := rows_told(one, strange.get(name))) is not None}
    rows_by = None if why is None else why.column
    together = grouped(alerts, causes, judged, disturbed, related_columns(partition, accused), told, rows_by)
    order = {name: place for place, name in enumerate(partition.profile.columns)}
    findings = {name: finding for _, finding in schema for name in finding.scope.columns}
    broken = (constraint for constraint, _ in others if isinstance(constraint, Conforming))
    looks = {str(one.scope.column): words for one in broken if (words := looks_words(one, partition))}
    known = Known(partition.profile.row_count, causes, order, findings, strange, looks, rows_by, novel)
    return with_facts(together, known)


def _worst(disturbances: Sequence[tuple[str | None, Disturbance]], name: str) -> Disturbance:
    return max((one for column, one in disturbances if column == name), default=Disturbance.NONE)


def _telling(found: Sequence[Found], rows: int) -> list[Found]:
    """Without what follows from the rest: no metric has a value where there is no row, or no value in the column."""
    empty = {constraint.scope.column for constraint, finding in found if _says_that_nothing_came(constraint, finding)}
    if not rows and None in empty:
        return [one for one in found if one[0].scope.column is None or not _has_no_value(*one)]
    return [one for one in found if one[0].scope.column not in empty or not _has_no_value(*one)]


def _says_that_nothing_came(constraint: Constraint, finding: Finding) -> bool:
    """Whether a range says it: of the number of rows, or of the share of values that are there."""
    metric = find_metric(finding.metric, constraint.kind) if isinstance(constraint, Range) and finding.metric else None
    return metric is not None and (metric.of_table or metric.presence) and finding.observed == 0.0


def _has_no_value(constraint: Constraint, finding: Finding) -> bool:
    return isinstance(constraint, Range) and isinstance(finding.observed, Reason)


def _proven(partition: PartitionView, name: str, causes: Sequence[Cause], found: Sequence[Found]) -> Cause | None:
    """The cause with what became of the column when it was undone; None when that is too little.

    :param causes: those that explain about as much; of several the one that is proven best is true, if any is
    """
    # Declared checks read what the scan has counted for them, which nothing undoes.
    learned = [one for one in found if not isinstance(one[0], Declared)]
    tried = [(cause, None if cause.undo is None else prove(partition, name, cause.undo, learned)) for cause in causes]
    untried = [cause for cause, proof in tried if proof is None]
    if len(untried) == 1 and not any(proof is not None and proof.convinces for _, proof in tried):
        # What was undone to no effect has not happened: of the others one is left.
        return untried[0]
    proven = [(proof.vanished, cause, proof) for cause, proof in tried if proof is not None and proof.convinces]
    proven.sort(key=lambda one: -one[0])
    if not proven or (len(proven) > 1 and proven[0][0] == proven[1][0]):
        return None
    _, cause, proof = proven[0]
    return replace(cause, words=f"{cause.words}; {proof.words}", proof=proof)


def _place(found: tuple[Range, Finding]) -> tuple[bool, bool, bool, float]:
    """Where a range stands among those of its column, the one that says most first.

    That all values are null says more to a reader than that they have no mean, a mean more than a divergence or a
    spread, and of two that say as much, the one that is further off.
    """
    constraint, finding = found
    no_value, level = isinstance(finding.observed, Reason), constraint.metric in ("mean", "median")
    return no_value, constraint.pair, not level, -widths_outside(constraint.metric, constraint.kind, finding)


def _disturbance(constraint: Constraint, finding: Finding) -> Disturbance:
    """What a finding says of a column's values beyond what another number of rows explains.

    With fewer rows there are fewer distinct values, and the smallest and the largest lie closer together.
    """
    metric = None if finding.metric is None else find_metric(finding.metric, getattr(constraint, "kind", None))
    if constraint.scope.column is None or metric is None or isinstance(finding.observed, Reason | None):
        return Disturbance.NONE
    inwards = (metric.level == 0.0 and finding.observed > (finding.upper or -math.inf)) or (
        metric.level == 1.0 and finding.observed < (finding.lower or math.inf)
    )
    if inwards or metric.extrapolation.thinned is not unchanged:
        return Disturbance.NONE
    return Disturbance.VALUES if metric.represented else Disturbance.SHAPE


def _compare(partition: PartitionView, name: str, previous: PreviousPartition | None) -> Comparison | None:
    """A column beside itself in the past; None where there is nothing to compare."""
    if previous is None:
        return None
    history = partition.history
    return Comparison.of(name, partition.profile, history.profiles, previous, history.distances)


def _schema_alerts(partition: PartitionView, constraint: Constraint, finding: Finding) -> Iterator[Alert]:
    """One alert for each column: snoozes and severities speak of one at a time."""
    for name in finding.scope.columns:
        changes = _type_changes(partition, name) if finding.rule == "column_retyped" else ()
        yield Alert(
            finding.rule,
            name,
            statement_of(constraint, finding, partition, name),
            partitions=finding.partitions,
            changes=changes,
            cause=finding.cause,
            cause_stated=True,
        )


def _type_changes(partition: PartitionView, name: str) -> tuple[Change, ...]:
    """The source's own types, and the column's place when it moved as well."""
    newest, now = partition.history.newest, partition.column(name)
    before = None if newest is None else newest.columns.get(name)
    if newest is None or now is None or before is None:
        return ()
    changes = [Change("type", f"type {before.data_type} -> {now.data_type}", name)]
    places = [list(side.columns).index(name) + 1 for side in (newest, partition.profile)]
    if places[0] != places[1]:
        before_and_now = (float(places[0]), float(places[1]))
        changes.append(Change("order", f"column {places[0]} -> column {places[1]}", name, *before_and_now))
    return tuple(changes)


def _past(constraint: Constraint, partition: PartitionView) -> tuple[tuple[str | None, float | None], ...]:
    """The history of what was measured for another constraint than a range."""
    if isinstance(constraint, Declared):
        return constraint.past(partition).points()
    return constraint.shares(partition) if isinstance(constraint, Conforming | Holding) else ()


def _own_cause(constraint: Constraint, finding: Finding, partition: PartitionView, cause: Cause | None) -> str | None:
    """The cause of what is wrong by another rule than a range; of values it is their column's, where that is known."""
    if (
        isinstance(constraint, NeverSeen | NoneGone | NoneOutsized | SomeNegative | UsualSegments | WithinPeriod)
        and finding.cause is None
    ):
        return None if cause is None else cause.words
    if not isinstance(constraint, Conforming):
        return finding.cause
    return exception_cause(constraint, partition) if cause is None else cause.words


def _alerts(
    partition: PartitionView,
    found: Sequence[Found],
    cause: Cause | None,
    changes: Sequence[Change],
) -> Iterator[Alert]:
    """One alert per finding about a column or the table; the first range states the likely cause and the changes.

    What is wrong by another rule than a range knows its own cause, and comes first.
    """
    others = [one for one in found if not isinstance(one[0], Range)]
    for constraint, finding in others:
        column = partition.column(constraint.scope.column or "")
        yield Alert(
            rule=finding.rule,
            column=finding.blamed or finding.scope.column,
            statement=statement_of(constraint, finding, partition),
            metric=finding.metric,
            observed=finding.observed,
            lower=finding.lower,
            upper=finding.upper,
            partitions=finding.partitions,
            history=_past(constraint, partition),
            failing=constraint.failing(partition) if isinstance(constraint, Declared) else None,
            kind=None if column is None else column.kind,
            cause=_own_cause(constraint, finding, partition, cause),
            columns=finding.scope.columns if len(finding.scope.columns) > 1 else (),
            severity=finding.severity,
            owner=constraint.declared.owner if isinstance(constraint, Declared) else None,
        )
    stated = any(
        isinstance(one, Conforming | NeverSeen | NoneGone | NoneOutsized | SomeNegative | WithinPeriod)
        for one, _ in others
    )
    ranges = [(one, finding) for one, finding in found if isinstance(one, Range)]
    ranges.sort(key=_place)
    for place, (constraint, found_as_is) in enumerate(ranges):
        past = past_values(constraint, partition)
        finding = as_read(constraint, found_as_is, past)
        yield Alert(
            rule=finding.rule,
            column=constraint.column,
            statement=statement_of(constraint, finding, partition),
            metric=constraint.metric,
            observed=finding.observed,
            lower=finding.lower,
            upper=finding.upper,
            moving=not constraint.expectation.is_fixed,
            evidence=finding.evidence,
            partitions=finding.partitions,
            history=past,
            kind=constraint.kind,
            changes=(*history_changes(constraint, partition, past), *(() if place else changes)),
            cause=None if cause is None else cause.words,
            cause_stated=cause is not None and (stated or place > 0),
        )
