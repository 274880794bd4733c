"""Names, arguments and help of the commands to begin with."""

from __future__ import annotations

from airflow_dq.cli.argument import DATASET, Group, arg, command, number, option
from airflow_dq.cli.definition_past import SOURCE_CONN_ID, TRAVEL

FILE_FORMATS = ("parquet", "csv", "json", "arrow", "delta", "iceberg")
FOLDER = option("--folder", "FOLDER", "where its data lie (default: ~/.local/share/airflow_dq/postgres)")

INIT = command(
    "init",
    "Write a DAG that profiles and gates a dataset, and see whether the statistics database can be reached",
    "init",
    (
        DATASET,
        option(
            "--source",
            "PATH",
            "path of a partition ('/data/orders/day={{ ds }}'), as the operators take it",
            required=True,
        ),
        option(
            "--partition",
            "KEY",
            "the partition's key, as the operators take it (default: '{{ ds }}')",
            default="{{ ds }}",
        ),
        option("--format", "NAME", "format of the files (default: what those that are there are called, else parquet)"),
        option(
            "--engine",
            "NAME",
            "what reads the partition: spark (default), or arrow for small files of this machine",
            choices=("spark", "arrow"),
            default="spark",
        ),
        option("--schedule", "WHEN", "the DAG's schedule (default: @daily)", default="@daily"),
        option("--out", "FILE", "file to write (default: DATASET_dq.py in the DAGs folder)"),
        arg("--replace", action="store_true", help="write over a file that is there already"),
        arg("--embedded", action="store_true", help="start the embedded database if none is configured"),
    ),
    "init orders --source '/data/orders/day={{ ds }}'",
    "when the file is written and something is left to do",
)

DOCTOR = command(
    "doctor",
    "See whether this machine has what profile jobs and gates need, and say what to do",
    "doctor",
    (
        option("--master", "URL", "Spark master whose executors are looked at (default: local[1])", default="local[1]"),
        option("--conf", "KEY=VALUE", "Spark property; may be repeated", action="append", default=[]),
        arg("--no-spark", action="store_true", help="start no Spark: for machines whose engine is arrow"),
    ),
    "doctor",
    "when something is wrong",
)

PROFILE = command(
    "profile",
    "Profile files or a Delta or Iceberg table in this process and show the columns; needs no database and no Spark",
    "profile",
    (
        arg(
            "files",
            metavar="FILE",
            nargs="+",
            help="files of one table: Parquet, CSV, JSON lines or Arrow; or one Delta or Iceberg table; s3:// too",
        ),
        option(
            "--format",
            "NAME",
            "parquet, csv, json or arrow (default: as the files' names end), or delta or iceberg",
            choices=FILE_FORMATS,
        ),
        option("--where", "CONDITION", "of a table: only rows for which this is true"),
        *TRAVEL,
        SOURCE_CONN_ID,
        option(
            "--option",
            "KEY=VALUE",
            "how CSV files are read: sep, quote, escape, encoding, inferSchema; may be repeated",
            action="append",
            default=[],
        ),
        option("--columns", "A,B", "profile only these columns"),
        option("--exclude", "A,B", "do not profile these columns"),
    ),
    "profile orders.parquet",
)

DB = Group(
    name="db",
    help="Set up the statistics database",
    commands=(
        command(
            "upgrade",
            "Create or upgrade the tables of the statistics database",
            "db_upgrade",
            (),
            "db upgrade",
        ),
        command(
            "check",
            "Tell whether the statistics database has the tables of this version",
            "db_check",
            (),
            "db check --json",
            "when the tables are not those of this version",
        ),
        command(
            "downgrade",
            "Bring the tables back to an earlier revision; what only newer ones can hold is lost",
            "db_downgrade",
            (
                arg("revision", metavar="REVISION", help="the revision to go back to (base: drop all tables)"),
                arg("--yes", action="store_true", help="do it; without this nothing is done"),
            ),
            "db downgrade base --yes",
        ),
        command(
            "start",
            "Start a PostgreSQL server of your own in a folder, for trying things out",
            "db_start",
            (FOLDER, option("--port", "N", "TCP port (default: any free one)", type=number)),
            "db start",
        ),
        command(
            "stop",
            "Stop the PostgreSQL server that `db start` started; its data stay",
            "db_stop",
            (FOLDER,),
            "db stop",
        ),
    ),
)
