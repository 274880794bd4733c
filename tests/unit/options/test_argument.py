"""An order of a thousand checks still fits into one argument of a command line."""

from __future__ import annotations

import subprocess
import sys

import pytest

from airflow_dq.check import Checks
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.options.argument import packed, unpacked
from airflow_dq.options.job import JobSpec


def order(number: int) -> JobSpec:
    checks = Checks("t")
    for place in range(number):
        checks.rule(f"column_of_a_long_name_{place} <= another_column_of_a_long_name_{place} + {place}", id=f"r{place}")
    return JobSpec("t", paths={"1": "x"}, checks=tuple(checks))


def test_a_short_order_is_readable_and_a_long_one_can_be_handed_on() -> None:
    short, long = order(1), order(1000)
    assert packed(short.to_json()) == short.to_json()
    argument = packed(long.to_json())
    assert len(long.to_json()) > 131_072 > len(argument)
    told = subprocess.run(
        [sys.executable, "-c", "import sys; print(len(sys.argv[1]))", argument], stdout=subprocess.PIPE
    )
    assert int(told.stdout) == len(argument)
    assert JobSpec.from_json(unpacked(argument)) == long


@pytest.mark.parametrize("damaged", ["zlib:", "zlib:????", "zlib:eJwDAAAAAAE"])
def test_a_damaged_argument_is_explained(damaged: str) -> None:
    with pytest.raises(ConfigurationError, match="specification cannot be read"):
        unpacked(damaged)
