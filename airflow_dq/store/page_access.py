"""What pages and lists show: datasets, partitions, problems, metrics over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from airflow_dq.store import (
    metric_history,
    overview,
    status,
    verdict_reader,
)
from airflow_dq.store.connected import Connected
from airflow_dq.store.transaction import run

if TYPE_CHECKING:
    from airflow_dq.learn.program import Program
    from airflow_dq.store.review_model import (
        AlertFilter,
        MetricHistory,
        Origin,
        VerdictDetail,
        VerdictSummary,
    )
    from airflow_dq.store.summary import (
        DatasetOverview,
        DatasetSummary,
        PartitionSummary,
    )


class PageAccess(Connected):
    """What is read for people."""

    def datasets(self) -> list[DatasetSummary]:
        """Every dataset, by name."""
        return run(self._engine, status.datasets)

    def partitions(self, dataset: str, limit: int = 30) -> list[PartitionSummary]:
        """The newest partitions of a dataset that were at least attempted, newest first."""
        return run(self._engine, lambda c: status.partitions(c, dataset, limit))

    def datasets_of(self, dag_ids: frozenset[str] | None) -> list[DatasetSummary]:
        """The datasets of which a task of these DAGs has judged a partition (None: every dataset), by name."""
        return run(self._engine, lambda c: status.datasets(c, dag_ids))

    def overview(
        self, dag_ids: frozenset[str], *, partitions: int = 30, most: int = 2000, name: str | None = None
    ) -> list[DatasetOverview]:
        """The datasets of which a task of these DAGs has judged a partition, each in a line, by name.

        :param partitions: how many of the newest partitions of each
        :param most: most datasets
        :param name: only those that have this in their names
        """
        return run(self._engine, lambda c: overview.datasets(c, dag_ids, partitions, most, name))

    def waiting(self, dag_ids: frozenset[str]) -> int:
        """How many partitions that tasks of these DAGs have judged wait for a person."""
        return run(self._engine, lambda c: overview.waiting(c, dag_ids))

    def dags_of(self, dataset: str | None) -> frozenset[str]:
        """The DAGs whose tasks have judged partitions of a dataset; None: of any."""
        return run(self._engine, lambda c: verdict_reader.dags_of(c, dataset))

    def metric_histories(
        self, dataset: str, limit: int = 60, metrics: Sequence[str] | None = None
    ) -> list[MetricHistory]:
        """A few metrics over the newest partitions: ``row_count`` of the table, then those of each column."""
        return run(self._engine, lambda c: metric_history.load(c, dataset, limit, metrics))

    def current_program(self, dataset: str) -> tuple[str, Program | None] | None:
        """The key of the newest partition that has a program, and that program; None in its place when damaged."""
        return run(self._engine, lambda c: metric_history.newest_program(c, dataset))

    def verdicts(self, chosen: AlertFilter, *, limit: int = 50, before: int | None = None) -> list[VerdictSummary]:
        """Partitions with alerts, open or closed, the newest verdict first.

        :param limit: at most 200
        :param before: the last ``verdict_id`` of the page before this one
        """
        return run(self._engine, lambda c: verdict_reader.summaries(c, chosen, limit, before))

    def verdict_of_alert(self, alert_id: int) -> VerdictDetail | None:
        """Everything about the partition that an alert belongs to; None when there is no such alert."""
        return run(self._engine, lambda c: verdict_reader.of_alert(c, alert_id))

    def verdict_of_partition(self, dataset: str, partition: str) -> VerdictDetail | None:
        """Everything about a judged partition; None when it was not judged."""
        return run(self._engine, lambda c: verdict_reader.of_partition(c, dataset, partition))

    def verdict_of_task(self, origin: Origin) -> VerdictDetail | None:
        """Everything about the partition that a task has judged last; None when it has judged none."""
        return run(self._engine, lambda c: verdict_reader.of_task(c, origin))
