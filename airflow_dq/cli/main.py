"""``python -m airflow_dq``: the same commands where the ``airflow`` command itself is not wanted."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from typing import Any

from airflow.cli.cli_config import ActionCommand, CLICommand

from airflow_dq.cli.definition import get_dq_cli_commands


def build_parser() -> argparse.ArgumentParser:
    """The argument parser, made from the definitions that Airflow reads."""
    parser = argparse.ArgumentParser(prog="python -m airflow_dq", description="The commands of `airflow dq`.")
    _add(parser, (command for group in get_dq_cli_commands() for command in group.subcommands))
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line and run the command."""
    parsed = build_parser().parse_args(arguments)
    parsed.func(parsed)


def _add(parser: argparse.ArgumentParser, commands: Iterable[CLICommand]) -> None:
    children: Any = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in commands:
        child = children.add_parser(
            command.name,
            help=command.help,
            description=command.description or command.help,
            epilog=command.epilog,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if isinstance(command, ActionCommand):
            for argument in command.args:
                argument.add_to_parser(child)
            child.set_defaults(func=command.func)
        else:
            _add(child, command.subcommands)
