"""What a gate holds up, as Airflow knows it: the tasks behind it, their assets, and who answers for them."""

from __future__ import annotations

import logging
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from airflow_dq.report.pages.drill import DrillTask, Stage
from airflow_dq.report.pages.problem import Impact
from airflow_dq.store.review_model import NO_MAP_INDEX, Origin

log = logging.getLogger(__name__)
_RAN = ("success", "running", "queued", "failed")
"""States of a task that was not held up."""
_PROFILE = "DQProfileOperator"
"""What Airflow knows a profile's task by: it does not import the DAG's own classes."""
_DRILL = "DQDrillOperator"
_WAITING = (None, "scheduled")
"""States of a task whose turn has not come."""
_ENDED = ("success", "failed", "skipped", "upstream_failed", "removed")


def impact_of(origin: Origin, session: Session) -> Impact | None:
    """What the gate of a run holds up; None when Airflow does not know the DAG, or no longer this task of it."""
    task = _task(origin, session)
    if task is None:
        return None
    # A teardown, such as the drill, runs whatever has become of the gate.
    behind = sorted(one.task_id for one in task.get_flat_relatives(upstream=False) if not one.is_teardown)
    states = _states(origin, behind, session)
    ran = {task_id for task_id, state in states.items() if state in _RAN}
    assets = {asset.name for one in (task, *task.get_flat_relatives(upstream=False)) for asset in _assets(one)}
    held = [task_id for task_id in behind if task_id not in ran]
    return Impact(held, [task_id for task_id in behind if task_id in ran], sorted(assets) if held else (), task.owner)


def _task(origin: Origin, session: Session) -> Any:
    """The gate as Airflow knows it; None where it does not."""
    from airflow.models.serialized_dag import SerializedDagModel

    try:
        found = SerializedDagModel.get(origin.dag_id, session=session)
        return None if found is None or not found.dag.has_task(origin.task_id) else found.dag.get_task(origin.task_id)
    except Exception:
        # What the page is about is known without it; a DAG that cannot be read is Airflow's own trouble.
        log.exception("What stands around the gate of DAG %r is not known.", origin.dag_id)
        return None


def profiles_of(origin: Origin, session: Session) -> tuple[str, ...]:
    """The tasks before a gate that profile what it judges, by id; none where clearing them would do more than that."""
    if origin.map_index != NO_MAP_INDEX:
        # A mapped task's id means all of its instances.
        return ()
    task = _task(origin, session)
    before = () if task is None else task.get_flat_relatives(upstream=True)
    found = [one for one in before if one.task_type == _PROFILE and not getattr(one, "is_mapped", False)]
    return tuple(sorted(one.task_id for one in found))


def drills_of(origin: Origin, session: Session) -> tuple[DrillTask, ...]:
    """The tasks behind a gate that look into the partition that it judges; none of a mapped gate, as of its profile."""
    task = None if origin.map_index != NO_MAP_INDEX else _task(origin, session)
    if task is None:
        return ()
    behind = [one for one in task.get_flat_relatives(upstream=False) if one.task_type == _DRILL]
    same = [one.task_id for one in behind if not getattr(one, "is_mapped", False) and _same(one, task)]
    states = _states(origin, same, session)
    return tuple(DrillTask(task_id, _stage(states.get(task_id))) for task_id in sorted(same))


def _same(one: Any, other: Any) -> bool:
    """Whether two tasks are about one dataset: both names are templates, and of one text they render to one."""
    return bool(getattr(one, "dataset", None) == getattr(other, "dataset", None))


def _stage(state: str | None) -> Stage:
    if state in _WAITING:
        return Stage.WAITS
    return Stage.ENDED if state in _ENDED else Stage.RUNS


def _states(origin: Origin, task_ids: list[str], session: Session) -> dict[str, str | None]:
    """The state of each task that the run has."""
    from airflow.models.taskinstance import TaskInstance

    query = select(TaskInstance.task_id, TaskInstance.state).where(
        TaskInstance.dag_id == origin.dag_id,
        TaskInstance.run_id == origin.run_id,
        TaskInstance.task_id.in_(task_ids),
    )
    return {row.task_id: row.state for row in session.execute(query)}


def _assets(task: Any) -> list[Any]:
    return [asset for asset in getattr(task, "outlets", None) or () if getattr(asset, "name", None)]
