"""The pages as files that need no server: an overview, each dataset, and its newest partitions."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from airflow_dq.report.known import ahead_in, known_of, moves_of
from airflow_dq.report.pages.address import Addresses
from airflow_dq.report.pages.dataset import DatasetView, render_dataset
from airflow_dq.report.pages.overview import Overview, render_overview
from airflow_dq.report.pages.partition import PartitionView, render_partition
from airflow_dq.report.pages.problem import AlertView, render_alert
from airflow_dq.report.style import review_css, script
from airflow_dq.store import Repository
from airflow_dq.store.metric_history import METRICS, TABLE_METRIC
from airflow_dq.store.review_model import Origin, VerdictDetail
from airflow_dq.store.summary import DatasetOverview, OpenProblem, PartitionSummary

PARTITIONS = 30
"""Newest partitions of each dataset that get a page."""
_HERE = Origin("", "", "")
"""Stands for the task through which a reader of the files comes to a partition: whoever has them sees all of them."""
_READER = frozenset({""})


@dataclass(frozen=True, slots=True)
class FileAddresses(Addresses):
    """Addresses of files that lie beside each other."""

    def static(self, name: str) -> str:
        """The style sheet or the script."""
        return name

    def overview(self, dag_id: str | None = None, **query: str | int | None) -> str:
        """The list of datasets."""
        return "index.html"

    def listing(self, dag_id: str | None = None, **query: str | int | None) -> str:
        """The list of alarms is the overview: a file has no filters of its own."""
        return "index.html"

    def dataset(self, name: str, **query: str | int | None) -> str:
        """A dataset's page."""
        return _file("dataset", name)

    def alert(self, dag_id: str, alert_id: int, **query: str | None) -> str:
        """The page of what was found in a partition."""
        return f"problem-{alert_id}.html"

    def partition(self, dag_id: str, dataset: str, partition: str) -> str:
        """The columns of a partition."""
        return _file("partition", dataset, partition)


def _file(kind: str, *names: str) -> str:
    """A name that any file system has, another one for any other names."""
    readable = "-".join("".join(symbol if symbol.isalnum() else "_" for symbol in name)[:60] for name in names)
    digest = hashlib.blake2b("\x00".join(names).encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    return f"{kind}-{readable.encode('ascii', 'replace').decode().replace('?', '_')}-{digest}.html"


def write_site(
    store: Repository, folder: Path, now: datetime, datasets: Sequence[str] | None = None, partitions: int = PARTITIONS
) -> list[Path]:
    """Write the pages.

    :param folder: made when it is missing; files of the same names are replaced
    :param now: the present
    :param datasets: those to write (None: every dataset)
    :param partitions: how many of the newest partitions of each get a page
    :return: the files, the overview first
    """
    folder.mkdir(parents=True, exist_ok=True)
    names = [summary.name for summary in store.datasets()] if datasets is None else list(datasets)
    where = FileAddresses()
    files: dict[str, str] = {"review.css": review_css(), "review.js": script()}
    lines = []
    for name in names:
        summaries = store.partitions(name, partitions)
        recent = [replace(one, origins=(_HERE,), error=None) for one in reversed(summaries)]
        pages = _Pages(store, where, now, name, recent)
        files |= pages.all()
        lines.append(pages.line())
    files["index.html"] = render_overview(Overview(lines, now), where)
    written = []
    for name in sorted(files, key=lambda one: one != "index.html"):
        path = folder / name
        path.write_text(files[name], encoding="utf-8")
        written.append(path)
    return written


@dataclass(frozen=True, slots=True)
class _Pages:
    """The pages of one dataset.

    :param recent: its newest partitions, oldest first
    """

    store: Repository
    where: FileAddresses
    now: datetime
    name: str
    recent: Sequence[PartitionSummary]

    def line(self) -> DatasetOverview:
        """The dataset's line of the overview."""
        from airflow_dq.store.summary import PartitionMark

        profiled = [one for one in self.recent if one.rows is not None]
        marks = tuple(
            PartitionMark(
                one.partition, one.rows or 0, one.verdict, one.decision, one.severity, one.alert_count, one.replayed
            )
            for one in profiled
        )
        times = [one.profiled_at for one in profiled if one.profiled_at is not None]
        waiting = [one for one in profiled if one.alerts and one.first_alert_id is not None]
        return DatasetOverview(self.name, marks, max(times, default=None), self._problem(waiting))

    def _problem(self, waiting: Sequence[PartitionSummary]) -> OpenProblem | None:
        if not waiting or waiting[-1].first_alert_id is None:
            return None
        newest = waiting[-1]
        detail = self.store.verdict_of_partition(self.name, newest.partition)
        said = "" if detail is None else detail.partition.headline or ""
        alert_id = waiting[-1].first_alert_id
        return OpenProblem(newest.partition, said, alert_id, "", len(waiting), newest.severity)

    def all(self) -> Mapping[str, str]:
        """The files by their names."""
        moves = moves_of(self.store, self.name)
        problems = self.store.problems(self.name, limit=len(self.recent))
        found: dict[str, str] = {}
        newest: tuple[PartitionSummary, VerdictDetail | None] | None = None
        for summary in self.recent:
            if summary.rows is None:
                continue
            detail = _seen(self.store.verdict_of_partition(self.name, summary.partition))
            known = known_of(self.store, self.name, summary.partition, detail, moves)
            if known.profile is None:
                continue
            newest = summary, detail
            view = PartitionView(
                self.name, None, known.profile, detail, known.insight, self.recent, _READER, self.now, moves
            )
            found[self.where.partition("", self.name, summary.partition)] = render_partition(view, self.where)
            if detail is not None and summary.first_alert_id is not None:
                page = AlertView(
                    detail, None, False, self.recent, _READER, self.now,
                    profile=known.profile, insight=known.insight, moves=moves, problems=problems, drilled=known.drilled,
                )  # fmt: skip
                found[self.where.alert("", summary.first_alert_id)] = render_alert(page, self.where)
        return {**found, self.where.dataset(self.name): self._dataset(newest)}

    def _dataset(self, newest: tuple[PartitionSummary, VerdictDetail | None] | None) -> str:
        moves = moves_of(self.store, self.name)
        known = None if newest is None else known_of(self.store, self.name, newest[0].partition, newest[1], moves)
        view = DatasetView(
            name=self.name,
            readable=_READER,
            partitions=self.recent,
            series=[one for one in moves if one.metric in (TABLE_METRIC, *METRICS)],
            moves=moves,
            program=self.store.current_program(self.name),
            snoozes=self.store.snoozes(self.name),
            rules=self.store.stored_rules(self.name),
            calendar=self.store.calendar(self.name),
            now=self.now,
            judged_by=_READER,
            newest=None if known is None else known.profile,
            detail=None if newest is None else newest[1],
            insight=None if known is None else known.insight,
            ahead=None if known is None or newest is None else ahead_in(self.store, self.name, known, newest[0]),
        )
        return render_dataset(view, self.where)


def _seen(detail: VerdictDetail | None) -> VerdictDetail | None:
    """The verdict as the files tell it: Airflow's own pages cannot be reached from them."""
    return None if detail is None else replace(detail, partition=replace(detail.partition, origin=_HERE, others=()))
