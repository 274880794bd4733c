"""``airflow dq init``: the first command of a newcomer, who has it write a DAG."""

from __future__ import annotations

import glob
import os
import re
import shlex
import sys
from collections.abc import Mapping
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

# Of a run for a day before start_date Airflow runs no task, and calls it a success.
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
_ENDINGS = {".parquet": "parquet", ".csv": "csv", ".json": "json", ".jsonl": "json", ".ndjson": "json"}
"""Format by how a file's name ends."""
_YEARS = 2
"""How far back the DAG's runs may be: a dataset that somebody begins to watch has rarely more history that is read."""
_LOOKED_AT = 1000
"""Most names of a folder that are looked at: a partition's first file is among them, or it is a very odd folder."""


def init(arguments: Any) -> int:
    """Write the DAG, look at the database, and say what comes next; exit code 1 while something is left to do."""
    reader = _reader(arguments)
    text = dag_text(arguments, reader)
    path = _target(arguments)
    _write(path, text, replace=arguments.replace)
    started = None
    if arguments.embedded and dsn_from_environment() is None:
        from airflow_dq.cli.embedded import start

        _, started = start(None)
        # For what follows here; the person has to do the same in each shell.
        os.environ[DSN_VARIABLE] = started
    found = list(database(arguments.dq_conn_id))
    steps = _next(arguments, reader, found, started)
    if arguments.output:
        print_json({"file": str(path), "dsn": started, "findings": [asdict(one) for one in found], "next": steps})
    else:
        print(f"Written: {path}")
        print("\n".join(visible(one.line, lines=True) for one in found))
        print("\nNext:\n" + "\n".join(f"  {step}" for step in steps))
    return 0 if all(one.ok for one in found) else 1


def dag_text(arguments: Any, reader: Mapping[str, Any]) -> str:
    """The DAG file.

    :param reader: how the partition is read, as :func:`_reader` says
    :raises ConfigurationError: when Airflow would not take it, or the source has no place for the partition's key
    """
    _require_takeable(arguments)
    given = {
        "dataset": arguments.dataset,
        "source": arguments.source,
        "partition": arguments.partition,
        **reader,
        **({"engine": arguments.engine} if arguments.engine != "spark" else {}),
    }
    schedule = None if arguments.schedule == "None" else arguments.schedule
    return _DAG.format(
        dataset=ascii(arguments.dataset),
        dag_id=_literal(f"{_identifier(arguments.dataset)}_dq"),
        schedule="None" if schedule is None else _literal(schedule),
        # So that the days that are there can be run by hand as well.
        start=f"{datetime.now(UTC).year - _YEARS}, 1, 1",
        arguments=",\n        ".join(f"{name}={_written(value)}" for name, value in given.items()),
    )


def _reader(arguments: Any) -> dict[str, Any]:
    """What the operator is told of the files, where they are not Parquet; of CSV for Spark, to find the types."""
    found = arguments.format or _format_of(_TEMPLATE.sub("*", arguments.source))
    if found == "parquet":
        return {}
    typed = {"read_options": {"inferSchema": "true"}} if found == "csv" and arguments.engine == "spark" else {}
    return {"source_format": found, **typed}


def _format_of(pattern: str) -> str:
    """What the newest partition that is there looks like; Parquet where nothing tells."""
    for place in sorted(glob.iglob(pattern), reverse=True)[:1]:
        names = [place] if os.path.isfile(place) else sorted(os.listdir(place))[:_LOOKED_AT]
        for name in names:
            ending = os.path.splitext(name.removesuffix(".gz"))[1]
            if ending in _ENDINGS:
                return _ENDINGS[ending]
    return "parquet"


def _written(value: str | Mapping[str, str]) -> str:
    """An argument as Python source."""
    if isinstance(value, str):
        return _literal(value)
    return "{" + ", ".join(f"{_literal(name)}: {_literal(one)}" for name, one in value.items()) + "}"


def _require_takeable(arguments: Any) -> None:
    """Refuse what a DAG file must not have in it.

    :raises ConfigurationError: what it is, and what to write
    """
    if not arguments.dataset.strip():
        raise ConfigurationError("DATASET is empty: give the name under which the profiles are stored.")
    for flag, text in (("--source", arguments.source), ("--partition", arguments.partition)):
        _require_template(flag, text)
    if arguments.engine == "arrow" and arguments.format not in (None, *FILE_FORMATS):
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


def _next(arguments: Any, reader: Mapping[str, Any], found: list[Finding], started: str | None) -> list[str]:
    """What to do now, as command lines as far as it is one."""
    command = "airflow dq" if Path(sys.argv[0]).name == "airflow" else "python -m airflow_dq"
    steps = [] if started is None else [f"export {DSN_VARIABLE}='{started}'"]
    wrong = {one.subject for one in found if not one.ok}
    if "connection" in wrong:
        steps.append(f"{command} db start    # or name a PostgreSQL server in {DSN_VARIABLE}")
    if wrong & {"connection", "schema"}:
        steps.append(f"{command} db upgrade")
    pattern = _TEMPLATE.sub("*", arguments.source)
    how = "".join(f" --option {name}={value}" for name, value in reader.get("read_options", {}).items())
    if "source_format" in reader:
        how = f" --format {reader['source_format']}{how}"
    if pattern.count("*") == 1:
        steps.append(
            f"{command} backfill {shlex.quote(arguments.dataset)} --source {shlex.quote(pattern)}{how} --judge"
        )
    return [*steps, f"{command} doctor"]
