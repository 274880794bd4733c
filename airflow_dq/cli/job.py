"""``airflow dq job``: what another submitter of Spark jobs needs to run a profile job."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from airflow_dq.check.file import declared_checks
from airflow_dq.cli.argument import names, pairs
from airflow_dq.cli.run import tell
from airflow_dq.job.package import secrets_of, write_entry, write_package
from airflow_dq.options.argument import packed, require_no_secret
from airflow_dq.options.job import JobSpec

DRIVER = ("numpy", "pandas", "pyarrow")
"""Packages of the driver's Python; Airflow is none of them.  Spark's own Python API asks for pandas."""
DATABASE = ("sqlalchemy", "psycopg2-binary", "msgspec")
"""What it needs besides, unless it leaves its profiles in a folder (``--result``)."""
EXECUTORS = ("numpy", "pyarrow")
"""Packages of the executors' Python."""


def job(arguments: Any) -> int:
    """Write the job's file and the package as a zip, and tell the arguments and the secrets."""
    spec = job_order(arguments)
    folder = Path(arguments.folder)
    folder.mkdir(parents=True, exist_ok=True)
    document: dict[str, str | list[str]] = {
        "file": str(write_entry(folder)),
        "py_files": str(write_package(folder)),
        "arguments": ["--spec", packed(spec.to_json())],
        "secrets": list(secrets_of([spec])),
        "driver_packages": [*DRIVER, *DATABASE],
        "executor_packages": list(EXECUTORS),
    }
    tell(arguments, document, "\n".join(f"{name}: {_shown(value)}" for name, value in document.items()))
    return 0


def job_order(arguments: Any) -> JobSpec:
    """The order of one partition, or of those that the source names.

    :raises ConfigurationError: when the arguments contradict each other
    """
    key, by = arguments.partition, arguments.partition_by
    alone = key is not None and by is None and arguments.source is not None
    options = pairs("--option", arguments.option)
    require_no_secret(options, arguments.dataset)
    return JobSpec(
        dataset=arguments.dataset,
        paths={key: arguments.source} if alone else {},
        pattern=None if alone else arguments.source,
        table=arguments.table,
        sql=arguments.sql,
        partition=None if alone else key,
        partition_by=by,
        where=arguments.where,
        version=arguments.version,
        snapshot=arguments.snapshot,
        as_of=arguments.as_of,
        format=arguments.format,
        options=options,
        columns=names(arguments.columns),
        exclude=names(arguments.exclude) or (),
        hidden=names(arguments.hidden) or (),
        checks=declared_checks(arguments.checks, arguments.dataset),
    )


def _shown(value: str | Sequence[str]) -> str:
    return value if isinstance(value, str) else " ".join(value)
