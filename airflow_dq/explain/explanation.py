"""A verdict's alerts: one for each violated clause, the likely cause of each column, those with one cause together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from airflow_dq.explain.alert import Alert, Change
from airflow_dq.explain.cause import Cause, likely_cause
from airflow_dq.explain.cause.presence import copied_words, copies_of
from airflow_dq.explain.change import changes_of
from airflow_dq.explain.comparison import Comparison
from airflow_dq.explain.grouping import grouped
from airflow_dq.explain.history import history_changes, past_values
from airflow_dq.explain.previous import PreviousPartition
from airflow_dq.explain.sentence import sentence_of
from airflow_dq.learn.history.series import Before
from airflow_dq.learn.model import ClauseResult, Program, ScopeVerdict, Status
from airflow_dq.metrics.registry import Reason
from airflow_dq.profile.model import Profile
from airflow_dq.states.base import Kind


def explain(
    program: Program,
    profile: Profile,
    before: Before,
    rules: Sequence[Alert],
    table: ScopeVerdict,
    columns: Mapping[str, ScopeVerdict],
) -> tuple[Alert, ...]:
    """Every reason why the partition does not pass: alerts with one cause together, the one to look at first.

    :param rules: what is wrong beside violated clauses: with the columns themselves, or with the partition's date
    :param table: the verdict on the whole table
    :param columns: the verdicts on the columns
    """
    length = program.options.history
    previous = PreviousPartition(before.profiles[-1]) if before.profiles else None
    alerts = [*rules, *_table_alerts(table, profile, before, previous, length)]
    causes: dict[str, Cause] = {}
    for name, verdict in columns.items():
        if verdict.status is not Status.FAIL:
            continue
        comparison = None if previous is None else Comparison.of(name, profile, before.profiles, previous)
        cause = None if comparison is None else likely_cause(comparison)
        if cause is not None:
            causes[name] = cause
        changes = () if comparison is None else changes_of(comparison)
        alerts += _alerts(verdict, program.columns[name].kind, before, length, cause, changes)
    return grouped(alerts, causes, len(columns))


def _table_alerts(
    table: ScopeVerdict, profile: Profile, before: Before, previous: PreviousPartition | None, length: int
) -> Iterator[Alert]:
    """Those about the whole table, whose cause its columns tell."""
    failed = any(result.status is Status.FAIL for result in table.results)
    copied = _copied(profile, before.profiles, previous) if failed and previous is not None else None
    return _alerts(table, Kind.NUMERIC, before, length, copied, ())


def _copied(profile: Profile, history: Sequence[Profile], previous: PreviousPartition) -> Cause | None:
    """That every row arrived several times, which every column must agree to."""
    comparisons = (Comparison.of(name, profile, history, previous) for name in profile.columns)
    found = [copies_of(comparison) for comparison in comparisons if comparison is not None]
    copies = math.gcd(*(number for number in found if number is not None))
    return Cause("volume_change", f"every row {copies} times", copied_words(copies), 1.0) if copies > 1 else None


def _alerts(
    verdict: ScopeVerdict, kind: Kind, before: Before, length: int, cause: Cause | None, changes: Sequence[Change]
) -> Iterator[Alert]:
    """One alert per violated clause of a column or of the table; the first one states the likely cause and the changes.

    :param length: number of the newest partitions that a chart shows
    """
    recent = list(before.profiles)[-length:]
    for place, result in enumerate(_violated(verdict)):
        clause = result.clause
        lower, upper = result.expected
        past = past_values(clause, recent)
        yield Alert(
            rule="metric",
            column=clause.column,
            sentence=sentence_of(result, kind),
            metric=clause.metric,
            observed=result.observed,
            lower=lower,
            upper=upper,
            fpr=clause.fpr,
            bound=clause.bound,
            history=past,
            kind=kind,
            changes=(*history_changes(clause, kind, before, past), *(() if place else changes)),
            cause=None if cause is None else cause.words,
            cause_stated=cause is not None and place > 0,
        )


def _violated(verdict: ScopeVerdict) -> list[ClauseResult]:
    """The violated clauses, the one that tells a reader most first."""
    found = [result for result in verdict.results if result.status is Status.FAIL]
    # That all values are null says more to a reader than that they have no mean, a mean more than a divergence.
    return sorted(found, key=lambda result: (isinstance(result.observed, Reason), result.clause.pair))
