"""What a DAG's author uses is documented argument by argument, and its template fields exist."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest

from airflow_dq.hooks.dq import DQHook
from airflow_dq.hooks.spark import ProfileSubmitHook
from airflow_dq.notifications.alert import DQAlertNotifier
from airflow_dq.operators.check import DQCheckOperator
from airflow_dq.operators.drill import DQDrillOperator
from airflow_dq.operators.guard import dq_guard, dq_guard_many
from airflow_dq.operators.profile import DQProfileOperator
from airflow_dq.operators.split import DQSplitOperator
from airflow_dq.sensors.gate import DQGateSensor
from airflow_dq.triggers.driver import DriverTrigger
from airflow_dq.triggers.profile import ProfileTrigger

CLASSES: tuple[type[Any], ...] = (
    DQHook,
    ProfileSubmitHook,
    DQProfileOperator,
    DQCheckOperator,
    DQSplitOperator,
    DQDrillOperator,
    DQGateSensor,
    ProfileTrigger,
    DriverTrigger,
    DQAlertNotifier,
)
TASKS = (
    DQProfileOperator(task_id="profile", dataset="flights", source="a", partition="1"),
    DQGateSensor(task_id="gate", dataset="flights", partition="1"),
    DQDrillOperator(task_id="drill", dataset="flights", partition="1"),
)


@pytest.mark.parametrize("documented", CLASSES, ids=lambda one: one.__name__)
def test_every_argument_is_documented_and_nothing_else(documented: type[Any]) -> None:
    named = [
        name
        for name, parameter in inspect.signature(documented.__init__).parameters.items()
        if name != "self" and parameter.kind is not inspect.Parameter.VAR_KEYWORD
    ]
    written = re.findall(r":param (\w+):", inspect.getdoc(documented) or "")
    assert [name for name in written if name != "options" or name in named] == named


@pytest.mark.parametrize("guard", [dq_guard, dq_guard_many])
def test_every_argument_of_a_guard_is_documented(guard: Any) -> None:
    written = re.findall(r":param (\w+):", inspect.getdoc(guard) or "")
    assert written == list(inspect.signature(guard).parameters)


@pytest.mark.parametrize("task", TASKS, ids=lambda one: type(one).__name__)
def test_template_fields_are_attributes_and_marked_as_templated(task: Any) -> None:
    own = [field for field in task.template_fields if field in inspect.signature(type(task).__init__).parameters]
    assert {"dataset", "partition"} <= set(own)
    for field in task.template_fields:
        assert hasattr(task, field)
    for field in own:
        text = re.search(rf":param {field}: (.*?)(?=:param|\Z)", inspect.getdoc(type(task)) or "", re.DOTALL)
        assert text is not None
        assert "(templated)" in text[1], field


@pytest.mark.parametrize("task", TASKS, ids=lambda one: type(one).__name__)
def test_everything_is_keyword_only(task: Any) -> None:
    kinds = {p.kind for name, p in inspect.signature(type(task).__init__).parameters.items() if name != "self"}
    assert kinds == {inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD}


def test_the_provider_info_is_valid_and_names_what_exists() -> None:
    from importlib import import_module

    from airflow.providers_manager import ProvidersManager

    manager = ProvidersManager()
    manager._provider_schema_validator.validate(_info())
    assert manager.providers["airflow-provider-dq"].data["package-name"] == "airflow-provider-dq"
    for kind in ("hooks", "operators", "sensors", "triggers"):
        for name in _info()[kind][0]["python-modules"]:
            import_module(name)
    for path in _info()["notifications"]:
        module, _, name = path.rpartition(".")
        assert hasattr(import_module(module), name)


def test_the_plugin_loads() -> None:
    from airflow import plugins_manager

    plugins_manager.ensure_plugins_loaded()
    info = {plugin["name"]: plugin for plugin in plugins_manager.get_plugin_info()}
    assert "airflow_dq_alerts" in info
    assert "airflow-provider-dq" in str(info["airflow_dq_alerts"]["source"])


def _info() -> dict[str, Any]:
    from airflow_dq.get_provider_info import get_provider_info

    return get_provider_info()
