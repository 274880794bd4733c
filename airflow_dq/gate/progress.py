"""How far the profile of a partition has come: one look at the store."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from datetime import datetime

    from airflow_dq.store import Repository

_AGREE = timedelta(seconds=1)
"""By how much two clocks may differ that are kept by a time service: it leaves milliseconds."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the newest attempt at profiling a partition has come, with a sentence for the log."""

    state: Literal["waiting", "ready", "failed"]
    message: str


def progress(
    repository: Repository, dataset: str, partition: str, *, newer_than: datetime | None = None, compare: bool = True
) -> Progress:
    """Look once.  An earlier attempt's profile does not count: it may be of data that has been replaced.

    :param newer_than: an attempt that began before is one at data that is being replaced, and is not the one waited
        for; where the clocks of the database and of this machine disagree, it must have begun later by both
    :param compare: when the partition was never profiled, also say which is the newest that was, so that a wrong
        dataset or key is noticed; False saves this second query
    """
    where = f"Dataset {dataset!r}, partition {partition!r}"
    newest = repository.attempt_status(dataset, partition)
    if newest is None:
        known = f"; {_newest(repository, dataset)}" if compare else ""
        return Progress(
            "waiting", f"{where}: not profiled yet (DQProfileOperator or airflow dq backfill does it){known}."
        )
    since = newest.started_at.isoformat(timespec="seconds")
    if newer_than is not None:
        # The attempt's time is the database's, the moment most likely Airflow's: a database that is ahead makes old
        # attempts look new.
        ahead = newest.clock_ahead if abs(newest.clock_ahead) > _AGREE else timedelta(0)
        newer_than += max(ahead, timedelta(0))
        if newest.started_at < newer_than:
            wanted = newer_than.isoformat(timespec="seconds")
            began = f"{where}: attempt {newest.attempt} began {since}; waiting for one since {wanted}."
            return Progress("waiting", f"{began}{_disagreement(ahead)}")
    if newest.state == "running":
        return Progress("waiting", f"{where}: being profiled (attempt {newest.attempt}, since {since}).")
    if newest.state == "failed":
        return Progress("failed", f"{where}: profiling failed (attempt {newest.attempt}): {newest.error}")
    return Progress("ready", f"{where}: profiled (attempt {newest.attempt}).")


def _disagreement(ahead: timedelta) -> str:
    if not ahead:
        return ""
    seconds, where = abs(ahead).total_seconds(), "ahead of" if ahead > timedelta(0) else "behind"
    return (
        f" The database's clock is {seconds:,.0f} s {where} this machine's: let a time service set both, for attempts "
        "look newer or older than they are."
    )


def _newest(repository: Repository, dataset: str) -> str:
    partitions = repository.partitions(dataset, 1)
    if not partitions:
        return "nothing of a dataset of this name ever was"
    return f"the newest partition of this dataset is {partitions[0].partition!r}"
