"""The few calls of Airflow's REST interface that the demo makes."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from typing import Any

from airflow_dq.demo.workspace import DemoError

SECONDS = 30
"""Longest wait for one answer of a server on this machine."""


class NoAnswerError(DemoError):
    """Airflow did not answer in time, as a machine does that has much to do; asking again may help."""


@dataclass
class AirflowApi:
    """A user's access to an Airflow.

    :param url: where it is, without a slash at its end
    """

    url: str
    user: str
    password: str
    _token: str | None = field(default=None, repr=False)

    def is_up(self) -> bool:
        """Whether the API server answers and the scheduler is healthy."""
        try:
            health = self._call("GET", "/api/v2/monitor/health", token=None)
        except (OSError, ValueError):
            return False
        return bool(health.get("scheduler", {}).get("status") == "healthy")

    def has_dag(self, dag_id: str) -> bool:
        """Whether the DAG has been read."""
        try:
            return bool(self.get(f"/api/v2/dags/{dag_id}"))
        except DemoError:
            return False

    def unpause(self, dag_id: str) -> None:
        """Let the DAG's runs begin."""
        self._asked("PATCH", f"/api/v2/dags/{dag_id}", {"is_paused": False})

    def trigger(self, dag_id: str, day: str, **conf: Any) -> str:
        """Start a run for a day; its id."""
        body = {"logical_date": f"{day}T00:00:00Z", "dag_run_id": f"demo__{day}", "conf": conf}
        return str(self._asked("POST", f"/api/v2/dags/{dag_id}/dagRuns", body)["dag_run_id"])

    def states(self, dag_id: str, run_id: str) -> dict[str, str]:
        """State by task id."""
        found = self.get(f"/api/v2/dags/{dag_id}/dagRuns/{run_id}/taskInstances")["task_instances"]
        return {task["task_id"]: str(task["state"]) for task in found}

    def get(self, path: str) -> dict[str, Any]:
        """What Airflow answers.

        :raises NoAnswerError: when it does not answer.
        :raises DemoError: when it refuses.
        """
        return self._asked("GET", path, None)

    def _asked(self, method: str, path: str, body: Any) -> dict[str, Any]:
        try:
            if self._token is None:
                login = {"username": self.user, "password": self.password}
                self._token = str(self._call("POST", "/auth/token", token=None, body=login)["access_token"])
            return self._call(method, path, token=self._token, body=body)
        except urllib.error.HTTPError as error:
            said = error.read().decode(errors="replace")[:500]
            raise DemoError(f"Airflow answers {method} {path} with {error.code}: {said}") from None
        except OSError as error:
            raise NoAnswerError(f"Airflow does not answer {method} {path}: {error}.") from None

    def _call(self, method: str, path: str, *, token: str | None, body: Any = None) -> dict[str, Any]:
        headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            found: dict[str, Any] = json.load(answer)
        return found
