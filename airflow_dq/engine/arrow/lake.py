"""The tables of a lake of local files."""

from __future__ import annotations

import re
from glob import glob
from pathlib import Path

from airflow_dq.engine.lake import tables_of
from airflow_dq.engine.worker.lake import FORMATS
from airflow_dq.exceptions import SourceMissingError

_GLOB = re.compile(r"[*?\[]")


def tables(pattern: str) -> dict[str, str]:
    """Table -> a file of it, see :func:`~airflow_dq.engine.lake.tables_of`.

    :raises SourceMissingError: when no file that can be read matches
    """
    found: set[str] = set()
    for name in glob(pattern, recursive=True):
        path = Path(name)
        found.update(map(str, path.rglob("*") if path.is_dir() else [path]))
    tables = tables_of(found, _GLOB.split(pattern)[0])
    if not tables:
        raise SourceMissingError(f"No file of the kinds {', '.join(FORMATS)} matches {pattern}.")
    return tables
