"""Requests that no page of ours sends, and a database that does not answer: refused, in words, and quickly."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from httpx import ASGITransport, AsyncClient

from airflow_dq.plugins.web import context, route
from airflow_dq.store import Repository
from tests.integration.test_ui import (
    DAG,
    DATASET,
    SAME,
    address,
    airflow_app,
    airflow_database,
    ann,
    broken,
    client,
)
from tests.silent_server import silent_server

__all__ = ["airflow_app", "airflow_database", "ann", "broken", "client"]

DIGITS = "9" * 5000
DEEP = "[" * 10_000
ODD = ["a\x00b", DIGITS, "-1", "9999-12-31", "0001-01-01", "٣", "\ud83d", DEEP]
QUERIES = {
    "/alerts": ("dataset", "state", "severity", "since", "until", "before", "limit"),
    f"/dags/{DAG}/alerts": ("dataset", "since", "until", "before", "limit"),
    "/": ("q", "show"),
    f"/dags/{DAG}": ("q", "show"),
    "/dataset": ("name",),
    f"/dags/{DAG}/partition": ("dataset", "partition"),
    f"/dags/{DAG}/task": ("run_id", "task_id", "map_index"),
    f"/dags/{DAG}/alerts/1": ("done",),
}
FORMS = {
    "decision": {"decision": "accepted", "comment": "x", "revise": "false", "fingerprint": "x"},
    "snooze": {"scope": '["price", "mean"]', "days": "7", "comment": "x"},
    "snooze/end": {"snooze_id": "1"},
}


def encoded(value: str) -> str:
    return quote(value.encode("utf-8", "surrogatepass"))


def test_no_value_in_an_address_is_a_fault(client: Any, ann: dict[str, str], broken: int) -> None:
    for path, names in QUERIES.items():
        for name in names:
            for value in ODD:
                given = "&".join(f"{one}={encoded(value) if one == name else '1'}" for one in names)
                answer = client.get(f"/dq-alerts{path}?{given}", headers=ann)
                assert answer.status_code in (200, 404, 422), (path, name, value[:20], answer.text)
                if "\x00" in value or (value, name) in ((DIGITS, "map_index"), ("9999-12-31", "until")):
                    assert answer.status_code == 422, (path, name, value[:20])
    for value in ODD:
        answer = client.get(f"/dq-alerts/dags/{encoded(value)}/alerts/{encoded(value)}", headers=ann)
        assert answer.status_code in (403, 404, 405, 422), (value[:20], answer.status_code)


def test_no_value_in_a_form_is_a_fault(client: Any, store: Repository, ann: dict[str, str], broken: int) -> None:
    scopes = [
        '["\\u0000", null]',
        '["\\ud800", "mean"]',
        '["price", "\\u0000"]',
        DEEP,
        json.dumps([DIGITS[:3000], None]),
    ]
    for action, form in FORMS.items():
        for name in form:
            if (action, name) == ("decision", "comment"):
                continue  # any text may be a comment; it would decide
            for value in [*ODD, *(scopes if name == "scope" else [])]:
                body = "&".join(f"{one}={encoded(value if one == name else form[one])}" for one in form)
                kind = {"content-type": "application/x-www-form-urlencoded"}
                answer = client.post(address(broken, f"/{action}"), content=body, headers={**ann, **SAME, **kind})
                assert answer.status_code in (303, 404, 409, 422), (action, name, value[:20], answer.status_code)
                if name == "scope" and value in scopes[:4]:
                    assert answer.status_code == 422, value[:20]


@pytest.mark.parametrize(
    ("known", "length", "status"), [(False, None, 401), (False, 10**11, 401), (True, None, 411), (True, 10**11, 413)]
)
def test_a_body_is_read_only_when_it_is_known_whose_it_is(
    airflow_app: Any, client: Any, ann: dict[str, str], broken: int, known: bool, length: int | None, status: int
) -> None:
    given = {**SAME, "host": "airflow.example", "content-type": "application/x-www-form-urlencoded"}
    given |= ann if known else {}
    given |= {} if length is None else {"content-length": str(length)}
    path = address(broken, "/decision")
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "scheme": "http",
        "path": path, "raw_path": path.encode(), "query_string": b"", "root_path": "",
        "headers": [(name.encode(), value.encode()) for name, value in given.items()],
        "client": ("127.0.0.1", 1), "server": ("airflow.example", 80), "state": {},
    }  # fmt: skip
    answers = []

    async def receive() -> dict[str, Any]:
        raise AssertionError("the body is read")

    async def send(message: dict[str, Any]) -> None:
        answers.append(message)

    asyncio.run(airflow_app(scope, receive, send))
    assert answers[0]["status"] == status


async def _asked(app: Any, paths: list[str], headers: dict[str, str]) -> list[tuple[int, float, str]]:
    """Status, seconds and text of each answer to requests that are made at once."""
    async with AsyncClient(transport=ASGITransport(app), base_url="http://airflow.example") as asking:

        async def one(path: str) -> tuple[int, float, str]:
            started = time.monotonic()
            answer = await asking.get(path, headers=headers)
            return answer.status_code, time.monotonic() - started, answer.text

        return list(await asyncio.gather(*map(one, paths)))


@pytest.mark.parametrize("lets_in", [False, True])
def test_a_database_that_never_answers_stops_nobody_else(
    airflow_app: Any, client: Any, ann: dict[str, str], monkeypatch: pytest.MonkeyPatch, lets_in: bool
) -> None:
    with silent_server(lets_in=lets_in) as port:
        monkeypatch.setenv("AIRFLOW_DQ_DSN", f"postgresql://u:hunter2@127.0.0.1:{port}/none")
        pages, core = ["/dq-alerts/", f"/dq-alerts/dags/{DAG}"] * 30, ["/api/v2/dags?limit=1"] * 3
        answers = asyncio.run(_asked(airflow_app, [*pages, *core], ann))
        assert [status for status, _, _ in answers[60:]] == [200] * 3
        assert {status for status, _, _ in answers[:60]} == {503}
        # Two seconds for the database and what else there is to do: one after the other they would take minutes.
        assert max(seconds for _, seconds, _ in answers) < 25
        assert not any("hunter2" in text for _, _, text in answers)
        # The failure is remembered: nobody waits for it again for some seconds.
        started = time.monotonic()
        again = client.get("/dq-alerts/", headers=ann)
        assert again.status_code == 503
        assert again.headers["retry-after"] == f"{context.FAILURE_SECONDS:g}"
        assert time.monotonic() - started < 2


def test_a_failure_is_forgotten(
    client: Any, ann: dict[str, str], broken: int, clean_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert DATASET in client.get("/dq-alerts/", headers=ann).text
    from airflow_dq.exceptions import StoreUnreachableError

    def fail(*_given: Any, **_options: Any) -> None:
        raise StoreUnreachableError("away for a moment")

    with monkeypatch.context() as changed:
        changed.setattr(Repository, "overview", fail)
        assert client.get("/dq-alerts/", headers=ann).status_code == 503
    assert "away for a moment" in client.get("/dq-alerts/", headers=ann).text
    monkeypatch.setattr(context._database(clean_dsn), "_failure", None)
    assert DATASET in client.get("/dq-alerts/", headers=ann).text


def test_every_page_is_made_by_the_pages_own_threads() -> None:
    from inspect import iscoroutinefunction

    from fastapi.routing import APIRoute

    from airflow_dq.plugins.web.app import build_app

    def calls(dependant: Any) -> Iterator[Any]:
        for one in dependant.dependencies:
            yield one.call
            yield from calls(one)

    for each in build_app().routes:
        if isinstance(each, APIRoute) and context.store in calls(each.dependant):
            assert isinstance(each, route.PageRoute), each.path
            assert iscoroutinefunction(each.endpoint), each.path
    assert iscoroutinefunction(context.store)
