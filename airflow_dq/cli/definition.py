"""Names, arguments and help of every command; light, because each ``airflow`` command imports it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from airflow.cli.cli_config import ActionCommand, Arg, GroupCommand

from airflow_dq.settings import DEFAULT_CONN_ID

FORMATS = ("parquet", "csv", "json")
EXIT_CODES = "Exit codes: 0 done,{one} 2 a problem that is explained in one sentence."


def _arg(*flags: str, **options: Any) -> Arg:
    return Arg(flags, **options)  # type: ignore[no-untyped-call]  # Airflow's is untyped


DATASET = _arg("dataset", metavar="DATASET", help="name of the dataset, as given to the operators")
PARTITION = _arg("partition", metavar="PARTITION", help="the partition's key")
CONN_ID = _arg(
    "--dq-conn-id",
    metavar="ID",
    default=DEFAULT_CONN_ID,
    help=f"connection to the statistics database (default: {DEFAULT_CONN_ID}); AIRFLOW_DQ_DSN wins over it",
)
# Airflow moves log lines from stdout to stderr for commands whose arguments have a member "output".
JSON = _arg("--json", action="store_true", dest="output", help="print one JSON document instead of text")


def _run(name: str) -> Callable[..., None]:
    def command(arguments: Any) -> None:
        from airflow_dq.cli.run import run

        run(name, arguments)

    command.__name__ = name
    return command


def _command(
    name: str, help: str, function: str, args: tuple[Arg, ...], example: str, one: str | None = None
) -> ActionCommand:
    return ActionCommand(
        name=name,
        help=help,
        func=_run(function),
        args=(*args, CONN_ID, JSON),
        epilog=f"Example:\n  airflow dq {example}\n\n{EXIT_CODES.format(one=f' 1 {one},' if one else '')}",
    )


def _option(flag: str, metavar: str, help: str, **more: Any) -> Arg:
    return _arg(flag, metavar=metavar, help=help, **more)


DB = GroupCommand(
    name="db",
    help="Set up the statistics database",
    subcommands=(
        _command(
            "upgrade",
            "Create or upgrade the tables of the statistics database",
            "db_upgrade",
            (),
            "db upgrade",
        ),
        _command(
            "check",
            "Tell whether the statistics database has the tables of this version",
            "db_check",
            (),
            "db check --json",
            "when the tables are not those of this version",
        ),
    ),
)

BACKFILL = _command(
    "backfill",
    "Profile many partitions in one Spark job",
    "backfill",
    (
        DATASET,
        _option("--source", "PATH", "a path with one * for the partition key ('lake/day=*'); quote it for the shell"),
        _option("--table", "TABLE", "a table that Spark can read, instead of --source; needs --partition-by"),
        _option("--sql", "QUERY", "a query that Spark can run, instead of --source; needs --partition-by"),
        _option("--partition-by", "COLUMN", "column whose values are the partition keys"),
        _option("--format", "NAME", "format of Spark's reader (default: parquet)", default="parquet"),
        _option("--option", "KEY=VALUE", "option of Spark's reader; may be repeated", action="append", default=[]),
        _option("--since", "KEY", "first partition key"),
        _option("--until", "KEY", "last partition key"),
        _option("--limit", "N", "only the newest N partitions", type=int),
        _option("--columns", "A,B", "profile only these columns"),
        _option("--exclude", "A,B", "do not profile these columns"),
        _option("--hidden", "A,B", "store hashes of these columns' values, keyed by AIRFLOW_DQ_HASH_KEY"),
        _option("--master", "URL", "Spark master (default: local[*])", default="local[*]"),
        _option("--conf", "KEY=VALUE", "Spark property; may be repeated", action="append", default=[]),
    ),
    "backfill flights --source '/data/flights/day=*' --since 2013-01-01 --until 2013-02-14",
    "when the job broke for a reason that was not foreseen",
)

STATUS = _command(
    "status",
    "Show the datasets, or the newest partitions of one with their verdicts",
    "status",
    (
        _arg("dataset", metavar="DATASET", nargs="?", help="name of the dataset (default: list all)"),
        _option("--limit", "N", "newest partitions to show (default: 30)", type=int, default=30),
    ),
    "status flights --limit 10",
)

EXPLAIN = _command(
    "explain",
    "Explain the verdict on a partition: each alert with its bounds and history",
    "explain",
    (
        DATASET,
        PARTITION,
        _option("--html", "FILE", "also write a self-contained HTML page with a chart for each alert"),
        _arg("--judge", action="store_true", help="judge now, with default options, if no verdict is stored"),
    ),
    "explain flights 2013-02-15 --html verdict.html",
    "when the partition has not passed",
)

BACKTEST = _command(
    "backtest",
    "Show what the gate would have done on past partitions, of a dataset or of files",
    "backtest",
    (
        _arg("dataset", metavar="DATASET", nargs="?", help="name of a dataset whose history is stored"),
        _option(
            "--files",
            "PATH",
            "files instead: a path with one * for the partition key ('folder/*.parquet', 'lake/day=*'); "
            "Parquet, CSV or JSON lines; needs no database, no Spark and no running Airflow",
            nargs="+",
        ),
        _option("--format", "NAME", "parquet, csv or json (default: as the files' names end)", choices=FORMATS),
        _option("--from", "KEY", "first partition to judge; earlier ones are only learned from", dest="since"),
        _option("--to", "KEY", "last partition to judge", dest="until"),
        _option("--target-fpr", "RATE", "accepted false-alarm rate (default: 0.001)", type=float, default=1e-3),
        _option(
            "--scope",
            "NAME",
            "the rate holds for a whole partition, or for each column: partition, column",
            choices=("partition", "column"),
            default="partition",
        ),
        _option(
            "--mode",
            "NAME",
            "calibrated (default), or paper: AVH as published",
            choices=("calibrated", "paper"),
            default="calibrated",
        ),
        _option("--history", "N", "partitions to learn from (default: 30)", type=int, default=30),
        _option("--min-history", "N", "with fewer the gate is warming up (default: 7)", type=int, default=7),
        _option("--columns", "A,B", "judge only these columns"),
        _option("--exclude", "A,B", "do not judge these columns"),
        _option(
            "--accept-after",
            "N",
            "after N alarms in a row a person is taken to accept the new normal (default: 2; 0: never)",
            type=int,
            default=2,
        ),
        _arg("--quick", action="store_true", help="only this target: half the time, no suggestion"),
        _option("--html", "FILE", "also write a self-contained HTML page with a chart for each alarm"),
    ),
    "backtest --files '/data/orders/*.parquet' --html backtest.html",
    "when no partition could be judged",
)


def get_dq_cli_commands() -> list[GroupCommand]:
    """What the provider adds to Airflow's command line: the group ``dq``."""
    return [
        GroupCommand(
            name="dq",
            help="Profile datasets and gate DAGs on their data quality",
            subcommands=(DB, BACKFILL, STATUS, EXPLAIN, BACKTEST),
        )
    ]
