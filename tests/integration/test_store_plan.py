"""Every query of the repository finds its rows by an index."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import event, inspect, text

from airflow_dq.explain.alert import Alert
from airflow_dq.judge.verdict import ScopeVerdict, Status, Verdict
from airflow_dq.settings import SCHEMA
from airflow_dq.store import Repository
from airflow_dq.store.review_model import AlertFilter, AlertState, Origin
from tests.integration.sample import days

ALERT = Alert("range", "price", "too high.", metric="mean")
VERDICT = Verdict("2024-01-10", Status.FAIL, ScopeVerdict(Status.PASS), {}, alerts=(ALERT,))


@contextmanager
def plans(store: Repository) -> Iterator[list[str]]:
    """Plans of all statements, made without sequential scans wherever there is another way."""
    found: list[str] = []

    def explain(connection: Any, cursor: Any, statement: str, parameters: Any, *rest: Any) -> None:
        if statement.startswith(("SELECT airflow_dq", "SELECT max", "UPDATE", "DELETE")):
            with cursor.connection.cursor() as other:
                other.execute("SET LOCAL enable_seqscan = off")
                other.execute(f"EXPLAIN {statement}", parameters[0] if isinstance(parameters, list) else parameters)
                found.append(statement + "\n" + "\n".join(line for (line,) in other.fetchall()))

    event.listen(store._engine, "before_cursor_execute", explain)
    yield found
    event.remove(store._engine, "before_cursor_execute", explain)


def put_judged(store: Repository) -> None:
    """Ten days, the last of which was judged by a task, and failed."""
    profiles = days(10)
    for profile in profiles:
        assert profile.partition is not None
        store.save_profile(store.begin_attempt("t", profile.partition), "t", profile)
    store.save_verdict("t", profiles[9], None, VERDICT, origin=Origin("flights", "manual__1", "gate"))
    with store._engine.begin() as connection:
        for table in inspect(connection).get_table_names(SCHEMA):
            connection.execute(text(f"ANALYZE {SCHEMA}.{table}"))


def test_main_queries_use_indexes(store: Repository) -> None:
    profiles = days(10)
    for profile in profiles:
        assert profile.partition is not None
        store.save_profile(store.begin_attempt("t", profile.partition), "t", profile)
    with store._engine.begin() as connection:
        for table in inspect(connection).get_table_names(SCHEMA):
            connection.execute(text(f"ANALYZE {SCHEMA}.{table}"))
    verdict = VERDICT
    with plans(store) as found:
        store.attempt_status("t", "2024-01-10")
        store.load_profile("t", "2024-01-10")
        history = store.load_history("t", "2024-01-10", 30)
        store.save_distances("t", history, {(history[1].columns["price"].fingerprint, "x"): {"emd": 1.0}})
        store.save_verdict("t", profiles[9], None, verdict)
        store.save_verdict("t", profiles[9], None, verdict)
        store.load_verdict("t", "2024-01-10")
        store.load_program("t", "2024-01-10")
        store.answered_alarms("t", "2024-01-10")
        store.record("t", "2024-01-10", "digest")
        store.partitions("t", 5)
        store.save_profile(store.begin_attempt("t", "2024-01-10"), "t", days(10, seed=8)[9])
    assert len(found) > 20
    scans = [plan for plan in found if "Seq Scan" in plan]
    assert scans == []


@pytest.mark.parametrize("state", [None, "open", "decided", "closed"])
def test_review_queries_use_indexes(store: Repository, state: AlertState | None) -> None:
    put_judged(store)
    soon = datetime.now(UTC) + timedelta(days=1)
    with plans(store) as found:
        (line,) = store.verdicts(AlertFilter(state="open"))
        store.verdicts(AlertFilter(frozenset({"flights"}), "t", state, "fail", soon.date(), soon.date()), before=9)
        store.verdicts(AlertFilter(frozenset({"flights"}), state=state))
        assert line.first_alert_id is not None
        store.verdict_of_alert(line.first_alert_id)
        store.verdict_of_partition("t", "2024-01-10")
        store.datasets_of(frozenset({"flights"}))
        store.dags_of("t")
        store.partitions("t")
        store.metric_histories("t")
        store.current_program("t")
        store.decision("t", "2024-01-10")
        store.history_start("t", "2024-01-10")
        store.end_snooze(store.snooze("t", until=soon, by="ann").id, "ann")
        store.snoozes("t")
        store.decide("t", "2024-01-10", "new_normal", "ann")
    assert len(found) > 20
    assert [plan for plan in found if "Seq Scan" in plan] == []


def test_every_foreign_key_leads_an_index(store: Repository) -> None:
    with store._engine.begin() as connection:
        inspector = inspect(connection)
        for table in inspector.get_table_names(SCHEMA):
            leading = {index["column_names"][0] for index in inspector.get_indexes(table, SCHEMA)}
            leading.add(inspector.get_pk_constraint(table, SCHEMA)["constrained_columns"][0])
            leading |= {key["column_names"][0] for key in inspector.get_unique_constraints(table, SCHEMA)}
            for foreign in inspector.get_foreign_keys(table, SCHEMA):
                assert foreign["constrained_columns"][0] in leading, f"{table}: {foreign}"
