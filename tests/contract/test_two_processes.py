"""`make test` runs the tests in two processes: none is run twice or left out, and a failure in either one fails all."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PASSING = "def test_{0}(): open({1!r}, 'a').write('{0} ')\n"
MODULES = 4


@pytest.fixture
def ran(tmp_path: Path) -> Path:
    """Modules of one test each, in folders of their own; the file that each adds its name to."""
    for number in range(MODULES):
        folder = tmp_path / f"part_{number}"
        folder.mkdir()
        (folder / f"test_{number}.py").write_text(PASSING.format(number, str(tmp_path / "ran")))
    return tmp_path / "ran"


def run(*arguments: str) -> tuple[int, list[str]]:
    """The exit code of both processes together, and the last lines that are told."""
    command = [sys.executable, str(ROOT / ".ci" / "test"), "-q", "-p", "no:cacheprovider", *arguments]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AIRFLOW_DQ_TEST_")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout.partition("Both processes:\n")[2].splitlines()


def test_each_is_run_once_and_a_failure_in_either_is_told_last(ran: Path) -> None:
    for number in (0, MODULES - 1):
        folder = ran.parent / f"part_{number}"
        (folder / f"test_broken_{number}.py").write_text("def test_broken(): assert 1 == 2\n")
    code, last = run(str(ran.parent))
    assert sorted(ran.read_text().split()) == [str(number) for number in range(MODULES)]
    assert code == 1
    assert sum(line.startswith("FAILED") and line.endswith("assert 1 == 2") for line in last) == 2
    assert last[-1].startswith(f"2 failed, {MODULES} passed in ")


def test_nothing_to_run_is_no_success(ran: Path) -> None:
    code, last = run(str(ran.parent), "-k", "nothing_of_this_name")
    assert (code, ran.exists()) == (5, False)
    assert last[-1].startswith("no tests ran")
