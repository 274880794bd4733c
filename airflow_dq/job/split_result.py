"""What splitting rows has come to, and how a job that ran as a process of its own tells it: one line of its log."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field

from airflow_dq.job.result import PREFIX


@dataclass(frozen=True, slots=True)
class SplitResult:
    """Counts of rows, or why nothing was written."""

    dataset: str
    rows: int = 0
    good: int = 0
    bad: int = 0
    failed: Mapping[str, int] = field(default_factory=dict)
    """Check id -> rows that fail it; a row may fail several."""
    error: str | None = None
    retryable: bool = True
    """Whether a failure may pass by itself."""

    @property
    def summary(self) -> str:
        """The counts in words."""
        failed = ", ".join(f"{name}: {count:,}" for name, count in self.failed.items() if count)
        return f"{self.dataset}: {self.rows:,} rows, {self.good:,} good, {self.bad:,} bad" + (
            f" ({failed})" if failed else ""
        )

    def to_line(self) -> str:
        """The line, without an end."""
        return PREFIX + json.dumps({"split": asdict(self)}, allow_nan=False)


def split_result_in(lines: Iterable[str]) -> SplitResult | None:
    """The result that a job's log holds, the last one if several; None when it holds none (it is elsewhere)."""
    found = None
    for line in lines:
        if PREFIX in line:
            try:
                given = json.loads(line.partition(PREFIX)[2])
                found = SplitResult(**given["split"])
            except (ValueError, KeyError, TypeError):
                continue  # a log may quote anything
    return found
