"""Names, arguments and help of the commands that show what there is, and what is wrong with it."""

from __future__ import annotations

from airflow_dq.cli.argument import DATASET, PARTITION, arg, command, number, option

AGAIN = (
    option(
        "--option",
        "KEY=VALUE",
        "read option besides those that are stored; may be repeated",
        action="append",
        default=[],
    ),
    option("--master", "URL", "Spark master, where Spark read it (default: local[*])", default="local[*]"),
    option("--conf", "KEY=VALUE", "Spark property; may be repeated", action="append", default=[]),
)
"""What a command takes that reads a partition once more."""

STATUS = command(
    "status",
    "Show the datasets, or the newest partitions of one with their verdicts",
    "status",
    (
        arg("dataset", metavar="DATASET", nargs="?", help="name of the dataset (default: list all)"),
        option("--limit", "N", "newest partitions to show (default: 30)", type=number, default=30),
        arg("--watch", action="store_true", help="show it again every few seconds until Ctrl-C"),
        option("--every", "SECONDS", "with --watch: time between two looks (default: 5)", type=number, default=5),
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
        arg("--markdown", action="store_true", help="for a pull request or a chat: the problems as Markdown"),
    ),
    "explain flights 2013-02-15 --html verdict.html",
    "when the partition has not passed",
)

REPORT = command(
    "report",
    "Write the overview and the pages of datasets as files that need no server",
    "report",
    (
        arg("dataset", metavar="DATASET", nargs="*", help="names of datasets (default: all)"),
        option("--html", "DIR", "folder that the pages are written to", required=True),
        option("--partitions", "N", "newest partitions of each that get a page (default: 30)", type=number, default=30),
    ),
    "report --html site",
)

DIFF = command(
    "diff",
    "Compare two stored partitions: rows, columns, metrics that moved most, values that came and went",
    "diff",
    (
        DATASET,
        arg("before", metavar="A", help="key of the one partition"),
        arg("after", metavar="B", help="key of the other one"),
        option("--limit", "N", "metrics to show (default: 20)", type=number, default=20),
    ),
    "diff flights 2013-02-14 2013-02-15",
)

DRILL = command(
    "drill",
    "Find the slices of a partition that carry its change from the last good one",
    "drill",
    (
        DATASET,
        PARTITION,
        option("--against", "KEY", "partition to compare with (default: the newest one before it that passed)"),
        option("--columns", "A,B", "columns whose change is looked into (default: those that alarmed, else all)"),
        option("--limit", "N", "most slices to show (default: 5)", type=number, default=5),
        option("--rows", "N", "most rows of a slice to show (default: 20)", type=number, default=20),
        arg("--store", action="store_true", help="keep what is found: the partition's page shows it"),
        arg("--last", action="store_true", help="show what was kept last, and read nothing"),
        *AGAIN,
    ),
    "drill orders 2026-01-31",
    "when no slice explains the change",
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
        *AGAIN,
    ),
    "rows orders 2026-01-31 --check discount",
)
