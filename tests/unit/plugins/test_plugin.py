from __future__ import annotations

import subprocess
import sys

from airflow_dq.plugins.alerts import DQAlertsPlugin
from airflow_dq.plugins.lazy import LazyApp
from airflow_dq.settings import REVIEW_PATH


def test_importing_the_plugin_loads_neither_fastapi_nor_the_pages():
    code = (
        "import sys, airflow.plugins_manager; before = set(sys.modules); import airflow_dq.plugins.alerts; "
        "print(sorted(name for name in set(sys.modules) - before if not name.startswith('airflow_dq.plugins')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] in ("['airflow_dq', 'airflow_dq.settings']", "['airflow_dq.settings']")


def test_views_are_relative_to_airflows_base_path():
    assert {view["destination"] for view in DQAlertsPlugin.external_views} == {"nav", "dag", "task_instance"}
    for view in DQAlertsPlugin.external_views:
        assert view["href"].startswith(REVIEW_PATH.removeprefix("/"))
    routes = [view["url_route"] for view in DQAlertsPlugin.external_views]
    assert len(set(routes)) == 3


def test_the_application_is_built_once():
    lazy = LazyApp()
    assert lazy.app is lazy.app
