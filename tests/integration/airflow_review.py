"""``dag.test()`` of a DAG whose gates park, and a person in another thread who answers each as its task's name says.

Called with the DAG file and a file for the results.
"""

from __future__ import annotations

import json
import runpy
import sys
import threading
from collections import Counter
from typing import Any

from airflow_scenario import outcome

READ = 3
"""Looks at a question, half a second apart, until it is answered."""
ANSWERS = {
    "accept": "Accept and go on",
    "reject": "Reject: stay blocked",
    "normal": "New normal",
    "elsewhere": "Accept and go on",
}


def main() -> None:
    """Run, answer, and write what became of the tasks and what they had asked."""
    from airflow.sdk import DAG

    file, result = sys.argv[1:]
    # Everything is imported before there are two threads: Airflow's modules import each other in circles.
    (dag,) = (value for value in runpy.run_path(file).values() if isinstance(value, DAG))
    import airflow.api_fastapi.core_api.routes.public.hitl  # noqa: F401

    asked: dict[str, Any] = {}
    done = threading.Event()
    person = threading.Thread(target=answer_all, args=(asked, done))
    person.start()
    try:
        found = outcome(dag.test())
    finally:
        done.set()
        person.join()
    with open(result, "w", encoding="utf-8") as output:
        json.dump({**found, "asked": asked, "links": links(dag.dag_id)}, output, default=str)


def links(dag_id: str) -> dict[str, Any]:
    """Where each task's extra link leads."""
    from airflow.models.xcom import XComModel
    from airflow.utils.session import create_session

    with create_session() as session:
        pushed = session.query(XComModel).filter_by(dag_id=dag_id, key="_link_DQAlertLink")
        return {one.task_id: XComModel.deserialize_value(one) for one in pushed}


def answer_all(asked: dict[str, Any], done: threading.Event) -> None:
    """Answer every question once, until the run is over."""
    from airflow.models.hitl import HITLDetail
    from airflow.models.taskinstance import TaskInstance
    from airflow.utils.session import create_session

    looks: Counter[str] = Counter()
    while not done.wait(0.5):
        with create_session() as session:
            parked = session.query(TaskInstance, HITLDetail).join(HITLDetail, HITLDetail.ti_id == TaskInstance.id)
            for ti, detail in parked.filter(TaskInstance.state == "awaiting_input", HITLDetail.responded_at.is_(None)):
                looks[ti.task_id] += 1
                # Nobody reads so fast: dag.test() may still be writing down that the task is parked.
                if looks[ti.task_id] < READ:
                    continue
                asked[ti.task_id] = {"subject": detail.subject, "body": detail.body, "answered": answer(ti, session)}


def answer(ti: Any, session: Any) -> list[bool]:
    """Answer it twice: only the first time does."""
    from airflow.api_fastapi.auth.managers.simple.user import SimpleAuthManagerUser

    from airflow_dq.hooks.dq import DQHook
    from airflow_dq.hooks.required_action import answer_parked
    from airflow_dq.store.review_model import Origin

    kind = ti.task_id.rpartition("_")[2]
    if kind == "elsewhere":
        with DQHook().get_store() as store:
            store.decide("review_elsewhere", "2026-01-15", "rejected", "bob", "on the command line")
    user = SimpleAuthManagerUser(username="ann", role="admin")
    origin = Origin(ti.dag_id, ti.run_id, ti.task_id, ti.map_index)
    return [answer_parked(origin, ANSWERS[kind], "seen it", user, session) for _ in range(2)]


if __name__ == "__main__":
    main()
