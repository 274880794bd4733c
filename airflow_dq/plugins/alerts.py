"""The Airflow plugin of this package."""

from __future__ import annotations

from airflow.plugins_manager import AirflowPlugin


class DQAlertsPlugin(AirflowPlugin):
    """Registers the package with the Airflow user interface.

    The name differs from the plugin ``dq`` of the PyPI distribution ``airflow-dq``, whose import name is ours too.
    """

    name = "airflow_dq_alerts"
