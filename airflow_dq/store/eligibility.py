"""Which partitions may be learned from.

A partition that was found bad, that could not be judged, or that a person has rejected is *withheld*: it stays out of
every history until it is judged again and passes, or until a person accepts it.  That it was profiled again with other
content is no reason to take it in: one late row changes the fingerprint, and leaves bad data as bad as it was.
"""

from __future__ import annotations

from sqlalchemy import ColumnElement, and_, or_

from airflow_dq.judge.verdict import Decision, Status
from airflow_dq.store.table import ProfileRow, VerdictRow

SPEAKS_OF_PARTITION: ColumnElement[bool] = and_(
    VerdictRow.dataset_id == ProfileRow.dataset_id, VerdictRow.partition_key == ProfileRow.partition_key
)
"""Join of a profile with the last verdict on its partition, whatever content that was about."""

SPEAKS_OF_PROFILE: ColumnElement[bool] = and_(
    SPEAKS_OF_PARTITION, VerdictRow.profile_fingerprint == ProfileRow.fingerprint
)
"""Join of a profile with the verdict on it: one on content that was replaced since is none on what is there now."""

ELIGIBLE: ColumnElement[bool] = or_(VerdictRow.id.is_(None), VerdictRow.withheld.is_(False))
"""After an outer join on :data:`SPEAKS_OF_PARTITION`: never judged, or not withheld."""


def is_withheld(status: Status, decision: Decision | None, before: bool) -> bool:
    """Whether a partition with this verdict stays out of every history.

    :param decision: what a person has decided about the verdict, which overrules it
    :param before: whether the partition was withheld so far; a history that is too short to judge it changes nothing
    """
    if decision is not None:
        return decision == "rejected"
    return before if status is Status.WARMING_UP else status is not Status.PASS
