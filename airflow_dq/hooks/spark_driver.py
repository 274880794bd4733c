"""A Spark driver that runs on a cluster, as its cluster manager sees it: YARN's resource manager, or Kubernetes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.hooks.spark import ProfileSubmitHook, spark_connection

_RUNS = ("NEW", "NEW_SAVING", "SUBMITTED", "ACCEPTED", "RUNNING", "PENDING", "UNKNOWN")
"""States of an application, and phases of a pod, that are none of its end.  An unknown pod is on a silent machine."""


@dataclass(frozen=True, slots=True)
class DriverState:
    """What has become of a driver."""

    status: Literal["running", "succeeded", "failed"]
    message: str


class SparkDriver:
    """One driver.

    :param conn_id: the Spark connection that it was submitted through
    :param master: the master that won over the connection's
    :param driver: YARN's id of the application, or namespace and name of the driver's pod
    """

    def __init__(self, conn_id: str, master: str | None, driver: str) -> None:
        """Find the connection.

        :raises ConfigurationError: when it is not defined
        """
        self._driver = driver
        connection = spark_connection(conn_id, master)
        self._hook = ProfileSubmitHook(connection=connection, deploy_mode="cluster")
        self._hook._yarn_track_via_rm_api = self._hook.master == "yarn"

    def look(self) -> DriverState:
        """What it does now.

        :raises RuntimeError: when its manager does not answer
        """
        return self._pod() if self._hook._is_kubernetes else self._application()

    def kill(self) -> None:
        """End it."""
        if self._hook._is_kubernetes:
            namespace, _, self._hook._kubernetes_driver_pod = self._driver.partition(":")
            # The task's own conf may have named another one than the connection does.
            self._hook._connection["namespace"] = namespace
            self._hook._delete_driver_pod()
        else:
            self._hook._kill_yarn_application(self._driver)

    def _application(self) -> DriverState:
        state, final, diagnostics = self._hook._query_yarn_application_status(self._driver)
        if state in _RUNS:
            return DriverState("running", f"YARN application {self._driver} is {state}.")
        if final == "SUCCEEDED":
            return DriverState("succeeded", f"YARN application {self._driver} has succeeded.")
        said = f": {diagnostics.strip()}" if diagnostics.strip() else "."
        return DriverState("failed", f"YARN application {self._driver} has ended as {state}, {final}{said}")

    def _pod(self) -> DriverState:
        from airflow.providers.cncf.kubernetes import kube_client

        namespace, _, name = self._driver.partition(":")
        try:
            phase = kube_client.get_kube_client().read_namespaced_pod(name, namespace).status.phase or "Pending"
        except Exception as error:
            # What a server that cannot be reached raises is its client's transport's own.
            if not (isinstance(error, kube_client.ApiException) and error.status == 404):
                said = f"{type(error).__name__}: {getattr(error, 'reason', None) or error}"
                raise RuntimeError(f"Kubernetes does not tell of pod {name}: {said}") from error
            return DriverState("failed", f"The driver's pod {name} in namespace {namespace} is gone.")
        if phase.upper() in _RUNS:
            return DriverState("running", f"The driver's pod {name} is {phase}.")
        status: Literal["succeeded", "failed"] = "succeeded" if phase == "Succeeded" else "failed"
        return DriverState(status, f"The driver's pod {name} in namespace {namespace} has ended as {phase}.")


def require_manager(hook: ProfileSubmitHook) -> None:
    """Refuse a connection by which YARN's resource manager cannot be asked.

    :raises ConfigurationError: naming the connection, and what to add to it
    """
    try:
        hook._get_yarn_rm_base_url()
    except ValueError:
        raise ConfigurationError(
            f"The Spark connection {hook._conn_id!r} does not say where YARN's resource manager answers, which a "
            "deferrable task asks for its driver: add it to the connection's extra, "
            '{"yarn_resourcemanager_webapp_address": "http://rm.example.com:8088"}.'
        ) from None
