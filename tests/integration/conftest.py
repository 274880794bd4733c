"""A real PostgreSQL for the tests that need one: AIRFLOW_DQ_TEST_DSN when it is set, else an embedded server."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from airflow_dq.settings import SCHEMA
from airflow_dq.store import EmbeddedPostgres, Repository, open_store
from airflow_dq.store.address import parse_dsn
from airflow_dq.store.engine import current_revision, make_engine
from airflow_dq.store.migration import upgrade
from airflow_dq.store.table import REVISION
from airflow_dq.store.table_base import Base
from tests.integration.object_store import ObjectStore

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.integration.spark_job import Run


@pytest.fixture(scope="session")
def postgres_dsn() -> Iterator[str]:
    """URL of a server where the tests may do as they like with schema ``airflow_dq``."""
    given = os.environ.get("AIRFLOW_DQ_TEST_DSN")
    if given:
        yield given
        return
    # Not pytest's tmp_path: as root, that is closed to the user the server runs as.
    folder = Path(tempfile.mkdtemp(prefix="airflow-dq-postgres-"))
    try:
        with EmbeddedPostgres(folder, durable=False) as dsn:
            yield dsn
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def migrated(dsn: str) -> str:
    """The same server, with the schema at this version's revision."""
    engine = make_engine(parse_dsn(dsn))
    with engine.begin() as connection:
        done = current_revision(connection) == REVISION
    engine.dispose()
    if not done:
        upgrade(dsn)
    return dsn


@pytest.fixture
def clean_dsn(postgres_dsn: str) -> str:
    """The same server with a migrated and empty schema."""
    engine = make_engine(parse_dsn(migrated(postgres_dsn)))
    names = ", ".join(f"{SCHEMA}.{table.name}" for table in Base.metadata.sorted_tables)
    with engine.begin() as connection:
        connection.execute(text(f"TRUNCATE {names} RESTART IDENTITY CASCADE"))
    engine.dispose()
    return postgres_dsn


@pytest.fixture
def store(clean_dsn: str) -> Iterator[Repository]:
    """A repository on an empty, migrated schema."""
    with open_store(clean_dsn) as repository:
        yield repository


@pytest.fixture(scope="module")
def lasting_store(postgres_dsn: str) -> Iterator[Repository]:
    """A repository for a fixture that many tests share: what it stores may be gone for the next test."""
    with open_store(migrated(postgres_dsn)) as repository:
        yield repository


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A local Spark, set up as the profile job sets it up; one for all tests: it starts slowly."""
    from tests.integration.spark_job import local_session

    with local_session(tmp_path_factory.mktemp("spark")) as session:
        yield session


@pytest.fixture
def run(spark: SparkSession, store: Repository) -> Run:
    """Runs a profile job that stores into ``store``."""
    from functools import partial

    from tests.integration.spark_job import run_job

    return partial(run_job, spark, store)


@pytest.fixture(scope="session")
def object_store() -> Iterator[ObjectStore]:
    """A real S3 server with an empty bucket, for all tests that need one."""
    folder = Path(tempfile.mkdtemp(prefix="airflow-dq-s3-"))
    server = ObjectStore(folder)
    try:
        yield server.start()
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
