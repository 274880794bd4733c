"""``airflow dq rows``: the rows of a partition that a check finds wrong, read again from its source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from airflow_dq.check.file import load_checks
from airflow_dq.cli.argument import pairs
from airflow_dq.cli.connection import find_dsn
from airflow_dq.cli.reading import engine_of
from airflow_dq.cli.run import tell
from airflow_dq.cli.table import render
from airflow_dq.exceptions import ConfigurationError, StoreError

if TYPE_CHECKING:
    from airflow_dq.check.model import Check
    from airflow_dq.profile.check.failed_rows import FailedRows
    from airflow_dq.store import Repository


def rows(arguments: Any) -> int:
    """Show them; where the partition was read, and as what, is stored with its profile."""
    from airflow_dq.engine.order import order_again
    from airflow_dq.store import open_store

    dataset, partition = arguments.dataset, arguments.partition
    where = f"Dataset {dataset!r}, partition {partition!r}"
    with open_store(find_dsn(arguments.dq_conn_id)) as repository:
        profile = repository.load_profile(dataset, partition, variants=False)
        read = repository.where_read(dataset, partition)
        if profile is None or read is None:
            raise StoreError(
                f"{where}: there is no profile. `airflow dq status DATASET` lists the partitions that there are."
            )
        declared = _declared(arguments, repository)
    check = _check(arguments.check, declared, where)
    if not profile.options.store_values:
        raise ConfigurationError(f"{where} was profiled with store_values=False: its rows are not shown.")
    given = pairs("--option", arguments.option)
    order = order_again(dataset, partition, read.place, read.read_options, profile.options, given)
    # The key's columns come first.
    order = replace(order, checks=tuple(one for one in declared if one is check or one.metric == "key"))
    with engine_of(order, read.engine, arguments) as engine:
        found = engine.failing(partition, check, arguments.limit)
    document = {"dataset": dataset, "partition": partition, "check": check.id, **found.to_dict()}
    tell(arguments, document, _text(found, check))
    return 0


def _declared(arguments: Any, repository: Repository) -> tuple[Check, ...]:
    """The checks of the file, or those that the partition was judged by."""
    from airflow_dq.learn.constraint.declared import Declared

    if arguments.checks is not None:
        return tuple(load_checks(arguments.checks))
    program = repository.load_program(arguments.dataset, arguments.partition)
    if program is None:
        raise ConfigurationError(
            f"Dataset {arguments.dataset!r}, partition {arguments.partition!r} was not judged by any check: give "
            "--checks FILE."
        )
    return tuple(one.declared for one in program.constraints if isinstance(one, Declared))


def _check(wanted: str, declared: Sequence[Check], where: str) -> Check:
    shown = [check.id for check in declared if check.entry.by_row]
    found = next((check for check in declared if check.id == wanted), None)
    there = f"rows can be shown of {', '.join(shown)}" if shown else "none of its checks is about single rows"
    if found is None:
        raise ConfigurationError(f"{where}: there is no check {wanted!r}; {there}.")
    if not found.entry.by_row:
        raise ConfigurationError(f"{where}: check {wanted!r} is no rule on single rows ({found.entry.words}); {there}.")
    return found


def _text(found: FailedRows, check: Check) -> str:
    if not found.rows:
        return f"No row fails check {check.id}."
    return render(found.columns, found.rows)
