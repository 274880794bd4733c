"""``airflow dq suggest``: a file of checks that a dataset's past suggests, each with its reason."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airflow_dq.check.file import flow
from airflow_dq.cli.connection import find_dsn
from airflow_dq.cli.run import print_json
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.visible import visible

if TYPE_CHECKING:
    from airflow_dq.backtest.suggested_check import SuggestedCheck

_END = "\U0010ffff"
"""Sorts behind every partition key."""


def suggest(arguments: Any) -> int:
    """Write the checks as YAML, to a file or to the standard output."""
    from airflow_dq.backtest.suggested_check import suggest_checks
    from airflow_dq.store import open_store

    with open_store(find_dsn(arguments.dq_conn_id)) as repository:
        learnable = repository.load_history(arguments.dataset, _END, arguments.limit)
        # With all that is kept of them: values are counted in states.
        loaded = (repository.load_profile(arguments.dataset, str(one.partition), variants=False) for one in learnable)
        profiles = [one for one in loaded if one is not None]
    found = suggest_checks(profiles, arguments.dataset)
    if arguments.output:
        told = [{"check": one.check.to_dict(), "reason": one.reason, "held": one.held, "of": one.of} for one in found]
        print_json({"dataset": arguments.dataset, "partitions": len(profiles), "checks": told})
        return 0
    text = "".join(yaml_lines(arguments.dataset, found, len(profiles)))
    if arguments.file is None:
        print(text, end="")
        return 0
    try:
        with Path(arguments.file).open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise ConfigurationError(f"{arguments.file} is there already: name another file, or remove it.") from None
    except OSError as error:
        raise ConfigurationError(f"{arguments.file} cannot be written: {error.strerror}.") from None
    print(f"{len(found)} checks written to {arguments.file}.", file=sys.stderr)
    return 0


def yaml_lines(dataset: str, found: Sequence[SuggestedCheck], partitions: int) -> Iterator[str]:
    """The file, each check below its reason; one that could be tried on no partition is commented out."""
    yield f"# Suggested by {partitions} past partitions. Look through them: what has held so far need not be right.\n"
    yield f"dataset: {flow(dataset)}\nchecks:\n" if found else f"dataset: {flow(dataset)}\nchecks: []\n"
    for one in found:
        tried = f"held on {one.held} of {one.of} past partitions" if one.of else "could be tried on none of them"
        yield f"  # {visible(one.reason)}; {tried}\n"
        yield f"  {'- ' if one.of else '# - '}{flow(_said(one))}\n"


def _said(one: SuggestedCheck) -> dict[str, Any]:
    """The check as a file says it."""
    check = one.check
    given = {name: value for name, value in check.to_dict().items() if name not in ("metric", "columns", "id", "error")}
    columns: dict[str, Any] = {}
    if check.columns:
        alone = check.entry.subject == "column"
        columns = {"column": check.columns[0]} if alone else {"columns": list(check.columns)}
    if check.error is not None and check.error != check.entry.default:
        low, high = check.error.lower, check.error.upper
        one_sided = f"<={high}" if low is None else f">={low}"
        given["error"] = low if low == high else one_sided if None in (low, high) else [low, high]
    return {check.metric: columns | given}
