"""Whether a dataset as a whole is too young to be judged, or a partition of it only stands at its beginning."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from difflib import get_close_matches

from sqlalchemy import ColumnElement, Connection, func, select

from airflow_dq.judge.verdict import Status
from airflow_dq.options.job import NULL_KEY
from airflow_dq.store.eligibility import ELIGIBLE, SPEAKS_OF_PARTITION
from airflow_dq.store.review import start_key
from airflow_dq.store.review_model import Origin
from airflow_dq.store.table import DatasetRow, OriginRow, ProfileRow, VerdictRow

_ALIKE = 0.8
"""Share of letters in common (difflib's ratio) of a name and a slip of it: two letters swapped in ``flights`` give
0.86, one left out 0.92."""
_RUNS, _DAYS = 100, 32
"""A partition that was judged in so many runs over so many days, alone, is no day or month: its key never changes."""
_TIMES = 3
"""A task that judges new tables now and then has few that were seen once only; one in which each run names another has
soon this many times as many as partitions are needed."""


@dataclass(frozen=True, slots=True)
class Maturity:
    """What there is of a dataset beside one partition, since a person has last restarted its history."""

    partitions: int
    """Others that a program may learn from, before it and after it."""
    newest: str | None
    """The last key of them."""


def of(connection: Connection, dataset: str, partition: str) -> Maturity:
    """How much there is to learn from, wherever it stands."""
    others = (
        select(ProfileRow.partition_key, ProfileRow.sort_key)
        .join(DatasetRow, DatasetRow.id == ProfileRow.dataset_id)
        .outerjoin(VerdictRow, SPEAKS_OF_PARTITION)
        .where(DatasetRow.name == dataset, ProfileRow.partition_key.not_in((partition, NULL_KEY)), ELIGIBLE)
        .where(ProfileRow.sort_key >= func.coalesce(start_key(dataset, partition), ""))
        .subquery()
    )
    newest = select(others.c.partition_key).order_by(others.c.sort_key.desc()).limit(1).scalar_subquery()
    row = connection.execute(select(func.count(), newest).select_from(others)).one()
    return Maturity(row[0], row[1])


def alike(connection: Connection, dataset: str, least: int) -> str | None:
    """Another dataset of nearly the same name with so many profiles: this one's name may be a slip of it."""
    names = list(connection.execute(select(DatasetRow.name).where(DatasetRow.name != dataset)).scalars())
    found = get_close_matches(dataset, names, 1, _ALIKE)
    return found[0] if found and _has_profiles(connection, found[0], least) else None


def judged_before(connection: Connection, dataset: str, origin: Origin, least: int) -> str | None:
    """The other dataset with so many profiles that the same task has judged last: it may be what is meant."""
    last = (
        select(DatasetRow.name)
        .join(OriginRow, OriginRow.dataset_id == DatasetRow.id)
        .where(*_by_task(origin), OriginRow.run_id != origin.run_id, DatasetRow.name != dataset)
        # Of a mapped task each index has a dataset of its own.
        .where(OriginRow.map_index == origin.map_index)
        .order_by(OriginRow.judged_at.desc())
        .limit(1)
    )
    found = connection.execute(last).scalar_one_or_none()
    return found if found is not None and _has_profiles(connection, found, least) else None


def stalled(connection: Connection, dataset: str, partition: str, origin: Origin, least: int) -> str | None:
    """Why a dataset will be young for ever, as its gate is called: its key or its name tells no partitions apart.

    :param least: partitions that are needed to judge one
    :return: a sentence; None while it may well become older
    """
    judged = (
        select(OriginRow.judged_at)
        .join(VerdictRow, VerdictRow.id == OriginRow.verdict_id)
        .join(DatasetRow, DatasetRow.id == VerdictRow.dataset_id)
        .where(DatasetRow.name == dataset, VerdictRow.partition_key == partition)
        .subquery()
    )
    span = (func.now() - func.min(judged.c.judged_at)) >= timedelta(days=_DAYS)
    runs, long = connection.execute(select(func.count(), span).select_from(judged)).one()
    if runs >= _RUNS and long:
        return (
            f"Partition {partition!r} was judged in {runs} runs, and the dataset still has fewer than {least} others: "
            "its key is the same in every run, so that there is never a history. Give each run's data its own key, "
            "such as '{{ ds }}'."
        )
    if _has_profiles(connection, dataset, 2):
        return None  # it has a name of its own by now
    mine = select(OriginRow.dataset_id).where(*_by_task(origin), OriginRow.run_id != origin.run_id)
    alone = (
        select(VerdictRow.dataset_id)
        .where(VerdictRow.dataset_id.in_(mine))
        .group_by(VerdictRow.dataset_id)
        .having(func.count() == 1, func.bool_and(VerdictRow.status == Status.WARMING_UP.value))
    )
    names = list(
        connection.execute(
            select(DatasetRow.name).where(DatasetRow.id.in_(alone), DatasetRow.name != dataset).order_by(DatasetRow.id)
        ).scalars()
    )
    if len(names) < _TIMES * least:
        return None
    return (
        f"Task {origin.task_id!r} of DAG {origin.dag_id!r} has judged {len(names)} datasets that each have a single "
        f"partition ({names[0]!r} to {names[-1]!r}): the dataset's name is another in every run, so that there is "
        "never a history. Give the dataset one name, and put what differs from run to run into the partition's key."
    )


def _by_task(origin: Origin) -> tuple[ColumnElement[bool], ...]:
    return OriginRow.dag_id == origin.dag_id, OriginRow.task_id == origin.task_id


def _has_profiles(connection: Connection, dataset: str, least: int) -> bool:
    rows = select(ProfileRow.id).join(DatasetRow, DatasetRow.id == ProfileRow.dataset_id)
    return len(connection.execute(rows.where(DatasetRow.name == dataset).limit(least)).all()) >= least
