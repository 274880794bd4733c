"""``dag.test()`` of a DAG whose gate parks, and twenty people who decide about it on the alert's page at one moment.

Called with the DAG file and a file for the results.
"""

from __future__ import annotations

import json
import runpy
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from airflow_scenario import outcome

PEOPLE = 20
ANSWERS = ("accepted", "rejected", "new_normal")


def main() -> None:
    """Run, decide, and write what became of the task and what each person was told."""
    from airflow.sdk import DAG
    from airflow.sdk.configuration import conf
    from airflow.utils.db import initdb

    file, result = sys.argv[1:]
    conf.set("core", "simple_auth_manager_users", ",".join(f"person{number}:user" for number in range(PEOPLE)))
    initdb()
    (dag,) = (value for value in runpy.run_path(file).values() if isinstance(value, DAG))
    # Everything is imported before there are two threads: Airflow's modules import each other in circles.
    from airflow.api_fastapi.app import create_app
    from fastapi.testclient import TestClient

    told: list[tuple[int, str]] = []
    with TestClient(create_app(apps="core"), base_url="http://airflow.example", follow_redirects=False) as client:
        over = threading.Event()
        crowd = threading.Thread(target=decide_all, args=(client, dag.dag_id, told, over))
        crowd.start()
        try:
            found = outcome(dag.test())
        finally:
            over.set()
            crowd.join()
    with open(result, "w", encoding="utf-8") as output:
        json.dump({**found, "told": told, "responded": responded()}, output, default=str)


def responded() -> list[Any]:
    """Who has answered, as Airflow has it."""
    from airflow.models.hitl import HITLDetail
    from airflow.utils.session import create_session

    with create_session() as session:
        return [detail.responded_by["name"] for detail in session.query(HITLDetail)]


def decide_all(client: Any, dag_id: str, told: list[tuple[int, str]], over: threading.Event) -> None:
    """Wait until the gate is parked, then let everybody decide at once; a run that is over asks nobody."""
    alert = parked_alert(dag_id, over)
    if alert is None:
        return
    meet = threading.Barrier(PEOPLE)

    def decide(number: int) -> tuple[int, str]:
        headers = {**logged_in(f"person{number}"), "sec-fetch-site": "same-origin"}
        form = {"decision": ANSWERS[number % len(ANSWERS)]}
        meet.wait()
        while True:
            answer = client.post(f"/dq-alerts/dags/{dag_id}/alerts/{alert}/decision", data=form, headers=headers)
            if answer.status_code != 503:
                return answer.status_code, answer.headers.get("location", answer.text)
            time.sleep(2)  # "All threads for these pages are busy. Try again in a moment."

    with ThreadPoolExecutor(PEOPLE) as pool:
        told += pool.map(decide, range(PEOPLE))


def parked_alert(dag_id: str, over: threading.Event) -> int | None:
    """The alert that the waiting gate asks about, once it waits."""
    from airflow.models.taskinstance import TaskInstance
    from airflow.models.xcom import XComModel
    from airflow.utils.session import create_session

    looks = 0
    while looks < 3:  # dag.test() may still be writing down that the task is parked
        if over.wait(0.5):
            return None
        with create_session() as session:
            looks += session.query(TaskInstance).filter_by(dag_id=dag_id, state="awaiting_input").count()
            link = session.query(XComModel).filter_by(dag_id=dag_id, key="_link_DQAlertLink").first()
    return int(XComModel.deserialize_value(link).rpartition("/")[2])


def logged_in(name: str) -> dict[str, str]:
    """The cookie of a user who has logged in."""
    from airflow.api_fastapi.app import get_auth_manager
    from airflow.api_fastapi.auth.managers.simple.user import SimpleAuthManagerUser

    return {"cookie": f"_token={get_auth_manager().generate_jwt(SimpleAuthManagerUser(username=name, role='USER'))}"}


if __name__ == "__main__":
    main()
