"""A job of a Spark Connect server is a Python process that finds the address, token included, in its environment."""

from __future__ import annotations

import json
import sys

import pytest
from airflow.sdk import Connection

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.hooks.spark_connect import ConnectSubmitHook, is_remote


def connection(**fields: object) -> Connection:
    return Connection(**{"conn_id": "c", "conn_type": "spark_connect", "host": "lake", "port": 15002, **fields})


@pytest.mark.parametrize(
    ("made", "remote"),
    [
        (connection(), True),
        (Connection(conn_id="c", conn_type="spark", host="sc://lake:15002"), True),
        (Connection(conn_id="c", conn_type="spark", host="spark://lake:7077"), False),
    ],
)
def test_a_server_is_told_by_the_type_or_the_scheme(made: Connection, remote: bool) -> None:
    assert is_remote(made) == remote


def test_the_address_is_in_the_environment_and_the_token_nowhere_else() -> None:
    made = connection(password="correct-horse", extra=json.dumps({"use_ssl": True}))
    hook = ConnectSubmitHook(connection=made, application_args=["--spec", "{}"], name="n", env_vars={"MINE": "1"})
    command = hook._build_spark_submit_command("/jobs/profile.py")
    assert command == [sys.executable, "/jobs/profile.py", "--spec", "{}"]
    assert hook._env is not None
    assert hook._env["SPARK_REMOTE"] == "sc://lake:15002/;token=correct-horse;use_ssl=True"
    assert hook._env["MINE"] == "1"
    assert hook.master == "sc://lake:15002"
    hook.check_master()
    hook.check_machine()


def test_what_is_the_servers_business_is_refused_by_name() -> None:
    with pytest.raises(ConfigurationError, match=r"'c' is to a Spark Connect server.*leave out conf, packages"):
        ConnectSubmitHook(connection=connection(), conf={"spark.executor.memory": "2g"}, packages="a:b:1")
    ConnectSubmitHook(connection=connection(), conf={"spark.openlineage.parentRunId": "1"})
