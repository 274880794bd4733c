"""What Airflow reads to register this distribution as a provider; imported by every Airflow process, so: plain data."""

from __future__ import annotations

from typing import Any

_INTEGRATION = "Data quality"

FIELD_BEHAVIOUR: dict[str, Any] = {
    "hidden-fields": ["extra"],
    "relabeling": {"schema": "Database"},
    "placeholders": {"host": "localhost", "port": "5432", "schema": "airflow_dq", "login": "airflow_dq"},
}
"""The connection form of type ``dq``; :class:`airflow_dq.hooks.dq.DQHook` answers with the same."""


def _modules(*names: str) -> list[dict[str, Any]]:
    return [{"integration-name": _INTEGRATION, "python-modules": list(names)}]


def get_provider_info() -> dict[str, Any]:
    """The provider's description, in the schema of ``airflow/provider_info.schema.json``."""
    return {
        "package-name": "airflow-provider-dq",
        "name": "Data quality",
        "description": "Learns data-quality constraints for recurring tables from their history and gates the DAG.",
        "integrations": [{"integration-name": _INTEGRATION, "tags": ["software"]}],
        "hooks": _modules("airflow_dq.hooks.dq", "airflow_dq.hooks.spark"),
        "operators": _modules(
            "airflow_dq.operators.profile", "airflow_dq.operators.guard", "airflow_dq.operators.drill"
        ),
        "sensors": _modules("airflow_dq.sensors.gate"),
        "triggers": _modules("airflow_dq.triggers.profile", "airflow_dq.triggers.driver"),
        "extra-links": ["airflow_dq.links.alert.DQAlertLink"],
        "notifications": ["airflow_dq.notifications.alert.DQAlertNotifier"],
        "cli": ["airflow_dq.cli.definition.get_dq_cli_commands"],
        "plugins": [{"name": "airflow_dq_alerts", "plugin-class": "airflow_dq.plugins.alerts.DQAlertsPlugin"}],
        "connection-types": [_connection_type()],
    }


def _connection_type() -> dict[str, Any]:
    return {
        "connection-type": "dq",
        "hook-class-name": "airflow_dq.hooks.dq.DQHook",
        "hook-name": "Data quality statistics (PostgreSQL)",
        "ui-field-behaviour": FIELD_BEHAVIOUR,
        "conn-fields": {
            "sslmode": {
                "label": "SSL mode",
                "description": "libpq's sslmode: disable, allow, prefer, require, verify-ca or verify-full",
                "schema": {"type": ["string", "null"]},
            },
            "sslrootcert": {
                "label": "SSL root certificate",
                "description": "Path, on the machines that connect, of the certificate authority's file",
                "schema": {"type": ["string", "null"]},
            },
        },
    }
