"""``airflow dq index`` and ``airflow dq tag``: what a lake's columns look like."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airflow_dq.cli.run import tell
from airflow_dq.cli.table import render
from airflow_dq.exceptions import ConfigurationError, SourceUnreadableError

if TYPE_CHECKING:
    from airflow_dq.pattern import PatternIndex

_AT_ONCE = 1_000
"""Tables after which what has been found is saved: an interrupted run goes on from there."""


def index(arguments: Any) -> int:
    """Index the string columns of a lake into a file; tables that the file has already are left as they are."""
    from airflow_dq.engine.arrow.lake import tables
    from airflow_dq.pattern import PatternIndex

    path = Path(arguments.file)
    found = PatternIndex.load(path) if path.exists() else PatternIndex.build(())
    had = set() if arguments.renew else set(found.tables)
    new = {table: file for table, file in tables(arguments.source).items() if table not in had}
    unreadable: list[str] = []
    left = iter(new.items())
    while some := list(islice(left, _AT_ONCE)):
        found = found.extended(_columns(dict(some), unreadable))
        _save(found, path)
    if not new:
        _save(found, path)
    document = {
        "file": str(path),
        "tables": len(found.tables),
        "new": len(new) - len(unreadable),
        "columns": found.columns,
        "patterns": len(found),
        "unreadable": unreadable,
    }
    text = (
        f"{path}: {len(found):,} patterns of {found.columns:,} columns of {len(found.tables):,} tables, "
        f"{document['new']:,} of them new."
    )
    tell(arguments, document, "\n".join([text, *(f"Left out: {said}" for said in unreadable)]))
    return 1 if unreadable else 0


def tag(arguments: Any) -> int:
    """Find the columns of a type that examples show; exit code 1 when there is none."""
    from airflow_dq.engine.arrow.lake import tables
    from airflow_dq.pattern import NoPattern, PatternIndex, Tag, learn_tag, load_prior, tagged

    if arguments.pattern is not None:
        learned: Tag | NoPattern = Tag(arguments.name, arguments.pattern)
    else:
        corpus = PatternIndex.load(Path(arguments.index)) if arguments.index else load_prior()
        learned = learn_tag(arguments.name, _examples(arguments.examples), corpus)
    if isinstance(learned, NoPattern):
        raise ConfigurationError(f"No tag {arguments.name!r}: {learned.detail} Give one with --pattern.")
    unreadable: list[str] = []
    files = tables(arguments.source)
    found = tagged(learned, _columns(files, unreadable, named=True), arguments.least)
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


def _columns(
    files: dict[str, Path], unreadable: list[str], *, named: bool = False
) -> Iterator[tuple[str, list[str | None]]]:
    """The string columns of files: table (``named``: and column) and values; why a file was left out is noted."""
    from airflow_dq.engine.arrow.lake import string_columns

    for table, file in files.items():
        try:
            for column, values in string_columns(file):
                yield f"{table} {column}" if named else table, values
        except SourceUnreadableError as error:
            unreadable.append(str(error))


def _examples(file: str | None) -> list[str]:
    if file is None:
        raise ConfigurationError("A tag needs --examples FILE with values of the type, one a line, or --pattern.")
    try:
        return Path(file).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeError) as error:
        raise ConfigurationError(f"The examples in {file} cannot be read: {error}.") from error


def _save(found: PatternIndex, path: Path) -> None:
    try:
        found.save(path)
    except OSError as error:
        raise ConfigurationError(f"The pattern index cannot be written to {path}: {error.strerror}.") from error
