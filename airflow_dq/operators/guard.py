"""Profile and gate in one line."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from airflow.sdk import TaskGroup

from airflow_dq.check.builder import Checks
from airflow_dq.check.file import checks_of
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.hooks.dq import DQHook
from airflow_dq.operators.drill import DQDrillOperator
from airflow_dq.operators.fleet import BEGAN
from airflow_dq.operators.order import require_fleet
from airflow_dq.operators.profile import DQProfileOperator
from airflow_dq.sensors.gate import DQGateSensor

_NOT_RUN = "nothing, for the task of the profiles did not run"
_AT_ONCE = timedelta(minutes=5)
"""How long a gate looks for an attempt that is there by now: a database may be away that long, and is no more waited
for where the job has ended before it came to a dataset whose key only the data tells."""
PARTITION = "{{ partition_key | default(none) or ds }}"
"""The run's own partition: the key of a partitioned timetable, else the logical date."""


def dq_guard(
    *,
    dataset: str,
    partition: str = PARTITION,
    group_id: str | None = None,
    dq_conn_id: str = DQHook.default_conn_name,
    checks: Checks | str | Path | None = None,
    gate: Mapping[str, Any] | None = None,
    drill: bool | Mapping[str, Any] = False,
    default_args: dict[str, Any] | None = None,
    **profile: Any,
) -> TaskGroup:
    """A task group of ``profile`` (a ``DQProfileOperator``), ``gate`` (a ``DQGateSensor``), and on demand ``drill``.

    ::

        write >> dq_guard(dataset="flights", source="lake/day={{ ds }}", partition="{{ ds }}") >> publish

    :param dataset: name under which the profiles are stored (templated)
    :param partition: key of the partition to gate (templated); it is the one that is profiled, too, unless a pattern
        names the keys
    :param group_id: id of the group; by default made of the dataset's name
    :param dq_conn_id: connection to the statistics database, of both tasks (templated)
    :param checks: declared checks, of both tasks: ``Checks``, or the path of a file ``orders.dq.yml``
    :param gate: more arguments of the gate, such as ``{"on_violation": "warn", "deferrable": True}``
    :param drill: True: when the gate found something, ``drill`` (a ``DQDrillOperator``) looks for the slices of rows
        that are concerned.  It is a teardown: nothing behind the group waits for it, and the run ends as the gate has
        left it.  A mapping has more arguments for it, such as ``{"rows": 5}``; the engine, Spark's arguments and the
        connections are the profile's
    :param default_args: arguments of all tasks, such as ``{"retries": 2}``
    :param profile: all other arguments are the profile's: ``source``, ``table``, ``engine``, ``conf`` ...
    :return: the group, to be chained like a task
    """
    keyed = {} if "*" in str(profile.get("source") or "") else {"partition": partition}
    name = group_id or f"dq_{_plain(dataset)}"
    common = {"dataset": dataset, "dq_conn_id": dq_conn_id, "checks": checks_of(checks)}
    shared: Any = default_args or {}  # the converter of TaskGroup's field hides its type
    if drill and profile.get("store_values") is False:
        raise ConfigurationError(
            f"Dataset {dataset!r}: drill shows values, and store_values=False says that none may be; leave out drill."
        )
    elsewhere = [name for name in ("submit", "result") if profile.get(name) is not None]
    if drill and elsewhere:
        raise ConfigurationError(
            f"Dataset {dataset!r}: drill needs spark-submit and the database, which {' and '.join(elsewhere)} "
            "of the profile do not; leave out drill."
        )
    with TaskGroup(name, default_args=shared, tooltip=f"Data quality of {dataset}") as group:
        profiled = DQProfileOperator(**{"task_id": "profile", **common, **keyed, **profile})
        gated = DQGateSensor(**{"task_id": "gate", "partition": partition, **common, **(gate or {})})
        profiled >> gated
        if drill is not False:
            gated >> _drill(profiled, partition, {} if drill is True else drill).as_teardown()
    return group


def dq_guard_many(
    *,
    datasets: Sequence[Mapping[str, Any]],
    partition: str = PARTITION,
    group_id: str = "dq",
    dq_conn_id: str = DQHook.default_conn_name,
    gate: Mapping[str, Any] | None = None,
    default_args: dict[str, Any] | None = None,
    **profile: Any,
) -> TaskGroup:
    """A task group of one ``profile`` (a ``DQProfileOperator`` of many datasets) and a gate behind it for each of them.

    ::

        guard = dq_guard_many(datasets=[{"dataset": t, "source": f"lake/{t}/day={{{{ ds }}}}"} for t in TABLES])
        write >> guard
        guard.get_child_by_label("gate_orders") >> publish_orders

    A gate runs once the profile's task has ended, well or not, and judges what this run of it has profiled: a dataset
    that failed holds up its own gate alone.  Where that task did not run, its gates fail at once.

    :param datasets: as of ``DQProfileOperator``; those with declared ``checks`` are judged by them, too
    :param partition: key of the partition to gate, unless a dataset has its own; and to profile, unless a pattern names
        the keys (templated)
    :param group_id: id of the group; the gates are called ``gate_<dataset>`` in it
    :param dq_conn_id: connection to the statistics database, of all tasks (templated)
    :param gate: more arguments of the gates, such as ``{"on_violation": "warn"}``
    :param default_args: arguments of all tasks, such as ``{"retries": 2}``
    :param profile: all other arguments are the profile's: ``engine``, ``conf``, ``deferrable`` ...
    :return: the group
    :raises ConfigurationError: when two gates would have one name
    """
    require_fleet(datasets)
    names = [f"gate_{_plain(str(one['dataset']))}" for one in datasets]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ConfigurationError(f"The names of several datasets make the id {', '.join(twice)}: rename one of them.")
    shared: Any = default_args or {}  # as above
    with TaskGroup(group_id, default_args=shared, tooltip=f"Data quality of {len(datasets)} datasets") as group:
        common = {"partition": partition, "dq_conn_id": dq_conn_id}
        profiled = DQProfileOperator(**{"task_id": "profile", "datasets": datasets, **common, **profile})
        began = f"{{{{ ti.xcom_pull(task_ids='{profiled.task_id}', key='{BEGAN}') or '{_NOT_RUN}' }}}}"
        behind = {"trigger_rule": "all_done", "newer_than": began, "timeout": _AT_ONCE}
        for name, one in zip(names, datasets, strict=True):
            own = {"dataset": one["dataset"], "checks": checks_of(one.get("checks"))}
            keyed = {"partition": one["partition"]} if one.get("partition") else {}
            profiled >> DQGateSensor(**{"task_id": name, **common, **behind, **own, **keyed, **(gate or {})})
    return group


def _drill(profile: DQProfileOperator, partition: str, more: Mapping[str, Any]) -> DQDrillOperator:
    """The task that looks for slices, read as the profile reads."""
    spark = profile.spark_arguments() | {"conn_id": profile.conn_id, "name": "airflow-dq-drill"}
    shared = {name: getattr(profile, name) for name in _SHARED}
    arguments = {"task_id": "drill", "partition": partition, "on_alarm": True, **spark, **shared, **more}
    return DQDrillOperator(**arguments)


def _plain(name: str) -> str:
    """A dataset's name as a part of an id."""
    return re.sub(r"[^A-Za-z0-9_-]+", "_", name)


_SHARED = ("dataset", "dq_conn_id", "engine", "master", "dsn_on_cluster", "source_conn_id")
"""Arguments of the profile's task that are the drill's too."""
