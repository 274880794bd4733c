"""``airflow dq profile``: what is in some files or a table, without a database, Spark or a running Airflow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airflow_dq.cli.argument import names, pairs
from airflow_dq.cli.connection import find_access
from airflow_dq.cli.run import tell
from airflow_dq.cli.table import render
from airflow_dq.engine.store_access import NO_ACCESS, StoreAccess, kind_of
from airflow_dq.exceptions import ConfigurationError, SourceMissingError, SourceUnreadableError
from airflow_dq.options.job import LAKE_FORMATS, JobSpec
from airflow_dq.options.profile import ProfileOptions

if TYPE_CHECKING:
    from airflow_dq.profile.model import Profile


def profile(arguments: Any) -> int:
    """Profile the files, or the table, and show the columns."""
    from airflow_dq.codec import to_builtins
    from airflow_dq.report.column_summary import HEADS, summaries

    access = NO_ACCESS if arguments.source_conn_id is None else find_access(arguments.source_conn_id)
    options = ProfileOptions(columns=names(arguments.columns), exclude=names(arguments.exclude) or (), sample_rows=0)
    measured, read = (_of_table if arguments.format in LAKE_FORMATS else _of_files)(arguments, options, access)
    if not measured.columns:
        # No rows are a profile like any other; without a column there is nothing that it could be of.
        raise SourceUnreadableError(
            f"There are no columns in {', '.join(read[:3])}: a text file names them in its first line, and here is "
            "none. Check what was to write it, and write at least the header."
        )
    columns = summaries(measured)
    number = read[0] if arguments.format in LAKE_FORMATS else f"{len(read)} {'file' if len(read) == 1 else 'files'}"
    lines = [
        f"{measured.row_count:,} rows, {len(columns)} columns, {number}",
        "",
        render(HEADS, [one.cells for one in columns]),
        *(f"{one.name}: {one.remark}" for one in columns if one.remark),
    ]
    document = {
        "rows": measured.row_count,
        "files": list(read),
        "columns": [asdict(one) for one in columns],
        "profile": to_builtins(measured),
    }
    tell(arguments, document, "\n".join(lines))
    return 0


def _of_files(arguments: Any, options: ProfileOptions, access: StoreAccess) -> tuple[Profile, Sequence[str]]:
    """The profile of all rows of the files, and their paths.

    :raises DQError: when one is missing or cannot be read
    """
    from airflow_dq.engine.arrow.listing import data_files
    from airflow_dq.engine.arrow.reader import reader_of

    asked = [name for name in ("where", "version", "snapshot", "as_of") if getattr(arguments, name) is not None]
    if asked:
        raise ConfigurationError(
            f"--{asked[0].replace('_', '-')} is for tables: give --format {' or '.join(LAKE_FORMATS)}."
        )
    missing = next((name for name in arguments.files if not (kind_of(name) or Path(name).exists())), None)
    if missing is not None:
        raise SourceMissingError(f"{missing} does not exist. Check the path.")
    kind = arguments.format
    files = [file for name in arguments.files for file in data_files(name, name, kind or "parquet", access)]
    reader = reader_of(files, kind, pairs("--option", arguments.option))
    return reader.profile(Path(arguments.files[0]).name, files, options, "The table"), [str(path) for path in files]


def _of_table(arguments: Any, options: ProfileOptions, access: StoreAccess) -> tuple[Profile, Sequence[str]]:
    """The profile of the rows of a Delta or Iceberg table, and which state of it they are.

    :raises DQError: when it is missing or cannot be read
    """
    from airflow_dq.engine.arrow.engine import ArrowEngine
    from airflow_dq.profile.table import TableState

    if len(arguments.files) > 1:
        raise ConfigurationError(f"{arguments.files[1]} is a second path: give one table at a time.")
    (place,) = arguments.files
    key = Path(place).name
    order = JobSpec(
        dataset=key,
        paths={key: place},
        format=arguments.format,
        where=arguments.where or "true",
        version=arguments.version,
        snapshot=arguments.snapshot,
        as_of=arguments.as_of,
        options=pairs("--option", arguments.option),
    )
    engine = ArrowEngine(order, access)
    engine.partitions()
    measured = TableState.of_all(engine.batches(key), options).profile(key, options)
    return measured, [remark.removesuffix(" is read") for remark in engine.remarks]
