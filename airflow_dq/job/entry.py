"""What entry points of jobs have in common: one argument, one line for the program that waits, an exit code."""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import NoReturn, Protocol, TypeVar

from airflow_dq.exceptions import DQError
from airflow_dq.options.argument import unpacked

S = TypeVar("S")


class Result(Protocol):
    """What became of a job."""

    def to_line(self) -> str:
        """The result as one line of the standard output."""


class Failed(Protocol):
    """Makes the result of a job that could not be done."""

    def __call__(self, dataset: str, *, error: str, retryable: bool) -> Result:
        """The result, with its explanation."""


def answer(
    description: str,
    arguments: Sequence[str] | None,
    read: Callable[[str], tuple[str, S]],
    work: Callable[[S], Result],
    failed: Failed,
) -> int:
    """Do what ``--spec`` says, and tell the result on the last line.

    :param read: from the JSON to the dataset and the order
    :param work: carries it out
    :return: the exit code: 0 when it is done, 2 for a problem that is explained
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--spec", required=True, help="the job's specification, JSON")
    given = parser.parse_args(arguments)
    dataset = ""
    try:
        dataset, order = read(unpacked(given.spec))
        result = work(order)
    except DQError as error:
        print(failed(dataset, error=str(error), retryable=error.retryable).to_line(), flush=True)
        print(f"airflow_dq: error: {error}", file=sys.stderr, flush=True)
        return 2
    print(result.to_line(), flush=True)
    return 0


def leave(main: Callable[[], int]) -> NoReturn:
    """End the process with the exit code of a job, 1 for a bug, of which the stack is told."""
    try:
        code = main()
    except Exception:
        traceback.print_exc()
        code = 1
    sys.exit(code)
