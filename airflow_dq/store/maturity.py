"""Whether a dataset as a whole is too young to be judged, or a partition of it only stands at its beginning."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches

from sqlalchemy import Connection, func, select

from airflow_dq.options.job import NULL_KEY
from airflow_dq.store.eligibility import ELIGIBLE, SPEAKS_OF_PARTITION
from airflow_dq.store.review import start_key
from airflow_dq.store.table import DatasetRow, ProfileRow, VerdictRow

_ALIKE = 0.8
"""Share of letters in common (difflib's ratio) of a name and a slip of it: two letters swapped in ``flights`` give
0.86, one left out 0.92."""


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
    if not found:
        return None
    rows = select(ProfileRow.id).join(DatasetRow, DatasetRow.id == ProfileRow.dataset_id)
    enough = rows.where(DatasetRow.name == found[0]).limit(least)
    return found[0] if len(connection.execute(enough).all()) >= least else None
