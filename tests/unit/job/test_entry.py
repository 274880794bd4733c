from __future__ import annotations

import pytest

from airflow_dq.exceptions import ConfigurationError, DQError
from airflow_dq.job.entry import answer, leave
from airflow_dq.job.result import JobResult, result_in


def _read(text: str) -> tuple[str, str]:
    if text == "bad":
        raise ConfigurationError("The order is none.")
    return f"of {text}", text


def _work(order: str) -> JobResult:
    if order == "lost":
        raise DQError("The rows are gone.")
    return JobResult("orders", partitions=1)


@pytest.mark.parametrize(
    ("given", "code", "dataset", "error"),
    [
        ("good", 0, "orders", None),
        ("lost", 2, "of lost", "The rows are gone."),
        ("bad", 2, "", "The order is none."),
    ],
)
def test_the_last_line_is_the_result_and_the_code_says_whether_it_is_done(
    given: str, code: int, dataset: str, error: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert answer("What it does.", ["--spec", given], _read, _work, JobResult) == code
    out, err = capsys.readouterr()
    found = result_in(out.splitlines())
    assert found is not None
    assert (found.dataset, found.error) == (dataset, error)
    assert err == ("" if error is None else f"airflow_dq: error: {error}\n")


def test_a_bug_is_told_with_its_stack_and_code_1(capsys: pytest.CaptureFixture[str]) -> None:
    def broken() -> int:
        raise ValueError("a fault")

    with pytest.raises(SystemExit) as ended:
        leave(broken)
    assert ended.value.code == 1
    assert "Traceback" in capsys.readouterr().err
