"""Retention: injected variants are large, and only the newest partition of a history is trained on."""

from __future__ import annotations

from sqlalchemy import Connection, delete, select, union_all

from airflow_dq.store.eligibility import ELIGIBLE, SPEAKS_OF_PROFILE
from airflow_dq.store.model import ColumnRow, ProfileRow, VariantRow, VerdictRow

NEWEST = 3
RECENT = 3


def prune_variants(connection: Connection, dataset_id: int) -> None:
    """Drop the variants of partitions that no coming program will be trained on.

    Kept are those of the newest eligible partitions and of everything after them, and those of the partitions
    profiled last.  The newest partition alone would not do: it may fail, and the next program then learns from
    the one before.  The last profiled ones serve runs that go through the past (a cleared or backfilled DAG).
    """
    newest = (
        select(ProfileRow.partition_key)
        .outerjoin(VerdictRow, SPEAKS_OF_PROFILE)
        .where(ProfileRow.dataset_id == dataset_id, ELIGIBLE)
        .order_by(ProfileRow.partition_key.desc())
        .offset(NEWEST - 1)
        .limit(1)
    )
    oldest_kept = connection.execute(newest).scalar()
    if oldest_kept is None:
        return
    recent = (
        select(ProfileRow.id)
        .where(ProfileRow.dataset_id == dataset_id)
        .order_by(ProfileRow.updated_at.desc())
        .limit(RECENT)
    )
    kept = union_all(
        select(ProfileRow.id).where(ProfileRow.dataset_id == dataset_id, ProfileRow.partition_key >= oldest_kept),
        select(recent.subquery().c.id),
    )
    connection.execute(
        delete(VariantRow).where(
            VariantRow.column_profile_id.in_(
                select(ColumnRow.id)
                .join(ProfileRow, ProfileRow.id == ColumnRow.profile_id)
                .where(ProfileRow.dataset_id == dataset_id, ProfileRow.id.not_in(kept))
            )
        )
    )
