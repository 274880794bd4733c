"""Names, arguments and help of the commands that profile the past and try the gate on it."""

from __future__ import annotations

from airflow_dq.cli.argument import DATASET, PARTITION, arg, command, number, option

FORMATS = ("parquet", "csv", "json")
LEARNING = (
    option("--target-fpr", "RATE", "accepted false-alarm rate (0.001)", type=float),
    option(
        "--scope",
        "NAME",
        "the rate holds for a whole partition (partition), or for each column (column)",
        choices=("partition", "column"),
    ),
    option(
        "--mode",
        "NAME",
        "calibrated, or paper: AVH as published (calibrated)",
        choices=("calibrated", "paper"),
    ),
    option(
        "--novelty",
        "NAME",
        "what a partition does that is odd as a whole: warn, fail, off (warn)",
        choices=("warn", "fail", "off"),
    ),
    option("--history", "N", "partitions to learn from (30)", type=number),
    option("--min-history", "N", "with fewer the gate is warming up (7)", type=number),
    option("--columns", "A,B", "judge only these columns"),
    option("--exclude", "A,B", "do not judge these columns"),
    option("--checks", "FILE", "declared checks (orders.dq.yml), judged with what is learned"),
)
"""How the gate learns and judges: by default as the dataset's gate has last, else as stands in brackets."""

TRAVEL = (
    option("--version", "N", "of a Delta table: the version to read (default: the newest)"),
    option("--snapshot", "ID", "of an Iceberg table: the snapshot to read, or a branch or tag"),
    option("--as-of", "MOMENT", "read a table as it was then (2026-01-31T06:00); '* + 30h' counts from each key"),
)
"""As of when a table is read that keeps its past."""
SOURCE_CONN_ID = option("--source-conn-id", "ID", "connection to the object store or database that holds the source")

BACKFILL = command(
    "backfill",
    "Profile many past partitions of a source in one Spark job",
    "backfill",
    (
        DATASET,
        option("--source", "PATH", "a path with one * for the partition key ('lake/day=*'); quote it for the shell"),
        option("--table", "TABLE", "a table that Spark can read, instead of --source; needs --partition-by"),
        option("--sql", "QUERY", "a query that Spark can run, instead of --source; needs --partition-by"),
        option("--partition-by", "COLUMN", "column whose values are the partition keys"),
        option("--where", "CONDITION", "only rows of a table for which this is true"),
        *TRAVEL,
        option("--format", "NAME", "format of Spark's reader, delta and iceberg too (parquet)", default="parquet"),
        option("--option", "KEY=VALUE", "option of Spark's reader; may be repeated", action="append", default=[]),
        SOURCE_CONN_ID,
        option("--since", "KEY", "first partition key"),
        option("--until", "KEY", "last partition key"),
        option("--limit", "N", "only the newest N partitions", type=number),
        option("--columns", "A,B", "profile only these columns"),
        option("--exclude", "A,B", "do not profile these columns"),
        option("--hidden", "A,B", "store hashes of these columns' values, keyed by AIRFLOW_DQ_HASH_SECRET"),
        option("--segments", "A,B", "columns of few values, whose rows are profiled by themselves as well"),
        option("--checks", "FILE", "declared checks (orders.dq.yml): what they need of the rows is counted, too"),
        option("--key-folder", "PATH", "folder for keys of all partitions that are too many for the database"),
        option(
            "--engine",
            "NAME",
            "what reads the source: spark (default), or arrow for small files and tables, without Spark and Java",
            choices=("spark", "arrow"),
            default="spark",
        ),
        option("--master", "URL", "Spark master (default: local[*])", default="local[*]"),
        option("--conf", "KEY=VALUE", "Spark property; may be repeated", action="append", default=[]),
        arg(
            "--judge",
            action="store_true",
            help="then tell what the gate would have said of the newest 30, as `backtest` does, for the pages",
        ),
    ),
    "backfill flights --source '/data/flights/day=*' --since 2013-01-01 --until 2013-02-14 --judge",
    "when the job broke for a reason that was not foreseen",
)

JOB = command(
    "job",
    "Write what another submitter of Spark jobs needs: file, zip, arguments",
    "job",
    (
        DATASET,
        arg("folder", metavar="FOLDER", help="where the file and the zip are written"),
        option("--source", "PATH", "path of the partition, or with one * for the partition key"),
        option("--table", "TABLE", "a table that Spark can read, instead of --source"),
        option("--sql", "QUERY", "a query that Spark can run, instead of --source"),
        option("--partition", "KEY", "the partition's key, unless the source names its keys"),
        option("--partition-by", "COLUMN", "column whose values are the partition keys"),
        option("--where", "CONDITION", "which rows of a table are the partition's; true for all"),
        *TRAVEL,
        option("--format", "NAME", "format of Spark's reader (default: parquet)", default="parquet"),
        option("--option", "KEY=VALUE", "option of Spark's reader; may be repeated", action="append", default=[]),
        option("--columns", "A,B", "profile only these columns"),
        option("--exclude", "A,B", "do not profile these columns"),
        option("--hidden", "A,B", "store hashes of these columns' values, keyed by AIRFLOW_DQ_HASH_SECRET"),
        option("--checks", "FILE", "declared checks (orders.dq.yml): what they need of the rows is counted, too"),
    ),
    "job orders ./job --table lake.orders --partition 2026-01-31",
)

BACKFILL_DAG = command(
    "backfill-dag",
    "Start Airflow's own backfill of a DAG, in which gates only profile",
    "backfill_dag",
    (
        arg("dag_id", metavar="DAG", help="the DAG's id"),
        option("--since", "DATE", "first logical date", required=True),
        option("--until", "DATE", "last logical date", required=True),
        option(
            "--reprocess",
            "WHICH",
            "runs to do again, none (default), failed or completed",
            choices=("none", "failed", "completed"),
            default="none",
        ),
        option("--max-active-runs", "N", "runs at a time (default: 3)", type=number, default=3),
        option("--api-url", "URL", "Airflow's address (default: api.base_url)"),
        option("--token-file", "FILE", "file with a token for the API; AIRFLOW_DQ_API_TOKEN wins"),
    ),
    "backfill-dag flights --since 2013-01-01 --until 2013-02-14 --token-file token.txt",
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
        option("--since", "KEY", "first partition to judge; earlier ones are only learned from"),
        option("--until", "KEY", "last partition to judge"),
        *LEARNING,
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

JUDGE = command(
    "judge",
    "Judge a stored profile now and show the verdict; no decision changes",
    "judge",
    (
        DATASET,
        PARTITION,
        *LEARNING,
        option("--html", "FILE", "also write a self-contained HTML page with a chart for each alert"),
        arg("--store", action="store_true", help="store the verdict as the gate does, so that it can be decided about"),
    ),
    "judge flights 2013-02-15 --target-fpr 0.003",
    "when the partition has not passed",
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
