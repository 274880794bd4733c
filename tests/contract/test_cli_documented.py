"""Every command explains itself, and has a section in docs/cli.md."""

from __future__ import annotations

from argparse import SUPPRESS
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from airflow.cli.cli_config import ActionCommand, GroupCommand

from airflow_dq.cli.definition import get_dq_cli_commands

DOCS = Path(__file__).parents[2] / "docs" / "cli.md"


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
        "airflow dq init",
        "airflow dq doctor",
        "airflow dq db upgrade",
        "airflow dq db check",
        "airflow dq db downgrade",
        "airflow dq db start",
        "airflow dq db stop",
        "airflow dq profile",
        "airflow dq backfill",
        "airflow dq backfill-dag",
        "airflow dq job",
        "airflow dq backtest",
        "airflow dq judge",
        "airflow dq suggest",
        "airflow dq status",
        "airflow dq explain",
        "airflow dq report",
        "airflow dq diff",
        "airflow dq drill",
        "airflow dq rows",
        "airflow dq problems",
        "airflow dq alerts",
        "airflow dq show",
        "airflow dq accept",
        "airflow dq reject",
        "airflow dq new-normal",
        "airflow dq snooze",
        "airflow dq rules",
        "airflow dq events list",
        "airflow dq events add",
        "airflow dq events delete",
        "airflow dq export",
        "airflow dq import",
        "airflow dq export-rules",
        "airflow dq prune",
        "airflow dq index",
        "airflow dq tag",
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


def section(name: str) -> str:
    """The command's part of the page: from its heading to the next."""
    text = DOCS.read_text(encoding="utf-8")
    heading = f"\n## {name}\n"
    assert text.count(heading) == 1, f"docs/cli.md needs one section {name!r}"
    return text.partition(heading)[2].partition("\n## ")[0]


@pytest.mark.parametrize("name", COMMANDS)
def test_the_page_has_its_arguments_an_example_and_its_exit_code(name: str) -> None:
    told, command = section(name), COMMANDS[name]
    for argument in command.args:
        word = argument.flags[0] if argument.flags[0].startswith("-") else str(argument.kwargs["metavar"])
        if word not in ("--json", "--dq-conn-id") and argument.kwargs["help"] != SUPPRESS:
            assert f"`{word}" in told, f"docs/cli.md, {name}: {word} is not explained"
    example = (command.epilog or "").partition("Example:\n")[2].splitlines()[0]
    assert example in told
    has_one = " 1 " in (command.epilog or "").partition("Exit codes:")[2]
    assert ("Exit code 1" in told) is has_one


def test_the_page_has_no_other_command() -> None:
    headings = [line[3:] for line in DOCS.read_text(encoding="utf-8").splitlines() if line.startswith("## airflow")]
    assert headings == list(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_dataset_stands_in_front_unless_another_name_does(name: str) -> None:
    front = [one.flags[0] for one in COMMANDS[name].args if not one.flags[0].startswith("-")]
    told = {one.flags[0] for one in COMMANDS[name].args if one.kwargs["help"] != SUPPRESS}
    assert not ("--dataset" in told and (not front or front[0] == "dataset"))
    assert "--partition" not in told or "partition" not in front


@pytest.mark.parametrize(
    "given",
    [["accept", "t", "p"], ["accept", "--dataset", "t", "--partition", "p"], ["accept", "--partition", "p", "t"]],
)
def test_the_older_options_say_the_same_as_what_stands_in_front(given: list[str]) -> None:
    from airflow_dq.cli.main import build_parser

    parsed = build_parser().parse_args(given)
    assert (parsed.dataset, parsed.partition) == ("t", "p")


@pytest.mark.parametrize(
    "given", [["accept", "t", "p", "--dataset", "u"], ["prune", "--keep", "9", "--dataset", "u", "t"]]
)
def test_a_dataset_is_not_named_twice(given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    from airflow_dq.cli.main import build_parser

    with pytest.raises(SystemExit):
        build_parser().parse_args(given)
    assert "dataset is given twice" in capsys.readouterr().err
