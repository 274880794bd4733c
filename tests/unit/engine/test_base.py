from __future__ import annotations

from airflow_dq.engine.base import ScanResult
from airflow_dq.exceptions import SourceMissingError, UnknownColumnError
from airflow_dq.options.job import JobSpec

ORDER = JobSpec("d", {"1": "folder"})


def test_a_failure_that_was_foreseen_is_its_sentence_and_whether_it_may_pass() -> None:
    gone = ScanResult.failed("1", SourceMissingError("It is gone."), ORDER)
    assert (gone.profile, gone.error, gone.traceback, gone.retryable) == (None, "It is gone.", None, True)
    assert not ScanResult.failed("1", UnknownColumnError("No column is named 'N'."), ORDER).retryable


def test_a_bug_keeps_its_stack() -> None:
    try:
        _ = 1 // 0
    except ZeroDivisionError as error:
        bug = ScanResult.failed("1", error, ORDER)
    assert bug.error == "ZeroDivisionError: integer division or modulo by zero"
    assert bug.traceback is not None
    assert "1 // 0" in bug.traceback
