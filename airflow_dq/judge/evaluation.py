"""Program + profile -> verdict: which clauses a partition violates, and which could not be checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.explain.explanation import explain
from airflow_dq.learn.constraint.date_column import calendar_alerts, foretold
from airflow_dq.learn.constraint.first_occurrence import unheard_alerts
from airflow_dq.learn.constraint.repeated_partition import repetition_alerts
from airflow_dq.learn.constraint.schema import compatible, schema_alerts
from airflow_dq.learn.expect.transform import apply, undo
from airflow_dq.learn.history.series import ABSENT, Before, ColumnHistory, observe
from airflow_dq.learn.mode import MODES, before_partition
from airflow_dq.learn.model import (
    Alert,
    Clause,
    ClauseResult,
    ColumnProgram,
    Program,
    ScopeVerdict,
    Status,
    Verdict,
)
from airflow_dq.metrics.descriptor import MetricValue, Reason
from airflow_dq.profile.model import ColumnProfile, Profile
from airflow_dq.states.base import Representation


def evaluate(
    program: Program, profile: Profile, history: Sequence[Profile], columns: Sequence[str] | None = None
) -> Verdict:
    """Judge one partition.

    :param program: what :func:`synthesize` learned from ``history``
    :param profile: the partition to judge
    :param history: the profiles the partition follows, oldest first, used as given: the last one is the baseline of
        two-distribution metrics, earlier ones are what a differenced series is compared with
    :param columns: judge only these columns (None: all that the program has)
    :return: the verdict; ``pass`` only if everything that was asked for was checked and nothing was violated
    :raises ConfigurationError: when ``columns`` names one that neither the program nor the partition has
    """
    if program.missing:
        return _warming_up(program, profile)
    names = _asked(program, profile, columns)
    schema = tuple(schema_alerts(program, profile, columns, history))
    before = before_partition(program.options, history, profile.partition)
    results = tuple(_check(clause, float(profile.row_count), before) for clause in program.table.clauses)
    # Of some columns nobody can say that they are all there is.
    whole = MODES[program.options.mode].judges_delivery and set(names) >= set(program.columns)
    repeated = tuple(repetition_alerts(program, profile, history)) if whole else ()
    violated = bool(schema or repeated) or any(result.status is Status.FAIL for result in results)
    table = ScopeVerdict(Status.FAIL if violated else Status.PASS, results)
    judged = {name: program.columns[name] for name in names if name in program.columns}
    found = tuple(_beside(program, judged, profile, history))
    wrong = {alert.column for alert in found}
    verdicts = {name: _judge(program.columns.get(name), name, profile, before, wrong=name in wrong) for name in names}
    unknown = [name for name in names if name not in program.columns]
    status, reason = _overall(table, verdicts, unknown, profile)
    alerts = explain(program, profile, before, (*schema, *repeated, *found), table, verdicts)
    return Verdict(profile.partition, status, table, verdicts, alerts, reason)


def _warming_up(program: Program, profile: Profile) -> Verdict:
    needed = program.options.min_history
    reason = f"{needed - program.missing} of {needed} partitions; {program.missing} more are needed"
    scope = ScopeVerdict(Status.WARMING_UP, reason=reason)
    return Verdict(profile.partition, Status.WARMING_UP, scope, dict.fromkeys(profile.columns, scope), reason=reason)


def _asked(program: Program, profile: Profile, columns: Sequence[str] | None) -> list[str]:
    if columns is None:
        return list(program.columns)
    known = [*program.columns, *(name for name in profile.columns if name not in program.columns)]
    unknown = [name for name in columns if name not in known]
    if unknown:
        raise ConfigurationError(
            f"Partition {profile.partition}: columns {', '.join(map(repr, unknown))} cannot be judged, neither the "
            f"program nor the partition has them; known are {', '.join(map(repr, known))}. Correct the list."
        )
    return list(columns)


def _beside(
    program: Program, judged: Mapping[str, ColumnProgram], profile: Profile, history: Sequence[Profile]
) -> Iterator[Alert]:
    """What is wrong with the columns that no constraint says."""
    if MODES[program.options.mode].judges_delivery:
        yield from calendar_alerts(judged, profile, history)
        yield from unheard_alerts(judged, profile, history)


def _judge(program: ColumnProgram | None, name: str, profile: Profile, before: Before, *, wrong: bool) -> ScopeVerdict:
    """The verdict on one column.

    :param wrong: whether something about the column is wrong that its constraints do not say
    """
    now = profile.columns.get(name)
    if program is None:
        return ScopeVerdict(Status.NOT_EVALUATED, reason="no program: the history does not have this column")
    if now is None:
        return ScopeVerdict(Status.NOT_EVALUATED, reason="the column is missing in the partition")
    if not compatible(program.kind, now.kind):
        return ScopeVerdict(Status.NOT_EVALUATED, reason=f"the column is {now.kind}, its history is {program.kind}")
    told = foretold(program.calendar, now, profile.partition)
    if not program.clauses and told is None and not wrong:
        return ScopeVerdict(Status.NOT_EVALUATED, reason=program.reason or "the program has no clause for it")
    past = ColumnHistory(before.profiles, name)
    results = tuple(_check_column(clause, now, past, before) for clause in program.clauses)
    if told:
        # Only the date could foretell the value; that some are missing it does not.
        results = tuple(r for r in results if r.status is not Status.FAIL or r.clause.metric == "complete_ratio")
    if wrong or any(result.status is Status.FAIL for result in results):
        return ScopeVerdict(Status.FAIL, results)
    skipped = [result for result in results if result.status is Status.NOT_EVALUATED]
    if skipped:
        reason = "; ".join(f"{result.clause.metric}: {_why_skipped(result)}" for result in skipped)
        return ScopeVerdict(Status.NOT_EVALUATED, results, reason)
    return ScopeVerdict(Status.PASS, results)


def _representation(clause: Clause, past: ColumnHistory) -> Representation | None:
    """The one that the clause's history is read in; None where it does not matter."""
    return past.representation(clause.metric) if clause.pair else None


def _why_skipped(result: ClauseResult) -> str:
    if result.observed is Reason.ENGINE_ERROR:
        return Reason.ENGINE_ERROR.value
    if isinstance(result.observed, Reason):
        return "the statistics it is measured from are not kept; profile the partition again"
    lag = result.clause.transform.lag
    return f"the value it is compared with, {lag} partitions before, is missing"


def _check_column(clause: Clause, now: ColumnProfile, past: ColumnHistory, before: Before) -> ClauseResult:
    """One clause on the partition's column."""
    observed = observe(clause.metric, clause.pair, now, past.columns, _representation(clause, past))
    result = _check(clause, observed, before)
    if observed in ABSENT and any(value in ABSENT for value in past.series(clause.metric, clause.pair).values):
        # It has been so before: how often is for the counts of rows and of complete values to judge.
        return replace(result, status=Status.PASS)
    return result


def _check(clause: Clause, observed: MetricValue | None, before: Before) -> ClauseResult:
    """One clause on the observed value of its metric."""
    base, (lower, upper) = before.base(clause), before.bounds(clause)
    expected = (undo(clause.transform, lower, base), undo(clause.transform, upper, base))
    if observed is None:
        return ClauseResult(clause, Status.NOT_EVALUATED, Reason.NOT_APPLICABLE, None, expected)
    if isinstance(observed, Reason):
        # The history had a value in every partition, so its absence is a change; an error of ours is not.
        status = Status.NOT_EVALUATED if observed is Reason.ENGINE_ERROR else Status.FAIL
        return ClauseResult(clause, status, observed, None, expected)
    if base is None:
        return ClauseResult(clause, Status.NOT_EVALUATED, observed, None, expected)
    moved = float(apply(clause.transform, np.array([observed]), base)[0])
    holds = (lower is None or moved >= lower) and (upper is None or moved <= upper)
    transformed = moved if np.isfinite(moved) else None
    return ClauseResult(clause, Status.PASS if holds else Status.FAIL, observed, transformed, expected)


def _overall(
    table: ScopeVerdict, columns: Mapping[str, ScopeVerdict], unknown: Sequence[str], profile: Profile
) -> tuple[Status, str | None]:
    """The verdict on the partition, and the reason when it is neither pass nor fail."""
    scopes = [table, *columns.values()]
    if any(scope.status is Status.FAIL for scope in scopes):
        return Status.FAIL, None
    skipped = [
        name
        for name, scope in columns.items()
        if name in unknown or any(result.status is Status.NOT_EVALUATED for result in scope.results)
    ]
    if skipped:
        return Status.NOT_EVALUATED, "; ".join(f"{name}: {columns[name].reason}" for name in skipped)
    if not profile.row_count and table.results:
        # The number of rows is all that there is to check.
        return Status.PASS, None
    if not any(scope.results for scope in columns.values()):
        reasons = "; ".join(f"{name}: {scope.reason}" for name, scope in columns.items())
        return Status.NOT_EVALUATED, f"no column could be judged ({reasons or 'there is none'})"
    return Status.PASS, None
