"""``airflow dq init``: the first command of a newcomer, who has it write a DAG."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from airflow_dq.cli.definition_start import FILE_FORMATS
from airflow_dq.cli.health import Finding, database
from airflow_dq.cli.run import print_json
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.settings import DSN_VARIABLE, dsn_from_environment
from airflow_dq.visible import visible

_DAG = '''"""Profiles each partition of {dataset} and stops what follows when it is not as partitions before it were."""

from __future__ import annotations

from datetime import datetime

from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.sdk import DAG

from airflow_dq.operators.guard import dq_guard

with DAG({dag_id}, schedule={schedule}, start_date=datetime({start}), catchup=False):
    # In place of these two: the task that writes the partition, and what uses it.
    write = EmptyOperator(task_id="write")
    publish = EmptyOperator(task_id="publish")
    guard = dq_guard(
        {arguments},
    )
    write >> guard >> publish
'''
_PRESETS = (
    *("@once", "@continuous", "@hourly", "@daily", "@weekly", "@monthly", "@quarterly", "@yearly"),
    *("@midnight", "@annually"),
)
_CRON = re.compile(r"(?:(?:[\d*/,#?L-]+|[A-Za-z]{3}(?:[,-][A-Za-z]{3})*)(?:\s+|$)){5,6}")
_TEMPLATE = re.compile(r"\{\{.*?\}\}")


def init(arguments: Any) -> int:
    """Write the DAG, look at the database, and say what comes next; exit code 1 while something is left to do."""
    text = dag_text(arguments)
    path = _target(arguments)
    _write(path, text, replace=arguments.replace)
    started = None
    if arguments.embedded and dsn_from_environment() is None:
        from airflow_dq.cli.embedded import start

        _, started = start(None)
        # For what follows here; the person has to do the same in each shell.
        os.environ[DSN_VARIABLE] = started
    found = list(database(arguments.dq_conn_id))
    steps = _next(arguments, found, started)
    if arguments.output:
        print_json({"file": str(path), "dsn": started, "findings": [asdict(one) for one in found], "next": steps})
    else:
        print(f"Written: {path}")
        print("\n".join(visible(one.line, lines=True) for one in found))
        print("\nNext:\n" + "\n".join(f"  {step}" for step in steps))
    return 0 if all(one.ok for one in found) else 1


def dag_text(arguments: Any) -> str:
    """The DAG file.

    :raises ConfigurationError: when Airflow would not take it, or the source has no place for the partition's key
    """
    _require_takeable(arguments)
    given = {
        "dataset": arguments.dataset,
        "source": arguments.source,
        "partition": arguments.partition,
        **({"source_format": arguments.format} if arguments.format != "parquet" else {}),
        **({"engine": arguments.engine} if arguments.engine != "spark" else {}),
    }
    schedule = None if arguments.schedule == "None" else arguments.schedule
    return _DAG.format(
        dataset=ascii(arguments.dataset),
        dag_id=_literal(f"{_identifier(arguments.dataset)}_dq"),
        schedule="None" if schedule is None else _literal(schedule),
        start=f"{datetime.now(UTC):%Y, %-m, %-d}",
        arguments=",\n        ".join(f"{name}={_literal(value)}" for name, value in given.items()),
    )


def _require_takeable(arguments: Any) -> None:
    """Refuse what a DAG file must not have in it.

    :raises ConfigurationError: what it is, and what to write
    """
    if not arguments.dataset.strip():
        raise ConfigurationError("DATASET is empty: give the name under which the profiles are stored.")
    for flag, text in (("--source", arguments.source), ("--partition", arguments.partition)):
        _require_template(flag, text)
    if arguments.engine == "arrow" and arguments.format not in FILE_FORMATS:
        raise ConfigurationError(
            f"--format {arguments.format!r} is read by Spark only: leave out --engine arrow, or give one of "
            f"{', '.join(FILE_FORMATS)}."
        )
    schedule = arguments.schedule
    if schedule not in ("None", *_PRESETS) and not _CRON.fullmatch(schedule):
        raise ConfigurationError(
            f"--schedule {schedule!r} is no schedule of Airflow's: give {', '.join(_PRESETS)}, a cron expression such "
            "as '0 6 * * *' (quoted for the shell), or None."
        )


def _require_template(flag: str, text: str) -> None:
    """Refuse a text in which the run's key has no place.

    :raises ConfigurationError: with what to write
    """
    from jinja2 import Environment, TemplateSyntaxError

    written = "write the partition's key as a template, such as '/data/orders/day={{ ds }}' (quoted for the shell)"
    try:
        Environment(autoescape=True).parse(text)
    except TemplateSyntaxError as error:
        raise ConfigurationError(f"{flag} {text!r} is no template ({error.message}): {written}.") from None
    if "{{" not in text:
        raise ConfigurationError(f"{flag} {text!r} is the same for each run: {written}.")


def _literal(text: str) -> str:
    """A text as Python source, in double quotes as the rest of the file has them."""
    quoted = ascii(text)
    return f'"{quoted[1:-1]}"' if quoted[0] == "'" and '"' not in quoted else quoted


def _identifier(dataset: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", dataset).strip("_") or "dataset"


def _target(arguments: Any) -> Path:
    if arguments.out is not None:
        return Path(arguments.out)
    folder = os.environ.get("AIRFLOW__CORE__DAGS_FOLDER")
    if not folder:
        from airflow_dq.version_compat import conf

        folder = str(conf.get("core", "dags_folder"))
    return Path(folder).expanduser() / f"{_identifier(arguments.dataset)}_dq.py"


def _write(path: Path, text: str, *, replace: bool) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w" if replace else "x", encoding="utf-8") as file:
            file.write(text)
    except IsADirectoryError:
        raise ConfigurationError(f"{path} is a folder: name the file to write in it, as --out FILE.") from None
    except FileExistsError:
        if path.is_dir():
            raise ConfigurationError(f"{path} is a folder: name the file to write in it, as --out FILE.") from None
        raise ConfigurationError(f"{path} is there already: give --replace, or another --out.") from None
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be written: {error.strerror}.") from None


def _next(arguments: Any, found: list[Finding], started: str | None) -> list[str]:
    """What to do now, as command lines as far as it is one."""
    command = "airflow dq" if Path(sys.argv[0]).name == "airflow" else "python -m airflow_dq"
    steps = [] if started is None else [f"export {DSN_VARIABLE}='{started}'"]
    wrong = {one.subject for one in found if not one.ok}
    if "connection" in wrong:
        steps.append(f"{command} db start    # or name a PostgreSQL server in {DSN_VARIABLE}")
    if wrong & {"connection", "schema"}:
        steps.append(f"{command} db upgrade")
    pattern = _TEMPLATE.sub("*", arguments.source)
    reader = "" if arguments.format == "parquet" else f" --format {arguments.format}"
    if pattern.count("*") == 1:
        steps.append(f"{command} backfill {arguments.dataset} --source '{pattern}'{reader} --judge")
    return [*steps, f"{command} doctor"]
