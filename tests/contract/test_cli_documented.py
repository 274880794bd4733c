"""Every command explains itself, and stands in the README."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from airflow.cli.cli_config import ActionCommand, GroupCommand

from airflow_dq.cli.definition import get_dq_cli_commands

README = Path(__file__).parents[2] / "README.md"


def walk(
    commands: Iterable[ActionCommand | GroupCommand], path: str = "airflow"
) -> Iterator[tuple[str, ActionCommand]]:
    for command in commands:
        name = f"{path} {command.name}"
        if isinstance(command, GroupCommand):
            assert command.help
            yield from walk(command.subcommands, name)
        else:
            yield name, command


COMMANDS = dict(walk(get_dq_cli_commands()))


def test_the_commands_are_these() -> None:
    assert list(COMMANDS) == [
        "airflow dq db upgrade",
        "airflow dq db check",
        "airflow dq backfill",
        "airflow dq status",
        "airflow dq explain",
        "airflow dq backtest",
    ]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_help_an_example_and_its_exit_codes(name: str) -> None:
    command = COMMANDS[name]
    assert len(command.help) > 20
    assert command.epilog is not None
    assert f"Example:\n  {name}" in command.epilog
    assert "Exit codes: 0 done" in command.epilog
    for argument in command.args:
        assert argument.kwargs.get("help"), f"{name}: {argument.flags} has no help"


@pytest.mark.parametrize("name", COMMANDS)
def test_an_example_can_be_parsed(name: str) -> None:
    import shlex

    from airflow_dq.cli.main import build_parser

    example = (COMMANDS[name].epilog or "").partition("Example:\n")[2].splitlines()[0]
    assert build_parser().parse_args(shlex.split(example)[2:]).func.__name__


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_takes_a_connection_and_prints_json(name: str) -> None:
    flags = {flag for argument in COMMANDS[name].args for flag in argument.flags}
    assert {"--dq-conn-id", "--json"} <= flags


@pytest.mark.parametrize("name", COMMANDS)
def test_the_readme_names_it(name: str) -> None:
    assert name in README.read_text(encoding="utf-8")
