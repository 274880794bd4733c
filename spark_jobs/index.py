"""Entry point of an index job: ``spark-submit index.py --spec '<JSON>'``.

The JSON is a :class:`airflow_dq.options.index.IndexSpec`.  Where it names no file, the database's URL comes from the
environment variable ``AIRFLOW_DQ_DSN``, which only this process, the driver, needs.  Executors need numpy and pyarrow;
the job sends them the package's pure part by itself.

Exit code 0: everything is indexed but for files that are named; 2: a problem that the last line on stderr explains; 1:
a bug.  The last line on stdout is a :class:`airflow_dq.job.index_result.IndexResult`, for the program that waits.
"""

from __future__ import annotations

import argparse
import sys
import traceback
from contextlib import ExitStack
from pathlib import Path

# This folder comes first on the path and has a `profile`, which would hide the standard library's from pyspark.
_HERE = Path(__file__).resolve().parent
sys.path.sort(key=lambda entry: Path(entry).resolve() == _HERE or Path(entry).name.startswith("airflow_dq_executor"))

from airflow_dq.exceptions import ConfigurationError, DQError  # noqa: E402 - the path comes first
from airflow_dq.job.index_result import IndexResult  # noqa: E402
from airflow_dq.options.argument import unpacked  # noqa: E402
from airflow_dq.options.index import IndexSpec  # noqa: E402


def main(arguments: list[str] | None = None) -> int:
    """Run the job and return its exit code."""
    parser = argparse.ArgumentParser(description="Index what the string columns of a lake look like.")
    parser.add_argument("--spec", required=True, help="the job's specification, JSON")
    given = parser.parse_args(arguments)
    try:
        result = run(IndexSpec.from_json(unpacked(given.spec)))
    except DQError as error:
        print(IndexResult("", error=str(error)).to_line(), flush=True)
        print(f"airflow_dq: error: {error}", file=sys.stderr, flush=True)
        return 2
    print(result.text, flush=True)
    print(result.to_line(), flush=True)
    return 0


def run(spec: IndexSpec) -> IndexResult:
    """Index the source.

    :raises DQError: when that cannot be done; what was saved before stays
    """
    from airflow_dq.engine.spark.environment import check_environment
    from airflow_dq.engine.spark.session import open_session
    from airflow_dq.job.index import FilePlace, Place, StorePlace, index_by_spark
    from airflow_dq.settings import dsn_from_environment
    from airflow_dq.store import open_store

    check_environment()
    with ExitStack() as stack:
        if spec.file is not None:
            place: Place = FilePlace(Path(spec.file))
        elif dsn := dsn_from_environment():
            # Before Spark starts: a wrong address shows at once.
            place = StorePlace(stack.enter_context(open_store(dsn)))
        else:
            raise ConfigurationError("No statistics database is named: set AIRFLOW_DQ_DSN, or name a file.")
        spark = stack.enter_context(open_session())
        return index_by_spark(spark, spec, place, lambda line: print(line, flush=True))


if __name__ == "__main__":
    try:
        code = main()
    except Exception:
        traceback.print_exc()
        code = 1
    sys.exit(code)
