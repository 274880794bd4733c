from __future__ import annotations

import io
import re

import pytest

from airflow_dq.demo.console import Console


def test_a_step_is_one_line_with_its_number_and_seconds():
    stream = io.StringIO()
    console = Console(2, stream)
    with console.step("Write the lake") as step:
        step.outcome = "45 folders"
    with console.step("Profile"):
        pass
    first, second = stream.getvalue().splitlines()
    assert re.fullmatch(r"\[1/2\] Write the lake \.\.\. 45 folders, \d+\.\d s", first)
    assert re.fullmatch(r"\[2/2\] Profile \.\.\. done, \d+\.\d s", second)


def test_a_failed_step_says_so_and_raises():
    stream = io.StringIO()
    with pytest.raises(RuntimeError), Console(1, stream).step("Break"):
        raise RuntimeError
    assert re.fullmatch(r"\[1/1\] Break \.\.\. failed after \d+\.\d s\n", stream.getvalue())
