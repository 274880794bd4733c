"""The Airflow plugin of this package: the pages on which a person reviews alerts, and where Airflow shows them."""

from __future__ import annotations

from typing import Any

from airflow.plugins_manager import AirflowPlugin

from airflow_dq.plugins.lazy import LazyApp
from airflow_dq.settings import REVIEW_PATH

# Without a slash at its beginning an address is relative to Airflow's own base path.
_BASE = REVIEW_PATH.removeprefix("/")
_TASK = f"{_BASE}/dags/{{DAG_ID}}/task?run_id={{RUN_ID}}&task_id={{TASK_ID}}&map_index={{MAP_INDEX}}"
_ICON = f"{_BASE}/static/icon.svg"


def _view(destination: str, href: str, route: str) -> dict[str, str]:
    icons = {"icon": _ICON, "icon_dark_mode": f"{_ICON}?dark=1"}
    return {"name": "Data quality", "href": href, "destination": destination, "url_route": route, **icons}


_APPS: list[Any] = [{"app": LazyApp(), "url_prefix": REVIEW_PATH, "name": "Data quality"}]
_VIEWS: list[Any] = [
    # Beside Airflow's own entries; a version that knows no such place puts it into its menu "Browse".
    {**_view("nav", f"{_BASE}/", "data-quality"), "nav_top_level": True, "category": "browse"},
    _view("dag", f"{_BASE}/dags/{{DAG_ID}}", "data-quality-dag"),
    _view("task_instance", _TASK, "data-quality-task"),
]


class DQAlertsPlugin(AirflowPlugin):
    """Registers the review pages with the Airflow user interface.

    The name differs from the plugin ``dq`` of the PyPI distribution ``airflow-dq``, whose import name is ours too.
    """

    name = "airflow_dq_alerts"
    fastapi_apps = _APPS
    external_views = _VIEWS
