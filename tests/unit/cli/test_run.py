from __future__ import annotations

import json
import subprocess
import sys
from argparse import Namespace

import pytest

from airflow_dq.cli import run as module
from airflow_dq.cli.run import run
from airflow_dq.exceptions import ConfigurationError


def command(monkeypatch: pytest.MonkeyPatch, answer: int | Exception) -> None:
    def status(arguments: object) -> int:
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr("airflow_dq.cli.status.status", status)


def test_success_does_not_end_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    command(monkeypatch, 0)
    run("status", Namespace(output=False))


def test_another_code_is_the_processs(monkeypatch: pytest.MonkeyPatch) -> None:
    command(monkeypatch, 1)
    with pytest.raises(SystemExit) as ended:
        run("status", Namespace(output=False))
    assert ended.value.code == 1


@pytest.mark.parametrize("as_json", [False, True])
def test_an_explained_problem_is_a_sentence_and_code_2(
    as_json: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command(monkeypatch, ConfigurationError("No database is named."))
    with pytest.raises(SystemExit) as ended:
        run("status", Namespace(output=as_json))
    out, err = capsys.readouterr()
    assert ended.value.code == 2
    assert err == "airflow dq: No database is named.\n"
    if as_json:
        assert json.loads(out) == {"error": "No database is named.", "type": "ConfigurationError"}
    else:
        assert out == ""


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    script = (
        "from argparse import Namespace; import airflow_dq.cli.status as home; from airflow_dq.cli.run import run; "
        "home.status = lambda arguments: print('x' * 1_000_000); run('status', Namespace(output=False))"
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.close()  # as `head` does
    _, said = process.communicate()
    assert (process.returncode, said) == (0, b"")


def test_a_bug_keeps_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    command(monkeypatch, ZeroDivisionError())
    with pytest.raises(ZeroDivisionError):
        run("status", Namespace(output=False))


def test_every_command_has_a_home() -> None:
    from importlib import import_module

    for name, home in module._HOMES.items():
        assert callable(getattr(import_module(home), name))
