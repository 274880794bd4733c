"""What a profile job that ran as a process of its own tells the one that waits for it: one line of JSON in its log."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from airflow_dq.job.outcome import Outcome, summary

PREFIX = "airflow_dq: result: "
"""What the line begins with, behind whatever a cluster's log puts in front of it."""


@dataclass(frozen=True, slots=True)
class JobResult:
    """The totals of one job, and why it failed."""

    dataset: str
    """Empty when the order could not be read."""
    partitions: int = 0
    """Partitions that the order was about."""
    failed: int = 0
    """Those of them that could not be profiled."""
    rows: int = 0
    """Rows of those that were."""
    seconds: float = 0.0
    """The job's duration."""
    summary: str = ""
    """The totals in words."""
    error: str | None = None
    """One sentence or two, when any partition or the job as a whole has failed."""
    retryable: bool = True
    """Whether a failure may pass by itself."""

    @classmethod
    def of(cls, dataset: str, outcomes: Sequence[Outcome], seconds: float) -> JobResult:
        """The result of a job that has come to its end.

        :param outcomes: in the order of their keys
        """
        failed = [outcome for outcome in outcomes if outcome.error is not None]
        # What was not foreseen comes first: it may be the reason of the rest.
        first = next((outcome for outcome in failed if outcome.traceback is not None), failed[0] if failed else None)
        more = f" ({len(failed) - 1} more partitions failed, see the log)" if len(failed) > 1 else ""
        return cls(
            dataset,
            len(outcomes),
            len(failed),
            sum(outcome.rows for outcome in outcomes),
            round(seconds, 3),
            summary(dataset, outcomes, seconds),
            None if first is None else f"{first.error}{more}",
            not failed or any(outcome.retryable for outcome in failed),
        )

    @property
    def profiled(self) -> int:
        """Partitions that were profiled."""
        return self.partitions - self.failed

    def to_line(self) -> str:
        """The line, without an end."""
        return PREFIX + json.dumps(asdict(self), allow_nan=False)


def results_in(lines: Iterable[str]) -> tuple[JobResult, ...]:
    """The results that a job's log holds, the last one of each dataset; none when they are elsewhere."""
    return tuple({result.dataset: result for result in _told(lines)}.values())


def result_in(lines: Iterable[str]) -> JobResult | None:
    """The result that a job's log holds, the last one if several; None when it holds none (it is elsewhere)."""
    found = _told(lines)
    return found[-1] if found else None


def _told(lines: Iterable[str]) -> list[JobResult]:
    return [result for line in lines if PREFIX in line and (result := _parsed(line.partition(PREFIX)[2])) is not None]


def _parsed(text: str) -> JobResult | None:
    """The result, or None for what is no such object and nothing else: a log may quote anything."""
    try:
        return result_of(json.loads(text))
    except ValueError:
        return None


def result_of(data: Any) -> JobResult | None:
    """The result that these JSON values are; None when they are none."""
    if not isinstance(data, dict) or data.keys() != JobResult.__dataclass_fields__.keys():
        return None
    counts = [data[name] for name in ("partitions", "failed", "rows")]
    texts = [data["dataset"], data["summary"], data["error"] or ""]
    fits = (
        all(type(count) is int and count >= 0 for count in counts)
        and all(isinstance(one, str) for one in texts)
        and isinstance(data["seconds"], int | float)
        and isinstance(data["retryable"], bool)
    )
    return JobResult(**data) if fits else None
