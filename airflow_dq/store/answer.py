"""What people have answered to a dataset's alarms, what became of its verdicts, and what its last backtest found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from sqlalchemy import Connection, Select, func, select
from sqlalchemy.dialects import postgresql

from airflow_dq.explain.record import Record, Replay
from airflow_dq.judge.verdict import Status
from airflow_dq.learn.history.answer import AnsweredAlarm
from airflow_dq.options.key import order_key
from airflow_dq.store.eligibility import SPEAKS_OF_PARTITION
from airflow_dq.store.table import AlertRow, DatasetRow, ProfileRow, VerdictRow
from airflow_dq.store.table_review import ReplayRow, ReviewEventRow
from airflow_dq.store.value import storable_key

RECENT = 60
"""Newest judged partitions that a gate's record is made of: two months of days, as on the dataset's page."""


def answered_alarms(connection: Connection, dataset: str, before: str | None = None) -> list[AnsweredAlarm]:
    """The alarms about metrics that people have decided about, over all that is stored of a dataset.

    Those that were closed before the decision, because they were no longer true, are no part of it; nor is a metric
    that had no value, which no range is too narrow for.  What was said of one problem, that it is noise, goes before
    what was said of the whole partition.

    :param before: only those of partitions that come before this one
    """
    noise = _noise(connection, dataset, before)
    decided = _decided(connection, dataset, before)
    return [*noise, *(one for one in decided if replace(one, accepted=True) not in noise)]


def _noise(connection: Connection, dataset: str, before: str | None) -> dict[AnsweredAlarm, None]:
    """The alarms that were called noise, and not taken back."""
    query = (
        select(ReviewEventRow.partition_key, ReviewEventRow.problem, ReviewEventRow.action, ReviewEventRow.value)
        .join(DatasetRow, DatasetRow.id == ReviewEventRow.dataset_id)
        .where(
            DatasetRow.name == dataset,
            ReviewEventRow.problem.is_not(None),  # for its index
            ReviewEventRow.action.in_(["noise", "not_noise"]),
        )
        .order_by(ReviewEventRow.id)
    )
    if before is not None:
        query = query.where(ReviewEventRow.sort_key < order_key(before))
    last = {(row.partition_key, row.problem): row for row in connection.execute(query)}
    return {
        AnsweredAlarm(partition, column, metric, accepted=True): None
        for (partition, _), row in last.items()
        if row.action == "noise"
        for column, metric in row.value
    }


def _decided(connection: Connection, dataset: str, before: str | None) -> list[AnsweredAlarm]:
    """Those of partitions that were accepted or rejected."""
    query = (
        select(ProfileRow.partition_key, AlertRow.column_name, AlertRow.metric, VerdictRow.decision)
        .select_from(VerdictRow)
        .join(DatasetRow, DatasetRow.id == VerdictRow.dataset_id)
        .join(ProfileRow, SPEAKS_OF_PARTITION)
        .join(AlertRow, AlertRow.verdict_id == VerdictRow.id)
        .where(
            DatasetRow.name == dataset,
            VerdictRow.alert_count > 0,  # for its index
            AlertRow.closed_at == VerdictRow.decided_at,
            AlertRow.metric.is_not(None),
            AlertRow.reason.is_(None),
            # After a new normal the history begins anew: the alarm was right.
            VerdictRow.decision.in_(["accepted", "rejected"]),
        )
        .distinct()
    )
    if before is not None:
        query = query.where(ProfileRow.sort_key < order_key(before))
    return [
        AnsweredAlarm(partition, column, str(metric), decision != "rejected")
        for partition, column, metric, decision in connection.execute(query)
    ]


def record(connection: Connection, dataset: str, before: str, options: str) -> Record:
    """What became of the newest partitions judged before another one.

    :param options: digest of the options that a stored backtest must have been made with
    """
    query: Select[str, str | None, int] = (
        select(VerdictRow.status, VerdictRow.decision, VerdictRow.alert_count)
        .select_from(ProfileRow)
        .join(DatasetRow, DatasetRow.id == ProfileRow.dataset_id)
        .join(VerdictRow, SPEAKS_OF_PARTITION)
        .where(
            DatasetRow.name == dataset,
            ProfileRow.sort_key < order_key(before),
            VerdictRow.status.in_([Status.PASS.value, Status.FAIL.value]),
        )
        .order_by(ProfileRow.sort_key.desc())
        .limit(RECENT)
    )
    fates = Counter(_fate(*row) for row in connection.execute(query))
    return Record(
        judged=fates.total(),
        accepted=fates["accepted"],
        rejected=fates["rejected"],
        unanswered=fates["unanswered"],
        cleared=fates["cleared"],
        replay=_replay(connection, dataset, before, options),
    )


def _fate(status: str, decision: str | None, alerts: int) -> str:
    """What became of a judged partition."""
    if status != Status.FAIL.value:
        return "cleared" if alerts else "passed"
    if decision is None:
        return "unanswered"
    return "accepted" if decision == "accepted" else "rejected"


def save_replay(
    connection: Connection, dataset: str, options: str, replay: Replay, outcomes: Mapping[str, Status]
) -> None:
    """Keep what the last backtest of a dataset's stored history found, in place of what one before had found.

    What one before found of partitions that this one has not judged stays, unless they were profiled since.
    """
    owner = select(DatasetRow.id).where(DatasetRow.name == dataset).scalar_subquery()
    outcomes = {**_outcomes_that_hold(connection, dataset), **outcomes}
    values = {
        **{"options": options, "judged": replay.judged, "alarms": replay.alarms, "newest": replay.newest},
        "outcomes": {storable_key(key, "partition"): status.value for key, status in outcomes.items()},
    }
    made = postgresql.insert(ReplayRow).values(dataset_id=owner, **values)
    connection.execute(
        made.on_conflict_do_update(
            index_elements=[ReplayRow.dataset_id], set_={**values, "made_at": func.clock_timestamp()}
        )
    )


def _outcomes_that_hold(connection: Connection, dataset: str) -> dict[str, Status]:
    """What the stored backtest found of partitions that are as they were then."""
    outcome = ReplayRow.outcomes[ProfileRow.partition_key].astext
    query = (
        select(ProfileRow.partition_key, outcome)
        .join(DatasetRow, DatasetRow.id == ProfileRow.dataset_id)
        .join(ReplayRow, ReplayRow.dataset_id == DatasetRow.id)
        .where(DatasetRow.name == dataset, ReplayRow.made_at > ProfileRow.updated_at, outcome.is_not(None))
    )
    return {key: Status(status) for key, status in connection.execute(query)}


def _replay(connection: Connection, dataset: str, before: str, options: str) -> Replay | None:
    """The stored backtest, if it was made with these options, of partitions that all come before another one."""
    query = (
        select(ReplayRow.judged, ReplayRow.alarms, ReplayRow.newest)
        .join(DatasetRow, DatasetRow.id == ReplayRow.dataset_id)
        .where(DatasetRow.name == dataset, ReplayRow.options == options)
    )
    row = connection.execute(query).one_or_none()
    if row is None or order_key(row.newest) >= order_key(before):
        return None
    return Replay(row.judged, row.alarms, row.newest)
