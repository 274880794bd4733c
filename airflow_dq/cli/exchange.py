"""``airflow dq export`` and ``airflow dq import``: profiles as JSON lines, one partition a line."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

from airflow_dq.cli.connection import find_dsn
from airflow_dq.cli.run import print_json
from airflow_dq.exceptions import CodecError, ConfigurationError, DQError
from airflow_dq.options.key import order_key

if TYPE_CHECKING:
    from airflow_dq.profile.model import Profile
    from airflow_dq.store import Repository

FORMAT = "airflow-dq-profile/1"
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
                    file.write(_line(arguments.dataset, profile))
                    count += 1
    return _told(arguments, {"dataset": arguments.dataset, "written": count}, f"{count} profiles written")


def _keys(repository: Repository, dataset: str, limit: int) -> list[str]:
    listed = repository.partitions(dataset, limit)
    keys = sorted((line.partition for line in listed if line.rows is not None), key=order_key)
    if not keys:
        known = ", ".join(line.name for line in repository.datasets()) or "none"
        raise ConfigurationError(f"No partition of a dataset {dataset!r} is profiled (datasets: {known}).")
    return keys


def _line(dataset: str, profile: Profile) -> str:
    from airflow_dq.codec import to_json

    # The profile's own line as it is: to read and write it again would cost as much as making it.
    return f'{{"format": {json.dumps(FORMAT)}, "dataset": {json.dumps(dataset)}, "profile": {to_json(profile)}}}\n'


def import_profiles(arguments: Any) -> int:
    """Store the profiles of a file, each as a new attempt at its partition."""
    from airflow_dq.store import open_store

    read = changed = 0
    with _opened(arguments.file, "r") as file, open_store(find_dsn(arguments.dq_conn_id)) as repository:
        for dataset, profile in _profiles(file, arguments.file):
            name = arguments.dataset or dataset
            attempt = repository.begin_attempt(name, str(profile.partition), source=f"import of {dataset}")
            try:
                changed += repository.save_profile(attempt, name, profile)
            except DQError as error:
                repository.fail_attempt(attempt, str(error))
                raise
            read += 1
    told = f"{read} profiles read, {changed} of them new or changed"
    return _told(arguments, {"read": read, "changed": changed}, told)


def _profiles(file: IO[str], name: str) -> Iterator[tuple[str, Profile]]:
    from airflow_dq.codec import from_builtins
    from airflow_dq.profile.model import Profile

    for number, line in enumerate(file, start=1):
        if not line.strip():
            continue
        try:
            document = json.loads(line)
            if document["format"] != FORMAT:
                raise CodecError(f"its format is {document['format']!r}, not {FORMAT!r}")
            profile = from_builtins(Profile, document["profile"])
            dataset = str(document["dataset"])
        except (ValueError, KeyError, TypeError, CodecError) as error:
            raise ConfigurationError(
                f"Line {number} of {name!r} is no profile that `airflow dq export` of this version wrote ({error}). "
                f"The {number - 1} lines before it are stored."
            ) from None
        if profile.partition is None:
            raise ConfigurationError(f"Line {number} of {name!r} is the profile of no partition: it names no key.")
        yield dataset, profile


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
