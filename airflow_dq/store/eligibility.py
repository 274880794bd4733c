"""Which partitions may be learned from."""

from __future__ import annotations

from sqlalchemy import ColumnElement, and_, or_

from airflow_dq.judge.verdict import Status
from airflow_dq.store.table import ProfileRow, VerdictRow

SPEAKS_OF_PROFILE: ColumnElement[bool] = and_(
    VerdictRow.dataset_id == ProfileRow.dataset_id,
    VerdictRow.partition_key == ProfileRow.partition_key,
    VerdictRow.profile_fingerprint == ProfileRow.fingerprint,
)
"""Join of a profile with the verdict on it; a verdict on content that was replaced since does not count."""

ELIGIBLE: ColumnElement[bool] = or_(
    VerdictRow.id.is_(None),
    VerdictRow.decision.in_(["accepted", "new_normal"]),
    and_(VerdictRow.decision.is_(None), VerdictRow.status.in_([Status.PASS.value, Status.WARMING_UP.value])),
)
"""After an outer join on the above: never judged, passed, or accepted by a person, and not rejected by one."""
