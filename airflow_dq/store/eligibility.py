"""Which partitions may be learned from.

A partition that was found bad, that could not be judged, or that a person has rejected is *withheld*: it stays out of
every history until it is judged again and passes, or until a person accepts it.  That it was profiled again with other
content is no reason to take it in: one late row changes the fingerprint, and leaves bad data as bad as it was.

So does one that an event of the calendar leaves out, for as long as the event is there.
"""

from __future__ import annotations

from sqlalchemy import ColumnElement, Connection, and_, or_, select

from airflow_dq.judge.verdict import Decision, Status
from airflow_dq.store.table import ProfileRow, VerdictRow
from airflow_dq.store.table_review import CalendarEventRow

SPEAKS_OF_PARTITION: ColumnElement[bool] = and_(
    VerdictRow.dataset_id == ProfileRow.dataset_id, VerdictRow.partition_key == ProfileRow.partition_key
)
"""Join of a profile with the last verdict on its partition, whatever content that was about."""

SPEAKS_OF_PROFILE: ColumnElement[bool] = and_(
    SPEAKS_OF_PARTITION, VerdictRow.profile_fingerprint == ProfileRow.fingerprint
)
"""Join of a profile with the verdict on it: one on content that was replaced since is none on what is there now."""

LEFT_OUT: ColumnElement[bool] = (
    select(CalendarEventRow.id)
    .where(
        CalendarEventRow.effect == "left_out",
        CalendarEventRow.deleted_at.is_(None),
        or_(CalendarEventRow.dataset_id.is_(None), CalendarEventRow.dataset_id == ProfileRow.dataset_id),
        CalendarEventRow.low <= ProfileRow.sort_key,
        CalendarEventRow.high > ProfileRow.sort_key,
    )
    .correlate(ProfileRow)
    .exists()
)
"""Whether a profile's partition is left out by an event of the calendar."""

ELIGIBLE: ColumnElement[bool] = and_(or_(VerdictRow.id.is_(None), VerdictRow.withheld.is_(False)), ~LEFT_OUT)
"""After an outer join on :data:`SPEAKS_OF_PARTITION`: never judged, or not withheld; and not left out."""


def withheld(connection: Connection, owner: int | None) -> frozenset[str]:
    """The keys of a dataset's partitions that are withheld.

    :param owner: id of the dataset
    """
    query = select(VerdictRow.partition_key).where(VerdictRow.dataset_id == owner, VerdictRow.withheld.is_(True))
    return frozenset(connection.execute(query).scalars())


def is_withheld(status: Status, decision: Decision | None, before: bool) -> bool:
    """Whether a partition with this verdict stays out of every history.

    :param decision: what a person has decided about the verdict, which overrules it
    :param before: whether the partition was withheld so far; a history that is too short to judge it changes nothing
    """
    if decision is not None:
        return decision == "rejected"
    return before if status is Status.WARMING_UP else status is not Status.PASS
