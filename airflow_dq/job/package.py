"""What a cluster needs of this package: the job's entry file, and all of the package as a zip."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Iterable
from pathlib import Path

from airflow_dq import __version__
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.options.job import JobSpec
from airflow_dq.resource import resource_dir
from airflow_dq.settings import DSN_VARIABLE, HASH_KEY_VARIABLE, SOURCE_VARIABLE

ENTRY = "profile.py"
PACKAGE = f"airflow_dq-{__version__}.zip"


def write_entry(folder: Path) -> Path:
    """The entry file, copied into a folder."""
    return Path(shutil.copy(resource_dir("spark_jobs") / ENTRY, folder))


def write_package(folder: Path) -> Path:
    """The whole package as a zip that Python can import from.

    :raises ConfigurationError: when it runs from a zip itself
    """
    package = Path(__file__).parents[1]
    if not package.is_dir():
        raise ConfigurationError("The package runs from a zip already: give the submitter that one.")
    target = folder / PACKAGE
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(package.rglob("*.py")):
            archive.write(path, path.relative_to(package.parent).as_posix())
    return target


def secrets_of(orders: Iterable[JobSpec], *, without_database: bool = False) -> tuple[str, ...]:
    """The variables that the driver has to find in its environment; a keyed hash needs its own on executors, too."""
    database = () if without_database else (DSN_VARIABLE,)
    orders = tuple(orders)
    hashed = (HASH_KEY_VARIABLE,) if any(one.hidden or not one.store_values for one in orders) else ()
    source = (SOURCE_VARIABLE,) if any(one.format.lower() == "jdbc" for one in orders) else ()
    return (*database, *hashed, *source)
