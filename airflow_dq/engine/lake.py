"""Which files of a lake are looked at for its patterns: one of each table, the newest."""

from __future__ import annotations

from collections.abc import Iterable

from airflow_dq.engine.naming import is_hidden, is_side_file
from airflow_dq.engine.worker.lake import FORMATS, suffix_of


def tables_of(files: Iterable[str], base: str = "") -> dict[str, str]:
    """Table -> a file of it.  Files of one folder that are partitions or parts of one table count once.

    A table is a file by its path, or, where folders are named ``key=value`` or files are numbered parts, their folder.

    :param files: paths; those that cannot be read, and hidden ones, are left out
    :param base: what all paths begin with: it may have hidden parts
    """
    found: dict[str, str] = {}
    for file in sorted(files):
        parts = file.removeprefix(base).split("/")
        if suffix_of(file) in FORMATS and not is_side_file(parts[-1]) and not any(map(is_hidden, parts)):
            # The newest partition sorts last, and is what the next one will look like.
            found[_table(file)] = file
    return found


def _table(file: str) -> str:
    *folders, name = file.split("/")
    kept = [folder for folder in folders if "=" not in folder]
    numbered = name.startswith(("part-", "part_")) or len(kept) < len(folders)
    return "/".join(kept) if numbered and any(kept) else file
