"""A person at a real browser: the parked gate, its explanation, our pages inside Airflow, and both decisions."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pyarrow as pa
import pytest

from airflow_dq.demo.airflow_api import AirflowApi, NoAnswerError
from airflow_dq.demo.console import Console
from airflow_dq.demo.dag_run import DAG_ID
from airflow_dq.demo.flights import DATASET
from airflow_dq.demo.lake import history_days
from airflow_dq.demo.session import wait_until
from airflow_dq.demo.standalone import Airflow
from airflow_dq.demo.ui import PARKED, STEPS, serving
from airflow_dq.demo.workspace import Workspace
from airflow_dq.gate.pipeline import judge
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.profile import profile_table
from airflow_dq.store import EmbeddedPostgres, open_store
from airflow_dq.store.embedded import free_port
from airflow_dq.store.review_model import Origin

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, FrameLocator, Page

CHROMIUM = shutil.which("chromium")
SCREENSHOTS = Path(__file__).parents[2] / "artifacts" / "ui"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SECONDS = 300
CLEAN, BROKEN, AGAIN = (str(history_days()[-1] + timedelta(days=n)) for n in (1, 2, 3))

NO_BROWSER = "no browser: install the Debian package chromium (as root: apt-get install chromium)"

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason=NO_BROWSER)]


@pytest.fixture(scope="module")
def workspace() -> Iterator[Workspace]:
    # Not pytest's own folder: as root, that is closed to the user that PostgreSQL runs as.
    folder = Path(tempfile.mkdtemp(prefix="airflow-dq-ui-"))
    yield Workspace(folder)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def airflow(workspace: Workspace) -> Iterator[Airflow]:
    """What ``make ui`` starts: one day that passed, one that waits."""
    said = StringIO()
    with serving(workspace, Console(STEPS, said), free_port()) as running:
        assert "gate: success" in said.getvalue()
        yield running


@pytest.fixture(scope="module")
def dsn(airflow: Airflow, workspace: Workspace) -> str:
    return EmbeddedPostgres(workspace.postgres).start()


@pytest.fixture(scope="module")
def context(airflow: Airflow) -> Iterator[BrowserContext]:
    """A browser in which the admin has logged in."""
    from playwright.sync_api import sync_playwright

    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        context.set_default_timeout(SECONDS * 1000)
        login(context, airflow, "admin")
        yield context
        browser.close()


def login(context: BrowserContext, airflow: Airflow, user: str) -> None:
    page = context.new_page()
    page.goto(airflow.url)
    page.fill("input[name=username]", user)
    page.fill("input[name=password]", airflow.passwords[user])
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "/auth/login" not in url)
    page.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    page = context.new_page()
    yield page
    page.close()


def ours(page: Page) -> FrameLocator:
    """Our page, inside Airflow's."""
    return page.frame_locator("iframe[title='Data quality']")


def shoot(page: Page, name: str) -> None:
    page.screenshot(path=str(SCREENSHOTS / f"{name}.png"))


def gate_is(api: AirflowApi, day: str, *states: str) -> bool:
    try:
        return api.states(DAG_ID, f"demo__{day}").get("gate") in states
    except NoAnswerError:
        return False


def open_alert(page: Page, airflow: Airflow, day: str) -> FrameLocator:
    """From Airflow's navigation to the alert of a day."""
    page.goto(f"{airflow.url}/plugin/data-quality")
    frame = ours(page)
    frame.locator("td.problem a").click()
    frame.get_by_role("heading", name=f"{DATASET} {day}").wait_for()
    frame.get_by_role("heading", name="Your decision").wait_for()
    return frame


def test_the_required_action_explains_itself(page: Page, airflow: Airflow) -> None:
    page.goto(f"{airflow.url}/dags/{DAG_ID}/runs/demo__{BROKEN}/tasks/gate/required_actions")
    page.get_by_text("60 times too large").first.wait_for()
    chart = page.locator("img[src$='chart.svg']")
    chart.wait_for()
    wait_until(lambda: chart.evaluate("image => image.complete && image.naturalWidth > 100"), SECONDS)
    names = ("Accept and go on", "Reject: stay blocked", "New normal")
    options = [page.get_by_role("button", name=name) for name in names]
    assert [option.count() for option in options] == [1, 1, 1]
    # All answers are seen without scrolling.
    lowest = max(box["y"] + box["height"] for option in options if (box := option.bounding_box()) is not None)
    shoot(page, "required-action")
    assert lowest <= 900


def test_airflow_shows_our_pages_where_one_looks_for_them(page: Page, airflow: Airflow) -> None:
    page.goto(f"{airflow.url}/plugin/data-quality")
    ours(page).get_by_text("1 of 1 dataset needs a decision.").wait_for()
    shoot(page, "list")
    page.goto(f"{airflow.url}/dags/{DAG_ID}/plugin/data-quality-dag")
    ours(page).get_by_role("heading", name=f"Data quality of {DAG_ID}").wait_for()
    shoot(page, "dag-tab")
    page.goto(f"{airflow.url}/dags/{DAG_ID}/runs/demo__{CLEAN}/tasks/gate/plugin/data-quality-task")
    ours(page).get_by_role("heading", name=f"{DATASET} {CLEAN} passed").wait_for()
    shoot(page, "task-tab")


def test_a_dataset_shows_its_verdicts_and_program(page: Page, airflow: Airflow) -> None:
    page.goto(f"{airflow.url}/dq-alerts/dataset?name={DATASET}")
    page.get_by_role("heading", name="What is expected").wait_for()
    shoot(page, "dataset")


def test_the_overview_is_narrowed_down_at_once(page: Page, airflow: Airflow) -> None:
    page.goto(f"{airflow.url}/dq-alerts/")
    row = page.get_by_role("row", name=DATASET)
    assert row.is_visible()
    page.get_by_label("Search").fill("nothing like it")
    page.get_by_text("No dataset matches.").wait_for()
    assert not row.is_visible()
    assert "q=nothing+like+it" in page.url
    page.get_by_label("Search").fill(DATASET[:3].upper())
    assert row.is_visible()
    page.get_by_role("radio", name="Fine").check(force=True)
    assert not row.is_visible()


def test_a_day_that_passed_has_its_columns_and_is_compared(page: Page, airflow: Airflow) -> None:
    page.goto(f"{airflow.url}/dq-alerts/dags/{DAG_ID}/partition?dataset={DATASET}&partition={CLEAN}")
    page.get_by_role("heading", name="Nearest to an alarm").wait_for()
    page.get_by_label("Compare with").select_option(BROKEN)
    page.get_by_role("heading", name=f"Compared with {BROKEN}").wait_for()
    shoot(page, "partition")


def test_a_problem_gets_an_owner_and_a_ticket_and_the_day_an_event(page: Page, airflow: Airflow, dsn: str) -> None:
    frame = open_alert(page, airflow, BROKEN)
    frame.get_by_text("Acknowledge, owner, ticket, noise").first.click()
    frame.get_by_label("Owner").first.fill("ann")
    frame.get_by_label("Ticket").first.fill("https://tickets.example/DQ-1")
    frame.get_by_role("button", name="Save").first.click()
    frame.get_by_text("Saved, for all partitions in a row").wait_for()
    assert frame.get_by_role("link", name="https://tickets.example/DQ-1").first.get_attribute("target") == "_blank"
    frame.get_by_text("Acknowledge, owner, ticket, noise").first.click()
    frame.get_by_role("button", name="Acknowledge").first.press("Enter")
    frame.get_by_text("Acknowledged. The problem goes on waiting").wait_for()
    shoot(page, "problem-owner")
    page.goto(f"{airflow.url}/dq-alerts/dataset?name={DATASET}")
    page.get_by_text("Add an event").click()
    page.get_by_label("Name", exact=True).fill("Winter storm")
    page.get_by_label("First partition").fill(BROKEN)
    page.get_by_label("Kind", exact=True).select_option("other")
    page.get_by_role("button", name="Add").click()
    page.get_by_text("Added to the calendar.").wait_for()
    shoot(page, "calendar")
    page.get_by_role("button", name="Delete the event Winter storm").click()
    page.get_by_text("Removed from the calendar").wait_for()
    with open_store(dsn) as store:
        (problem, *_) = store.problems(DATASET)
        assert store.calendar(DATASET) == []
    assert (problem.state, problem.owner, problem.ticket) == ("acknowledged", "ann", "https://tickets.example/DQ-1")


def test_no_page_is_wider_than_the_window(page: Page, airflow: Airflow) -> None:
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 844})
        page.goto(f"{airflow.url}/dq-alerts/")
        page.locator("td.problem a").click()
        page.get_by_text("Snooze alerts like these").click()
        page.get_by_text("Acknowledge, owner, ticket, noise").first.click()
        assert page.evaluate("document.documentElement.scrollWidth") == width
        shoot(page, f"snooze-{width}")


def test_names_of_any_length_leave_a_page_as_wide_as_the_window(page: Page, airflow: Airflow, dsn: str) -> None:
    name, key = "a_name_without_end_" * 7, "region=eu-central-1/day=2026-11-29T00:00:00+00:00"
    profile = profile_table(pa.table({name: [1.0, 2.0]}), partition=key)
    with open_store(dsn) as store:
        store.save_profile(store.begin_attempt(name, key), name, profile)
        judge(store, name, key, SynthesisOptions(), origin=Origin(DAG_ID, f"demo__{CLEAN}", "gate"))
    columns = f"dags/{DAG_ID}/partition?dataset={name}&partition={quote(key, safe='')}"
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 844})
        for path in ("", f"dataset?name={name}", columns):
            page.goto(f"{airflow.url}/dq-alerts/{path}")
            page.get_by_text(name).first.wait_for()
            assert page.evaluate("document.documentElement.scrollWidth") == width, path


def test_a_viewer_reads_and_cannot_decide(context: BrowserContext, airflow: Airflow) -> None:
    assert context.browser is not None
    other = context.browser.new_context(viewport={"width": 390, "height": 844}, color_scheme="dark")
    other.set_default_timeout(SECONDS * 1000)
    login(other, airflow, "viewer")
    page = other.new_page()
    page.goto(f"{airflow.url}/dq-alerts/")
    page.locator("td.problem a").click()
    page.get_by_text("You may read this, not decide it").wait_for()
    assert page.locator("form").count() == 0
    page.screenshot(path=str(SCREENSHOTS / "alert-phone-dark.png"), full_page=True)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    other.close()


def test_the_theme_of_airflow_is_ours(page: Page, airflow: Airflow) -> None:
    page.goto(f"{airflow.url}/dq-alerts/")
    colours = []
    for theme in ("light", "dark"):
        page.evaluate("theme => localStorage.setItem('theme', theme)", theme)
        page.reload()
        colours.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    open_alert(page, airflow, BROKEN)
    shoot(page, "alert-dark")
    page.evaluate("localStorage.setItem('theme', 'light')")
    assert len(set(colours)) == 2


def test_reject_fails_the_task_and_closes_the_alerts(page: Page, airflow: Airflow, dsn: str) -> None:
    frame = open_alert(page, airflow, BROKEN)
    frame.get_by_text("is parked and waits for this decision").wait_for()
    shoot(page, "alert")
    frame.get_by_label("Comment").fill("The supplier sends seconds.")
    frame.get_by_role("button", name="Reject: stay blocked").press("Enter")
    frame.get_by_text("The gate that waited fails now").wait_for()
    shoot(page, "alert-rejected")
    wait_until(lambda: gate_is(airflow.api, BROKEN, "failed"), SECONDS)
    with open_store(dsn) as store:
        detail = store.verdict_of_partition(DATASET, BROKEN)
    assert detail is not None
    assert (detail.partition.decision, detail.partition.decided_by) == ("rejected", "admin")
    assert detail.comment == "The supplier sends seconds."
    assert detail.partition.open_count == 0
    assert detail.events[-1].action == "rejected"


def test_accept_lets_the_run_go_on(page: Page, airflow: Airflow, dsn: str) -> None:
    airflow.api.trigger(DAG_ID, AGAIN, partition=AGAIN, broken=True)
    wait_until(lambda: gate_is(airflow.api, AGAIN, *PARKED), SECONDS)
    frame = open_alert(page, airflow, AGAIN)
    frame.get_by_text("publish").first.wait_for()
    frame.get_by_role("button", name="Fixed upstream: run again").click()
    frame.get_by_text("it and what follows it run again").wait_for()
    assert not gate_is(airflow.api, AGAIN, *PARKED)
    # Nothing was fixed: it waits again.
    wait_until(lambda: gate_is(airflow.api, AGAIN, *PARKED), SECONDS)
    frame = open_alert(page, airflow, AGAIN)
    frame.get_by_role("button", name="Accept and go on").click()
    frame.get_by_text("The gate that waited goes on.").wait_for()
    wait_until(lambda: airflow.api.states(DAG_ID, f"demo__{AGAIN}").get("publish") == "success", SECONDS)
    with open_store(dsn) as store:
        decided = store.decision(DATASET, AGAIN)
    assert decided is not None
    assert decided.decision == "accepted"
