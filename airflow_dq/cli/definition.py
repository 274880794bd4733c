"""Names, arguments and help of every command; light, because each ``airflow`` command imports it."""

from __future__ import annotations

from airflow.cli.cli_config import GroupCommand

from airflow_dq.cli.argument import DATASET, PARTITION, arg, command, number, option
from airflow_dq.cli.definition_review import ACCEPT, ALERTS, NEW_NORMAL, REJECT, SHOW, SNOOZE
from airflow_dq.cli.definition_store import DATASETS, DB, EXPORT, EXPORT_RULES, IMPORT, PRUNE

FORMATS = ("parquet", "csv", "json")

BACKFILL = command(
    "backfill",
    "Profile many partitions in one Spark job, or start a DAG's own backfill",
    "backfill",
    (
        arg("dataset", metavar="DATASET", nargs="?", help="name of the dataset, as given to the operators"),
        option("--source", "PATH", "a path with one * for the partition key ('lake/day=*'); quote it for the shell"),
        option("--table", "TABLE", "a table that Spark can read, instead of --source; needs --partition-by"),
        option("--sql", "QUERY", "a query that Spark can run, instead of --source; needs --partition-by"),
        option("--partition-by", "COLUMN", "column whose values are the partition keys"),
        option("--format", "NAME", "format of Spark's reader (default: parquet)", default="parquet"),
        option("--option", "KEY=VALUE", "option of Spark's reader; may be repeated", action="append", default=[]),
        option("--since", "KEY", "first partition key"),
        option("--until", "KEY", "last partition key"),
        option("--limit", "N", "only the newest N partitions", type=number),
        option("--columns", "A,B", "profile only these columns"),
        option("--exclude", "A,B", "do not profile these columns"),
        option("--hidden", "A,B", "store hashes of these columns' values, keyed by AIRFLOW_DQ_HASH_SECRET"),
        option("--checks", "FILE", "declared checks (orders.dq.yml): what they need of the rows is counted, too"),
        option("--key-folder", "PATH", "folder for keys of all partitions that are too many for the database"),
        option("--master", "URL", "Spark master (default: local[*])", default="local[*]"),
        option("--conf", "KEY=VALUE", "Spark property; may be repeated", action="append", default=[]),
        option("--dag-id", "DAG", "instead: start Airflow's backfill of this DAG, whose gates then only profile"),
        option("--from", "DATE", "with --dag-id: first logical date", dest="from_date"),
        option("--to", "DATE", "with --dag-id: last logical date", dest="to_date"),
        option(
            "--reprocess",
            "WHICH",
            "with --dag-id: runs to do again, none (default), failed or completed",
            choices=("none", "failed", "completed"),
            default="none",
        ),
        option("--max-active-runs", "N", "with --dag-id: runs at a time (default: 3)", type=int, default=3),
        option("--api-url", "URL", "with --dag-id: Airflow's address (default: api.base_url)"),
        option("--token-file", "FILE", "with --dag-id: file with a token for the API; AIRFLOW_DQ_API_TOKEN wins"),
    ),
    "backfill flights --source '/data/flights/day=*' --since 2013-01-01 --until 2013-02-14",
    "when the job broke for a reason that was not foreseen",
)

STATUS = command(
    "status",
    "Show the datasets, or the newest partitions of one with their verdicts",
    "status",
    (
        arg("dataset", metavar="DATASET", nargs="?", help="name of the dataset (default: list all)"),
        option("--limit", "N", "newest partitions to show (default: 30)", type=number, default=30),
    ),
    "status flights --limit 10",
)

EXPLAIN = command(
    "explain",
    "Explain the verdict on a partition: each alert with its bounds and history",
    "explain",
    (
        DATASET,
        PARTITION,
        option("--html", "FILE", "also write a self-contained HTML page with a chart for each alert"),
        arg("--judge", action="store_true", help="judge now, with default options, if no verdict is stored"),
    ),
    "explain flights 2013-02-15 --html verdict.html",
    "when the partition has not passed",
)

BACKTEST = command(
    "backtest",
    "Show what the gate would have done on past partitions, of a dataset or of files",
    "backtest",
    (
        arg("dataset", metavar="DATASET", nargs="?", help="name of a dataset whose history is stored"),
        option(
            "--files",
            "PATH",
            "files instead: a path with one * for the partition key ('folder/*.parquet', 'lake/day=*'); "
            "Parquet, CSV or JSON lines; needs no database, no Spark and no running Airflow",
            nargs="+",
        ),
        option("--format", "NAME", "parquet, csv or json (default: as the files' names end)", choices=FORMATS),
        option(
            "--option",
            "KEY=VALUE",
            "how CSV files are read, as for a profile job: sep, quote, escape, encoding; inferSchema=true finds the "
            "types of columns, which are text otherwise; may be repeated",
            action="append",
            default=[],
        ),
        option("--from", "KEY", "first partition to judge; earlier ones are only learned from", dest="since"),
        option("--to", "KEY", "last partition to judge", dest="until"),
        option("--target-fpr", "RATE", "accepted false-alarm rate (default: 0.001)", type=float, default=1e-3),
        option(
            "--scope",
            "NAME",
            "the rate holds for a whole partition, or for each column: partition, column",
            choices=("partition", "column"),
            default="partition",
        ),
        option(
            "--mode",
            "NAME",
            "calibrated (default), or paper: AVH as published",
            choices=("calibrated", "paper"),
            default="calibrated",
        ),
        option(
            "--novelty",
            "NAME",
            "what a partition does that is odd as a whole: warn (default), fail, off",
            choices=("warn", "fail", "off"),
            default="warn",
        ),
        option("--history", "N", "partitions to learn from (default: 30)", type=int, default=30),
        option("--min-history", "N", "with fewer the gate is warming up (default: 7)", type=int, default=7),
        option("--columns", "A,B", "judge only these columns"),
        option("--exclude", "A,B", "do not judge these columns"),
        option("--checks", "FILE", "declared checks (orders.dq.yml), judged with what is learned"),
        option(
            "--accept-after",
            "N",
            "assume that a person accepts the new normal after N alarms in a row (default: 2; 0: never)",
            type=int,
            default=2,
        ),
        arg("--quick", action="store_true", help="only this target: half the time, no suggestion"),
        option("--html", "FILE", "also write a self-contained HTML page with a chart for each alarm"),
    ),
    "backtest --files '/data/orders/*.parquet' --html backtest.html",
    "when no partition could be judged",
)


ROWS = command(
    "rows",
    "Show rows of a partition that a check finds wrong, read again from where the partition was read",
    "rows",
    (
        DATASET,
        PARTITION,
        option("--check", "ID", "the check's id, as its alert says it", required=True),
        option("--checks", "FILE", "file that declares the check (default: what the partition was judged by)"),
        option("--limit", "N", "most rows to show (default: 20)", type=number, default=20),
        option(
            "--option",
            "KEY=VALUE",
            "read option besides those that are stored; may be repeated",
            action="append",
            default=[],
        ),
        option("--master", "URL", "Spark master, where Spark read it (default: local[*])", default="local[*]"),
        option("--conf", "KEY=VALUE", "Spark property; may be repeated", action="append", default=[]),
    ),
    "rows orders 2026-01-31 --check discount",
)

SUGGEST = command(
    "suggest",
    "Write checks that a dataset's past suggests, each with on how many partitions it would have held",
    "suggest",
    (
        DATASET,
        arg(
            "file",
            metavar="FILE",
            nargs="?",
            help="file to write (default: the standard output)",
        ),
        option("--limit", "N", "newest partitions to look at (default: 30)", type=number, default=30),
    ),
    "suggest flights flights.dq.yml",
)


INDEX = command(
    "index",
    "Index what the string columns of a lake look like, for learning patterns and finding types",
    "index",
    (
        arg("file", metavar="FILE", help="the index; one that is there is extended by the tables that it lacks"),
        option("--source", "GLOB", "files or folders: Parquet, CSV or Arrow ('/lake/**/*.parquet')", required=True),
        arg("--renew", action="store_true", help="look at the tables that the index has once more"),
    ),
    "index lake.patterns --source '/lake/**/*.parquet'",
    "when a file could not be read",
)

TAG = command(
    "tag",
    "Find the columns of a named type: the tightest pattern of some examples, and who has it",
    "tag",
    (
        arg("name", metavar="NAME", help="name of the type"),
        option("--source", "GLOB", "files or folders to look at: Parquet, CSV or Arrow", required=True),
        option("--examples", "FILE", "values of the type, one a line"),
        option("--index", "FILE", "pattern index of the lake (default: the one that ships with the package)"),
        option("--pattern", "TEXT", "the pattern itself instead of examples: '<upper>{2}-<digit>{4}'"),
        option(
            "--least", "SHARE", "share of a column's values with the pattern (default: 0.9)", type=float, default=0.9
        ),
    ),
    "tag order-id --examples ids.txt --index lake.patterns --source '/lake/**/*.parquet'",
    "when no column is of the type",
)


def get_dq_cli_commands() -> list[GroupCommand]:
    """What the provider adds to Airflow's command line: the group ``dq``."""
    return [
        GroupCommand(
            name="dq",
            help="Profile datasets and gate DAGs on their data quality",
            subcommands=(
                DB,
                BACKFILL,
                STATUS,
                DATASETS,
                EXPLAIN,
                BACKTEST,
                ROWS,
                SUGGEST,
                INDEX,
                TAG,
                ALERTS,
                SHOW,
                ACCEPT,
                REJECT,
                NEW_NORMAL,
                SNOOZE,
                PRUNE,
                EXPORT,
                IMPORT,
                EXPORT_RULES,
            ),
        )
    ]
