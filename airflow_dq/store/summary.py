"""What the store says about datasets, partitions and attempts, for a person and for the gate that waits."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from airflow_dq.program.model import Status

AttemptState = Literal["running", "succeeded", "failed"]


@dataclass(frozen=True, slots=True)
class AttemptStatus:
    """The newest attempt at a partition."""

    attempt: int
    state: AttemptState
    error: str | None
    """One sentence, when it failed."""
    started_at: datetime
    finished_at: datetime | None
    has_profile: bool
    """A profile of the partition is stored, by this attempt or by an earlier one."""
    is_current: bool
    """The stored profile is this attempt's."""


@dataclass(frozen=True, slots=True)
class DatasetSummary:
    """One line of ``airflow dq status``."""

    name: str
    partitions: int
    """Partitions with a profile."""
    newest: str | None
    """Greatest partition key with a profile."""
    profiled_at: datetime | None
    """Last time that any of them was profiled."""


@dataclass(frozen=True, slots=True)
class PartitionSummary:
    """One line of ``airflow dq status DATASET``."""

    partition: str
    rows: int | None
    """None without a profile."""
    profiled_at: datetime | None
    attempt: AttemptState
    """State of the newest attempt."""
    error: str | None
    verdict: Status | None
    """None when the profile, as it is now, was not judged."""
    decision: Literal["accepted", "rejected"] | None
    """What a person decided about it."""
    alerts: int
    """Those that are open."""
