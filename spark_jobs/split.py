"""Entry point of a job that splits rows: ``spark-submit split.py --spec '<JSON>'``.

The JSON is a :class:`airflow_dq.options.split.SplitSpec`.  No database is needed.  Executors need numpy and pyarrow;
the job sends them the package's pure part by itself.

Exit code 0: both places are written; 2: a problem that the last line on stderr explains, and neither is changed; 1: a
bug.  The last line on stdout is a :class:`airflow_dq.job.split_result.SplitResult`, for the program that waits.
"""

from __future__ import annotations

import sys
from pathlib import Path

# This folder comes first on the path and has a `profile`, which would hide the standard library's from pyspark.
_HERE = Path(__file__).resolve().parent
sys.path.sort(key=lambda entry: Path(entry).resolve() == _HERE or Path(entry).name.startswith("airflow_dq_executor"))

from airflow_dq.job.entry import answer, leave  # noqa: E402 - the path comes first
from airflow_dq.job.split_result import SplitResult  # noqa: E402
from airflow_dq.options.split import SplitSpec  # noqa: E402


def main(arguments: list[str] | None = None) -> int:
    """Run the job and return its exit code."""
    what = "Split rows into those that follow checks and those that do not."
    return answer(what, arguments, read, run, SplitResult)


def read(text: str) -> tuple[str, SplitSpec]:
    """The dataset and the order."""
    spec = SplitSpec.from_json(text)
    return spec.order.dataset, spec


def run(spec: SplitSpec) -> SplitResult:
    """Split the rows.

    :raises DQError: when that cannot be done; then nothing is changed
    """
    from airflow_dq.engine.spark.environment import check_environment
    from airflow_dq.engine.spark.session import open_session
    from airflow_dq.engine.spark.split import split_rows

    check_environment()
    with open_session() as spark:
        good, bad, failed = split_rows(spark, spec)
    result = SplitResult(spec.order.dataset, good + bad, good, bad, failed)
    print(result.summary, flush=True)
    return result


if __name__ == "__main__":
    leave(main)
