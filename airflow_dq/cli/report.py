"""``airflow dq report``."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from airflow_dq.cli.connection import find_dsn
from airflow_dq.cli.run import tell
from airflow_dq.exceptions import ConfigurationError, StoreError


def report(arguments: Any) -> int:
    """Write the pages as files that need no server.

    :raises StoreError: when a dataset is unknown, or there is none
    :raises ConfigurationError: when the folder cannot be written
    """
    from airflow_dq.report.export import write_site
    from airflow_dq.store import open_store

    folder = Path(arguments.html)
    with open_store(find_dsn(arguments.dq_conn_id)) as store:
        known = [summary.name for summary in store.datasets()]
        unknown = [name for name in arguments.dataset if name not in known]
        if unknown or not known:
            said = f"There is no dataset {unknown[0]!r}" if unknown else "No dataset has been profiled yet"
            raise StoreError(f"{said}. `airflow dq status` lists what there is.")
        try:
            files = write_site(store, folder, datetime.now(UTC), arguments.dataset or known, arguments.partitions)
        except OSError as error:
            raise ConfigurationError(f"The pages cannot be written to {str(folder)!r}: {error.strerror}.") from None
    pages = [path for path in files if path.suffix == ".html"]
    tell(arguments, {"files": [str(path) for path in files]}, f"{len(pages)} pages written; begin with {pages[0]}")
    return 0
