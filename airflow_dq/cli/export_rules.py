"""``airflow dq export-rules``: what is learned and declared of a dataset, as another tool writes it."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airflow_dq.cli.connection import find_dsn
from airflow_dq.cli.run import print_json
from airflow_dq.exceptions import ConfigurationError, StoreError
from airflow_dq.visible import visible

if TYPE_CHECKING:
    from airflow_dq.export.learned import Found
    from airflow_dq.export.model import Export
    from airflow_dq.learn.program import Program
    from airflow_dq.profile.model import Profile
    from airflow_dq.store import Repository

_END = "\U0010ffff"
"""Sorts behind every partition key."""


def export_rules(arguments: Any) -> int:
    """Write the rules to a folder or the standard output, and say what could not be written."""
    from airflow_dq.check.file import load_checks
    from airflow_dq.export.learned import rules_of_checks
    from airflow_dq.export.model import Facts
    from airflow_dq.export.registry import TARGETS
    from airflow_dq.export.sql import DIALECTS

    declared = None if arguments.checks is None else load_checks(arguments.checks, arguments.dataset)
    facts = Facts(arguments.dataset, arguments.table or arguments.dataset, DIALECTS[arguments.sql])
    more: Found = ([], []) if declared is None else rules_of_checks(declared)
    if arguments.only == "declared" and declared is not None:
        facts = replace(facts, source=f"the checks in {arguments.checks}")
        rules, lost = more
    else:
        program, history = _learned(arguments)
        own, own_lost = _chosen(program, history, arguments.only)
        rules, lost = [*own, *more[0]], [*own_lost, *more[1]]
        source = _source(program, history) + ("" if declared is None else f", and the checks in {arguments.checks}")
        facts = replace(facts, kinds=program.table.schema, source=source)
    written = TARGETS[arguments.to].export(facts, rules, lost)
    if arguments.output:
        told = [{"name": one.name, "reason": one.reason} for one in written.lost]
        print_json({"dataset": arguments.dataset, "files": written.files, "said": written.said, "lost": told})
        return 0
    _write(arguments, written)
    print(_report(arguments, written), file=sys.stderr)
    return 0


def _learned(arguments: Any) -> tuple[Program, list[Profile]]:
    """The program that the gate has judged with last, or one that it would make now, and the newest partitions."""
    from airflow_dq.program import SynthesisOptions, synthesize
    from airflow_dq.store import open_store

    with open_store(find_dsn(arguments.dq_conn_id)) as repository:
        stored = repository.current_program(arguments.dataset)
        program = None if stored is None else stored[1]
        size = len(program.partitions) if program is not None else SynthesisOptions().history
        history = repository.load_history(arguments.dataset, _END, max(size, 1))
        if not history:
            raise _nothing(repository, arguments.dataset)
    if program is None:
        program = synthesize(history)
    return program, history


def _nothing(repository: Repository, dataset: str) -> StoreError:
    known = ", ".join(line.name for line in repository.datasets()) or "none"
    return StoreError(
        f"Dataset {dataset!r}: no partition is profiled that could be learned from (datasets: {known}). Profile some, "
        "or give --checks FILE --only declared."
    )


def _chosen(program: Program, history: list[Profile], only: str | None) -> Found:
    from airflow_dq.export.learned import rules_of_program

    rules, lost = rules_of_program(program, history)
    if only is not None:
        rules = [one for one in rules if (one.learned is None) is (only == "declared")]
        declared = {one.id for one in program.options.checks}
        lost = [one for one in lost if (one.name in declared) is (only == "declared")]
    return rules, lost


def _source(program: Program, history: list[Profile]) -> str:
    if program.missing:
        return f"its declared checks ({len(history)} partitions are too few to learn from)"
    newest = history[-1].partition
    return (
        f"what {len(program.partitions)} partitions tell; what is learned for the next partition is that of the one "
        f"behind {newest}, and is to be exported again after it"
    )


def _write(arguments: Any, written: Export) -> None:
    if arguments.out is None:
        if len(written.files) > 1:
            listed = ", ".join(written.files)
            raise ConfigurationError(f"--to {arguments.to} writes {listed}: give --out with the folder to write to.")
        print("".join(written.files.values()), end="")
        return
    for name, text in written.files.items():
        path = Path(arguments.out, name)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("w" if arguments.replace else "x", encoding="utf-8") as file:
                file.write(text)
        except FileExistsError:
            raise ConfigurationError(f"{path} is there already: give --replace, or another --out.") from None
        except OSError as error:
            raise ConfigurationError(f"{path} cannot be written: {error.strerror}.") from None


def _report(arguments: Any, written: Export) -> str:
    paths = ", ".join(str(Path(arguments.out or ".", name)) for name in written.files)
    where = "" if arguments.out is None else f" to {paths}"
    lines = [f"{written.said} rules written{where}, {len(written.lost)} not:"]
    lines += [visible(f"  {one.name}: {one.reason}") for one in written.lost]
    return "\n".join(lines) if written.lost else f"{written.said} rules written{where}."
