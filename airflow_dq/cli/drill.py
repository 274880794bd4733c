"""``airflow dq drill``: the slices of a partition that carry its change from the last good one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from airflow_dq.cli.argument import names, pairs
from airflow_dq.cli.connection import find_dsn
from airflow_dq.cli.reading import engine_of
from airflow_dq.cli.run import tell
from airflow_dq.cli.table import render

if TYPE_CHECKING:
    from airflow_dq.drill.model import Slice
    from airflow_dq.job.drill import Comparison, Drill
    from airflow_dq.profile.check.failed_rows import FailedRows


def drill(arguments: Any) -> int:
    """Read both partitions again, and show the slices; exit code 1 when there is none that explains the change."""
    from airflow_dq.job.drill import carry_out, plan
    from airflow_dq.store import open_store

    with open_store(find_dsn(arguments.dq_conn_id)) as repository:
        planned = plan(
            repository,
            arguments.dataset,
            arguments.partition,
            against=arguments.against,
            columns=names(arguments.columns),
            given=pairs("--option", arguments.option),
        )
    done = carry_out(planned, lambda order, engine: engine_of(order, engine, arguments), arguments.limit)
    slices = done.found.slices
    samples = [_rows(one, done, planned, arguments.rows) for one in slices]
    document = {
        "dataset": planned.dataset,
        "partition": planned.partition,
        "against": planned.against,
        "columns": planned.columns,
        "drawn": planned.share,
        "attributes": done.found.attributes,
        "tried": done.found.tried,
        "everywhere": done.found.everywhere,
        "slices": [{**one.to_dict(), "sample": rows.to_dict()} for one, rows in zip(slices, samples, strict=True)],
    }
    tell(arguments, document, "\n".join(_lines(planned, done, samples)))
    return 0 if slices else 1


def _rows(one: Slice, done: Drill, planned: Comparison, most: int) -> FailedRows:
    """Rows of a slice, those of its columns first that it is about."""
    from airflow_dq.drill.search import rows_of
    from airflow_dq.profile.check.failed_rows import COLUMNS, HIDDEN, FailedRows
    from airflow_dq.profile.check.failing import texts_of

    found = rows_of(done.rows, one).slice(0, most)
    about = (*(condition.column for condition in one.conditions), *one.columns)
    columns = tuple(dict.fromkeys((*about, *found.column_names)))[:COLUMNS]
    hidden = [HIDDEN] * found.num_rows
    texts = [hidden if planned.options.hides(name) else texts_of(found.column(name)) for name in columns]
    return FailedRows(columns, tuple(zip(*texts, strict=True)), len(set(about)))


def _lines(planned: Comparison, done: Drill, samples: list[FailedRows]) -> Iterator[str]:
    looked = "all columns" if planned.columns is None else ", ".join(planned.columns)
    good = "" if planned.chosen else ", the last good one"
    yield f"{planned.dataset}: {planned.partition} against {planned.against}{good}; {looked}."
    if planned.share < 1.0:
        yield f"{100 * planned.share:.2g} % of the rows were drawn: numbers of rows are estimates."
    for number, (one, rows) in enumerate(zip(done.found.slices, samples, strict=True), 1):
        yield f"\n{number}. {one.headline}"
        yield f"   filter: {one.filter}"
        cells = [(fact.column or "(rows)", fact.what, fact.before, fact.now) for fact in one.contrasts]
        yield _indented(render(("COLUMN", "WHAT", planned.against, planned.partition), cells))
        if rows.rows:
            yield _indented("\n" + render(rows.columns, rows.rows))
    yield from ("", *done.found.summary)


def _indented(text: str) -> str:
    return "\n".join(f"   {line}".rstrip() for line in text.splitlines())
