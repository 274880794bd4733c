"""Which partitions there are, and their files: on this machine's file systems, by the rules of the Spark job."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from glob import escape, glob
from pathlib import Path

from airflow_dq.engine.arrow.stored_listing import empty, missing, stored_files, stored_matches
from airflow_dq.engine.data_file import DataFile
from airflow_dq.engine.naming import HIVE_NULL, beside, is_hidden, is_side_file, keys_of
from airflow_dq.engine.order import chosen_keys, where_of
from airflow_dq.engine.store_access import NO_ACCESS, StoreAccess, kind_of
from airflow_dq.engine.table_log import LOGGED, TableLog, exists_here, folders_above, log_at, names_here
from airflow_dq.exceptions import ConfigurationError, SourceEmptyError, SourceMissingError, SourceUnreadableError
from airflow_dq.options.job import EMPTY_KEY, NULL_KEY, JobSpec
from airflow_dq.options.key import order_key


@dataclass(frozen=True, slots=True)
class PartitionFiles:
    """The data files of one partition."""

    key: str
    files: tuple[Path, ...]


def locate(spec: JobSpec, access: StoreAccess = NO_ACCESS) -> dict[str, str]:
    """Partition key -> path, in the keys' order.

    :param access: the way to the object store that the pattern is of, if it is
    :raises SourceMissingError: when nothing matches the pattern
    :raises SourceEmptyError: when ``since`` and ``until`` leave none
    """
    if spec.pattern is None:
        return {key: spec.paths[key] for key in sorted(spec.paths, key=order_key)}
    stored = kind_of(spec.pattern)
    found = stored_matches(spec.pattern, access, where_of(spec)) if stored else _matches(spec.pattern)
    if not found:
        raise SourceMissingError(
            f"{where_of(spec)}: nothing matches {spec.pattern}. Check the path and that it was written."
        )
    return {key: found[key] for key in chosen_keys(spec, found)}


def strays(pattern: str, places: Iterable[str]) -> str | None:
    """What is to be said of files that lie beside the folders that a pattern matches.

    :param places: what it matches
    """
    if kind_of(pattern) or not any(os.path.isdir(place) for place in places):
        return None
    folder = os.path.dirname(str(local_path(pattern)).partition("*")[0] + "*") or "."
    return beside(folder, (entry.name for entry in os.scandir(folder) if entry.is_file()), pattern)


def find_partitions(patterns: Sequence[str]) -> list[PartitionFiles]:
    """The partitions that a pattern with one ``*`` matches, whose match is the key, in the order of the keys.

    A match may be a file or a folder of files.

    :param patterns: one pattern; or the paths that a shell has made of one, which differ in the key alone
    :raises ConfigurationError: when a pattern has no ``*``, or several
    :raises SourceMissingError: when nothing matches
    :raises SourceEmptyError: when what matches holds no data file
    :raises ConfigurationError: also when a table's log says which of the files count
    """
    found = _of_pattern(patterns[0]) if len(patterns) == 1 else _of_paths(patterns)
    # Rows without a key are of no time.
    places = {key: local_path(place) for key, place in found.items() if key not in (NULL_KEY, EMPTY_KEY)}
    if not places:
        raise SourceMissingError(f"Nothing matches {patterns[0]}. Check the path, and quote it for the shell.")
    partitions = [PartitionFiles(key, tuple(_files(path))) for key, path in places.items()]
    filled = sorted((one for one in partitions if one.files), key=lambda one: order_key(one.key))
    if not filled:
        raise SourceEmptyError(f"What matches {patterns[0]} holds no data file (hidden and side files left aside).")
    parquet = [file for one in filled for file in one.files if file.suffix.lower() in (".parquet", ".pq")]
    require_plain_files(parquet, f"Pattern {patterns[0]!r}")
    return filled


def data_files(
    place: str,
    where: str,
    file_format: str,
    access: StoreAccess = NO_ACCESS,
    logs: dict[str, TableLog | None] | None = None,
) -> Sequence[DataFile]:
    """The data files at or below a path, hidden and side files left out, in the order of their names.

    :param access: the way to the object store that the path is of, if it is
    :param logs: takes what is found out of each folder of a store, so that nothing is looked at twice
    :raises SourceMissingError: when nothing is there
    :raises SourceEmptyError: when no data file is
    :raises ConfigurationError: when sub-folders hold columns, or when a table's log says which of the files count
    """
    if kind_of(place):
        return stored_files(place, access, where, ({} if logs is None else logs) if file_format in LOGGED else None)
    path = local_path(place)
    try:
        if not path.exists():
            raise missing(place, where)
        found = list(_files(path))
    except OSError as error:
        raise SourceUnreadableError(
            f"{where}: {place} cannot be looked at ({error}). Check what lies there."
        ) from error
    if not found:
        raise empty(place, where)
    if file_format in LOGGED:
        require_plain_files(found, where)
    folders = (folder for file in found for folder in file.relative_to(path).parts[:-1])
    if (column := next((folder for folder in folders if "=" in folder), None)) is not None:
        raise ConfigurationError(
            f"{where}: the folder {path} has a sub-folder that is a column ({column}): use engine='spark'."
        )
    return found


def require_plain_files(files: Sequence[Path], where: str) -> None:
    """Refuse Parquet files of a table that keeps a log of which files are its rows.

    :raises ConfigurationError: naming the log, and what to write instead
    """
    paths = [os.path.abspath(file) for file in files]
    inside = dict.fromkeys(map(os.path.dirname, paths))
    behind_links = [os.path.dirname(os.path.realpath(path)) for path in paths if os.path.islink(path)]
    inside_of_all = dict.fromkeys((*inside, *map(os.path.realpath, inside), *behind_links))
    for folder in dict.fromkeys(folder for one in inside_of_all for folder in (one, *folders_above(one))):
        log = log_at(folder, exists_here, names_here)
        if log is not None:
            raise log.refusal(where, os.path.commonpath(inside))


def local_path(place: str) -> Path:
    """The path on this machine's file systems.

    :raises ConfigurationError: when it is another store's
    """
    if place.startswith("file:"):
        # As for Hadoop, each character is one of the path's own: `%20` is no blank, and `?` begins no query.
        return Path(re.sub("^file:/+", "/", place))
    if "://" in place:
        raise ConfigurationError(f"engine='arrow' writes to this machine's folders only, not {place}.")
    return Path(place)


def _files(path: Path) -> Iterator[Path]:
    """The data files at or below a path, hidden and side files left out, in the order of their names."""
    if path.is_file():
        yield path
        return
    for child in sorted(path.iterdir()):
        if is_hidden(child.name):
            continue
        if child.is_dir():
            yield from _files(child)
        # A link to a file that is gone is one of those that were to be read.
        elif (child.is_file() or child.is_symlink()) and not is_side_file(child.name):
            yield child


def _matches(pattern: str) -> dict[str, str]:
    """The path of everything that the pattern matches, by the key that stands in place of its ``*``."""
    start, _, end = str(local_path(pattern)).partition("*")
    shape = re.compile(f"{re.escape(start)}([^/]*){re.escape(end)}")
    found = {}
    for path in glob(f"{escape(start)}*{escape(end)}"):
        match = shape.fullmatch(path)
        if match and (match[1] == HIVE_NULL or not is_hidden(Path(path).name)):
            found[match[1]] = path
    return {key: found[folder] for folder, key in keys_of(found).items()}


def _of_pattern(pattern: str) -> dict[str, str]:
    if pattern.count("*") != 1:
        raise ConfigurationError(
            f"{pattern!r} has {pattern.count('*') or 'no'} *: give a path with exactly one, which stands for the "
            "partition's key, such as 'folder/*.parquet' or 'folder/day=*', quoted for the shell."
        )
    return _matches(pattern)


def _of_paths(paths: Sequence[str]) -> dict[str, str]:
    """The same for paths that a shell has made of a pattern: the key is what differs."""
    missing = next((path for path in paths if not Path(path).exists()), None)
    if missing:
        raise SourceMissingError(f"{missing} does not exist. Check the path.")
    start = re.sub(r"[^/=]*$", "", _alike(paths))
    end = re.sub(r"^[^./]*", "", _alike([path[::-1] for path in paths])[::-1])
    named = {path[len(start) : len(path) - len(end)]: path for path in paths}
    return {key: named[name] for name, key in keys_of(named).items()}


def _alike(texts: Sequence[str]) -> str:
    """What all texts begin with."""
    first, last = min(texts), max(texts)
    length = next((place for place, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return first[:length]
