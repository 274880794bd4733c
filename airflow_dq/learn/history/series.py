"""The history of one metric of one column: one value per partition."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from airflow_dq.learn.array import FloatArray, floats
from airflow_dq.metrics.descriptor import MetricValue, Reason

ABSENT = (Reason.EMPTY_BATCH, Reason.NO_VALUES)
"""Reasons for a missing value that are no fault of the metric: the partition had nothing to measure."""
MANY = 20
"""Once in fewer partitions than this is no rare event: it may well happen again every other week."""


@dataclass(frozen=True, slots=True)
class Series:
    """A metric over partitions, oldest first; None where it cannot be measured any more (or yet)."""

    partitions: tuple[str | None, ...]
    values: tuple[MetricValue | None, ...]

    @property
    def has_absent(self) -> bool:
        """Whether partitions without anything to measure are usual: one among many was an accident."""
        absent = sum(self.values.count(reason) for reason in ABSENT)
        return absent > 1 or (absent == 1 and len(self.values) < MANY)

    def numbers(self, least: int = 1) -> FloatArray | str:
        """The values as an array, or where and why one is missing.

        The oldest partitions are left out as long as they were not measured (the metric is new, their statistics are
        gone).  Partitions without any value in the column say nothing about the metric: they are NaN, or left out when
        they come first.

        :param least: leave nothing out if fewer values than this would remain
        """
        numbers = self.floats()
        if not np.isnan(numbers).any():
            return numbers
        known = next((i for i, value in enumerate(self.values) if value is not None), 0)
        start = known if len(self.values) - known >= least else 0
        spoken = [place for place in range(start, len(self.values)) if self.values[place] not in ABSENT]
        for place in spoken if len(spoken) >= max(1, least) else range(start, len(self.values)):
            value = self.values[place]
            if not isinstance(value, float | int):
                reason = value.value if isinstance(value, Reason) else "its statistics are not kept"
                return f"missing in the history ({reason} in partition {self.partitions[place]})"
        return numbers[spoken[0] :] if spoken else np.empty(0)

    def floats(self) -> FloatArray:
        """The values as an array, NaN where there is no number."""
        return floats(self.values)

    def points(self) -> tuple[tuple[str | None, float | None], ...]:
        """(partition, value) for a chart; None where there is no number."""
        return tuple(
            (partition, float(value) if isinstance(value, float | int) else None)
            for partition, value in zip(self.partitions, self.values, strict=True)
        )
