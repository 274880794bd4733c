"""The schema's migrations: up, down, up again; two at once; beside another application's migrations."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from sqlalchemy import URL, Engine, create_engine, text

from airflow_dq.exceptions import StoreError, StoreNotMigratedError
from airflow_dq.judge.verdict import ScopeVerdict, Status, Verdict
from airflow_dq.metrics.descriptor import Reason
from airflow_dq.settings import SCHEMA
from airflow_dq.store import open_store
from airflow_dq.store import table as model
from airflow_dq.store.address import parse_dsn
from airflow_dq.store.migration import check, downgrade, head, upgrade
from tests.integration.sample import make_profile

TABLES = text("SELECT tablename FROM pg_tables WHERE schemaname = :schema ORDER BY 1")


@pytest.fixture
def empty(postgres_dsn: str) -> Iterator[tuple[str, Engine]]:
    """A database of its own without any schema of ours, and an engine on it."""
    server = create_engine(parse_dsn(postgres_dsn), isolation_level="AUTOCOMMIT")
    with server.connect() as connection:
        connection.execute(text("DROP DATABASE IF EXISTS dq_migration WITH (FORCE)"))
        connection.execute(text("CREATE DATABASE dq_migration"))
    url = parse_dsn(postgres_dsn).set(database="dq_migration")
    engine = create_engine(url)
    yield url.render_as_string(hide_password=False), engine
    engine.dispose()
    with server.connect() as connection:
        connection.execute(text("DROP DATABASE dq_migration WITH (FORCE)"))
    server.dispose()


def tables(engine: Engine) -> list[str]:
    with engine.begin() as connection:
        return list(connection.execute(TABLES, {"schema": SCHEMA}).scalars())


def test_up_down_up(empty: tuple[str, Engine]) -> None:
    dsn, engine = empty
    assert check(dsn).current is None
    assert upgrade(dsn) == head() == model.REVISION
    full = tables(engine)
    assert "verdict" in full
    downgrade(dsn, "base")
    assert tables(engine) == ["alembic_version"]
    assert upgrade(dsn) == head()
    assert tables(engine) == full
    assert upgrade(dsn) == head()


def test_models_are_in_step_with_migrations(empty: tuple[str, Engine]) -> None:
    dsn, engine = empty
    upgrade(dsn)
    assert check(dsn).differences == ()
    assert check(dsn).in_step
    with engine.begin() as connection:
        connection.execute(text(f"ALTER TABLE {SCHEMA}.verdict DROP COLUMN comment"))
        connection.execute(text(f"DROP INDEX {SCHEMA}.ix_profile_attempt_id"))
        connection.execute(text("CREATE TABLE public.not_ours (id int)"))
    found = check(dsn)
    assert not found.in_step
    assert len(found.differences) == 2
    assert any("add_column" in one and "comment" in one for one in found.differences)
    assert any("ix_profile_attempt_id" in one for one in found.differences)


def test_database_shared_with_another_application(empty: tuple[str, Engine]) -> None:
    dsn, engine = empty
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE public.alembic_version (version_num varchar(32) PRIMARY KEY)"))
        connection.execute(text("INSERT INTO public.alembic_version VALUES ('0123456789ab')"))
        # One that also looks in our schema first must not matter either.
        connection.execute(text(f"ALTER DATABASE dq_migration SET search_path = public, {SCHEMA}"))
    assert upgrade(dsn) == head()
    assert upgrade(dsn) == head()
    with engine.begin() as connection:
        assert connection.execute(text("SELECT version_num FROM public.alembic_version")).scalars().all() == [
            "0123456789ab"
        ]
        assert connection.execute(text(f"SELECT version_num FROM {SCHEMA}.alembic_version")).scalars().all() == [head()]
    assert check(dsn).in_step


def test_upgrades_at_once_wait_for_each_other(empty: tuple[str, Engine]) -> None:
    dsn, _ = empty
    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(upgrade, [dsn] * 3)) == [head()] * 3
    assert check(dsn).in_step


def test_failed_upgrade_leaves_nothing(empty: tuple[str, Engine]) -> None:
    dsn, engine = empty
    with engine.begin() as connection:
        connection.execute(text(f"CREATE SCHEMA {SCHEMA}"))
        connection.execute(text(f"CREATE TABLE {SCHEMA}.verdict (mine int)"))
    with pytest.raises(StoreError, match="verdict"):
        upgrade(dsn)
    assert tables(engine) == ["verdict"]


def test_not_migrated_is_said(empty: tuple[str, Engine]) -> None:
    dsn, engine = empty
    with pytest.raises(StoreNotMigratedError, match=r"'dq_migration' .* run `airflow dq db upgrade`") as caught:
        open_store(dsn)
    assert str(parse_dsn(dsn).password) not in str(caught.value)
    with open_store(dsn, check=False) as store, pytest.raises(StoreError, match="run `airflow dq db upgrade`"):
        store.load_profile("t", "p")
    upgrade(dsn)
    with engine.begin() as connection:
        connection.execute(text(f"UPDATE {SCHEMA}.alembic_version SET version_num = '9999'"))
    said = f"revision '9999', which this version does not know .it needs '{head()}'.: install the version"
    for act in (open_store, upgrade, lambda dsn: downgrade(dsn, "base")):
        with pytest.raises(StoreNotMigratedError, match=said):
            act(dsn)
    assert not check(dsn).in_step


def test_user_without_rights(empty: tuple[str, Engine]) -> None:
    dsn, engine = empty
    with engine.begin() as connection:
        connection.execute(text("DROP ROLE IF EXISTS dq_guest"))
        connection.execute(text("CREATE ROLE dq_guest LOGIN PASSWORD 'guest-secret'"))
    guest: URL = parse_dsn(dsn).set(username="dq_guest", password="guest-secret")
    as_guest = guest.render_as_string(hide_password=False)
    with pytest.raises(StoreError, match="grant the user") as caught:
        upgrade(as_guest)
    assert "guest-secret" not in str(caught.value)
    upgrade(dsn)
    with pytest.raises(StoreError, match="grant the user"):
        open_store(as_guest)
    with engine.begin() as connection:
        connection.execute(text(f"GRANT USAGE ON SCHEMA {SCHEMA} TO dq_guest"))
        connection.execute(text(f"GRANT ALL ON ALL TABLES IN SCHEMA {SCHEMA} TO dq_guest"))
    with open_store(as_guest) as store:
        assert store.datasets() == []
    assert upgrade(as_guest) == head()
    with engine.begin() as connection:
        connection.execute(text("DROP OWNED BY dq_guest"))
        connection.execute(text("DROP ROLE dq_guest"))


def test_profile_and_verdict_are_stored_compressed(empty: tuple[str, Engine]) -> None:
    dsn, engine = empty
    upgrade(dsn)
    profile = make_profile("p")
    price = replace(profile.columns["price"], distances={"x": {"emd": 0.1, "ks_dist": Reason.NO_VALUES}})
    profile = replace(profile, columns={**profile.columns, "price": price})
    verdict = Verdict("p", Status.FAIL, ScopeVerdict(Status.FAIL), {}, reason="é")
    with open_store(dsn) as store:
        store.save_profile(store.begin_attempt("t", "p"), "t", profile)
        store.save_verdict("t", profile, None, verdict)
        assert store.load_profile("t", "p") == profile
        assert store.load_verdict("t", "p") == verdict
    with engine.begin() as connection:
        stored = [
            *connection.execute(text(f"SELECT metrics, distances FROM {SCHEMA}.column_profile")).all(),
            *connection.execute(text(f"SELECT document FROM {SCHEMA}.verdict")).all(),
        ]
    assert stored
    assert not any(bytes(document).startswith(b"{") for row in stored for document in row)


def test_tables_that_grow_are_vacuumed_soon(empty: tuple[str, Engine]) -> None:
    dsn, engine = empty
    upgrade(dsn)
    query = text(
        "SELECT relname FROM pg_class WHERE relnamespace = CAST(:schema AS regnamespace) "
        "AND 'autovacuum_vacuum_scale_factor=0.02' = ANY(reloptions)"
    )
    with engine.begin() as connection:
        assert {"column_profile", "profile", "verdict"} <= set(connection.execute(query, {"schema": SCHEMA}).scalars())
