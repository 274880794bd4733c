"""One damaged row: it is named, and nothing else is lost for it."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from airflow_dq.exceptions import CodecError
from airflow_dq.gate.pipeline import judge
from airflow_dq.judge.verdict import Status
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.store import Repository
from tests.integration.sample import days, make_profile

OPTIONS = SynthesisOptions(target_fpr=0.05, history=20, min_history=5)
TODAY = "2024-01-21"
PAST = "2024-01-18"


@pytest.fixture
def learned(store: Repository) -> Repository:
    """Twenty quiet days, and one that was judged."""
    for profile in (*days(20), make_profile(TODAY)):
        store.save_profile(store.begin_attempt("t", str(profile.partition)), "t", profile)
    assert judge(store, "t", TODAY, OPTIONS).status is Status.PASS
    return store


def damage(store: Repository, table: str, column: str, partition: str) -> None:
    """Overwrite bytes of one partition, of its column ``price`` where there are several."""
    joins = {
        "column_profile": "p.id = d.profile_id AND d.name = 'price'",
        "column_state": "p.id = (SELECT profile_id FROM airflow_dq.column_profile c WHERE c.id = d.column_profile_id "
        "AND c.name = 'price')",
        "program": "p.dataset_id = d.dataset_id AND p.partition_key = d.partition_key",
        "verdict": "p.dataset_id = d.dataset_id AND p.partition_key = d.partition_key",
    }
    statement = (
        f"UPDATE airflow_dq.{table} d SET {column} = 'broken' FROM airflow_dq.profile p "
        f"WHERE {joins[table]} AND p.partition_key = :key"
    )
    with store._engine.begin() as connection:
        assert connection.execute(text(statement), {"key": partition}).rowcount >= 1


@pytest.mark.parametrize("column", ["metrics", "distances"])
def test_a_damaged_past_partition_is_left_out_and_named(
    learned: Repository, column: str, caplog: pytest.LogCaptureFixture
) -> None:
    damage(learned, "column_profile", column, PAST)
    found = [profile.partition for profile in learned.load_history("t", TODAY, 30)]
    assert (len(found), PAST in found) == (19, False)
    assert judge(learned, "t", TODAY, OPTIONS).status is Status.PASS
    assert f"Dataset 't', partition '{PAST}', column 'price'" in caplog.text
    series = learned.metric_histories("t", metrics=["mean"])
    gaps = [key for one in series for key, value in one.values if one.column == "price" and value is None]
    assert gaps == ([PAST] if column == "metrics" else [])
    with pytest.raises(CodecError, match=f"^Dataset 't', partition '{PAST}', column 'price': .* Profile the partition"):
        learned.load_profile("t", PAST)


def test_damaged_states_of_the_partition_itself_are_named(learned: Repository) -> None:
    damage(learned, "column_state", "data", TODAY)
    with pytest.raises(CodecError, match=f"^Dataset 't', partition '{TODAY}', column 'price'"):
        judge(learned, "t", TODAY, OPTIONS)


@pytest.mark.parametrize(("table", "column"), [("column_state", "data"), ("column_profile", "metrics")])
def test_retention_fails_no_stored_profile(learned: Repository, table: str, column: str) -> None:
    damage(learned, table, column, PAST)
    for day in range(22, 28):
        key = f"2024-01-{day}"
        assert learned.save_profile(learned.begin_attempt("t", key), "t", make_profile(key))
    with learned._engine.begin() as connection:
        kept = connection.execute(text("SELECT count(*) FROM airflow_dq.profile WHERE has_states")).scalar_one()
    assert kept < 10


@pytest.mark.parametrize(
    ("table", "column"), [("column_profile", "metrics"), ("column_profile", "distances"), ("column_state", "data")]
)
def test_pages_are_told_what_cannot_be_read(learned: Repository, table: str, column: str) -> None:
    assert learned.unreadable_columns("t", TODAY) == ()
    damage(learned, table, column, TODAY)
    assert learned.unreadable_columns("t", TODAY) == ("price",)
    told = {one.unreadable for one in learned.metric_histories("t") if one.column == "price"}
    assert told == {(TODAY,) if column == "metrics" else ()}
    assert {one.unreadable for one in learned.metric_histories("t") if one.column != "price"} == {()}


def test_a_damaged_program_is_named_and_stops_no_page(learned: Repository, caplog: pytest.LogCaptureFixture) -> None:
    damage(learned, "program", "document", TODAY)
    assert learned.current_program("t") == (TODAY, None)
    assert f"Dataset 't', partition '{TODAY}', its program" in caplog.text


@pytest.mark.parametrize("table", ["program", "verdict"])
def test_a_damaged_document_is_made_anew(learned: Repository, table: str) -> None:
    before = learned.verdict_of_partition("t", TODAY)
    assert before is not None
    damage(learned, table, "document", TODAY)
    if table == "verdict":
        with pytest.raises(CodecError, match=f"^Dataset 't', partition '{TODAY}'"):
            learned.verdict_of_partition("t", TODAY)
    else:
        shown = learned.verdict_of_partition("t", TODAY)
        assert (shown and shown.verdict, shown and shown.program) == (before.verdict, None)
    assert judge(learned, "t", TODAY, OPTIONS) == before.verdict
    again = learned.verdict_of_partition("t", TODAY)
    assert (again and again.verdict, again and again.program) == (before.verdict, before.program)
