"""``airflow dq diff``: two stored partitions of a dataset beside each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from airflow_dq.cli.connection import find_dsn
from airflow_dq.cli.run import tell
from airflow_dq.cli.table import render
from airflow_dq.exceptions import StoreError

if TYPE_CHECKING:
    from airflow_dq.explain.difference import Difference
    from airflow_dq.profile.model import Profile
    from airflow_dq.store import Repository


def diff(arguments: Any) -> int:
    """Show how the second partition differs from the first."""
    from airflow_dq.explain.difference import difference
    from airflow_dq.store import open_store

    dataset = arguments.dataset
    with open_store(find_dsn(arguments.dq_conn_id)) as repository:
        before, after = (_profile(repository, dataset, key) for key in (arguments.before, arguments.after))
    found = difference(before, after)
    document = {"dataset": dataset, "before": arguments.before, "after": arguments.after, **asdict(found)}
    tell(arguments, document, "\n".join(_lines(arguments, found)))
    return 0


def _profile(repository: Repository, dataset: str, partition: str) -> Profile:
    found = repository.load_profile(dataset, partition, variants=False)
    if found is None:
        raise StoreError(
            f"Dataset {dataset!r}, partition {partition!r}: there is no profile. `airflow dq status DATASET` lists the "
            "partitions that there are."
        )
    return found


def _lines(arguments: Any, found: Difference) -> Iterator[str]:
    rows, now = found.rows
    yield f"{arguments.dataset}: {arguments.before} -> {arguments.after}"
    yield f"rows: {rows:,} -> {now:,}" + (f" ({100 * (now - rows) / rows:+.1f} %)" if rows and now != rows else "")
    for words, names in (("columns that came", found.appeared), ("columns that went", found.vanished)):
        if names:
            yield f"{words}: {', '.join(names)}"
    yield from (f"{name}: type {was} -> {now_type}" for name, was, now_type in found.retyped)
    if found.moved:
        shown = found.moved[: arguments.limit]
        cells = [(one.column, one.words, one.before_text, one.after_text) for one in shown]
        yield ""
        yield render(("COLUMN", "METRIC", arguments.before, arguments.after), cells)
        if len(found.moved) > len(shown):
            yield f"... and {len(found.moved) - len(shown)} more metrics (--limit, --json)"
    if found.columns:
        yield ""
    for one in found.columns:
        yield f"{one.column}: {'; '.join(one.changes)}"
    if found.unkept:
        yield f"Values are not compared of {', '.join(found.unkept)}: the statistics for that are no longer kept."
