"""Every command, in the order of the help; light, because each ``airflow`` command imports it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from airflow_dq.cli.argument import Command, Group, Section
from airflow_dq.cli.definition_calendar import EVENTS
from airflow_dq.cli.definition_look import DIFF, DRILL, EXPLAIN, REPORT, ROWS, STATUS
from airflow_dq.cli.definition_past import BACKFILL, BACKFILL_DAG, BACKTEST, JOB, JUDGE, SUGGEST
from airflow_dq.cli.definition_pattern import INDEX, TAG
from airflow_dq.cli.definition_review import ACCEPT, ALERTS, NEW_NORMAL, PROBLEMS, REJECT, RULES, SHOW, SNOOZE
from airflow_dq.cli.definition_start import DB, DOCTOR, INIT, PROFILE
from airflow_dq.cli.definition_store import EXPORT, EXPORT_RULES, IMPORT, PRUNE

if TYPE_CHECKING:
    from airflow.cli.cli_config import ActionCommand, GroupCommand

HELP = "Profile datasets and gate DAGs on their data quality"
SECTIONS = (
    Section("To begin with", (INIT, DOCTOR, DB, PROFILE)),
    Section("The past: profile it, and try the gate on it", (BACKFILL, BACKFILL_DAG, JOB, BACKTEST, JUDGE, SUGGEST)),
    Section("What there is, and what is wrong with it", (STATUS, EXPLAIN, REPORT, DIFF, DRILL, ROWS)),
    Section("Decide about alerts", (PROBLEMS, ALERTS, SHOW, ACCEPT, REJECT, NEW_NORMAL, SNOOZE, RULES, EVENTS)),
    Section("Take along, hand over, tidy up", (EXPORT, IMPORT, EXPORT_RULES, PRUNE)),
    Section("Patterns of a lake", (INDEX, TAG)),
)
"""The commands by what a person wants of them."""


def overview() -> str:
    """The commands in a line each, below the heading of their section."""
    commands = [command for section in SECTIONS for command in section.commands]
    width = max(len(command.name) for command in commands)
    return "\n".join(_overview(width))


def _overview(width: int) -> Iterator[str]:
    yield f"{HELP}."
    for section in SECTIONS:
        yield f"\n{section.title}:"
        yield from (f"  {command.name.ljust(width)}  {command.help}" for command in section.commands)


def get_dq_cli_commands() -> list[GroupCommand]:
    """What the provider adds to Airflow's command line: the group ``dq``."""
    from airflow.cli.cli_config import GroupCommand

    commands = [_for_airflow(command) for section in SECTIONS for command in section.commands]
    return [GroupCommand(name="dq", help=HELP, subcommands=commands, description=overview())]


def _for_airflow(command: Command | Group) -> ActionCommand | GroupCommand:
    from airflow.cli.cli_config import ActionCommand, Arg, GroupCommand

    if isinstance(command, Group):
        return GroupCommand(command.name, command.help, [_for_airflow(child) for child in command.commands])
    args = [Arg(one.flags, **one.options) for one in command.args]  # type: ignore[no-untyped-call]  # Airflow's is untyped
    return ActionCommand(command.name, command.help, command.func, args, epilog=command.epilog)
