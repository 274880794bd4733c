"""``airflow dq job``: what another submitter of Spark jobs needs to run a profile job."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from airflow_dq import __version__
from airflow_dq.check.file import declared_checks
from airflow_dq.cli.argument import names, pairs
from airflow_dq.cli.run import tell
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.options.argument import packed
from airflow_dq.options.job import JobSpec
from airflow_dq.settings import DSN_VARIABLE, HASH_KEY_VARIABLE, SOURCE_VARIABLE

DRIVER = ("numpy", "pandas", "pyarrow", "msgspec", "sqlalchemy", "psycopg2-binary")
"""Packages of the driver's Python; Airflow is none of them."""
EXECUTORS = ("numpy", "pyarrow")
"""Packages of the executors' Python."""


def job(arguments: Any) -> int:
    """Write the job's file and the package as a zip, and tell the arguments and the secrets."""
    from airflow_dq.resource import resource_dir

    spec = job_order(arguments)
    folder = Path(arguments.folder)
    folder.mkdir(parents=True, exist_ok=True)
    entry = Path(shutil.copy(resource_dir("spark_jobs") / "profile.py", folder))
    document: dict[str, str | list[str]] = {
        "file": str(entry),
        "py_files": str(package_zip(folder)),
        "arguments": ["--spec", packed(spec.to_json())],
        "secrets": _secrets(spec),
        "driver_packages": list(DRIVER),
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
        options=pairs("--option", arguments.option),
        columns=names(arguments.columns),
        exclude=names(arguments.exclude) or (),
        hidden=names(arguments.hidden) or (),
        checks=declared_checks(arguments.checks, arguments.dataset),
    )


def package_zip(folder: Path) -> Path:
    """The whole package as a zip that Python can import from."""
    package = Path(__file__).parents[1]
    if not package.is_dir():
        raise ConfigurationError("The package runs from a zip already: give the submitter that one.")
    target = folder / f"airflow_dq-{__version__}.zip"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(package.rglob("*.py")):
            archive.write(path, path.relative_to(package.parent).as_posix())
    return target


def _secrets(spec: JobSpec) -> list[str]:
    """The variables that the driver has to find in its environment; a keyed hash needs its own on executors, too."""
    hashed = [HASH_KEY_VARIABLE] if spec.hidden or not spec.store_values else []
    source = [SOURCE_VARIABLE] if spec.format.lower() == "jdbc" else []
    return [DSN_VARIABLE, *hashed, *source]


def _shown(value: str | Sequence[str]) -> str:
    return value if isinstance(value, str) else " ".join(value)
