"""What is counted: false alarms on real partitions, and injected errors that are caught."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

MIX = (0.6, 0.4)
"""Clean partitions and errors in the paper's tests: precision depends on how many there are of each."""


@dataclass
class Outcome:
    """The counts of one setting over all datasets."""

    columns: int = 0
    column_alarms: int = 0
    partitions: int = 0
    partition_alarms: int = 0
    clauses: int = 0
    programs: int = 0
    injected: Counter[str] = field(default_factory=Counter)
    caught: Counter[str] = field(default_factory=Counter)

    @property
    def false_alarms(self) -> float:
        """Share of the judged columns (the table itself is one) that alarm on a real partition."""
        return self.column_alarms / max(1, self.columns)

    @property
    def false_partitions(self) -> float:
        """Share of the real partitions with an alarm."""
        return self.partition_alarms / max(1, self.partitions)

    @property
    def clauses_per_column(self) -> float:
        """Mean number of clauses of a column's program."""
        return self.clauses / max(1, self.programs)

    def recall(self, error: str | None = None) -> float:
        """Share of the injected errors (of one type) that are caught."""
        if error is not None:
            return self.caught[error] / max(1, self.injected[error])
        return self.caught.total() / max(1, self.injected.total())

    def precision(self, error: str | None = None) -> float:
        """Share of the alarms that are errors, in the paper's mix of both."""
        clean, wrong = MIX
        found = wrong * self.recall(error)
        return found / (found + clean * self.false_alarms) if found else 0.0

    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        precision, recall = self.precision(), self.recall()
        return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
