"""``airflow dq drill``: the slices of a partition that carry its change from the last good one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from airflow_dq.cli.argument import names, pairs
from airflow_dq.cli.connection import find_dsn
from airflow_dq.cli.reading import engine_of
from airflow_dq.cli.run import tell
from airflow_dq.cli.table import render
from airflow_dq.exceptions import StoreError
from airflow_dq.options.drill import DrillSpec

if TYPE_CHECKING:
    from airflow_dq.drill.report import DrillReport


def drill(arguments: Any) -> int:
    """Read both partitions again, and show the slices; exit code 1 when there is none that explains the change."""
    from airflow_dq.codec import to_builtins

    report = _last(arguments) if arguments.last else _made(arguments)
    document = {"dataset": arguments.dataset, **to_builtins(report)}
    tell(arguments, document, "\n".join(_lines(arguments.dataset, report)))
    return 0 if report.slices else 1


def _made(arguments: Any) -> DrillReport:
    from airflow_dq.job.drill import carry_out, plan
    from airflow_dq.store import open_store

    columns = names(arguments.columns)
    spec = DrillSpec(
        dataset=arguments.dataset,
        partition=arguments.partition,
        against=arguments.against,
        columns=None if columns is None else tuple(columns),
        slices=arguments.limit,
        rows=arguments.rows,
        options=pairs("--option", arguments.option),
    )
    with open_store(find_dsn(arguments.dq_conn_id)) as repository:
        planned = plan(repository, spec)
        report = carry_out(planned, spec, lambda order, engine: engine_of(order, engine, arguments))
        if arguments.store:
            repository.save_drill(spec.dataset, report)
    return report


def _last(arguments: Any) -> DrillReport:
    """What was stored.

    :raises StoreError: when nothing was
    """
    from airflow_dq.store import open_store

    with open_store(find_dsn(arguments.dq_conn_id)) as repository:
        found = repository.load_drill(arguments.dataset, arguments.partition)
    if found is None:
        raise StoreError(
            f"Dataset {arguments.dataset!r}, partition {arguments.partition!r}: no drill of it is stored. Leave out "
            "--last to make one."
        )
    return found


def _lines(dataset: str, report: DrillReport) -> Iterator[str]:
    yield f"{dataset}: {report.title}"
    for number, one in enumerate(report.slices, 1):
        yield f"\n{number}. {one.headline}"
        yield f"   filter: {one.filter}"
        cells = [(fact.column or "(rows)", fact.what, fact.before, fact.now) for fact in one.contrasts]
        yield _indented(render(("COLUMN", "WHAT", report.against, report.partition), cells))
        if one.sample.rows:
            yield _indented("\n" + render(one.sample.columns, one.sample.rows))
    yield from ("", *report.remarks)


def _indented(text: str) -> str:
    return "\n".join(f"   {line}".rstrip() for line in text.splitlines())
