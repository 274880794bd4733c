"""``airflow dq export`` and ``airflow dq import``: profiles as JSON lines, one partition a line."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

from airflow_dq.cli.connection import find_dsn
from airflow_dq.cli.run import print_json
from airflow_dq.exceptions import ConfigurationError, DQError
from airflow_dq.job.exchange_line import read_line, write_line
from airflow_dq.options.key import order_key

if TYPE_CHECKING:
    from airflow_dq.profile.model import Profile
    from airflow_dq.store import Repository

STANDARD = "-"


def export(arguments: Any) -> int:
    """Write the stored profiles, with what is kept of their states and variants; verdicts are not among them."""
    from airflow_dq.store import open_store

    if arguments.output and arguments.file == STANDARD:
        raise ConfigurationError("--json and the profiles would both go to the standard output: name a FILE.")
    count = 0
    with open_store(find_dsn(arguments.dq_conn_id)) as repository:
        keys = _keys(repository, arguments.dataset, arguments.limit)
        with _opened(arguments.file, "w") as file:
            for key in keys:
                profile = repository.load_profile(arguments.dataset, key)
                if profile is not None:  # pruned meanwhile
                    file.write(write_line(arguments.dataset, profile))
                    count += 1
    return _told(arguments, {"dataset": arguments.dataset, "written": count}, f"{count} profiles written")


def _keys(repository: Repository, dataset: str, limit: int) -> list[str]:
    listed = repository.partitions(dataset, limit)
    keys = sorted((line.partition for line in listed if line.rows is not None), key=order_key)
    if not keys:
        known = ", ".join(line.name for line in repository.datasets()) or "none"
        raise ConfigurationError(f"No partition of a dataset {dataset!r} is profiled (datasets: {known}).")
    return keys


def import_profiles(arguments: Any) -> int:
    """Store the profiles of a file, each as a new attempt at its partition: all of them, or nothing."""
    from airflow_dq.store import open_store

    with _opened(arguments.file, "r") as given, _to_be_read_twice(given) as file:
        # All lines are looked at before anything is stored, and read again then: a history does not fit in memory.
        read = _check(file, arguments)
        with open_store(find_dsn(arguments.dq_conn_id)) as repository:
            changed = repository.import_profiles(lambda: _profiles(file, arguments))
    told = f"{read} profiles read, {changed} of them new or changed"
    return _told(arguments, {"read": read, "changed": changed}, told)


def _check(file: IO[str], arguments: Any) -> int:
    """Read all lines; their number.

    :raises ConfigurationError: naming the first that is no profile, or is of the same partition as an earlier one
    """
    found: dict[tuple[str, str], int] = {}
    for number, dataset, profile in _numbered(file, arguments):
        key = (dataset, str(profile.partition))
        if key in found:
            raise ConfigurationError(
                f"Lines {found[key]} and {number} of {arguments.file!r} are both partition {key[1]!r} of dataset "
                f"{dataset!r}: remove one. Nothing of the file is stored."
            )
        found[key] = number
    return len(found)


def _profiles(file: IO[str], arguments: Any) -> Iterator[tuple[str, Profile]]:
    return ((dataset, profile) for _, dataset, profile in _numbered(file, arguments))


def _numbered(file: IO[str], arguments: Any) -> Iterator[tuple[int, str, Profile]]:
    """(number of the line, dataset to store it under, profile) from the file's beginning."""
    from airflow_dq.store.value import storable_key

    file.seek(0)
    for number, line in enumerate(file, start=1):
        if not line.strip():
            continue
        try:
            exported, profile = read_line(line)
            dataset = storable_key(arguments.dataset or exported, "dataset")
            storable_key(profile.partition, f"partition of dataset {dataset!r}")
        except DQError as error:
            raise ConfigurationError(
                f"Line {number} of {arguments.file!r} is no profile that `airflow dq export` of this version wrote: "
                f"{str(error).rstrip('.')}. Nothing of the file is stored."
            ) from None
        yield number, dataset, profile


@contextmanager
def _to_be_read_twice(file: IO[str]) -> Iterator[IO[str]]:
    """The file itself, or a copy of what comes through a pipe."""
    if file.seekable():
        yield file
        return
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="surrogateescape") as copy:
        shutil.copyfileobj(file, copy)
        yield copy


@contextmanager
def _opened(path: str, mode: str) -> Iterator[IO[str]]:
    if path == STANDARD:
        yield sys.stdout if mode == "w" else sys.stdin
        return
    try:
        # Bytes that are no text are for the line's own error.
        file = open(path, mode, encoding="utf-8", errors="surrogateescape")  # noqa: SIM115  (closed below)
    except OSError as error:
        raise ConfigurationError(f"The file {path!r} cannot be opened: {error.strerror}.") from None
    with file:
        yield file


def _told(arguments: Any, document: dict[str, Any], text: str) -> int:
    if arguments.output:
        print_json(document)
    else:
        print(f"{text}.", file=sys.stderr if arguments.file == STANDARD else sys.stdout)
    return 0
