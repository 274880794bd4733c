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
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.orm import aliased

from airflow_dq.codec import from_builtins
from airflow_dq.judge.verdict import Status, Verdict
from airflow_dq.learn.program import Program
from airflow_dq.store import review, snooze
from airflow_dq.store.damage import named, raw, skipping
from airflow_dq.store.document import decode
from airflow_dq.store.eligibility import SPEAKS_OF_PROFILE
from airflow_dq.store.review_model import (
    ORIGINS,
    PAGE,
    AlertFilter,
    AlertSummary,
    Origin,
    Snooze,
    VerdictDetail,
    VerdictSummary,
)
from airflow_dq.store.table import AlertRow, DatasetRow, OriginRow, ProfileRow, ProgramRow, VerdictRow
from airflow_dq.store.table_base import Key

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
HEADLINE = func.coalesce(VerdictRow.headline, _FIRST.c.headline).label("headline")
"""The worst problem of a verdict, and how many more there are; what that alert says where it has none any more."""

ORIGINS_OF_VERDICT = (
    select(
        func.json_agg(
            aggregate_order_by(
                func.json_build_array(
                    OriginRow.dag_id, OriginRow.run_id, OriginRow.task_id, OriginRow.map_index, OriginRow.owner
                ),
                OriginRow.judged_at.desc(),
            )
        )
    )
    .where(OriginRow.verdict_id == VerdictRow.id)
    .scalar_subquery()
    .label("origins")
)
"""The tasks that judged a partition, the last one first, for :func:`origins_of`."""

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
    ORIGINS_OF_VERDICT,
    FIRST_ALERT.label("first_alert_id"),
    HEADLINE,
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
    mine = select(OriginRow.verdict_id).where(OriginRow.verdict_id == VerdictRow.id, in_dags(dag_ids))
    return mine.exists()


def in_dags(dag_ids: frozenset[str]) -> ColumnElement[bool]:
    """Whether a task that judged belongs to one of these DAGs."""
    return OriginRow.dag_id == any_(literal(sorted(dag_ids), ARRAY(Key)))


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
    """Everything about the partition that a task has judged; about the last one, if it has judged several."""
    same = and_(
        OriginRow.dag_id == origin.dag_id,
        OriginRow.run_id == origin.run_id,
        OriginRow.task_id == origin.task_id,
        OriginRow.map_index == origin.map_index,
    )
    newest = select(OriginRow.verdict_id).where(same).order_by(OriginRow.judged_at.desc()).limit(1)
    return _detail(connection, VerdictRow.id == newest.scalar_subquery())


def _detail(connection: Connection, which: ColumnElement[bool]) -> VerdictDetail | None:
    own = (raw(VerdictRow.document, "document"), VerdictRow.program_id, VerdictRow.dataset_id, VerdictRow.comment)
    query = select(*_COLUMNS, *own)
    query = with_first_alert(query.join(DatasetRow, DatasetRow.id == VerdictRow.dataset_id)).where(which)
    row = connection.execute(query).one_or_none()
    if row is None:
        return None
    partition = _summary(row)
    where = f"Dataset {partition.dataset!r}, partition {partition.partition!r}"
    snoozes = snooze.active(connection, partition.dataset)
    return VerdictDetail(
        partition=partition,
        verdict=named(where, lambda: from_builtins(Verdict, decode(bytes(row.document)))),
        program=_program(connection, row.program_id, where),
        alerts=_alerts(connection, partition, snoozes),
        events=review.events(connection, row.dataset_id, partition.dataset, partition.partition),
        snoozes=tuple(snoozes),
        comment=row.comment,
    )


def _program(connection: Connection, program_id: int | None, where: str) -> Program | None:
    """The program; None when there is none, or none that can be read: the next judgement makes it anew."""
    if program_id is None:
        return None
    query = select(raw(ProgramRow.document, "document")).where(ProgramRow.id == program_id)
    document = bytes(connection.execute(query).scalar_one())
    return skipping(where, lambda: from_builtins(Program, decode(document)))


def _alerts(connection: Connection, partition: VerdictSummary, snoozes: Sequence[Snooze]) -> tuple[AlertSummary, ...]:
    query = (
        select(AlertRow)
        .where(AlertRow.verdict_id == partition.verdict_id)
        .order_by(AlertRow.closed_at.is_not(None), AlertRow.rank, AlertRow.id)
    )
    return tuple(_alert_summary(row, partition, snoozes) for row in connection.execute(query))


def _alert_summary(row: Row[Any], partition: VerdictSummary, snoozes: Sequence[Snooze]) -> AlertSummary:
    active = snooze.find_snooze(snoozes, row.rule, row.column_name, row.metric)
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
        problem=row.problem,
    )


def _summary(row: Row[Any]) -> VerdictSummary:
    origins = origins_of(row)
    return VerdictSummary(
        verdict_id=row.verdict_id,
        dataset=row.dataset,
        partition=row.partition,
        status=Status(row.status),
        judged_at=row.judged_at,
        origin=origins[0] if origins else None,
        others=origins[1:],
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


def origins_of(row: Any) -> tuple[Origin, ...]:
    """The tasks in a row with :data:`ORIGINS_OF_VERDICT`."""
    return tuple(Origin(*found) for found in (row.origins or ())[:ORIGINS])


def dags_of(connection: Connection, dataset: str | None) -> frozenset[str]:
    """DAGs whose tasks have judged partitions of a dataset (None: of any), as far as these verdicts stand."""
    query = select(OriginRow.dag_id).distinct()
    if dataset is not None:
        query = query.join(DatasetRow, DatasetRow.id == OriginRow.dataset_id).where(DatasetRow.name == dataset)
    return frozenset(connection.execute(query).scalars())


def load_verdict(connection: Connection, dataset: str, partition: str) -> Verdict | None:
    """The verdict on the partition's current profile, or None when that was not judged."""
    document = connection.execute(
        select(raw(VerdictRow.document, "document"))
        .join(ProfileRow, SPEAKS_OF_PROFILE)
        .join(DatasetRow, DatasetRow.id == ProfileRow.dataset_id)
        .where(DatasetRow.name == dataset, ProfileRow.partition_key == partition)
    ).scalar()
    where = f"Dataset {dataset!r}, partition {partition!r}"
    return None if document is None else named(where, lambda: from_builtins(Verdict, decode(bytes(document))))


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
