"""Reading verdicts: the one on a partition, the list that a person reviews, and everything about one of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, TypeVarTuple

from sqlalchemy import (
    ARRAY,
    ColumnElement,
    Connection,
    Row,
    Select,
    and_,
    any_,
    false,
    func,
    literal,
    select,
    true,
)
from sqlalchemy.orm import aliased

from airflow_dq.codec import from_builtins
from airflow_dq.judge.verdict import Status, Verdict
from airflow_dq.learn.program import Program
from airflow_dq.store import review, snooze
from airflow_dq.store.eligibility import SPEAKS_OF_PROFILE
from airflow_dq.store.review_model import (
    NO_MAP_INDEX,
    PAGE,
    AlertFilter,
    AlertSummary,
    Origin,
    Snooze,
    VerdictDetail,
    VerdictSummary,
)
from airflow_dq.store.table import AlertRow, DatasetRow, Key, ProfileRow, ProgramRow, VerdictRow

Found = TypeVarTuple("Found")

_ALERT = aliased(AlertRow)
_FIRST = (
    select(_ALERT.id, _ALERT.headline)
    .where(_ALERT.verdict_id == VerdictRow.id)
    # An open one if there is one; then the first in the verdict's own order.
    .order_by(_ALERT.closed_at.is_not(None), _ALERT.rank, _ALERT.id)
    .limit(1)
    .lateral("first_alert")
)
FIRST_ALERT = _FIRST.c.id
"""Id of the alert that speaks for a verdict's others; from :func:`with_first_alert`."""

_COLUMNS = (
    VerdictRow.id.label("verdict_id"),
    DatasetRow.name.label("dataset"),
    VerdictRow.partition_key.label("partition"),
    VerdictRow.status,
    VerdictRow.judged_at,
    VerdictRow.decision,
    VerdictRow.decided_by,
    VerdictRow.decided_at,
    VerdictRow.alert_count,
    VerdictRow.open_count,
    VerdictRow.severity,
    VerdictRow.profile_fingerprint,
    VerdictRow.dag_id,
    VerdictRow.run_id,
    VerdictRow.task_id,
    VerdictRow.map_index,
    FIRST_ALERT.label("first_alert_id"),
    _FIRST.c.headline,
)


def with_first_alert(query: Select[*Found]) -> Select[*Found]:
    """The query on verdicts, joined with the alert that speaks for each verdict's others."""
    return query.outerjoin(_FIRST, true())


def summaries(connection: Connection, chosen: AlertFilter, limit: int, before: int | None) -> list[VerdictSummary]:
    """Partitions with alerts, newest verdict first: those before an id, at most ``limit``."""
    query = with_first_alert(select(*_COLUMNS).join(DatasetRow, DatasetRow.id == VerdictRow.dataset_id))
    query = query.where(VerdictRow.alert_count > 0, *_conditions(chosen))
    if before is not None:
        query = query.where(VerdictRow.id < before)
    query = query.order_by(VerdictRow.id.desc()).limit(max(1, min(limit, PAGE)))
    return [_summary(row) for row in connection.execute(query)]


def _conditions(chosen: AlertFilter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if chosen.dag_ids is not None:
        conditions.append(of_dags(chosen.dag_ids))
    if chosen.dataset is not None:
        conditions.append(DatasetRow.name == chosen.dataset)
    if chosen.severity is not None:
        conditions.append(VerdictRow.severity == chosen.severity)
    if chosen.state == "open":
        conditions.append(VerdictRow.open_count > 0)
    elif chosen.state == "decided":
        conditions.append(VerdictRow.decision.is_not(None))
    elif chosen.state == "closed":
        conditions.append(and_(VerdictRow.open_count == 0, VerdictRow.decision.is_(None)))
    if chosen.since is not None:
        conditions.append(VerdictRow.judged_at >= _midnight(chosen.since))
    if chosen.until is not None and chosen.until < date.max:
        conditions.append(VerdictRow.judged_at < _midnight(chosen.until + timedelta(days=1)))
    return conditions


def of_dags(dag_ids: frozenset[str]) -> ColumnElement[bool]:
    """Whether a verdict was given by a task of one of these DAGs; by none, if there are none."""
    if not dag_ids:
        return false()
    return VerdictRow.dag_id == any_(literal(sorted(dag_ids), ARRAY(Key)))


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time.min, UTC)


def of_alert(connection: Connection, alert_id: int) -> VerdictDetail | None:
    """The partition that an alert belongs to, with everything about it."""
    return _detail(
        connection, VerdictRow.id == select(AlertRow.verdict_id).where(AlertRow.id == alert_id).scalar_subquery()
    )


def of_partition(connection: Connection, dataset: str, partition: str) -> VerdictDetail | None:
    """Everything about a judged partition."""
    return _detail(connection, and_(DatasetRow.name == dataset, VerdictRow.partition_key == partition))


def of_task(connection: Connection, origin: Origin) -> VerdictDetail | None:
    """Everything about the partition that a task has judged; about the newest verdict, if it has judged several."""
    same = and_(
        VerdictRow.dag_id == origin.dag_id,
        VerdictRow.run_id == origin.run_id,
        VerdictRow.task_id == origin.task_id,
        VerdictRow.map_index == origin.map_index,
    )
    return _detail(connection, VerdictRow.id == select(func.max(VerdictRow.id)).where(same).scalar_subquery())


def _detail(connection: Connection, which: ColumnElement[bool]) -> VerdictDetail | None:
    query = select(*_COLUMNS, VerdictRow.document, VerdictRow.program_id, VerdictRow.dataset_id, VerdictRow.comment)
    query = with_first_alert(query.join(DatasetRow, DatasetRow.id == VerdictRow.dataset_id)).where(which)
    row = connection.execute(query).one_or_none()
    if row is None:
        return None
    partition = _summary(row)
    snoozes = snooze.active(connection, partition.dataset)
    return VerdictDetail(
        partition=partition,
        verdict=from_builtins(Verdict, row.document),
        program=_program(connection, row.program_id),
        alerts=_alerts(connection, partition, snoozes),
        events=review.events(connection, row.dataset_id, partition.dataset, partition.partition),
        snoozes=tuple(snoozes),
        comment=row.comment,
    )


def _program(connection: Connection, program_id: int | None) -> Program | None:
    if program_id is None:
        return None
    return from_builtins(
        Program, connection.execute(select(ProgramRow.document).where(ProgramRow.id == program_id)).scalar_one()
    )


def _alerts(connection: Connection, partition: VerdictSummary, snoozes: Sequence[Snooze]) -> tuple[AlertSummary, ...]:
    query = (
        select(AlertRow)
        .where(AlertRow.verdict_id == partition.verdict_id)
        .order_by(AlertRow.closed_at.is_not(None), AlertRow.rank, AlertRow.id)
    )
    return tuple(_alert_summary(row, partition, snoozes) for row in connection.execute(query))


def _alert_summary(row: Row[Any], partition: VerdictSummary, snoozes: Sequence[Snooze]) -> AlertSummary:
    active = snooze.find_snooze(snoozes, row.column_name, row.metric)
    return AlertSummary(
        id=row.id,
        dataset=partition.dataset,
        partition=partition.partition,
        rule=row.rule,
        column=row.column_name,
        metric=row.metric,
        message=row.message,
        severity=row.severity,
        observed=row.observed,
        reason=row.reason,
        lower=row.lower,
        upper=row.upper,
        created_at=row.created_at,
        closed_at=row.closed_at,
        closed_reason=row.closed_reason,
        decision=partition.decision,
        origin=partition.origin,
        snoozed_until=None if active is None else active.until,
    )


def _summary(row: Row[Any]) -> VerdictSummary:
    return VerdictSummary(
        verdict_id=row.verdict_id,
        dataset=row.dataset,
        partition=row.partition,
        status=Status(row.status),
        judged_at=row.judged_at,
        origin=origin_of(row),
        decision=row.decision,
        decided_by=row.decided_by,
        decided_at=row.decided_at,
        alert_count=row.alert_count,
        open_count=row.open_count,
        severity=row.severity,
        first_alert_id=row.first_alert_id,
        headline=row.headline,
        fingerprint=row.profile_fingerprint,
    )


def origin_of(row: Any) -> Origin | None:
    """The task in a verdict's row."""
    if row.dag_id is None:
        return None
    return Origin(row.dag_id, row.run_id, row.task_id, NO_MAP_INDEX if row.map_index is None else row.map_index)


def dags_of(connection: Connection, dataset: str) -> frozenset[str]:
    """DAGs whose tasks have judged partitions of a dataset, as far as these verdicts stand."""
    query = (
        select(VerdictRow.dag_id)
        .join(DatasetRow, DatasetRow.id == VerdictRow.dataset_id)
        .where(DatasetRow.name == dataset, VerdictRow.dag_id.is_not(None))
        .distinct()
    )
    return frozenset(dag_id for dag_id in connection.execute(query).scalars() if dag_id is not None)


def load_verdict(connection: Connection, dataset: str, partition: str) -> Verdict | None:
    """The verdict on the partition's current profile, or None when that was not judged."""
    document = connection.execute(
        select(VerdictRow.document)
        .join(ProfileRow, SPEAKS_OF_PROFILE)
        .join(DatasetRow, DatasetRow.id == ProfileRow.dataset_id)
        .where(DatasetRow.name == dataset, ProfileRow.partition_key == partition)
    ).scalar()
    return None if document is None else from_builtins(Verdict, document)


def load_program(connection: Connection, dataset: str, partition: str, inputs: str | None) -> Program | None:
    """The program a partition was judged by, if it was synthesized from these inputs (None: whatever they were)."""
    query = (
        select(ProgramRow.document)
        .join(DatasetRow, DatasetRow.id == ProgramRow.dataset_id)
        .where(DatasetRow.name == dataset, ProgramRow.partition_key == partition)
    )
    if inputs is not None:
        query = query.where(ProgramRow.inputs == inputs)
    document = connection.execute(query).scalar()
    return None if document is None else from_builtins(Program, document)
