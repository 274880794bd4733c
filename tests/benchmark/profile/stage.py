"""Where the benchmark runs: one Spark session and one PostgreSQL server of its own, and the two jobs it compares."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from sqlalchemy import text

from airflow_dq.engine.spark.engine import SparkEngine
from airflow_dq.engine.spark.environment import spark_environment
from airflow_dq.engine.spark.session import open_session
from airflow_dq.job.pipeline import ProfileJob
from airflow_dq.profile import JobSpec
from airflow_dq.settings import SCHEMA
from airflow_dq.store import EmbeddedPostgres, open_store
from airflow_dq.store.address import parse_dsn
from airflow_dq.store.engine import make_engine
from airflow_dq.store.migration import upgrade
from airflow_dq.store.table_base import Base
from tests.benchmark.profile.table import Shape

CORES = 2


@dataclass(frozen=True, slots=True)
class Stage:
    """A session and a migrated database."""

    spark: SparkSession
    dsn: str
    roots: tuple[int, ...]
    """Process ids whose trees do the work."""

    def read(self, shape: Shape, path: Path) -> DataFrame:
        """The table; the days of a table with several become one more column."""
        return self.spark.read.parquet(str(path))

    def scan(self, shape: Shape, path: Path) -> None:
        """Spark's own no-op job: read every value, keep none."""
        self.read(shape, path).write.format("noop").mode("overwrite").save()

    def profile(self, shape: Shape, path: Path) -> None:
        """Our whole job: states, variants, and the write to PostgreSQL.

        :raises RuntimeError: when a partition could not be profiled
        """
        several = shape.days > 1
        source = {"pattern": f"{path}/day=*"} if several else {"paths": {"2026-01-01": str(path)}}
        spec = JobSpec(dataset=shape.name, **source)
        with open_store(self.dsn) as store:
            outcomes = ProfileJob(SparkEngine(self.spark, spec, lambda line: None), store, lambda line: None).run()
        failed = [outcome.line(shape.name) for outcome in outcomes if outcome.error is not None]
        if failed or len(outcomes) != shape.days:
            raise RuntimeError(f"{len(outcomes)} of {shape.days} partitions came back, failed: {failed}")

    def stored(self) -> dict[str, int]:
        """Bytes of the rows in each of our tables."""
        engine = make_engine(parse_dsn(self.dsn))
        with engine.begin() as connection:
            return {
                table.name: connection.execute(
                    text(f'SELECT coalesce(sum(pg_column_size(t.*)), 0) FROM {SCHEMA}."{table.name}" t')
                ).scalar_one()
                for table in Base.metadata.sorted_tables
            }

    def clear(self) -> None:
        """Forget every stored profile: each round stores its own."""
        engine = make_engine(parse_dsn(self.dsn))
        names = ", ".join(f'{SCHEMA}."{table.name}"' for table in Base.metadata.sorted_tables)
        with engine.begin() as connection:
            connection.execute(text(f"TRUNCATE {names} RESTART IDENTITY CASCADE"))
        engine.dispose()


@contextmanager
def open_stage(folder: Path) -> Iterator[Stage]:
    """A stage whose files lie in ``folder``, torn down at the end."""
    master = f"local[{CORES}]"
    os.environ.update(spark_environment(master))
    (
        SparkSession.builder.master(master)
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "2g")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.local.dir", str(folder / "spark"))
        .config("spark.sql.warehouse.dir", str(folder / "warehouse"))
        .getOrCreate()
    )
    server = EmbeddedPostgres(folder / "postgres")
    with server as dsn, open_session() as spark:
        upgrade(dsn)
        postmaster = int((server.data / "postmaster.pid").read_text().splitlines()[0])
        yield Stage(spark, dsn, (os.getpid(), postmaster))
