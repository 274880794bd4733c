"""``airflow dq index`` and ``airflow dq tag``: what a lake's columns look like."""

from __future__ import annotations

import os
import re
import sys
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airflow_dq.cli.argument import pairs
from airflow_dq.cli.connection import find_dsn
from airflow_dq.cli.run import tell
from airflow_dq.cli.table import render
from airflow_dq.exceptions import ConfigurationError

if TYPE_CHECKING:
    from airflow_dq.job.index import Place
    from airflow_dq.pattern import PatternIndex

_ELSEWHERE = re.compile(r"(?!file:)[A-Za-z][A-Za-z0-9+.-]+://")
"""How a source begins that only Spark can list."""


def index(arguments: Any) -> int:
    """Index the string columns of a lake, or of the stored profiles; tables that the index has are left as they are.

    :raises ConfigurationError: when the arguments contradict each other
    :raises CodecError: when the index that is there is damaged, or of another version
    """
    if bool(arguments.source) == arguments.from_store:
        raise ConfigurationError("Give either --source GLOB, files of a lake, or --from-store, the stored profiles.")
    if arguments.source and (arguments.master or _ELSEWHERE.match(arguments.source)):
        return _by_spark(arguments)
    from airflow_dq.job.index import index_files, index_store
    from airflow_dq.store import open_store

    with ExitStack() as stack:
        needed = arguments.from_store or arguments.file is None
        store = stack.enter_context(open_store(find_dsn(arguments.dq_conn_id))) if needed else None
        place = _place(arguments, store)
        if arguments.from_store:
            found = index_store(store, place, arguments.renew)
        else:
            found = index_files(arguments.source, place, arguments.renew)
    tell(arguments, asdict(found), found.text)
    return found.exit_code


def _place(arguments: Any, store: Any) -> Place:
    from airflow_dq.job.index import FilePlace, StorePlace

    return StorePlace(store) if arguments.file is None else FilePlace(Path(arguments.file))


def _by_spark(arguments: Any) -> int:
    """Run the job to its end, and tell what it has told."""
    from airflow_dq.cli.submit import submit
    from airflow_dq.engine.spark.environment import check_environment, find_spark_submit, spark_environment
    from airflow_dq.options.argument import packed
    from airflow_dq.options.index import IndexSpec
    from airflow_dq.resource import resource_dir
    from airflow_dq.settings import DSN_VARIABLE

    check_environment()
    file = None if arguments.file is None else str(Path(arguments.file).resolve())
    spec = IndexSpec(arguments.source, file, arguments.renew)
    master = arguments.master or "local[*]"
    command = [str(find_spark_submit()), "--master", master, "--name", "airflow-dq-index"]
    properties = pairs("--conf", arguments.conf)
    if properties.get("spark.submit.deployMode") == "cluster":
        raise ConfigurationError("The driver runs on this machine: leave out spark.submit.deployMode=cluster.")
    for name, value in properties.items():
        command += ["--conf", f"{name}={value}"]
    command += [str(resource_dir("spark_jobs") / "index.py"), "--spec", packed(spec.to_json())]
    environment = {**os.environ, **spark_environment(master)}
    if file is None:
        environment[DSN_VARIABLE] = find_dsn(arguments.dq_conn_id)
    return _told(arguments, *submit(command, environment))


def _told(arguments: Any, code: int, lines: list[str]) -> int:
    from airflow_dq.job.index_result import IndexResult

    result = IndexResult.result_in(lines)
    if result is not None and result.error is not None:
        raise ConfigurationError(result.error)
    if code or result is None:
        print("\n".join(lines[-50:]), file=sys.stderr)
        print(f"airflow dq: the Spark job ended with exit code {code}.", file=sys.stderr)
        return 1
    tell(arguments, asdict(result), result.text)
    return result.exit_code


def tag(arguments: Any) -> int:
    """Find the columns of a type that examples show; exit code 1 when there is none."""
    from airflow_dq.engine.arrow.lake import tables
    from airflow_dq.job.index import columns_of
    from airflow_dq.pattern import NoPattern, Tag, learn_tag, tagged

    if arguments.pattern is not None:
        learned: Tag | NoPattern = Tag(arguments.name, arguments.pattern)
    else:
        learned = learn_tag(arguments.name, _examples(arguments.examples), _corpus(arguments))
    if isinstance(learned, NoPattern):
        raise ConfigurationError(f"No tag {arguments.name!r}: {learned.detail} Give one with --pattern.")
    unreadable: list[str] = []
    files = tables(arguments.source)
    found = tagged(learned, columns_of(files, unreadable, named=True), arguments.least)
    document = {
        "name": learned.name,
        "pattern": learned.pattern,
        "columns": [{"column": column, "share": round(share, 4)} for column, share in found],
        "unreadable": unreadable,
    }
    shown = render(("column", "share"), [(column, f"{share:.0%}") for column, share in found])
    tell(arguments, document, f"{learned.name}: {learned.pattern}\n{shown}")
    for said in unreadable:
        print(f"Left out: {said}", file=sys.stderr)
    return 0 if found else 1


def _corpus(arguments: Any) -> PatternIndex:
    """The index that is named, that of the statistics database, or the one that ships with the package.

    :raises ConfigurationError: when the one that is named holds nothing
    """
    from airflow_dq.pattern import PatternIndex, load_prior
    from airflow_dq.store import open_store

    if arguments.index:
        corpus = PatternIndex.load(Path(arguments.index))
        if not corpus.columns:
            raise ConfigurationError(f"The pattern index {arguments.index} holds no table: build it with `dq index`.")
        return corpus
    if not arguments.stored_index:
        return load_prior()
    with open_store(find_dsn(arguments.dq_conn_id)) as store:
        found = store.pattern_index()
    if found is None or not found.columns:
        raise ConfigurationError("The statistics database has no pattern index: build it with `dq index`.")
    return found


def _examples(file: str | None) -> list[str]:
    if file is None:
        raise ConfigurationError("A tag needs --examples FILE with values of the type, one a line, or --pattern.")
    try:
        return Path(file).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeError) as error:
        raise ConfigurationError(f"The examples in {file} cannot be read: {error}.") from error
