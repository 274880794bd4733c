"""What a machine needs for profile jobs and gates, looked at one thing after the other."""

from __future__ import annotations

import json
import platform
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from airflow_dq.exceptions import DQError
from airflow_dq.settings import (
    DSN_VARIABLE,
    HASH_KEY_VARIABLE,
    HASH_SECRET_LENGTH,
    dsn_from_environment,
    hash_key_from_environment,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LEAST_AIRFLOW = (3, 1)
"""The oldest Airflow that this version is written for."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    subject: str
    ok: bool
    said: str
    """What was found; when it is not ok, what to do as well."""

    @property
    def line(self) -> str:
        """As it is printed."""
        return f"{'ok  ' if self.ok else 'FAIL'}  {self.subject}: {self.said}"


def look(subject: str, check: Callable[[], str]) -> Finding:
    """What a check says; an error with an explanation is what is wrong.

    :param check: returns what it has found to be right
    """
    try:
        return Finding(subject, True, check())
    except DQError as error:
        return Finding(subject, False, str(error))


def packages() -> Iterator[Finding]:
    """Airflow, and what cannot be installed beside this package."""
    yield look("Airflow", _airflow)
    if _version("airflow-dq") is not None:
        said = (
            "the PyPI package airflow-dq overwrites this one's files: pip uninstall airflow-dq, then install this again"
        )
        yield Finding("airflow-dq", False, said)
    if (secret := hash_key_from_environment()) is not None:
        long_enough = len(secret) >= HASH_SECRET_LENGTH
        said = "is set" if long_enough else f"has {len(secret)} characters; give {HASH_SECRET_LENGTH} or more"
        yield Finding(HASH_KEY_VARIABLE, long_enough, said)


def database(conn_id: str) -> Iterator[Finding]:
    """The statistics database: named, reachable, at the right revision, writable."""
    from airflow_dq.cli.connection import find_dsn
    from airflow_dq.store.access import server_of

    try:
        dsn = find_dsn(conn_id)
    except DQError as error:
        started = " To try things out, `airflow dq db start` starts a database of your own."
        yield Finding("connection", False, str(error) + started)
        return
    source = DSN_VARIABLE if dsn_from_environment() else f"Airflow connection {conn_id!r}"
    reached = look("connection", lambda: f"{source}: {server_of(dsn)}")
    yield reached
    if reached.ok:
        yield _schema(dsn)
        yield _rights(dsn)


def spark(arguments: Any) -> Iterator[Finding]:
    """What a profile job on Spark needs, here and on the executors."""
    from airflow_dq.engine.spark.environment import check_java, check_pyspark

    found = [look("pyspark", _pyspark(check_pyspark))]
    if not arguments.master.startswith("sc://"):
        found.append(look("Java", lambda: str(check_java())))
    yield from found
    if all(one.ok for one in found):
        yield _executors(arguments)


def _pyspark(check: Callable[[], str]) -> Callable[[], str]:
    def say() -> str:
        client = _version("pyspark-client")
        return f"{check()}" + (f", and pyspark-client {client}" if client else "")

    return say


def _airflow() -> str:
    found = _version("apache-airflow") or _version("apache-airflow-core")
    if found is None:
        raise DQError("it is not installed in this Python: pip install apache-airflow")
    number = tuple(int(part) for part in re.findall(r"\d+", found)[:2])
    if number < _LEAST_AIRFLOW:
        raise DQError(f"{found} is installed; this package needs {'.'.join(map(str, _LEAST_AIRFLOW))} or newer")
    return f"{found}, Python {platform.python_version()}"


def _schema(dsn: str) -> Finding:
    from airflow_dq.cli.database import compared

    def check() -> str:
        found, words = compared(dsn)
        if not found.in_step:
            raise DQError(words)
        return words

    return look("schema", check)


def _rights(dsn: str) -> Finding:
    from airflow_dq.store.access import refused_writes

    def check() -> str:
        refused = refused_writes(dsn)
        if refused is not None:
            raise DQError(f"{refused}: grant it, or name another user")
        return "all tables can be read and written"

    return look("right to write", check)


def _executors(arguments: Any) -> Finding:
    from airflow_dq.cli.reading import spark_session

    try:
        with spark_session(arguments) as session:
            return _modules(session, arguments.master)
    except DQError as error:
        return Finding("Spark", False, str(error))
    except Exception as error:
        # Whatever a cluster can answer with: it is what was asked for, and not a fault of this program.
        first = (str(error).strip().splitlines() or [type(error).__name__])[0]
        return Finding("Spark", False, f"no session on {arguments.master}: {first[:300]}")


def _modules(session: SparkSession, master: str) -> Finding:
    from pyspark.sql.functions import udf

    from airflow_dq.engine.worker.machine import machine

    # A plain function: one of Arrow batches needs the very modules that are looked for.
    answer = session.range(1).select(udf(machine)("id")).collect()[0][0]
    found: dict[str, str | None] = json.loads(answer)
    missing = [name for name in ("numpy", "pyarrow") if found[name] is None]
    here = f"{sys.version_info[0]}.{sys.version_info[1]}"
    told = f"Spark {session.version} on {master}, executors: Python {found['python']}"
    if missing:
        wanted = " and ".join(missing)
        return Finding(
            "executors",
            False,
            f"{told} without {wanted}: install {wanted} there, or set PYSPARK_PYTHON to a Python with it",
        )
    if not str(found["python"]).startswith(f"{here}."):
        return Finding("executors", False, f"{told}, and the driver has {here}: set PYSPARK_PYTHON to a Python {here}")
    return Finding("executors", True, f"{told}, numpy {found['numpy']}, pyarrow {found['pyarrow']}")


def _version(distribution: str) -> str | None:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None
