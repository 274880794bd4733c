"""Which partitions an order is about: paths on this machine's file systems, by the rules of the Spark job."""

from __future__ import annotations

import re
from collections.abc import Iterator
from glob import escape, glob
from pathlib import Path
from urllib.parse import unquote, urlsplit

from airflow_dq.engine.naming import HIVE_NULL, is_hidden, is_side_file, keys_of
from airflow_dq.exceptions import ConfigurationError, SourceEmptyError, SourceMissingError
from airflow_dq.options.job import JobSpec


def locate(spec: JobSpec) -> dict[str, str]:
    """Partition key -> path, in the keys' order.

    :raises SourceMissingError: when nothing matches the pattern
    :raises SourceEmptyError: when ``since`` and ``until`` leave none
    """
    if spec.pattern is None:
        return dict(sorted(spec.paths.items()))
    paths = dict(_matches(spec.pattern))
    found = {key: paths[folder] for folder, key in keys_of(paths).items()}
    if not found:
        raise SourceMissingError(
            f"Dataset {spec.dataset!r}: nothing matches {spec.pattern}. Check the path and that it was written."
        )
    inside = sorted(
        key for key in found if (spec.since is None or key >= spec.since) and (spec.until is None or key <= spec.until)
    )
    chosen = inside if spec.limit is None else inside[-spec.limit :]
    if not chosen:
        raise SourceEmptyError(
            f"Dataset {spec.dataset!r}: {spec.pattern} holds no partition from {spec.since or 'the first'} "
            f"to {spec.until or 'the last'}."
        )
    return {key: found[key] for key in chosen}


def data_files(place: str, where: str) -> list[Path]:
    """The data files at or below a path, hidden and side files left out, in the order of their names.

    :raises SourceMissingError: when nothing is there
    :raises SourceEmptyError: when no data file is
    :raises ConfigurationError: when sub-folders hold columns
    """
    path = local_path(place)
    if not path.exists():
        raise SourceMissingError(f"{where}: the source {place} does not exist. Check the path and that it was written.")
    found = [path] if path.is_file() else list(_below(path))
    if not found:
        raise SourceEmptyError(
            f"{where}: {place} exists and holds no data file (hidden and side files left aside). Check that the "
            "upstream task wrote it; a table without rows is written as a file with none."
        )
    return found


def local_path(place: str) -> Path:
    """The path on this machine's file systems.

    :raises ConfigurationError: when it is another store's
    """
    parts = urlsplit(place)
    if parts.scheme == "file":
        return Path(unquote(parts.path))
    if "://" in place:
        raise ConfigurationError(f"engine='arrow' reads this machine's files only, not {place}: use engine='spark'.")
    return Path(place)


def _below(folder: Path) -> Iterator[Path]:
    for child in sorted(folder.iterdir()):
        if is_hidden(child.name):
            continue
        if child.is_file():
            if not is_side_file(child.name):
                yield child
        elif "=" in child.name:
            raise ConfigurationError(
                f"The folder {folder} has a sub-folder that is a column ({child.name}): use engine='spark'."
            )
        else:
            yield from _below(child)


def _matches(pattern: str) -> Iterator[tuple[str, str]]:
    """Everything that the pattern matches: what stands in place of the ``*``, and the path."""
    start, _, end = str(local_path(pattern)).partition("*")
    shape = re.compile(f"{re.escape(start)}([^/]*){re.escape(end)}")
    for path in glob(f"{escape(start)}*{escape(end)}"):
        match = shape.fullmatch(path)
        if match and (match[1] == HIVE_NULL or not is_hidden(Path(path).name)):
            yield match[1], path
