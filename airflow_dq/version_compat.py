"""The Airflow names this package uses whose home or form differs between the supported versions (3.1 and later).

Everything else is imported from ``airflow.sdk``, which is the same in all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

try:
    from airflow.sdk.configuration import conf
    from airflow.sdk.exceptions import (
        AirflowException,
        AirflowFailException,
        AirflowNotFoundException,
        AirflowSensorTimeout,
        AirflowSkipException,
        TaskDeferred,
    )
except ImportError:  # Airflow 3.1 keeps them in the core
    from airflow.configuration import conf
    from airflow.exceptions import (  # type: ignore[no-redef, attr-defined]
        AirflowException,
        AirflowFailException,
        AirflowNotFoundException,
        AirflowSensorTimeout,
        AirflowSkipException,
        TaskDeferred,
    )

try:
    from airflow.sdk.exceptions import TaskAwaitingInput
except ImportError:  # Airflow 3.1 and 3.2 defer a task that waits for a person
    TaskAwaitingInput = None  # type: ignore[assignment, misc]

try:
    from airflow.sdk.observability.stats import Stats
except ImportError:  # Airflow 3.1 keeps it in the core
    from airflow.stats import Stats

__all__ = [
    "AirflowException",
    "AirflowFailException",
    "AirflowNotFoundException",
    "AirflowSensorTimeout",
    "AirflowSkipException",
    "Stats",
    "TaskAwaitingInput",
    "TaskDeferred",
    "conf",
    "taken_by",
]


def taken_by(function: Callable[..., Any], **given: Any) -> dict[str, Any]:
    """Of some arguments those that a function of Airflow takes in this version: before 3.3 none asked who clears."""
    return {name: value for name, value in given.items() if name in signature(function).parameters}
