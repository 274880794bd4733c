"""The database's clock is an hour ahead of the workers' or behind: a gate may wait too long, and never passes in vain.

The clock is set in a database of its own, whose functions ``now()`` and ``clock_timestamp()`` come before PostgreSQL's.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text

from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.sensors.gate import DQGateSensor
from airflow_dq.store import Repository, open_store
from airflow_dq.store.address import parse_dsn
from airflow_dq.store.engine import make_engine
from airflow_dq.store.migration import upgrade
from airflow_dq.triggers.profile import progress
from tests.integration.sample import days, make_profile
from tests.reliability.server import Server
from tests.reliability.sight import assert_whole, put, report, rows

TODAY = "2024-01-21"
HOUR = timedelta(hours=1)
OPTIONS = SynthesisOptions(target_fpr=0.05, history=20, min_history=5)


_DEFAULTS = """
    DO $$ DECLARE one record; BEGIN
        FOR one IN SELECT table_name, column_name FROM information_schema.columns
            WHERE table_schema = 'airflow_dq' AND column_default LIKE '%now()'
        LOOP EXECUTE format(
            'ALTER TABLE airflow_dq.%I ALTER %I SET DEFAULT {name}.now()', one.table_name, one.column_name
        ); END LOOP;
    END $$
"""


def execute(dsn: str, *statements: str) -> None:
    engine = make_engine(parse_dsn(dsn)).execution_options(isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        for statement in statements:
            connection.execute(text(statement))
    engine.dispose()


@pytest.fixture(scope="module", params=["1 hour", "-1 hour"])
def skewed(request: pytest.FixtureRequest, server: Server) -> Iterator[Repository]:
    """A store whose clock is ahead or behind by an hour, from its first row on, and two datasets of 20 days."""
    name = "ahead" if request.param == "1 hour" else "behind"
    clocks = [
        f"CREATE FUNCTION {name}.{clock}() RETURNS timestamptz LANGUAGE sql STABLE "
        f"AS $$ SELECT pg_catalog.{clock}() + interval '{request.param}' $$"
        for clock in ("now", "clock_timestamp")
    ]
    execute(server.dsn, f"CREATE DATABASE {name}", f"ALTER DATABASE {name} SET search_path = {name}, pg_catalog")
    dsn = parse_dsn(server.dsn).set(database=name).render_as_string(hide_password=False)
    execute(dsn, f"CREATE SCHEMA {name}", *clocks)
    upgrade(dsn)
    execute(dsn, _DEFAULTS.format(name=name))
    with open_store(dsn) as store:
        for dataset in ("newer", "any"):
            put(store, *days(20), dataset=dataset)
        yield store
    execute(server.dsn, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def ahead(skewed: Repository) -> bool:
    """Whether the database's clock is ahead, by what the store itself has seen."""
    seen = skewed.attempt_status("any", "2024-01-20")
    assert seen is not None
    assert abs(abs(seen.clock_ahead) - HOUR) < timedelta(minutes=5)
    return seen.clock_ahead > timedelta(0)


def gate(
    store: Repository, dataset: str, monkeypatch: pytest.MonkeyPatch, since: datetime | None = None
) -> DQGateSensor:
    monkeypatch.setenv("AIRFLOW_DQ_DSN", store._engine.url.render_as_string(hide_password=False))
    return DQGateSensor(
        task_id="gate",
        dataset=dataset,
        partition=TODAY,
        newer_than=since,
        options=OPTIONS,
        timeout=60,
        do_xcom_push=False,
        deferrable=False,
    )


def begun(store: Repository, ago: timedelta) -> None:
    """Let today's attempts have begun some time ago."""
    query = text("UPDATE airflow_dq.profile_attempt SET started_at = now() - :ago WHERE partition_key = :key")
    with store._engine.begin() as connection:
        connection.execute(query, {"ago": ago, "key": TODAY})


def test_a_gate_that_asks_for_a_newer_profile_never_takes_the_one_before(
    skewed: Repository, ahead: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(skewed, make_profile(TODAY), dataset="newer")
    begun(skewed, timedelta(minutes=30))
    asks = gate(skewed, "newer", monkeypatch, datetime.now(UTC))
    assert not asks.poke({}).is_done
    assert rows(skewed, "verdict") == 0
    put(skewed, make_profile(TODAY, rows=1001), dataset="newer")
    said = progress(skewed, "newer", TODAY, newer_than=datetime.now(UTC) - timedelta(minutes=5)).message
    if ahead:
        assert asks.poke({}).xcom_value["outcome"] == "pass"
    else:
        # It cannot be told from an old one; whoever looks at the log finds the reason.
        assert not asks.poke({}).is_done
        assert "The database's clock is 3,600 s behind this machine's" in said
    report("clock of the database", hours_ahead=1 if ahead else -1, stale_passes=0)


def test_all_else_goes_by_one_clock(skewed: Repository, ahead: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    put(skewed, make_profile(TODAY, mean=500.0), dataset="any")
    with pytest.raises(Exception, match="price"):
        gate(skewed, "any", monkeypatch).poke({})
    skewed.decide("any", TODAY, "rejected", "ann")
    put(skewed, make_profile(TODAY), dataset="any")
    assert gate(skewed, "any", monkeypatch).poke({}).xcom_value["outcome"] == "pass"
    skewed.snooze("any", column="price", metric=None, until=datetime.now(UTC) + 2 * HOUR, by="ann", comment=None)
    put(skewed, make_profile(TODAY, mean=500.0), dataset="any")
    assert gate(skewed, "any", monkeypatch).poke({}).xcom_value["outcome"] == "warn"
    assert_whole(skewed)
