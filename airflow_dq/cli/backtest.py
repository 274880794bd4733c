"""``airflow dq backtest``: what the gate would have done on past partitions."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airflow_dq.check.file import declared_checks, load_checks
from airflow_dq.cli.argument import pairs
from airflow_dq.cli.backtest_history import StoredHistory
from airflow_dq.cli.learning import options_of
from airflow_dq.cli.progress import followed
from airflow_dq.cli.replay import keep, outside, replay
from airflow_dq.cli.run import print_json
from airflow_dq.exceptions import ConfigurationError, DQError
from airflow_dq.options.key import order_key

if TYPE_CHECKING:
    from airflow_dq.check.model import Check
    from airflow_dq.engine.arrow.listing import PartitionFiles
    from airflow_dq.engine.arrow.reader import FileReader
    from airflow_dq.options.profile import ProfileOptions
    from airflow_dq.profile.model import Profile
    from airflow_dq.program import BacktestResult, FailedPartition


def backtest(arguments: Any) -> int:
    """Walk through the stored history of a dataset, or through files; exit code 1 when nothing could be judged."""
    from airflow_dq.codec import to_builtins
    from airflow_dq.report.backtest_text import render_backtest

    if not (arguments.dataset or arguments.files):
        raise ConfigurationError("Name a DATASET whose history is stored, or give --files 'folder/*.parquet'.")
    result = _from_files(arguments) if arguments.files else _from_store(arguments)
    if arguments.html:
        _write_page(Path(arguments.html), result)
    if arguments.output:
        print_json(to_builtins(result))
    else:
        print(render_backtest(result, from_files=bool(arguments.files)), end="")
    return 0 if result.false_alarms.of or result.rejected else 1


def _checks(arguments: Any) -> tuple[Check, ...] | None:
    """The checks of the file that was named; files have no dataset that these could be of another than."""
    if arguments.checks is None:
        return None
    return (
        load_checks(arguments.checks).checks
        if arguments.files
        else declared_checks(arguments.checks, arguments.dataset)
    )


def _settings(arguments: Any) -> dict[str, Any]:
    from airflow_dq.backtest.walk import TARGETS

    return {
        "accept_after": arguments.accept_after or None,
        "targets": () if arguments.quick else TARGETS,
    }


def _from_files(arguments: Any) -> BacktestResult:
    from airflow_dq.engine.arrow.listing import find_partitions
    from airflow_dq.engine.arrow.reader import reader_of
    from airflow_dq.options.profile import ProfileOptions
    from airflow_dq.profile.check.total import with_totals
    from airflow_dq.program import backtest

    options = options_of(arguments, _checks(arguments), None)
    found = find_partitions(arguments.files)
    until, since = arguments.until, arguments.since
    chosen = [one for one in found if until is None or order_key(one.key) <= order_key(until)]
    judged = [one for one in chosen if since is None or order_key(one.key) >= order_key(since)]
    if not judged:
        raise ConfigurationError(outside(since, until, [one.key for one in found]))
    # What comes before the first judged partition is its history, as far back as one reaches.
    first = len(chosen) - len(judged)
    chosen = chosen[max(0, first - options.history) :]
    profiling = ProfileOptions(columns=options.columns, exclude=options.exclude, checks=options.checks)
    read_options = pairs("--option", arguments.option)
    reader = reader_of([one.files[0] for one in chosen], arguments.format, read_options)
    learn_only = {one.key for one in chosen} - {one.key for one in judged}
    return backtest(
        followed(with_totals(_profiles(reader, chosen, profiling)), len(chosen), "partitions profiled and judged"),
        options,
        dataset=arguments.dataset or _dataset_name(chosen[0].files[0]),
        learn_only=learn_only,
        **_settings(arguments),
    )


def _profiles(
    reader: FileReader, partitions: Sequence[PartitionFiles], options: ProfileOptions
) -> Iterator[Profile | FailedPartition]:
    from airflow_dq.program import FailedPartition

    profile = None
    for partition in partitions:
        try:
            profile = reader.profile(partition.key, partition.files, options, f"Partition {partition.key!r}")
            yield profile
        except DQError as error:
            yield FailedPartition(partition.key, str(error))
    if profile is not None and reader.format == "csv" and not reader.csv.infer:
        _remark(profile)


def _remark(profile: Profile) -> None:
    """Say which columns of CSV files are numbers to a reader but not to the metrics."""
    from airflow_dq.explain.wording import listed
    from airflow_dq.profile.remark import looking_numeric

    found = looking_numeric(profile)
    if found:
        print(
            f"{listed(list(map(repr, found)))} read as numbers and are judged as text, with mean, spread, least and "
            "largest of the numbers, as a profile job judges them. For all metrics of numbers give --option "
            "inferSchema=true, here and to the job.",
            file=sys.stderr,
        )


def _from_store(arguments: Any) -> BacktestResult:
    from airflow_dq.cli.connection import find_dsn
    from airflow_dq.store import open_store

    with open_store(find_dsn(arguments.dq_conn_id)) as repository:
        stored = StoredHistory.load(repository, arguments.dataset, arguments.until)
        checks = _checks(arguments)
        result = replay(
            repository,
            stored,
            lambda last: options_of(arguments, checks, last),
            arguments.since,
            **_settings(arguments),
        )
        if arguments.until is None:
            keep(repository, result)
        return result


def _dataset_name(path: Path) -> str:
    """The folder's name: what a person calls a table whose files lie in it."""
    folder = path.parent.resolve()
    return next(one for one in (folder, *folder.parents) if "=" not in one.name).name or "files"


def _write_page(path: Path, result: BacktestResult) -> None:
    from airflow_dq.report.pages import write_backtest

    try:
        write_backtest(path, result)
    except OSError as error:
        raise ConfigurationError(f"The page cannot be written to {str(path)!r}: {error.strerror}.") from None
    print(f"Written: {path}", file=sys.stderr)
