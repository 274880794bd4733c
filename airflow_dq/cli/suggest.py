"""``airflow dq suggest``: a file of checks that a dataset's past suggests, each with its reason."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airflow_dq.check.file import flow, said
from airflow_dq.cli.connection import find_dsn
from airflow_dq.cli.run import print_json
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.visible import visible

if TYPE_CHECKING:
    from airflow_dq.backtest.suggested_check import SuggestedCheck
    from airflow_dq.store.rule_list import StoredRule

_RELATIONS = ("relation", "between")
"""Families of learned rules on what holds between columns, and between rows."""
_END = "\U0010ffff"
"""Sorts behind every partition key."""


def suggest(arguments: Any) -> int:
    """Write the checks as YAML, to a file or to the standard output."""
    from airflow_dq.backtest.suggested_check import suggest_checks, withheld_checks
    from airflow_dq.store import open_store

    with open_store(find_dsn(arguments.dq_conn_id)) as repository:
        learnable = repository.load_history(arguments.dataset, _END, arguments.limit)
        # With all that is kept of them: values are counted in states.
        loaded = (repository.load_profile(arguments.dataset, str(one.partition), variants=False) for one in learnable)
        profiles = [one for one in loaded if one is not None]
        rules = _confirmed(repository.stored_rules(arguments.dataset))
    found = suggest_checks(profiles, arguments.dataset)
    withheld = withheld_checks(profiles)
    if arguments.output:
        told = [{"check": one.check.to_dict(), "reason": one.reason, "held": one.held, "of": one.of} for one in found]
        relations = [_told(one) for one in rules]
        known = {"dataset": arguments.dataset, "partitions": len(profiles), "checks": told, "relations": relations}
        print_json({**known, "not_suggested": withheld})
        return 0
    text = "".join(yaml_lines(arguments.dataset, found, len(profiles), rules, withheld))
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


def _told(one: StoredRule) -> dict[str, Any]:
    check = one.check
    known = {"rule": one.id, "words": one.words, "held": one.held, "of": one.partitions, "rows": one.rows}
    return {**known, "broken": one.broken, "check": None if check is None else check.to_dict()}


def yaml_lines(
    dataset: str,
    found: Sequence[SuggestedCheck],
    partitions: int,
    rules: Sequence[StoredRule] = (),
    withheld: Sequence[str] = (),
) -> Iterator[str]:
    """The file, each check below its reason; one that could be tried on no partition is commented out.

    :param rules: relations that are learned of the dataset
    :param withheld: what is not suggested, and why
    """
    yield f"# Suggested by {partitions} past partitions. Look through them: what has held so far need not be right.\n"
    yield f"dataset: {flow(dataset)}\nchecks:\n" if found else f"dataset: {flow(dataset)}\nchecks: []\n"
    for one in found:
        tried = f"held on {one.held} of {one.of} past partitions" if one.of else "could be tried on none of them"
        yield f"  # {visible(one.reason)}; {tried}\n"
        yield f"  {'- ' if one.of else '# - '}{flow(said(one.check))}\n"
    yield from (f"# not suggested of {visible(one)}\n" for one in withheld)
    yield from _relation_lines(rules)


def _relation_lines(rules: Sequence[StoredRule]) -> Iterator[str]:
    """Relations as comments: each is judged already, and asked by a check once a person has confirmed it."""
    if rules:
        yield "# Relations are learned, and judged as they are. To declare one in its place, as the check below it:\n"
        yield "# airflow dq rules DATASET --confirm RULE\n"
    for one in rules:
        broken = f", {one.broken} of {one.rows} rows break it" if one.broken else ""
        held = f"held on {one.held} of {one.partitions} past partitions"
        yield f"# rule {one.id}: {visible(one.words)}; {held}{broken}\n"
        yield f"# {one.check_line or f'({one.why_no_check})'}\n"


def _confirmed(rules: Sequence[StoredRule]) -> list[StoredRule]:
    """The relations that all rows of enough partitions have been held against, but muted ones."""
    related = [one for one in rules if one.rule.family in _RELATIONS and one.state == "active"]
    return [one for one in related if one.partitions >= SynthesisOptions().min_history]
