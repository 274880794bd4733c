"""``python -m airflow_dq``: the same commands where the ``airflow`` command itself is not wanted."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from airflow_dq.cli.argument import Command, Group
from airflow_dq.cli.definition import SECTIONS, overview


def build_parser() -> argparse.ArgumentParser:
    """The argument parser, made from the definitions that Airflow reads as well."""
    parser = argparse.ArgumentParser(
        prog="python -m airflow_dq",
        usage="%(prog)s COMMAND ...",
        description=overview(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    # Else a child's usage would begin with the whole of this one's.
    children: Any = parser.add_subparsers(
        prog=parser.prog, metavar="COMMAND", help="as above; COMMAND --help explains it", required=True
    )
    for section in SECTIONS:
        for command in section.commands:
            # Without a help of its own a child is not listed once more below the overview.
            _add(children, command)
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line and run the command."""
    parsed = build_parser().parse_args(arguments)
    parsed.func(parsed)


def _add(children: Any, command: Command | Group, **listed: str) -> None:
    if isinstance(command, Group):
        group = children.add_parser(command.name, description=command.help, **listed)
        below = group.add_subparsers(metavar="COMMAND", required=True)
        for child in command.commands:
            _add(below, child, help=child.help)
        return
    parser = children.add_parser(
        command.name,
        description=command.help,
        epilog=command.epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        **listed,
    )
    for argument in command.args:
        parser.add_argument(*argument.flags, **argument.options)
    parser.set_defaults(func=command.func)
