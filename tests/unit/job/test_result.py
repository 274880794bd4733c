from __future__ import annotations

import json

import pytest

from airflow_dq.job.outcome import Outcome
from airflow_dq.job.result import PREFIX, JobResult, result_in

GOOD = Outcome("1", rows=5, profiled=2)
GONE = Outcome("2", error="Dataset 'd', partition '2': it is gone.")
MISSPELT = Outcome("3", error="No column is named 'N'.", retryable=False)
BUG = Outcome("4", error="ZeroDivisionError: x", traceback="Traceback ...")


def test_the_totals_are_those_of_all_partitions() -> None:
    result = JobResult.of("d", [GOOD, Outcome("2", rows=7, profiled=2)], 3.21)
    assert (result.partitions, result.failed, result.profiled, result.rows, result.seconds) == (2, 0, 2, 12, 3.21)
    assert result.error is None
    assert result.summary.startswith("d: 2 of 2 partitions profiled (1 to 2), 12 rows")


def test_a_failure_is_explained_by_what_was_not_foreseen_first() -> None:
    assert JobResult.of("d", [GOOD, GONE], 1.0).error == GONE.error
    result = JobResult.of("d", [GONE, GOOD, BUG], 1.0)
    assert result.error == "ZeroDivisionError: x (1 more partitions failed, see the log)"


def test_a_failure_may_pass_by_itself_when_any_of_them_may() -> None:
    assert JobResult.of("d", [MISSPELT, GONE], 1.0).retryable
    assert not JobResult.of("d", [GOOD, MISSPELT], 1.0).retryable


@pytest.mark.parametrize("before", ["", "26/11/28 10:00:00 INFO Client: ", "[stdout] \x1b[0m"])
def test_the_line_is_found_behind_what_a_log_puts_before_it(before: str) -> None:
    result = JobResult("a\nb", 2, 1, 5, 0.5, "täglich, 5 rows", 'It is "gone".', False)
    line = result.to_line()
    assert "\n" not in line
    assert result_in(["a", f"{before}{line}\n", "26/11/28 INFO bye"]) == result


def test_the_last_line_counts() -> None:
    lines = [JobResult("d", 1).to_line(), JobResult("d", 2).to_line()]
    assert result_in(lines) == JobResult("d", 2)
    assert result_in(["d: 2 of 2 partitions profiled (1 to 2), 12 rows, 2 columns profiled, 0 skipped, 3 s"]) is None


@pytest.mark.parametrize(
    "change",
    [{"rows": "5"}, {"rows": -1}, {"failed": True}, {"error": 3}, {"retryable": 1}, {"more": 1}, {"dataset": None}],
)
def test_what_is_no_such_object_is_none(change: dict[str, object]) -> None:
    data = {**json.loads(JobResult("d", 1).to_line().removeprefix(PREFIX)), **change}
    assert result_in([PREFIX + json.dumps(data)]) is None
    assert result_in([JobResult("d", 1).to_line()[:-1]]) is None
    assert result_in([PREFIX + "[]"]) is None
