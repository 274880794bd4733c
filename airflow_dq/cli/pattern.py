"""``airflow dq index`` and ``airflow dq tag``: what a lake's columns look like."""

from __future__ import annotations

import re
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airflow_dq.cli.connection import find_dsn
from airflow_dq.cli.run import tell
from airflow_dq.cli.table import render
from airflow_dq.exceptions import ConfigurationError

if TYPE_CHECKING:
    from airflow_dq.job.index import Indexed, Place
    from airflow_dq.pattern import PatternIndex

_ELSEWHERE = re.compile(r"(?!file:)[A-Za-z][A-Za-z0-9+.-]+://")
"""How a source begins that only Spark can list."""


def index(arguments: Any) -> int:
    """Index the string columns of a lake, or of the stored profiles; tables that the index has are left as they are.

    :raises ConfigurationError: when the arguments contradict each other
    :raises CodecError: when the index that is there is damaged, or of another version
    """
    from airflow_dq.job.index import FilePlace, StorePlace, index_files, index_store
    from airflow_dq.store import open_store

    if bool(arguments.source) == arguments.from_store:
        raise ConfigurationError("Give either --source GLOB, files of a lake, or --from-store, the stored profiles.")
    with ExitStack() as stack:
        place: Place
        if arguments.from_store or arguments.file is None:
            # Before Spark starts: a wrong address shows at once.
            store = stack.enter_context(open_store(find_dsn(arguments.dq_conn_id)))
            place = StorePlace(store)
        if arguments.file is not None:
            place = FilePlace(Path(arguments.file))
        if arguments.from_store:
            found = index_store(store, place, arguments.renew)
        elif arguments.master or _ELSEWHERE.match(arguments.source):
            found = _by_spark(arguments, place)
        else:
            found = index_files(arguments.source, place, arguments.renew)
    tell(arguments, found.document, found.text)
    return 1 if found.unreadable else 0


def _by_spark(arguments: Any, place: Place) -> Indexed:
    from airflow_dq.cli.reading import spark_session
    from airflow_dq.job.index import index_by_spark

    arguments.master = arguments.master or "local[*]"
    with spark_session(arguments) as spark:
        return index_by_spark(
            spark, arguments.source, place, arguments.renew, lambda line: print(line, file=sys.stderr)
        )


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
