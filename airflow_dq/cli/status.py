"""``airflow dq status`` and ``airflow dq datasets``."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

from airflow_dq.cli.connection import find_dsn
from airflow_dq.cli.run import print_json
from airflow_dq.cli.table import render
from airflow_dq.exceptions import ConfigurationError

if TYPE_CHECKING:
    from airflow_dq.store import DatasetSummary, PartitionSummary


def status(arguments: Any) -> int:
    """List the datasets, or one dataset's newest partitions."""
    from airflow_dq.store import open_store

    with open_store(find_dsn(arguments.dq_conn_id)) as repository:
        datasets = repository.datasets()
        partitions = [] if arguments.dataset is None else repository.partitions(arguments.dataset, arguments.limit)
    if arguments.dataset is not None and not partitions:
        raise ConfigurationError(_unknown(arguments.dataset, [known.name for known in datasets]))
    if arguments.output:
        print_json([asdict(line) for line in (datasets if arguments.dataset is None else partitions)])
    else:
        print(_datasets(datasets) if arguments.dataset is None else _partitions(partitions))
    return 0


def datasets(arguments: Any) -> int:
    """List the datasets, and what is open of each."""
    from airflow_dq.store import open_store

    with open_store(find_dsn(arguments.dq_conn_id)) as repository:
        found = repository.datasets()
    if arguments.output:
        print_json([asdict(line) for line in found])
    else:
        print(_datasets(found))
    return 0


def _unknown(dataset: str, known: list[str]) -> str:
    there = f"known: {', '.join(known)}" if known else "none has been profiled yet"
    return f"No partition of a dataset {dataset!r} was ever profiled ({there})."


def _datasets(found: list[DatasetSummary]) -> str:
    if not found:
        return "No dataset has been profiled yet: airflow dq backfill --help."
    rows = [(line.name, line.partitions, line.newest, _time(line.profiled_at), line.open_alerts) for line in found]
    return render(("DATASET", "PARTITIONS", "NEWEST", "PROFILED AT", "OPEN ALERTS"), rows)


def _partitions(found: list[PartitionSummary]) -> str:
    rows = [
        (line.partition, line.rows, _time(line.profiled_at), line.attempt, _verdict(line), line.decision, line.alerts)
        for line in found
    ]
    lines = [render(("PARTITION", "ROWS", "PROFILED AT", "PROFILING", "VERDICT", "REVIEW", "ALERTS"), rows)]
    lines += [f"{line.partition}: {line.error}" for line in found if line.error]
    return "\n".join(lines)


def _verdict(line: PartitionSummary) -> str | None:
    """The verdict, and that its alerts all only warn where they do."""
    if line.verdict is None:
        return None
    return f"{line.verdict} (warnings)" if line.severity == "warn" and line.alerts else str(line.verdict)


def _time(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat(sep=" ", timespec="seconds")
