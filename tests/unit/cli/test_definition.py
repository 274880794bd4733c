from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any

import pytest
from airflow import __version__
from airflow.cli.cli_config import GroupCommand

from airflow_dq.cli.definition import get_dq_cli_commands
from airflow_dq.cli.main import build_parser, main
from airflow_dq.cli.run import _HOMES


def test_the_group_has_a_name_of_its_own() -> None:
    (group,) = get_dq_cli_commands()
    assert isinstance(group, GroupCommand)
    assert group.name == "dq"
    assert len({command.name for command in group.subcommands}) == len(group.subcommands)


@pytest.mark.skipif(__version__.startswith("3.1."), reason="providers add commands to Airflow's own from 3.2 on")
def test_airflows_own_command_line_has_the_same_commands() -> None:
    from airflow.cli import cli_parser

    assert cli_parser.ALL_COMMANDS_DICT["dq"].name == "dq"
    parsed = cli_parser.get_parser().parse_args(["dq", "explain", "flights", "2013-02-15", "--json"])
    ours = build_parser().parse_args(["explain", "flights", "2013-02-15", "--json"])
    assert (parsed.dataset, parsed.partition, parsed.output) == (ours.dataset, ours.partition, ours.output)
    assert parsed.func.__name__ == ours.func.__name__ == "explain"


def test_every_command_has_a_function() -> None:
    def functions(commands: Iterable[Any]) -> Iterator[str]:
        for one in commands:
            yield from functions(one.subcommands) if hasattr(one, "subcommands") else (one.func.__name__,)

    named = set(functions(get_dq_cli_commands()))
    assert named == set(_HOMES)
    assert all(callable(getattr(import_module(_HOMES[name]), name)) for name in named)


def test_arguments_have_their_defaults() -> None:
    parsed = build_parser().parse_args(
        ["backfill", "flights", "--source", "lake/day=*", "--option", "a=1", "--option", "b=2"]
    )
    assert (parsed.source, parsed.format, parsed.option, parsed.master) == (
        "lake/day=*",
        "parquet",
        ["a=1", "b=2"],
        "local[*]",
    )
    assert (parsed.dq_conn_id, parsed.output, parsed.conf) == ("dq_default", False, [])


@pytest.mark.parametrize("arguments", [[], ["db"], ["explain", "flights"], ["nonsense"]])
def test_an_incomplete_command_line_is_a_user_error(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2


@pytest.mark.parametrize("limit", ["0", "-3", "many"])
@pytest.mark.parametrize("command", [["backfill", "t"], ["status", "t"], ["alerts"], ["export", "t", "-"]])
def test_a_limit_is_one_or_more(command: list[str], limit: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([*command, f"--limit={limit}"])
    assert f"--limit: {limit!r} is not a whole number of 1 or more" in capsys.readouterr().err
