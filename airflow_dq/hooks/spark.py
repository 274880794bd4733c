"""spark-submit for a profile job: Airflow's own hook, with the database's DSN in the environment only."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from typing import Any

from airflow.providers.apache.spark.hooks.spark_submit import SparkSubmitHook
from airflow.sdk import BaseHook, Connection

from airflow_dq.engine.spark.environment import SPARK_HINT, check_java, driver_python, find_spark_submit
from airflow_dq.exceptions import ConfigurationError, EnvironmentMismatchError
from airflow_dq.hooks import kill
from airflow_dq.job.result import PREFIX, JobResult, results_in
from airflow_dq.settings import REDACTED, SPARK_REDACTION
from airflow_dq.version_compat import AirflowNotFoundException

_REDACTION = "spark.redaction.regex"
LOCAL_MASTER = "local[*]"


def spark_connection(conn_id: str, master: str | None = None) -> Connection:
    """The Spark connection to submit through.

    :param conn_id: an Airflow connection; ``spark_default`` may be undefined, which means Spark on this machine
    :param master: a master URL that wins over the connection's
    :raises ConfigurationError: when another connection is named and does not exist.
    """
    try:
        defined = BaseHook.get_connection(conn_id)
    except AirflowNotFoundException:
        if master is None and conn_id != SparkSubmitHook.default_conn_name:
            raise ConfigurationError(
                f"The Spark connection {conn_id!r} is not defined: add it, or give the operator "
                f"master='{LOCAL_MASTER}' (or another master URL)."
            ) from None
        return Connection(conn_id=conn_id, conn_type="spark", host=master or LOCAL_MASTER)
    if master is None:
        return defined
    return Connection(conn_id=conn_id, conn_type="spark", host=master, extra=defined.extra)


def redacting(conf: Mapping[str, Any], variables: Mapping[str, Any]) -> dict[str, Any]:
    """Spark's properties, by which it shows none of our secrets that they or the variables hand over.

    :param conf: as they were given; their own ``spark.redaction.regex`` stays in effect
    :param variables: that Airflow makes properties of
    """
    if not any(re.search(REDACTED, name) for name in (*conf, *variables)):
        # A regular expression of our own would take the place of the site's.
        return dict(conf)
    return {**conf, _REDACTION: f"{conf.get(_REDACTION, SPARK_REDACTION)}|{REDACTED}"}


def _has_kubernetes() -> bool:
    try:
        return find_spec("airflow.providers.cncf.kubernetes") is not None and find_spec("kubernetes") is not None
    except ModuleNotFoundError:
        return False


class ProfileSubmitHook(SparkSubmitHook):
    """Runs one profile job through ``spark-submit``, in a process group of its own that can be ended whole.

    :param connection: the connection to submit through, see :func:`spark_connection`
    :param options: the arguments of Airflow's hook
    """

    environment: dict[str, str]
    """Variables for the local spark-submit process only; unlike ``env_vars`` they never reach a command line."""

    def __init__(self, *, connection: Connection, **options: Any) -> None:
        """Take the connection.

        :raises ConfigurationError: for Kubernetes, when its provider is missing: Airflow's hook trips over that
        """
        if (connection.host or "").startswith("k8s://") and not _has_kubernetes():
            raise ConfigurationError(
                f"The Spark connection {connection.conn_id!r} says master {connection.host!r}, and the provider that "
                "watches its drivers is not installed on this machine: "
                "pip install apache-airflow-providers-cncf-kubernetes."
            )
        self._spark_connection = connection
        self.environment = {}
        self.before_submit: Callable[[], None] | None = None
        self._output: deque[str] = deque(maxlen=200)
        self._told: list[str] = []
        super().__init__(conn_id=connection.conn_id, **options)

    def get_connection(self, conn_id: str) -> Connection:  # type: ignore[override]  # of this job, not of the class
        """The connection that was resolved beforehand."""
        return self._spark_connection

    @property
    def master(self) -> str:
        """The master URL."""
        return str(self._connection["master"])

    @property
    def on_cluster(self) -> bool:
        """Whether the driver runs on the cluster (deploy mode ``cluster``), where this process's environment is not."""
        return "cluster" in (self._connection["deploy_mode"], self._conf.get("spark.submit.deployMode"))

    @property
    def results(self) -> tuple[JobResult, ...]:
        """What the job has told of each dataset; nothing of those before whose end it was cut off."""
        return results_in(self._told)

    @property
    def output(self) -> Sequence[str]:
        """The last lines of the job's log."""
        return tuple(self._output)

    def check_master(self) -> None:
        """Refuse a master that cannot be reached from here for a plain reason.

        :raises ConfigurationError: naming the reason, and what to give instead
        """
        if (reason := self._unreachable()) is not None:
            raise ConfigurationError(f"The Spark connection {self._conn_id!r} says master {self.master!r}{reason}")

    def _unreachable(self) -> str | None:
        """Why no job can be submitted to the master, behind its name."""
        if self.on_cluster and self.master.startswith(("spark://", "local")):
            return (
                " and deploy mode 'cluster', in which it takes no Python job: leave the deploy mode out ('client'), or "
                "use YARN or Kubernetes."
            )
        variables = {**os.environ, **(self._env_vars or {})}
        if self.master == "yarn" and not (variables.get("HADOOP_CONF_DIR") or variables.get("YARN_CONF_DIR")):
            return (
                ", but neither HADOOP_CONF_DIR nor YARN_CONF_DIR is set on this machine. Set one, or give the operator "
                f"another master, such as master='{LOCAL_MASTER}' for Spark on this machine."
            )
        return None

    def check_machine(self) -> None:
        """Refuse a machine on which ``spark-submit`` cannot be run.

        :raises EnvironmentMismatchError: naming what is missing, and what to install
        """
        check_java()
        (binary,) = self._get_spark_binary_path()
        if shutil.which(binary) is None:
            raise EnvironmentMismatchError(f"{binary} is not there or cannot be run on this machine: {SPARK_HINT}")

    def submit(self, application: str = "", **kwargs: Any) -> str | None:
        """Run spark-submit to its end; whatever interrupts the wait ends the job too."""
        if self.before_submit is not None:
            self.before_submit()
        try:
            return super().submit(application, start_new_session=True, **kwargs)
        except BaseException:
            self._end_processes()
            raise

    def on_kill(self) -> None:
        """End the job: on its cluster, then the local processes.  Always returns."""
        # The parent waits for commands of the cluster without a limit.
        kill.end_in_time(super().on_kill, self.log)
        self._end_processes()

    def _get_spark_binary_path(self) -> list[str]:
        binary = str(self._connection["spark_binary"])
        # A worker started by its full path does not have its own environment's bin folder on PATH.
        return [str(find_spark_submit()) if binary == "spark-submit" else binary]

    def _build_spark_submit_command(self, application: str) -> list[str]:
        conf = redacting(self._conf or {}, self._env_vars or {})
        self._conf = conf if self.on_cluster else driver_python({**os.environ, **(self._env_vars or {})}) | conf
        command: list[str] = super()._build_spark_submit_command(application)
        # Only now: the parent has put env_vars on the command line where the cluster manager wants them there.
        self._env = {**self.environment, **(self._env or {})}
        return command

    def _process_spark_submit_log(self, itr: Iterator[Any]) -> None:
        super()._process_spark_submit_log(self._remember(itr))

    def _remember(self, lines: Iterator[Any]) -> Iterator[Any]:
        for line in lines:
            self._output.append(line.rstrip("\n"))
            # What is for this program is not for a person's log.
            if PREFIX in line:
                self._told.append(line)
            else:
                yield line

    def _end_processes(self) -> None:
        # spark-submit is a JVM whose child is the Python driver: killing the JVM alone would leave the driver.
        process = self._submit_sp
        if process is None:
            return
        for sign in (signal.SIGTERM, signal.SIGKILL):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, sign)
            with suppress(subprocess.TimeoutExpired):
                process.wait(kill.KILL_SECONDS)
