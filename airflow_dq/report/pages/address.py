"""Where each page is: the one place that makes addresses from names, which are data and therefore quoted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from airflow_dq.settings import REVIEW_PATH
from airflow_dq.store.review_model import Origin


@dataclass(frozen=True, slots=True)
class Addresses:
    """Addresses as this server is reached.

    :param airflow: path of Airflow's own pages, without a slash at its end (``""``, or ``/team-a`` behind a proxy)
    :param version: changes with the content of the style sheet and the script
    """

    airflow: str = ""
    version: str = ""

    @property
    def base(self) -> str:
        """Path of our pages."""
        return self.airflow + REVIEW_PATH

    def overview(self, dag_id: str | None = None, **query: str | int | None) -> str:
        """The list of datasets, of one DAG or of all that the reader may see."""
        return self._page("/" if dag_id is None else f"/dags/{_quoted(dag_id)}", query)

    def listing(self, dag_id: str | None = None, **query: str | int | None) -> str:
        """The list of partitions with alerts, of one DAG or of all that the reader may see."""
        return self._page("/alerts" if dag_id is None else f"/dags/{_quoted(dag_id)}/alerts", query)

    def dataset(self, name: str, **query: str | int | None) -> str:
        """A dataset's page; whoever may see a DAG that judges it may see it."""
        return self._page("/dataset", {"name": name, **query})

    def dataset_action(self, action: str) -> str:
        """Where a form about a dataset is sent: ``events``, ``events/delete`` or ``rules``."""
        return self._page(f"/dataset/{action}", {})

    def alert(self, dag_id: str, alert_id: int, **query: str | None) -> str:
        """The page of the partition that an alert is about."""
        return self._page(f"/dags/{_quoted(dag_id)}/alerts/{alert_id}", query)

    def partition(self, dag_id: str, dataset: str, partition: str) -> str:
        """The columns of any partition, also of one without an alert."""
        return self._page(f"/dags/{_quoted(dag_id)}/partition", {"dataset": dataset, "partition": partition})

    def partitions(self, dag_id: str) -> str:
        """The same page, where a form says which partition."""
        return self._page(f"/dags/{_quoted(dag_id)}/partition", {})

    def chart(self, dag_id: str, alert_id: int) -> str:
        """An alert's chart as a picture."""
        return self._page(f"/dags/{_quoted(dag_id)}/alerts/{alert_id}/chart.svg", {})

    def action(self, dag_id: str, alert_id: int, action: str) -> str:
        """Where a form about an alert's partition is sent: ``decision``, ``problem``, ``rerun``, ``snooze`` ..."""
        return self._page(f"/dags/{_quoted(dag_id)}/alerts/{alert_id}/{action}", {})

    def static(self, name: str) -> str:
        """A file of ours; a new version has a new address, so that it may be cached for ever."""
        return self._page(f"/static/{name}", {"v": self.version})

    def task(self, origin: Origin) -> str:
        """Airflow's own page of the task that judged."""
        path = f"/dags/{_quoted(origin.dag_id)}/runs/{_quoted(origin.run_id)}/tasks/{_quoted(origin.task_id)}"
        return self.airflow + path + (f"/mapped/{origin.map_index}" if origin.map_index >= 0 else "")

    def run(self, origin: Origin) -> str:
        """Airflow's own page of the run that it judged in."""
        return f"{self.airflow}/dags/{_quoted(origin.dag_id)}/runs/{_quoted(origin.run_id)}"

    def login(self, back: str) -> str:
        """Airflow's login, which comes back to a page of ours."""
        return f"{self.airflow}/api/v2/auth/login?{urlencode({'next': back})}"

    def waiting(self, origin: Origin) -> str:
        """Airflow's REST address that says whether a task waits for a person."""
        return (
            f"{self.airflow}/api/v2/dags/{_quoted(origin.dag_id)}/dagRuns/{_quoted(origin.run_id)}"
            f"/taskInstances/{_quoted(origin.task_id)}/{origin.map_index}/hitlDetails"
        )

    def _page(self, path: str, query: Mapping[str, str | int | None]) -> str:
        given = {name: str(value) for name, value in query.items() if value not in (None, "")}
        return self.base + path + (f"?{urlencode(given)}" if given else "")


def _quoted(name: str) -> str:
    return quote(name, safe="")
