"""The review pages inside the real Airflow application: who sees what, who may do what, and what it does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from xml.etree.ElementTree import fromstring

import pytest

from airflow_dq.gate.pipeline import judge
from airflow_dq.judge.verdict import Verdict
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.options.rule import LearnedRule
from airflow_dq.plugins.web import access
from airflow_dq.plugins.web.header import HEADERS
from airflow_dq.relation.condition import Order
from airflow_dq.relation.rule import RELATION, RelationRule
from airflow_dq.store import Repository
from airflow_dq.store.review_model import Origin
from tests.integration.sample import days, make_profile

DATASET = "orders"
BROKEN = "2024-01-10"
DAG, OTHER, KNOWN = "ui_orders", "ui_secret", "ui_known"
EVIL = "<script>alert(1)</script>"
OPTIONS = SynthesisOptions(target_fpr=0.01, scope="column", min_history=7)
SAME = {"sec-fetch-site": "same-origin"}


@pytest.fixture(scope="module")
def airflow_database() -> None:
    """Airflow's own tables, and the two DAGs that Airflow knows."""
    from airflow.models.dag import DagModel
    from airflow.models.dagbundle import DagBundleModel
    from airflow.utils.db import initdb
    from airflow.utils.session import create_session

    initdb()
    with create_session() as session:
        session.merge(DagBundleModel(name="ui"))
        session.flush()
        for dag_id in (DAG, OTHER):
            session.merge(DagModel(dag_id=dag_id, bundle_name="ui", fileloc=f"/{dag_id}.py", is_stale=False))


@pytest.fixture(scope="module")
def airflow_app(airflow_database: None) -> Any:
    """The API server with our plugin in it, users viewer, user and admin."""
    from airflow.api_fastapi.app import create_app, purge_cached_app
    from airflow.sdk.configuration import conf

    conf.set("core", "simple_auth_manager_users", "ann:user,vic:viewer,eve:admin")
    purge_cached_app()
    return create_app(apps="core")


@pytest.fixture
def client(airflow_app: Any, clean_dsn: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """An anonymous client; :func:`as_user` makes a request somebody's."""
    from fastapi.testclient import TestClient

    monkeypatch.setenv("AIRFLOW_DQ_DSN", clean_dsn)
    return TestClient(airflow_app, base_url="http://airflow.example", follow_redirects=False)


def as_user(name: str, role: str) -> dict[str, str]:
    """The cookie of a user who has logged in."""
    from airflow.api_fastapi.app import get_auth_manager
    from airflow.api_fastapi.auth.managers.simple.user import SimpleAuthManagerUser

    token = get_auth_manager().generate_jwt(SimpleAuthManagerUser(username=name, role=role))
    return {"cookie": f"_token={token}"}


@pytest.fixture
def ann(client: Any) -> dict[str, str]:
    return as_user("ann", "USER")


@pytest.fixture
def vic(client: Any) -> dict[str, str]:
    return as_user("vic", "VIEWER")


def _fail(store: Repository, dataset: str, dag_id: str | None) -> Verdict:
    """A dataset with a broken partition, judged by a task of the DAG."""
    history = days(9)
    for profile in [*history, make_profile(BROKEN, mean=600.0)]:
        assert profile.partition is not None
        store.save_profile(store.begin_attempt(dataset, profile.partition), dataset, profile)
    origin = None if dag_id is None else Origin(dag_id, "manual__1", "gate", owner="team-a")
    verdict = judge(store, dataset, BROKEN, OPTIONS, origin=origin)
    assert verdict.alerts
    return verdict


@pytest.fixture
def broken(store: Repository) -> int:
    """Id of the first alert of the broken partition."""
    _fail(store, DATASET, DAG)
    detail = store.verdict_of_partition(DATASET, BROKEN)
    assert detail is not None
    assert detail.partition.first_alert_id is not None
    return detail.partition.first_alert_id


def address(alert_id: int, tail: str = "", dag_id: str = DAG) -> str:
    return f"/dq-alerts/dags/{dag_id}/alerts/{alert_id}{tail}"


def test_the_plugin_and_not_the_single_page_application_answers(client: Any, ann: dict[str, str], broken: int) -> None:
    answer = client.get("/dq-alerts/", headers=ann)
    assert answer.status_code == 200
    assert "<h1>Data quality</h1>" in answer.text
    assert "1 of 1 dataset needs a decision." in answer.text
    assert f'href="{address(broken)}"' in answer.text


@pytest.mark.parametrize(
    "path",
    ["/", "/alerts", "/dataset?name=orders", f"/dags/{DAG}/alerts", f"/dags/{DAG}", f"/dags/{DAG}/alerts/1",
     f"/dags/{DAG}/alerts/1/chart.svg",
     f"/dags/{DAG}/partition?dataset=orders&partition=1", f"/dags/{DAG}/task?run_id=1&task_id=gate",
     "/static/review.css", "/static/review.js", "/static/icon.svg"],
)  # fmt: skip
def test_the_anonymous_get_nothing(client: Any, broken: int, path: str) -> None:
    answer = client.get(f"/dq-alerts{path}")
    assert answer.status_code == 401
    assert DATASET not in answer.text.replace(path.replace("/", "%2F"), "").replace(
        "dataset%3Fname%3Dorders", ""
    ).replace("dataset%3Dorders", "").replace(DAG, "")


@pytest.mark.parametrize("action", ["decision", "problem", "snooze", "snooze/end"])
def test_the_anonymous_and_viewers_change_nothing(
    client: Any, store: Repository, vic: dict[str, str], broken: int, action: str
) -> None:
    form = {"decision": "accepted", "scope": "[null, null]", "days": "7", "snooze_id": "1", "said": "noise"}
    assert client.post(address(broken, f"/{action}"), data=form, headers=SAME).status_code == 401
    assert client.post(address(broken, f"/{action}"), data=form, headers={**vic, **SAME}).status_code == 403
    assert store.decision(DATASET, BROKEN) is None
    assert store.snoozes(DATASET) == []
    assert not store.problems(DATASET)[0].said


def test_every_route_asks_who_it_is() -> None:
    from airflow.api_fastapi.core_api.security import get_user
    from fastapi.routing import APIRoute

    from airflow_dq.plugins.web.app import build_app

    def calls(dependant: Any) -> Iterator[Any]:
        for one in dependant.dependencies:
            yield one.call
            yield from calls(one)

    routes = [route for route in build_app().routes if isinstance(route, APIRoute)]
    assert len(routes) >= 12
    for route in routes:
        assert get_user in calls(route.dependant), route.path
        asked = {getattr(call, "__qualname__", "") for call in calls(route.dependant)}
        if "{dag_id}" in route.path:
            assert "requires_access_dag.<locals>.inner" in asked, route.path
        if "POST" in route.methods:
            assert "requires_same_origin" in asked, route.path


def test_a_viewer_reads_and_is_offered_no_button(client: Any, vic: dict[str, str], broken: int) -> None:
    answer = client.get(address(broken), headers=vic)
    assert answer.status_code == 200
    assert "What happened" in answer.text
    assert "You may read this, not decide it" in answer.text
    assert "<form" not in answer.text


def test_another_dags_alert_is_not_found(client: Any, ann: dict[str, str], broken: int) -> None:
    assert client.get(address(broken, dag_id=OTHER), headers=ann).status_code == 404
    assert client.get(address(broken, "/chart.svg", OTHER), headers=ann).status_code == 404
    form = {"decision": "accepted"}
    assert client.post(address(broken, "/decision", OTHER), data=form, headers={**ann, **SAME}).status_code == 404
    assert client.get(address(broken + 1000), headers=ann).status_code == 404


def test_what_was_judged_outside_a_dag_is_nowhere(client: Any, store: Repository, ann: dict[str, str]) -> None:
    _fail(store, "unowned", None)
    assert "unowned" not in client.get("/dq-alerts/alerts?state=all", headers=ann).text
    assert client.get("/dq-alerts/dataset?name=unowned", headers=ann).status_code == 404
    for dag_id in ("~", DAG):
        assert client.get(address(1, dag_id=dag_id), headers=ann).status_code == 404


def test_lists_show_what_the_reader_may_read(
    client: Any, store: Repository, ann: dict[str, str], broken: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fail(store, "payroll", OTHER)
    from airflow.api_fastapi.app import get_auth_manager

    assert "payroll" in client.get("/dq-alerts/", headers=ann).text
    monkeypatch.setattr(get_auth_manager(), "get_authorized_dag_ids", lambda **kwargs: {DAG})
    shown = client.get("/dq-alerts/alerts?state=all", headers=ann).text
    assert DATASET in shown
    assert "payroll" not in shown
    assert client.get("/dq-alerts/dataset?name=payroll", headers=ann).status_code == 404
    assert "payroll" not in client.get(f"/dq-alerts/dags/{OTHER}/alerts?state=all", headers=ann).text


def test_a_decision_is_recorded_once(client: Any, store: Repository, ann: dict[str, str], broken: int) -> None:
    form = {"decision": "rejected", "comment": "Supplier sends cents."}
    answer = client.post(address(broken, "/decision"), data=form, headers={**ann, **SAME})
    assert answer.status_code == 303
    assert answer.headers["location"] == address(broken, "?done=decided")
    decided = store.decision(DATASET, BROKEN)
    assert decided is not None
    assert (decided.decision, decided.by, decided.comment) == ("rejected", "ann", "Supplier sends cents.")

    shown = client.get(answer.headers["location"], headers=ann).text
    assert "Rejected: the partition stays out of the history. No gate waited for it" in shown
    assert "Supplier sends cents." in shown
    assert "rejected the partition" in shown

    second = client.post(address(broken, "/decision"), data={"decision": "accepted"}, headers={**ann, **SAME})
    assert second.status_code == 409
    assert "rejected by ann" in second.text
    again = {"decision": "accepted", "revise": "1"}
    assert client.post(address(broken, "/decision"), data=again, headers={**ann, **SAME}).status_code == 303
    revised = store.decision(DATASET, BROKEN)
    assert revised is not None
    assert revised.decision == "accepted"


def test_a_decision_about_content_that_was_replaced_is_refused(
    client: Any, store: Repository, ann: dict[str, str], broken: int
) -> None:
    shown = client.get(address(broken), headers=ann).text
    (fingerprint,) = re.findall(r'name="fingerprint" value="([^"]+)"', shown)
    detail = store.verdict_of_alert(broken)
    assert detail is not None
    assert fingerprint == detail.partition.fingerprint
    stale = {"decision": "accepted", "fingerprint": "of-an-earlier-profile"}
    answer = client.post(address(broken, "/decision"), data=stale, headers={**ann, **SAME})
    assert answer.status_code == 409
    assert "profiled anew" in answer.text
    assert store.decision(DATASET, BROKEN) is None
    form = {"decision": "accepted", "fingerprint": fingerprint}
    assert client.post(address(broken, "/decision"), data=form, headers={**ann, **SAME}).status_code == 303


def test_another_sites_page_changes_nothing(client: Any, store: Repository, ann: dict[str, str], broken: int) -> None:
    form = {"decision": "accepted"}
    foreign: list[dict[str, str]] = [
        {},
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site", "origin": "http://airflow.example"},
    ]
    for headers in foreign:
        answer = client.post(address(broken, "/decision"), data=form, headers={**ann, **headers})
        assert answer.status_code == 403, headers
    assert store.decision(DATASET, BROKEN) is None
    own = {"origin": "http://airflow.example"}
    assert client.post(address(broken, "/decision"), data=form, headers={**ann, **own}).status_code == 303


def test_a_program_with_a_token_may_decide(client: Any, store: Repository, ann: dict[str, str], broken: int) -> None:
    token = ann["cookie"].removeprefix("_token=")
    form = {"decision": "new_normal"}
    answer = client.post(address(broken, "/decision"), data=form, headers={"authorization": f"Bearer {token}"})
    assert answer.status_code == 303
    decided = store.decision(DATASET, BROKEN)
    assert decided is not None
    assert decided.decision == "new_normal"


def test_a_problem_is_acknowledged_assigned_and_gets_a_ticket(
    client: Any, store: Repository, ann: dict[str, str], broken: int
) -> None:
    shown = client.get(address(broken), headers=ann).text
    assert f"on {BROKEN} alone" in shown
    assert "team-a (by default)" in shown
    ticket = 'https://tickets.example/?q=<b>&x="1'
    for form in ({"said": "acknowledged"}, {"said": "saved", "owner": EVIL, "ticket": ticket}, {"said": "noise"}):
        answer = client.post(address(broken, "/problem"), data=form, headers={**ann, **SAME})
        assert answer.headers["location"] == address(broken, f"?done={form['said']}")
    shown = client.get(address(broken, "?done=noise"), headers=ann).text
    assert "acknowledged" in shown
    assert EVIL not in shown
    assert (
        'href="https://tickets.example/?q=&lt;b&gt;&amp;x=&#34;1" data-top="1" target="_blank" rel="noopener' in shown
    )
    assert "This one still waits for a decision." in shown
    (problem, *_) = store.problems(DATASET)
    assert (problem.owner, problem.ticket, problem.acknowledged_by) == (EVIL, ticket, "ann")
    assert store.answered_alarms(DATASET)
    # Nothing was changed, so nothing is recorded.
    form = {"said": "saved", "owner": EVIL, "ticket": ticket}
    client.post(address(broken, "/problem"), data=form, headers={**ann, **SAME})
    assert [event.action for event in store.problems(DATASET)[0].said] == [
        "acknowledged",
        "assigned",
        "ticket",
        "noise",
    ]
    form = {"said": "saved", "ticket": "javascript:alert(1)"}
    refused = client.post(address(broken, "/problem"), data=form, headers={**ann, **SAME})
    assert refused.status_code == 409
    assert "is no ticket&#39;s address" in refused.text


def test_the_calendar_is_kept_on_the_datasets_page(
    client: Any, store: Repository, ann: dict[str, str], vic: dict[str, str], broken: int
) -> None:
    page = f"/dq-alerts/dataset?name={DATASET}"
    assert "Add an event" in client.get(page, headers=ann).text
    assert "Add an event" not in client.get(page, headers=vic).text
    form = {"name": DATASET, "called": EVIL, "first": BROKEN, "kind": "promotion", "effect": "expected"}
    assert client.post("/dq-alerts/dataset/events", data=form, headers={**vic, **SAME}).status_code == 403
    assert (
        client.post("/dq-alerts/dataset/events", data={**form, "name": "x"}, headers={**ann, **SAME}).status_code == 404
    )
    made = client.post("/dq-alerts/dataset/events", data=form, headers={**ann, **SAME})
    assert made.headers["location"] == f"{page}&done=event_added"
    shown = client.get(made.headers["location"], headers=ann).text
    assert "It holds from the next judgement on." in shown
    assert EVIL not in shown
    (event,) = store.calendar(DATASET)
    assert (event.name, event.first, event.last, event.by) == (EVIL, BROKEN, BROKEN, "ann")
    for number, code in ((event.id + 1, 404), (event.id, 303)):
        gone = {"name": DATASET, "event_id": number}
        answer = client.post("/dq-alerts/dataset/events/delete", data=gone, headers={**ann, **SAME})
        assert answer.status_code == code
    assert store.calendar(DATASET) == []


def test_events_of_all_datasets_are_kept_by_who_may_decide_for_all_of_them(
    client: Any, store: Repository, ann: dict[str, str], broken: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, events = f"/dq-alerts/dataset?name={DATASET}", "/dq-alerts/dataset/events"
    assert "all datasets" in client.get(page, headers=ann).text
    form = {"name": DATASET, "called": "move", "first": BROKEN, "kind": "migration", "effect": "left_out", "of": "all"}
    assert client.post(events, data=form, headers={**ann, **SAME}).status_code == 303
    (event,) = store.calendar()
    assert (event.name, event.dataset, event.by) == ("move", None, "ann")
    gone = {"name": DATASET, "event_id": event.id}
    monkeypatch.setattr(Repository, "dags_of", lambda store, dataset: frozenset({DAG} if dataset else {DAG, "hidden"}))
    assert "all datasets</option>" not in client.get(page, headers=ann).text
    with monkeypatch.context() as other:
        other.setattr(access, "undecidable", lambda user, dag_ids: sorted({"hidden"} & set(dag_ids)))
        for path, data in ((events, form), (f"{events}/delete", gone)):
            refused = client.post(path, data=data, headers={**ann, **SAME})
            assert refused.status_code == 403
            assert "every DAG that gates a dataset" in refused.text
    assert len(store.calendar()) == 1
    assert client.post(f"{events}/delete", data=gone, headers={**ann, **SAME}).status_code == 303
    assert store.calendar() == []


def test_learned_rules_are_confirmed_muted_and_deleted_on_the_datasets_page(
    client: Any, store: Repository, ann: dict[str, str], vic: dict[str, str], broken: int
) -> None:
    found = RelationRule(Order("lower", "upper"))
    condition, document = found.relation.to_json(), found.to_json()
    store.add_relations(DATASET, [LearnedRule(RELATION, ("lower", "upper"), condition, document, ("2024-01-09",))])
    (rule,) = store.stored_rules(DATASET)
    page = f"/dq-alerts/dataset?name={DATASET}"
    assert "Learned rules on rows" in client.get(page, headers=vic).text
    form = {"name": DATASET, "rule_id": rule.id, "change": "confirm"}
    assert client.post("/dq-alerts/dataset/rules", data=form, headers={**vic, **SAME}).status_code == 403
    confirmed = client.post("/dq-alerts/dataset/rules", data=form, headers={**ann, **SAME})
    shown = client.get(confirmed.headers["location"], headers=ann).text
    assert "- rule: {sql: &#39;`lower` &lt;= `upper`&#39;}" in shown
    assert store.stored_rules(DATASET)[0].state == "muted"
    form["change"] = "delete"
    assert client.post("/dq-alerts/dataset/rules", data=form, headers={**ann, **SAME}).status_code == 303
    assert store.stored_rules(DATASET) == []
    assert client.post("/dq-alerts/dataset/rules", data=form, headers={**ann, **SAME}).status_code == 404
    detail = store.verdict_of_alert(broken)
    assert detail is not None
    assert [(one.action, one.by) for one in detail.events] == [("rule_confirmed", "ann"), ("rule_deleted", "ann")]


def test_a_snooze_has_scope_and_end(client: Any, store: Repository, ann: dict[str, str], broken: int) -> None:
    form = {"scope": '["price", "mean"]', "days": "7", "comment": "known"}
    answer = client.post(address(broken, "/snooze"), data=form, headers={**ann, **SAME})
    assert answer.status_code == 303
    (snooze,) = store.snoozes(DATASET)
    assert (snooze.column, snooze.metric, snooze.by, snooze.comment) == ("price", "mean", "ann", "known")
    assert abs(snooze.until - datetime.now(UTC) - timedelta(days=7)) < timedelta(minutes=1)
    assert "End now" in client.get(address(broken), headers=ann).text

    assert (
        client.post(address(broken, "/snooze/end"), data={"snooze_id": "999"}, headers={**ann, **SAME}).status_code
        == 404
    )
    ended = client.post(address(broken, "/snooze/end"), data={"snooze_id": str(snooze.id)}, headers={**ann, **SAME})
    assert ended.status_code == 303
    assert store.snoozes(DATASET) == []


@pytest.fixture
def shared(store: Repository, broken: int) -> int:
    """The same partition, which a gate of another DAG has judged since."""
    judge(store, DATASET, BROKEN, OPTIONS, origin=Origin(OTHER, "manual__2", "guard"))
    return broken


@pytest.fixture
def parked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The DAGs whose gates wait for a person; an answer takes one away."""
    waiting = [DAG, OTHER]

    def answer(origin: Origin, *rest: object) -> bool:
        if origin.dag_id not in waiting:
            return False
        waiting.remove(origin.dag_id)
        return True

    monkeypatch.setattr("airflow_dq.plugins.web.decision.answer_parked", answer)
    return waiting


def only(monkeypatch: pytest.MonkeyPatch, *dag_ids: str) -> None:
    """Let every user read all DAGs, and decide about these."""
    from airflow.api_fastapi.app import get_auth_manager

    manager = type(get_auth_manager())
    allowed = manager.is_authorized_dag

    def authorized(self: Any, *, method: str, details: Any = None, **rest: Any) -> bool:
        own = method == "GET" or details is None or details.id in dag_ids
        return own and allowed(self, method=method, details=details, **rest)  # type: ignore[arg-type]

    monkeypatch.setattr(manager, "is_authorized_dag", authorized)


def test_two_dags_that_gate_one_dataset_both_have_its_page(client: Any, ann: dict[str, str], shared: int) -> None:
    for dag_id, task in ((DAG, "gate"), (OTHER, "guard")):
        answer = client.get(address(shared, dag_id=dag_id), headers=ann)
        assert answer.status_code == 200
        assert f"{dag_id} \u00b7 {task}" in answer.text
        assert f"alerts/{shared}" in client.get(f"/dq-alerts/dags/{dag_id}/alerts?state=all", headers=ann).text
    task = f"/dq-alerts/dags/{DAG}/task?run_id=manual__1&task_id=gate"
    assert client.get(task, headers=ann).status_code == 200


@pytest.mark.parametrize("dag_id", [DAG, OTHER])
def test_a_decision_resumes_the_gates_of_all_dags(
    client: Any, ann: dict[str, str], shared: int, parked: list[str], dag_id: str
) -> None:
    answer = client.post(address(shared, "/decision", dag_id), data={"decision": "accepted"}, headers={**ann, **SAME})
    assert answer.headers["location"] == address(shared, "?done=resumed", dag_id)
    assert parked == []


def test_a_decision_that_was_stored_and_not_told_is_taken_up_again(
    client: Any, store: Repository, ann: dict[str, str], broken: int, parked: list[str]
) -> None:
    store.decide(DATASET, BROKEN, "accepted", "ann")
    shown = client.get(address(broken), headers=ann).text
    assert "Resume it" in shown
    other = client.post(address(broken, "/decision"), data={"decision": "rejected"}, headers={**ann, **SAME})
    assert other.status_code == 409
    parked.append(DAG)
    same = client.post(address(broken, "/decision"), data={"decision": "accepted"}, headers={**ann, **SAME})
    assert (same.status_code, same.headers["location"]) == (303, address(broken, "?done=resumed"))
    assert len(store.verdict_of_alert(broken).events) == 1  # type: ignore[union-attr]
    again = client.post(address(broken, "/decision"), data={"decision": "accepted"}, headers={**ann, **SAME})
    assert again.status_code == 409


def test_a_snooze_needs_the_right_on_every_dag_that_it_silences(
    client: Any, store: Repository, ann: dict[str, str], shared: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    form = {"scope": "[null, null]", "days": "7"}
    with monkeypatch.context() as restricted:
        only(restricted, DAG)
        refused = client.post(address(shared, "/snooze"), data=form, headers={**ann, **SAME})
        assert refused.status_code == 403
        assert OTHER in refused.text
        assert store.snoozes(DATASET) == []
    assert client.post(address(shared, "/snooze"), data=form, headers={**ann, **SAME}).status_code == 303
    (snooze,) = store.snoozes(DATASET)
    only(monkeypatch, OTHER)
    end = {"snooze_id": str(snooze.id)}
    assert client.post(address(shared, "/snooze/end", OTHER), data=end, headers={**ann, **SAME}).status_code == 403


@pytest.mark.parametrize(
    "form",
    [
        {"scope": "[1, 2]", "days": "7"},
        {"scope": "x", "days": "7"},
        {"scope": "[null, null]", "days": "4000"},
        {"days": "7"},
    ],
)
def test_a_snooze_that_was_not_offered_is_refused(
    client: Any, store: Repository, ann: dict[str, str], broken: int, form: dict[str, str]
) -> None:
    assert client.post(address(broken, "/snooze"), data=form, headers={**ann, **SAME}).status_code == 422
    assert store.snoozes(DATASET) == []


@pytest.mark.parametrize(
    "query", ["limit=101", "limit=0", "before=x", "state=nonsense", "since=yesterday", "severity=x"]
)
def test_filters_and_page_sizes_are_checked(client: Any, ann: dict[str, str], query: str) -> None:
    answer = client.get(f"/dq-alerts/alerts?{query}", headers=ann)
    assert answer.status_code == 422
    assert "The request cannot be understood" in answer.text


def test_filters_find(client: Any, ann: dict[str, str], broken: int) -> None:
    today = datetime.now(UTC).date().isoformat()
    found = address(broken)
    for query in (
        "",
        "state=all&dataset=&severity=&since=&until=",
        "dataset=orders",
        "severity=fail",
        f"since={today}&until={today}",
    ):
        assert found in client.get(f"/dq-alerts/alerts?{query}", headers=ann).text, query
    for query in ("dataset=other", "state=decided", "severity=warn", "until=2020-01-01", f"before={1}"):
        assert found not in client.get(f"/dq-alerts/alerts?{query}", headers=ann).text, query


def test_a_list_of_many_has_pages(client: Any, store: Repository, ann: dict[str, str], broken: int) -> None:
    _fail(store, "payroll", DAG)
    first = client.get("/dq-alerts/alerts?limit=1&state=all", headers=ann).text
    (older,) = re.findall(r'href="([^"]*before=\d+[^"]*)"', first)
    assert "payroll" in first
    second = client.get(older.replace("&amp;", "&"), headers=ann).text
    assert address(broken) in second


def test_names_from_data_stay_text(client: Any, store: Repository, ann: dict[str, str]) -> None:
    _fail(store, EVIL, DAG)
    detail = store.verdict_of_partition(EVIL, BROKEN)
    assert detail is not None
    for path in ("/", "/dataset?name=%3Cscript%3Ealert(1)%3C/script%3E", f"/dags/{DAG}/alerts/{detail.alerts[0].id}"):
        answer = client.get(f"/dq-alerts{path}", headers=ann)
        assert answer.status_code == 200
        assert "<script>alert" not in answer.text
        assert "&lt;script&gt;alert(1)" in answer.text
    assert "<script>" not in client.get("/dq-alerts/dataset?name=<script>", headers=ann).text


def test_every_answer_carries_the_headers(client: Any, ann: dict[str, str], broken: int) -> None:
    for path, status in (("/", 200), ("/dags/x/alerts/9", 404), ("/nowhere", 404), ("/alerts?limit=0", 422)):
        answer = client.get(f"/dq-alerts{path}", headers=ann)
        assert answer.status_code == status
        assert {name: answer.headers[name] for name in HEADERS} == HEADERS
    anonymous = client.get("/dq-alerts/")
    assert anonymous.headers["content-security-policy"] == HEADERS["Content-Security-Policy"]


def test_a_page_fetches_and_runs_only_what_the_policy_allows(client: Any, ann: dict[str, str], broken: int) -> None:
    for path in ("/", f"/dags/{DAG}/alerts/{broken}", "/dataset?name=orders"):
        text = client.get(f"/dq-alerts{path}", headers=ann).text
        assert not re.search(r"\sstyle=|<style|\son\w+=|javascript:|https?://(?!www\.w3\.org)", text)
        for source in re.findall(r'(?:src|href)="(/dq-alerts/static/[^"]*)"', text):
            assert client.get(source, headers=ann).status_code == 200


def test_the_chart_is_a_picture(client: Any, ann: dict[str, str], broken: int) -> None:
    answer = client.get(address(broken, "/chart.svg"), headers=ann)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("image/svg+xml")
    assert "script" not in answer.headers["content-security-policy"]
    assert fromstring(answer.text).tag == "{http://www.w3.org/2000/svg}svg"


def test_the_tab_of_a_task_shows_what_it_judged(client: Any, ann: dict[str, str], broken: int) -> None:
    tab = f"/dq-alerts/dags/{DAG}/task?task_id=gate&map_index=%7BMAP_INDEX%7D"
    assert BROKEN in client.get(f"{tab}&run_id=manual__1", headers=ann).text
    assert "judged no partition" in client.get(f"{tab}&run_id=manual__2", headers=ann).text
    assert "judged no partition" in client.get(tab.replace(DAG, OTHER) + "&run_id=manual__1", headers=ann).text


def test_a_dataset_page_shows_verdicts_movement_and_program(client: Any, ann: dict[str, str], broken: int) -> None:
    text = client.get("/dq-alerts/dataset?name=orders", headers=ann).text
    assert text.count("<li><span") + text.count("<li><a") >= 10
    assert "What is expected" in text
    assert "mean" in text
    assert f'href="{address(broken)}"' in text


def test_what_airflow_cannot_clear_is_not_offered_and_refused(
    client: Any, ann: dict[str, str], vic: dict[str, str], broken: int
) -> None:
    assert "Fixed upstream" not in client.get(address(broken), headers=ann).text
    refused = client.post(address(broken, "/rerun"), headers={**ann, **SAME})
    assert refused.status_code == 409
    assert "no profile task" in refused.text
    assert client.post(address(broken, "/rerun"), headers={**vic, **SAME}).status_code == 403
    assert client.post(address(broken, "/rerun"), headers=ann).status_code == 403


@pytest.fixture
def known(airflow_app: Any, store: Repository) -> int:
    """The broken partition's alert, judged by a gate that Airflow knows with its tasks; it waits for a person."""
    from airflow import sdk
    from airflow.models.dag import DagModel
    from airflow.models.dagrun import DagRun
    from airflow.models.serialized_dag import SerializedDagModel
    from airflow.models.taskinstance import TaskInstance
    from airflow.providers.standard.operators.empty import EmptyOperator
    from airflow.serialization.serialized_objects import LazyDeserializedDAG
    from airflow.utils.session import create_session
    from airflow.utils.state import DagRunState
    from airflow.utils.types import DagRunTriggeredByType, DagRunType

    from airflow_dq.operators.drill import DQDrillOperator
    from airflow_dq.operators.profile import DQProfileOperator
    from airflow_dq.sensors.gate import DQGateSensor

    with sdk.DAG(KNOWN, schedule=None, start_date=datetime(2024, 1, 1)) as dag:
        profile = DQProfileOperator(task_id="profile", dataset=DATASET, source="/data", partition="{{ ds }}")
        gate = DQGateSensor(task_id="gate", dataset=DATASET, partition="{{ ds }}", outlets=[sdk.Asset("clean_orders")])
        profile >> gate >> EmptyOperator(task_id="publish")
        gate >> DQDrillOperator(task_id="drill", dataset=DATASET, partition="{{ ds }}").as_teardown()
        gate >> DQDrillOperator(task_id="drill_other", dataset="other", partition="{{ ds }}").as_teardown()
    with create_session() as session:
        session.merge(DagModel(dag_id=KNOWN, bundle_name="ui", fileloc="/known.py", is_stale=False))
    SerializedDagModel.write_dag(LazyDeserializedDAG.from_dag(dag), bundle_name="ui")
    with create_session() as session:
        for of_an_earlier_test in (TaskInstance, DagRun):
            session.query(of_an_earlier_test).filter_by(dag_id=KNOWN).delete()
        found = SerializedDagModel.get(KNOWN, session=session)
        assert found is not None
        found.dag.create_dagrun(
            run_id="manual__1",
            run_after=datetime.now(UTC),
            run_type=DagRunType.MANUAL,
            triggered_by=DagRunTriggeredByType.TEST,
            state=DagRunState.RUNNING,
            session=session,
        )
        session.flush()
        for task in session.query(TaskInstance).filter_by(dag_id=KNOWN):
            task.state = {"profile": "success", "gate": "awaiting_input"}.get(task.task_id)
    _fail(store, DATASET, KNOWN)
    detail = store.verdict_of_partition(DATASET, BROKEN)
    assert detail is not None
    assert detail.partition.first_alert_id is not None
    return detail.partition.first_alert_id


def test_what_is_held_up_is_told_and_the_profile_can_be_run_again(
    client: Any, ann: dict[str, str], vic: dict[str, str], known: int
) -> None:
    from airflow.models.taskinstance import TaskInstance
    from airflow.utils.session import create_session

    page = client.get(address(known, dag_id=KNOWN), headers=ann).text
    assert "Held up</dt><dd>publish" in page
    assert "clean_orders" in page
    assert "Fixed upstream: run again" in page
    assert "Fixed upstream" not in client.get(address(known, dag_id=KNOWN), headers=vic).text
    assert client.post(address(known, "/rerun", KNOWN), headers={**vic, **SAME}).status_code == 403
    answer = client.post(address(known, "/rerun", KNOWN), headers={**ann, **SAME})
    assert answer.headers["location"] == address(known, "?done=rerun", KNOWN)
    with create_session() as session:
        states = {task.task_id: task.state for task in session.query(TaskInstance).filter_by(dag_id=KNOWN)}
    assert states == dict.fromkeys(("profile", "gate", "publish", "drill", "drill_other"))
    assert "it and what follows it run again" in client.get(answer.headers["location"], headers=ann).text


def test_the_task_that_looks_for_the_rows_can_be_run_from_the_page_once_it_has_ended(
    client: Any, ann: dict[str, str], vic: dict[str, str], known: int
) -> None:
    from airflow.models.taskinstance import TaskInstance
    from airflow.utils.session import create_session

    waiting = client.get(address(known, dag_id=KNOWN), headers=ann).text
    assert "drill looks for it as soon as the gate has ended." in waiting
    assert f"airflow dq drill {DATASET} {BROKEN}" in waiting
    assert client.post(address(known, "/drill", KNOWN), headers={**ann, **SAME}).status_code == 409
    with create_session() as session:
        for task in session.query(TaskInstance).filter_by(dag_id=KNOWN):
            task.state = "failed" if task.task_id == "gate" else "success"
    assert "Find the rows" in client.get(address(known, dag_id=KNOWN), headers=ann).text
    assert "Find the rows" not in client.get(address(known, dag_id=KNOWN), headers=vic).text
    assert client.post(address(known, "/drill", KNOWN), headers={**vic, **SAME}).status_code == 403
    assert client.post(address(known, "/drill", KNOWN), headers=ann).status_code == 403
    answer = client.post(address(known, "/drill", KNOWN), headers={**ann, **SAME})
    assert answer.headers["location"] == address(known, "?done=drill", KNOWN)
    with create_session() as session:
        states = {task.task_id: task.state for task in session.query(TaskInstance).filter_by(dag_id=KNOWN)}
    assert states == dict.fromkeys(states, "success") | {"drill": None, "gate": "failed"}


def columns_of(key: str, dag_id: str = DAG, **query: str) -> str:
    rest = "".join(f"&{name}={value}" for name, value in query.items())
    return f"/dq-alerts/dags/{dag_id}/partition?dataset={DATASET}&partition={key}{rest}"


def test_any_partition_has_a_page_with_its_columns_and_is_compared_with_any_other(
    client: Any, vic: dict[str, str], broken: int
) -> None:
    judged = client.get(columns_of(BROKEN), headers=vic)
    assert judged.status_code == 200
    assert f'href="{address(broken)}"' in judged.text
    assert "Nearest to an alarm" in judged.text
    unjudged = client.get(columns_of("2024-01-05", **{"with": "2024-01-04"}), headers=vic)
    assert unjudged.status_code == 200
    assert "No gate has judged this partition." in unjudged.text
    assert "Compared with" in unjudged.text
    assert client.get(columns_of("2024-02-01"), headers=vic).status_code == 404


def test_a_partition_is_seen_through_a_dag_that_judges_its_dataset_only(
    client: Any, store: Repository, vic: dict[str, str], broken: int
) -> None:
    assert client.get(columns_of(BROKEN, OTHER), headers=vic).status_code == 404
    assert client.get(columns_of("2024-01-05", OTHER), headers=vic).status_code == 404
    judge(store, DATASET, "2024-01-09", OPTIONS, origin=Origin(OTHER, "manual__3", "guard"))
    assert client.get(columns_of("2024-01-09"), headers=vic).status_code == 404
    assert client.get(columns_of(BROKEN, **{"with": "2024-01-09"}), headers=vic).status_code == 404
    assert client.get(columns_of("2024-01-09", OTHER), headers=vic).status_code == 200


def test_the_overview_finds_by_name_and_state_without_its_script(client: Any, ann: dict[str, str], broken: int) -> None:
    assert 'data-name="orders">' in client.get("/dq-alerts/?q=ORD&state=open", headers=ann).text
    assert 'data-name="orders" hidden="hidden"' in client.get("/dq-alerts/?q=pay", headers=ann).text
    assert client.get("/dq-alerts/?state=nonsense", headers=ann).status_code == 422


def test_addresses_follow_the_base_path(
    airflow_app: Any, clean_dsn: str, broken: int, ann: dict[str, str], monkeypatch: Any
) -> None:
    from fastapi.testclient import TestClient

    monkeypatch.setenv("AIRFLOW_DQ_DSN", clean_dsn)
    monkeypatch.setattr(airflow_app, "root_path", "/team-a")
    below = TestClient(airflow_app, base_url="http://airflow.example", follow_redirects=False)
    text = below.get("/team-a/dq-alerts/", headers=ann).text
    assert f'href="/team-a{address(broken)}"' in text
    assert 'src="/team-a/dq-alerts/static/review.js' in text
    login = below.get("/team-a/dq-alerts/").text
    assert "/team-a/api/v2/auth/login?next=%2Fteam-a%2Fdq-alerts%2F" in login


def test_a_database_that_is_not_there_is_said(
    client: Any, ann: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIRFLOW_DQ_DSN", "postgresql://u:hunter2@127.0.0.1:1/none")
    answer = client.get("/dq-alerts/", headers=ann)
    assert answer.status_code == 503
    assert "hunter2" not in answer.text
    assert "The statistics database cannot be used" in answer.text


def test_a_fault_says_nothing_of_itself(
    airflow_app: Any, store: Repository, ann: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from fastapi.testclient import TestClient

    def fail(*_given: Any, **_options: Any) -> None:
        raise RuntimeError("hunter2")

    monkeypatch.setattr(Repository, "overview", fail)
    answer = TestClient(airflow_app, raise_server_exceptions=False).get("/dq-alerts/", headers=ann)
    assert answer.status_code == 500
    assert "That did not work" in answer.text
    assert "hunter2" not in answer.text
    assert answer.headers["x-frame-options"] == "SAMEORIGIN"
