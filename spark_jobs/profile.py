"""Entry point of a profile job: ``spark-submit profile.py --spec '<JSON>'`` or ``--spec-file <path>``.

The JSON is a :class:`airflow_dq.options.job.JobSpec`.  The database's URL comes from the environment variable
``AIRFLOW_DQ_DSN``, which only this process, the driver, needs.  Executors need numpy and pyarrow; the job sends them
the package's pure part by itself, so nothing of ours belongs into ``--py-files``.

Exit code 0: every partition is profiled and stored; 2: a problem that the last line on stderr explains; 1: a bug.
(spark-submit puts the script's stderr on its own stdout.)
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from pathlib import Path

# This folder comes first on the path and would hide the standard library's `profile`, which pyspark needs; and an
# executors' bundle given by --py-files would hide the installed package's store.
_HERE = Path(__file__).resolve().parent
sys.path.sort(key=lambda entry: Path(entry).resolve() == _HERE or Path(entry).name.startswith("airflow_dq_executor"))

from airflow_dq.exceptions import ConfigurationError, DQError  # noqa: E402 - the path comes first
from airflow_dq.options.job import JobSpec  # noqa: E402


def main(arguments: list[str] | None = None) -> int:
    """Run the job and return its exit code."""
    parser = argparse.ArgumentParser(description="Profile partitions of a dataset and store their statistics.")
    order = parser.add_mutually_exclusive_group(required=True)
    order.add_argument("--spec", help="the job's specification, JSON")
    order.add_argument("--spec-file", type=Path, help="a file that holds it")
    given = parser.parse_args(arguments)
    try:
        text = given.spec if given.spec_file is None else given.spec_file.read_text(encoding="utf-8")
        return run(JobSpec.from_json(text))
    except DQError as error:
        _complain(str(error))
        return 2
    except OSError as error:
        _complain(f"The specification {given.spec_file} cannot be read: {error}")
        return 2


def run(spec: JobSpec) -> int:
    """Check what the job needs, profile, and report one line for each partition.

    :raises DQError: when nothing could be profiled
    """
    from airflow_dq.engine.spark.environment import check_environment
    from airflow_dq.metrics.user_metric import unpack_metrics
    from airflow_dq.settings import dsn_from_environment
    from airflow_dq.store import open_store

    began = time.monotonic()
    check_environment()
    unpack_metrics(spec.metrics)
    dsn = dsn_from_environment()
    if dsn is None:
        raise ConfigurationError(
            "No statistics database is named: set AIRFLOW_DQ_DSN=postgresql://user:password@host/database in the "
            "environment of spark-submit."
        )
    # Before Spark starts: a wrong address shows at once.
    with open_store(dsn) as store:
        from airflow_dq.engine.spark.session import open_session
        from airflow_dq.job.outcome import summary
        from airflow_dq.job.spark import ProfileJob

        with open_session() as spark:
            outcomes = ProfileJob(spark, spec, store, _say).run()
    for outcome in outcomes:
        _say(outcome.line(spec.dataset))
    failed = [outcome for outcome in outcomes if outcome.error is not None]
    _say(summary(spec.dataset, outcomes, time.monotonic() - began))
    if not failed:
        return 0
    bugs = [outcome for outcome in failed if outcome.trace is not None]
    for outcome in bugs:
        print(outcome.trace, file=sys.stderr)
    more = f" ({len(failed) - 1} more partitions failed, see above)" if len(failed) > 1 else ""
    _complain(f"{(bugs or failed)[0].error}{more}")
    return 1 if bugs else 2


def _say(line: str) -> None:
    print(line, flush=True)


def _complain(sentence: str) -> None:
    sys.stdout.flush()
    print(f"airflow_dq: error: {sentence}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        code = main()
    except Exception:
        traceback.print_exc()
        code = 1
    sys.exit(code)
