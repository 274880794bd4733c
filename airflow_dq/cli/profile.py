"""``airflow dq profile``: what is in some files, without a database, Spark or a running Airflow."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from airflow_dq.cli.argument import names, pairs
from airflow_dq.cli.run import tell
from airflow_dq.cli.table import render
from airflow_dq.exceptions import SourceMissingError


def profile(arguments: Any) -> int:
    """Profile the files as one table, and show its columns."""
    from airflow_dq.codec import to_builtins
    from airflow_dq.engine.arrow.listing import data_files
    from airflow_dq.engine.arrow.reader import reader_of
    from airflow_dq.options.profile import ProfileOptions
    from airflow_dq.report.column_summary import HEADS, summaries

    found = [Path(name) for name in arguments.files]
    missing = next((path for path in found if not path.exists()), None)
    if missing is not None:
        raise SourceMissingError(f"{missing} does not exist. Check the path.")
    reader_format = arguments.format
    files = [file for path in found for file in data_files(str(path), str(path), reader_format or "parquet")]
    reader = reader_of(files, reader_format, pairs("--option", arguments.option))
    options = ProfileOptions(columns=names(arguments.columns), exclude=names(arguments.exclude) or (), sample_rows=0)
    measured = reader.profile(found[0].name, files, options, "The table")
    columns = summaries(measured)
    lines = [
        f"{measured.row_count:,} rows, {len(columns)} columns, {len(files)} {'file' if len(files) == 1 else 'files'}",
        "",
        render(HEADS, [one.cells for one in columns]),
        *(f"{one.name}: {one.remark}" for one in columns if one.remark),
    ]
    document = {
        "rows": measured.row_count,
        "files": [str(path) for path in files],
        "columns": [asdict(one) for one in columns],
        "profile": to_builtins(measured),
    }
    tell(arguments, document, "\n".join(lines))
    return 0
