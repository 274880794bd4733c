"""A person's decisions: recorded once, in an audit trail, with what follows from them for alerts and history."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, TypeVarTuple

from sqlalchemy import ColumnElement, Connection, RowMapping, ScalarSelect, Select, and_, func, insert, select, update
from sqlalchemy.orm import aliased

from airflow_dq.exceptions import AlreadyDecidedError, NotJudgedError, ReviewError
from airflow_dq.judge.verdict import Decision, Status
from airflow_dq.options.key import order_key
from airflow_dq.store.eligibility import is_withheld
from airflow_dq.store.lock import lock_partition
from airflow_dq.store.review_model import WORDS, HistoryStart, Review, ReviewEvent
from airflow_dq.store.table import AlertRow, DatasetRow, ProfileRow, VerdictRow
from airflow_dq.store.table_review import ReviewEventRow
from airflow_dq.store.value import storable_text

Found = TypeVarTuple("Found")

EVENTS = 200
"""Most lines of an audit trail that are read at once."""


def decide(
    connection: Connection,
    dataset: str,
    partition: str,
    decision: Decision,
    by: str,
    *,
    comment: str | None,
    revise: bool,
    fingerprint: str | None,
) -> ReviewEvent:
    """Record a decision about the partition's current content, and close its alerts.

    :raises AlreadyDecidedError: when there is a decision, and ``revise`` is False
    :raises NotJudgedError: when there is no verdict on the current profile
    """
    if decision not in WORDS:
        raise ReviewError(f"A decision cannot be {decision!r}: give one of {', '.join(WORDS)}.")
    who = name_of(by)
    # Two people at once: the second one waits here, and then finds what the first has decided.
    lock_partition(connection, dataset, partition)
    found = _verdict(connection, dataset, partition, fingerprint)
    before = review_of(found)
    if before is not None and not revise:
        raise AlreadyDecidedError(
            f"Dataset {dataset!r}, partition {partition!r}: {before.words}, {_when(before.at)}. That decision stands "
            "unless it is revised."
        )
    said = None if not comment else storable_text(comment)
    now = connection.execute(select(func.clock_timestamp())).scalar_one()
    decided = Review(decision, who, now, said)
    connection.execute(
        update(VerdictRow)
        .where(VerdictRow.id == found["id"])
        .values(
            decision=decision,
            decided_by=who,
            decided_at=now,
            comment=said,
            withheld=is_withheld(Status(found["status"]), decision, before=False),
        )
    )
    close_alerts(connection, found["id"], decided, before)
    revised = None if before is None else f"revises: {before.words}, {_when(before.at)}"
    return record(
        connection, found["dataset_id"], dataset, decision, who, partition=partition, comment=said, detail=revised
    )


def _verdict(connection: Connection, dataset: str, partition: str, fingerprint: str | None) -> RowMapping:
    """The verdict on the partition's current profile.

    :param fingerprint: of the content that the caller has seen; None: whatever there is now
    :raises NotJudgedError: when there is none, or the content is another one now
    """
    where = f"Dataset {dataset!r}, partition {partition!r}"
    same_partition = and_(
        ProfileRow.dataset_id == VerdictRow.dataset_id, ProfileRow.partition_key == VerdictRow.partition_key
    )
    query = (
        select(
            VerdictRow.id,
            VerdictRow.dataset_id,
            VerdictRow.status,
            VerdictRow.decision,
            VerdictRow.decided_by,
            VerdictRow.decided_at,
            VerdictRow.comment,
            VerdictRow.profile_fingerprint,
            ProfileRow.fingerprint,
        )
        .join(DatasetRow, DatasetRow.id == VerdictRow.dataset_id)
        .outerjoin(ProfileRow, same_partition)
        .where(DatasetRow.name == dataset, VerdictRow.partition_key == partition)
    )
    found = connection.execute(query).mappings().one_or_none()
    if found is None:
        raise NotJudgedError(
            f"{where}: there is nothing to decide, the partition was not judged. A DQGateSensor judges it, or "
            f"`airflow dq judge {dataset} {partition} --store`."
        )
    if found["fingerprint"] != found["profile_fingerprint"] or fingerprint not in (None, found["fingerprint"]):
        raise NotJudgedError(
            f"{where}: the partition was profiled anew with other content since it was judged. Judge it again (clear "
            "the gate's task), then decide about what is there now."
        )
    return found


def review_of(row: Mapping[Any, Any]) -> Review | None:
    """The decision in a verdict's row, if there is one."""
    if row["decision"] is None:
        return None
    return Review(row["decision"], row["decided_by"] or "somebody", row["decided_at"], row["comment"])


def load(connection: Connection, dataset: str, partition: str) -> Review | None:
    """The decision about a partition as it is stored now, or None."""
    columns = (VerdictRow.decision, VerdictRow.decided_by, VerdictRow.decided_at, VerdictRow.comment)
    query = (
        select(*columns)
        .join(DatasetRow, DatasetRow.id == VerdictRow.dataset_id)
        .where(DatasetRow.name == dataset, VerdictRow.partition_key == partition)
    )
    found = connection.execute(query).mappings().one_or_none()
    return None if found is None else review_of(found)


def close_alerts(connection: Connection, verdict_id: int, decided: Review, before: Review | None = None) -> None:
    """Close a verdict's open alerts in a decision's name; those that an earlier decision closed change their reason."""
    still: ColumnElement[bool] = AlertRow.closed_at.is_(None)
    if before is not None:
        still = still | (AlertRow.closed_at == before.at)
    closed = update(AlertRow).where(AlertRow.verdict_id == verdict_id, still)
    words = decided.words[0].upper() + decided.words[1:]
    connection.execute(closed.values(closed_at=decided.at, closed_reason=words))
    update_alert_counts(connection, verdict_id)


def update_alert_counts(connection: Connection, verdict_id: int) -> None:
    """Make a verdict's summary of its alerts right again, after they changed."""
    mine = AlertRow.verdict_id == verdict_id
    is_open = AlertRow.closed_at.is_(None)
    # 'fail' sorts before 'warn'.
    worst = func.coalesce(func.min(AlertRow.severity).filter(is_open), func.min(AlertRow.severity))
    found = connection.execute(
        select(func.count().label("all"), func.count().filter(is_open).label("open"), worst.label("worst")).where(mine)
    ).one()
    connection.execute(
        update(VerdictRow)
        .where(VerdictRow.id == verdict_id)
        .values(alert_count=found.all, open_count=found.open, severity=found.worst)
    )


def record(
    connection: Connection,
    dataset_id: int,
    dataset: str,
    action: str,
    by: str,
    *,
    partition: str | None = None,
    comment: str | None = None,
    detail: str | None = None,
    problem: str | None = None,
    value: Any = None,
) -> ReviewEvent:
    """Add a line to the audit trail.

    :param partition: None for what is about the whole dataset
    :param problem: key of the partition's problem that it is about
    :param value: what was said of it
    """
    values = {
        **{"partition_key": partition, "action": action, "by": by, "comment": comment, "detail": detail},
        **{"problem": problem, "value": value},
    }
    made = connection.execute(
        insert(ReviewEventRow)
        .values(dataset_id=dataset_id, at=func.clock_timestamp(), **values)
        .returning(ReviewEventRow.id, ReviewEventRow.action, ReviewEventRow.at)
    ).one()
    return ReviewEvent(made.id, dataset, partition, made.action, by, made.at, comment, detail, problem, value)


def events(connection: Connection, dataset_id: int, dataset: str, partition: str) -> tuple[ReviewEvent, ...]:
    """What people did about a partition and, as snoozes, about its whole dataset; oldest first."""
    query = (
        select(ReviewEventRow)
        .where(
            ReviewEventRow.dataset_id == dataset_id,
            ReviewEventRow.partition_key.is_(None) | (ReviewEventRow.partition_key == partition),
        )
        .order_by(ReviewEventRow.id.desc())
        .limit(EVENTS)
    )
    return tuple(event_of(row, dataset) for row in reversed(connection.execute(query).all()))


def event_of(row: Any, dataset: str) -> ReviewEvent:
    """A line of the audit trail."""
    said = (row.comment, row.detail, row.problem, row.value)
    return ReviewEvent(row.id, dataset, row.partition_key, row.action, row.by, row.at, *said)


def start_key(dataset: str, before: str) -> ScalarSelect[str | None]:
    """Sort key of the newest partition before another at which a person restarted the history, as a subquery."""
    return _starts(select(ReviewEventRow.sort_key), dataset, before).scalar_subquery()


def history_start(connection: Connection, dataset: str, before: str) -> HistoryStart | None:
    """Where the history of a partition was restarted by a person, if it was."""
    query = _starts(select(ReviewEventRow.partition_key, ReviewEventRow.by, ReviewEventRow.at), dataset, before)
    row = connection.execute(query).one_or_none()
    return None if row is None else HistoryStart(row.partition_key, row.by, row.at)


def _starts(query: Select[*Found], dataset: str, before: str) -> Select[*Found]:
    """The audit trail is what says so: a new normal outlives the verdict it was said about.

    It is about the dataset from that partition on, also when the partition is profiled and judged anew; only a later
    decision about the same partition takes it back.
    """
    later, owner = aliased(ReviewEventRow), aliased(DatasetRow)
    taken_back = select(later.id).where(
        later.dataset_id == ReviewEventRow.dataset_id,
        later.partition_key == ReviewEventRow.partition_key,
        later.id > ReviewEventRow.id,
        later.action.in_(list(WORDS)),
    )
    return (
        query.join(owner, owner.id == ReviewEventRow.dataset_id)
        .where(
            owner.name == dataset,
            ReviewEventRow.action == "new_normal",
            ReviewEventRow.sort_key < order_key(before),
            ~taken_back.exists(),
        )
        .order_by(ReviewEventRow.sort_key.desc())
        .limit(1)
    )


def name_of(by: str) -> str:
    """Who did it; nobody decides anonymously.

    :raises ReviewError: when it is blank
    """
    if not by.strip():
        raise ReviewError("A decision needs the name of who made it: give one.")
    return storable_text(by.strip())


def _when(at: datetime | None) -> str:
    return "at an unknown time" if at is None else f"on {at.astimezone(UTC):%Y-%m-%d at %H:%M} UTC"
