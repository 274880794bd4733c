"""Nothing lost, nothing doubled, no green without a check: what is tested here, and on what.

=========================  ===========================================================================================
test_killed_process        kill -9 of a process in the middle of a save, of a judgement, of tidying up
test_killed_spark          kill -9 of a Spark job between two partitions, and the job again
test_killed_cluster        kill -9 of the driver and of an executor of a stand-alone cluster
test_slow_or_lost_spark    a task that is started again elsewhere (speculation); kill -9 of a Spark Connect server
test_killed_postgres       kill -9, restart and absence of PostgreSQL; each connection of a save cut in turn; a trigger
test_stopped_postgres      a server that hangs (SIGSTOP), for a moment and for long; one whose disk is full
test_two_workers           two workers on a partition, on a dataset; reading and judging what is being replaced
test_gate_order            a gate before its profile, without its database, and with clocks that disagree
test_clock_skew            a database whose clock is an hour ahead of the workers, or behind
test_airflow_outage        PostgreSQL away while a gate of a real DAG run is rescheduled again and again
test_airflow_crowd         20 decisions at once about a parked gate, with PostgreSQL as Airflow's own database
test_concurrent_review     several people, a judge and the profile job at a partition at once
test_gate_invariant        random sequences of all that can happen to a dataset: green only where something was checked
test_late                  what retention keeps, and old partitions that are repaired or judged late
test_scale, scale.py       40,000 column profiles, and 2 million: ``python -m tests.reliability.scale``
decade.py                  ten years of a daily table of 60 columns: ``python -m tests.reliability.decade``
versions.py                every version of Spark, here and on two workers: ``python -m tests.reliability.versions``
fuzz.py                    random tables, damaged blobs and lines: ``python -m tests.reliability.fuzz``
=========================  ===========================================================================================

Each module has a PostgreSQL server of its own, which syncs to the disk and which its tests may kill.  Each test prints
its figures: ``pytest tests/reliability -s`` (or ``-rP``).
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import text

from airflow_dq.settings import SCHEMA
from airflow_dq.store import Repository, open_store
from airflow_dq.store.address import parse_dsn
from airflow_dq.store.engine import make_engine
from airflow_dq.store.table_base import Base
from tests.reliability.server import Server
from tests.reliability.server import server as own_server


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A server that keeps its promises: what was committed survives its being killed."""
    with own_server() as made:
        yield made


@pytest.fixture
def store(server: Server) -> Iterator[Repository]:
    """A repository on an empty, migrated schema."""
    names = ", ".join(f"{SCHEMA}.{table.name}" for table in Base.metadata.sorted_tables)
    engine = make_engine(parse_dsn(server.dsn))
    with engine.begin() as connection:
        connection.execute(text(f"TRUNCATE {names} RESTART IDENTITY CASCADE"))
    engine.dispose()
    with open_store(server.dsn) as repository:
        yield repository
