from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from airflow_dq.drill.report import DrillReport
from airflow_dq.explain.alert import Alert
from airflow_dq.explain.fact import Fact
from airflow_dq.explain.record import Record
from airflow_dq.judge.verdict import Status
from airflow_dq.report.pages.drill import DrillTask, Stage
from airflow_dq.report.pages.problem import Impact, render_alert
from airflow_dq.store.review_model import ReviewEvent, Snooze
from tests.unit.report.known import profile_of
from tests.unit.report.pages.conftest import NOW, ORIGIN, Page, partition

ACTION = "/dq-alerts/dags/load%20orders/alerts/11"


def test_the_page_says_what_broke_first_by_its_likely_cause(make_view, where):
    page = Page(render_alert(make_view(), where))
    assert "What happened Looks like change of unit, x10. price: mean was 1,000; expected 90 to 110." in page.text
    assert "1 alert in 1 column, judged 2 h ago by load orders · group.gate in run manual__" in page.text


def test_the_headline_is_that_of_the_problem_and_what_showed_it_is_folded(make_view, make_detail, alert: Alert, where):
    fact = Fact(
        "factor price", "price is 10 times too large in all 738 rows", ("price", "tax"), 738, "Ask the supplier."
    )
    told = replace(alert, fact=fact, group="a")
    page = Page(render_alert(make_view(make_detail(told)), where))
    assert "price is 10 times too large in all 738 rows. Ask the supplier. Rows concerned: 738" in page.text
    assert "Columns: price, tax" in page.text
    assert "What showed it price: mean was 1,000; expected 90 to 110." in page.text


def test_what_is_held_up_and_who_answers_for_it_stand_beside(make_view, where):
    recent = [partition("2026-02-27"), partition("2026-02-28", verdict=Status.FAIL, first_alert_id=11)]
    impact = Impact(["publish", "export"], ["audit"], ["orders_clean"], "ann")
    page = Page(render_alert(make_view(impact=impact, recent=recent), where))
    assert "Held up publish, export Went on all the same audit" in page.text
    assert "Assets without a new event orders_clean Owner of the gate ann Last good 2026-02-27" in page.text
    assert page.all("a", href="/dq-alerts/dags/load%20orders/partition?dataset=orders&partition=2026-02-28")


def test_who_may_decide_gets_three_buttons_and_a_comment(make_view, where):
    page = Page(render_alert(make_view(), where))
    assert [button["value"] for button in page.all("button", name="decision")] == ["accepted", "rejected", "new_normal"]
    assert page.all("form", method="post", action=f"{ACTION}/decision")
    assert page.all("textarea", name="comment")
    assert page.all("label", for_="comment")
    assert page.all("a", href="#decision")
    assert page.all("section", id="decision")


def test_what_can_be_profiled_again_has_a_button_of_its_own(make_view, where):
    page = Page(render_alert(make_view(may_rerun=True), where))
    assert page.all("form", method="post", action=f"{ACTION}/rerun")
    assert "Fixed upstream: run again" in page.text
    assert "Fixed upstream" not in Page(render_alert(make_view(), where)).text


@pytest.fixture
def profile(monkeypatch):
    monkeypatch.setenv("AIRFLOW_DQ_HASH_SECRET", "a secret of the tests")
    return profile_of(0)


RAN, RUNS, WAITS = (DrillTask("g.drill", stage) for stage in (Stage.ENDED, Stage.RUNS, Stage.WAITS))
BEFORE = [partition("2026-02-27"), partition("2026-02-28", verdict=Status.FAIL, first_alert_id=11)]


@pytest.mark.parametrize(
    ("drills", "may_clear", "says", "action", "command"),
    [
        ([], True, "Nobody has looked yet", False, True),
        ([RAN], True, "Nobody has looked yet", True, False),
        ([RAN], False, "Nobody has looked yet", False, True),
        ([RUNS], True, "g.drill looks for it now", False, False),
        ([WAITS], True, "g.drill looks for it as soon as the gate has ended", False, True),
    ],
)
def test_where_the_change_is_can_be_looked_for(make_view, where, profile, drills, may_clear, says, action, command):
    view = make_view(recent=BEFORE, profile=profile, drills=drills, may_clear=may_clear)
    page = Page(render_alert(view, where))
    assert says in page.text
    assert bool(page.all("form", method="post", action=f"{ACTION}/drill")) is action
    assert ("airflow dq drill orders 2026-02-28 --store" in page.text) is command


def test_nobody_is_asked_to_look_where_there_is_nothing_to_compare_with_or_to_show(make_view, where, profile):
    hidden = replace(profile, options=replace(profile.options, store_values=False))
    for view in (make_view(profile=profile, recent=BEFORE[1:]), make_view(profile=hidden, recent=BEFORE)):
        assert "Where it is" not in Page(render_alert(view, where)).text


def test_no_rows_of_an_empty_partition_are_looked_for(make_view, where, profile):
    view = make_view(recent=BEFORE, profile=replace(profile, row_count=0))
    assert "Where it is" not in Page(render_alert(view, where)).text


@pytest.mark.parametrize(("number", "folded"), [(1, 0), (4, 0), (5, 2), (12, 9)])
def test_many_problems_leave_what_is_held_up_in_sight(make_view, make_detail, alert: Alert, where, number, folded):
    apart = [replace(alert, column=f"c{n}", statement=f"c{n} is odd", fact=None, root=True) for n in range(number)]
    page = Page(render_alert(make_view(make_detail(*apart)), where))
    assert len(page.all("p", class_="what")) == number
    assert [len(page.all("details", class_="more-problems"))] == [int(folded > 0)]
    assert (f"{folded} more problems" in page.text) is (folded > 0)


def test_a_drill_that_is_stored_can_be_made_again_by_who_may(make_view, where, profile):
    report = DrillReport("2026-02-28", "2026-02-27", True, None, 1.0, ("channel",), 3, (), ())
    view = make_view(recent=BEFORE, profile=profile, drilled=report, drills=[RAN])
    assert "Look again" not in (text := Page(render_alert(view, where)).text)
    assert "No slice carries a change (3 slices of channel were tried)." in text
    assert "airflow dq drill" not in text
    assert "Look again" in Page(render_alert(replace(view, may_clear=True), where)).text


def test_who_may_only_read_gets_no_form(make_view, where):
    page = Page(render_alert(make_view(may_decide=False), where))
    assert page.all("form") == []
    assert "You may read this, not decide it" in page.text


def test_a_decision_that_stands_is_shown_with_its_author_and_can_be_changed(make_view, make_detail, where):
    detail = make_detail(decision="rejected", decided_by="ann", decided_at=NOW - timedelta(minutes=5))
    page = Page(render_alert(make_view(replace(detail, comment="wrong unit")), where))
    assert "rejected by ann 5 min ago wrong unit" in page.text
    resume, *choices = (button["value"] for button in page.all("button", name="decision"))
    assert (resume, choices) == ("rejected", ["accepted", "new_normal"])
    assert page.all("input", name="revise", value="1")


def test_alerts_that_moved_with_another_are_folded(make_view, make_detail, alert: Alert, where):
    other = replace(alert, column="tax", root=False, statement="mean was 100; expected 9 to 11.", changes=())
    text = render_alert(make_view(make_detail(alert, other)), where)
    assert "1 alert in 1 column moved with it" in text
    assert text.index("moved with it") > text.index("Evidence")


def test_a_column_is_named_once_in_what_broke_and_its_charts_say_the_rest(make_view, make_detail, alert: Alert, where):
    alert = replace(alert, group="g")
    other = replace(alert, metric="max", statement="max was 2,000; expected 110 to 120.", changes=())
    gone = Alert("column_missing", "tax", "the column is missing; it is in the 30 past partitions.")
    page = Page(text := render_alert(make_view(make_detail(alert, other, gone)), where))
    first = page.text[: page.text.index("Evidence")]
    assert "price: mean was 1,000; expected 90 to 110." in first
    assert "tax: the column is missing; it is in the 30 past partitions." in first
    assert "max was" not in first.lower()
    assert page.text.lower().count("tax: the column is missing") == 2
    assert '<p class="sentence">price: max was' not in text


def test_what_changed_stands_side_by_side(make_view, where):
    text = Page(render_alert(make_view(), where)).text
    assert "before now change Quantiles median 100 1,000 x10" in text


def test_hostile_names_stay_text(make_view, make_detail, alert: Alert, where):
    evil = "</textarea><script>alert(1)</script>"
    hostile = replace(alert, column=evil, statement="mean was 1; expected 2.", cause=evil)
    detail = make_detail(hostile, dataset=evil, partition=evil, headline=evil)
    html = render_alert(make_view(replace(detail, comment=evil)), where)
    page = Page(html)
    assert [script.get("src") for script in page.all("script")] == ["/dq-alerts/static/review.js?v=v1"]
    assert "<script>alert" not in html


def test_a_page_needs_no_style_or_script_of_its_own(make_view, where):
    page = Page(render_alert(make_view(recent=[partition("a"), partition("b")]), where))
    assert page.all("style") == []
    assert not [name for _, found in page.tags for name in found if name == "style" or name.startswith("on")]


def test_every_control_has_a_label(make_view, where):
    page = Page(render_alert(make_view(), where))
    labelled = {label["for"] for label in page.all("label")}
    controls = [found for tag in ("input", "select", "textarea") for found in page.all(tag)]
    assert {found["id"] for found in controls if found.get("type") != "hidden"} <= labelled
    ids = [found["id"] for _, found in page.tags if "id" in found]
    assert len(ids) == len(set(ids))


def test_the_trail_is_in_the_order_of_time(make_view, make_detail, where):
    snoozed = ReviewEvent(1, "orders", None, "snoozed", "bob", NOW - timedelta(days=3), "known", "the whole dataset")
    decided = ReviewEvent(2, "orders", "2026-02-28", "rejected", "ann", NOW, "wrong unit")
    detail = replace(make_detail(), events=(snoozed, decided))
    text = Page(render_alert(make_view(detail), where)).text
    order = [text.index(words) for words in ("bob snoozed the whole dataset", "The gate found 1 alert", "ann rejected")]
    assert order == sorted(order)


def test_a_snooze_can_be_ended_by_who_may_decide(make_view, make_detail, where):
    snooze = Snooze(5, "orders", "price", None, NOW + timedelta(days=2), "bob", None, NOW)
    detail = replace(make_detail(), snoozes=(snooze,))
    page = Page(render_alert(make_view(detail), where))
    assert "column 'price' snoozed by bob; ends in 2 d" in page.text
    assert page.all("form", action=f"{ACTION}/snooze/end")
    assert page.all("input", name="snooze_id", value="5")
    assert not Page(render_alert(make_view(detail, may_decide=False), where)).all("form")


def test_other_partitions_are_linked_as_far_as_the_reader_may_see_them(make_view, where):
    mine = partition("a", first_alert_id=4, alert_count=1)
    others = partition("b", first_alert_id=5, alert_count=1, origins=(replace(ORIGIN, dag_id="secret"),))
    page = Page(render_alert(make_view(recent=[mine, others]), where))
    assert page.all("a", href="/dq-alerts/dags/load%20orders/alerts/4")
    assert "secret" not in str(page.tags)


def test_a_waiting_gate_is_asked_for_at_airflows_address(make_view, where):
    (note,) = Page(render_alert(make_view(), where)).all("p", class_="parked")
    assert note["data-waiting"] == (
        "/api/v2/dags/load%20orders/dagRuns/manual__2026-03-01T00%3A00%3A00%2B00%3A00/taskInstances/group.gate/-1/hitlDetails"
    )
    assert "hidden" in note


def test_many_alerts_are_told_without_charts(make_view, make_detail, alert: Alert, where):
    many = [replace(alert, column=f"c{n}", statement="mean was 1; expected 2.") for n in range(80)]
    html = render_alert(make_view(make_detail(*many)), where)
    assert "20 more alerts, without charts" in html
    assert html.count("<svg") == 2 * 60


def test_one_line_says_how_reliable_the_gate_has_been(make_view, make_detail, where):
    detail = make_detail()
    told = replace(detail, verdict=replace(detail.verdict, record=Record(45, accepted=1)))
    words = "Of the last 45 partitions judged, 1 alarmed and was accepted as right (95% interval 0-12%)."
    assert words in Page(render_alert(make_view(detail=told), where)).text
    assert "partitions judged" not in Page(render_alert(make_view(detail=detail), where)).text


def test_a_partition_whose_profile_is_damaged_says_so(make_view, where):
    page = Page(render_alert(replace(make_view(), unreadable=("price", "tax")), where))
    assert (
        "What is stored of this partition's price, tax is damaged: later partitions are judged without it." in page.text
    )
    assert "damaged" not in Page(render_alert(make_view(), where)).text
