"""Where the files that are not Python modules of the package lie: in the repository, or inside the wheel."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from airflow_dq.exceptions import EnvironmentMismatchError

_IN_WHEEL = {"migrations": "migrations", "spark_jobs": "spark_jobs", "dags": "example_dags"}


def resource_dir(name: Literal["migrations", "spark_jobs", "dags"]) -> Path:
    """The folder of the migrations, the Spark entry points or the example DAGs.

    :raises EnvironmentMismatchError: when the installation lacks the folder.
    """
    package = Path(__file__).resolve().parent
    # The package first: next to an installed package lie other projects' folders, perhaps of the same name.
    for folder in (package / _IN_WHEEL[name], package.parent / name):
        if folder.is_dir():
            return folder
    raise EnvironmentMismatchError(
        f"The installation is incomplete: there is no folder {_IN_WHEEL[name]!r} in {package}. "
        "Install it again: pip install --force-reinstall airflow-provider-dq."
    )
