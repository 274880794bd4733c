"""``airflow dq status``."""

from __future__ import annotations

import sys
import time
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

from airflow_dq.cli.connection import find_dsn
from airflow_dq.cli.run import print_json
from airflow_dq.cli.table import render
from airflow_dq.exceptions import ConfigurationError

if TYPE_CHECKING:
    from airflow_dq.store import DatasetSummary, PartitionSummary, Repository

_TOP = "\x1b[H\x1b[J"
"""To the top of the terminal, and nothing below."""


def status(arguments: Any) -> int:
    """List the datasets, or one dataset's newest partitions; once, or again and again until Ctrl-C."""
    from airflow_dq.store import open_store

    if arguments.watch and arguments.output:
        raise ConfigurationError("--watch is for a person to look at: leave out --json, or --watch.")
    with open_store(find_dsn(arguments.dq_conn_id)) as repository:
        if arguments.watch:
            _watch(repository, arguments)
            return 0
        found = _found(repository, arguments)
    if arguments.output:
        print_json([asdict(line) for line in found])
    else:
        print(_text(found, arguments))
    return 0


def _watch(repository: Repository, arguments: Any) -> None:
    """On a terminal each look replaces the one before it; elsewhere only what has changed is printed."""
    terminal, before = sys.stdout.isatty(), None
    try:
        while True:
            text = _text(_found(repository, arguments), arguments)
            if terminal:
                print(f"{_TOP}{text}\n\n{datetime.now():%H:%M:%S}, every {arguments.every} s; Ctrl-C ends", flush=True)
            elif text != before:
                print(text, flush=True)
            before = text
            time.sleep(arguments.every)
    except KeyboardInterrupt:
        print()


def _found(repository: Repository, arguments: Any) -> list[DatasetSummary] | list[PartitionSummary]:
    if arguments.dataset is None:
        return repository.datasets()
    found = repository.partitions(arguments.dataset, arguments.limit)
    if not found:
        raise ConfigurationError(_unknown(arguments.dataset, [known.name for known in repository.datasets()]))
    return found


def _text(found: Any, arguments: Any) -> str:
    return _datasets(found) if arguments.dataset is None else _partitions(found)


def _unknown(dataset: str, known: list[str]) -> str:
    there = f"known: {', '.join(known)}" if known else "none has been profiled yet"
    return f"No partition of a dataset {dataset!r} was ever profiled ({there})."


def _datasets(found: list[DatasetSummary]) -> str:
    if not found:
        return "No dataset has been profiled yet: airflow dq backfill --help."
    rows = [
        (line.name, line.partitions, line.newest, _time(line.profiled_at), line.open_partitions, line.open_problems)
        for line in found
    ]
    return render(("DATASET", "PARTITIONS", "NEWEST", "PROFILED AT", "WITH OPEN PROBLEMS", "OPEN PROBLEMS"), rows)


def _partitions(found: list[PartitionSummary]) -> str:
    rows = [
        (
            line.partition,
            line.rows,
            _time(line.profiled_at),
            line.attempt,
            _verdict(line),
            line.decision,
            line.problem_count,
            line.problems,
        )
        for line in found
    ]
    heads = ("PARTITION", "ROWS", "PROFILED AT", "PROFILING", "VERDICT", "REVIEW", "PROBLEMS", "OPEN")
    lines = [render(heads, rows)]
    lines += [f"{line.partition}: {line.error}" for line in found if line.error]
    return "\n".join(lines)


def _verdict(line: PartitionSummary) -> str | None:
    """The verdict; of what no gate judged what it would have been."""
    from airflow_dq.report.pages.mark import WOULD_HAVE
    from airflow_dq.report.words import status_words

    if line.verdict is None:
        return None if line.replayed is None else WOULD_HAVE.get(line.replayed)
    return status_words(line.verdict, line.severity)


def _time(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat(sep=" ", timespec="seconds")
