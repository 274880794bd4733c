"""The link from a gate's task to its alert."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import attrs
from airflow.sdk import BaseOperatorLink

from airflow_dq.version_compat import conf

if TYPE_CHECKING:
    from airflow.sdk import BaseOperator
    from airflow.sdk.types import TaskInstanceKey


@attrs.define()
class DQAlertLink(BaseOperatorLink):
    """Opens the page of the alert that speaks for the partition; empty when the gate has found none."""

    name = "Data quality alert"

    def get_link(self, operator: BaseOperator, *, ti_key: TaskInstanceKey) -> str:
        """The page's path.  Called where the task runs, after it has."""
        alert_id = getattr(operator, "alert_id", None)
        return "" if alert_id is None else alert_path(ti_key.dag_id, alert_id)


def alert_path(dag_id: str, alert_id: int) -> str:
    """Path of an alert's page, as a browser needs it: below the path of ``api.base_url``."""
    from airflow_dq.report.pages.address import Addresses  # needs numpy and jinja2

    base = urlsplit(conf.get("api", "base_url", fallback=None) or "").path.rstrip("/")
    return Addresses(airflow=base).alert(dag_id, alert_id)
