"""Names, arguments and help of the commands about the patterns of a lake."""

from __future__ import annotations

from airflow_dq.cli.argument import arg, command, option

INDEX = command(
    "index",
    "Index what the string columns of a lake look like, for learning patterns and finding types",
    "index",
    (
        arg(
            "file",
            metavar="FILE",
            nargs="?",
            help="the index; one that is there is extended by the tables that it lacks (default: it is kept in the "
            "statistics database)",
        ),
        option("--source", "GLOB", "files or folders: Parquet, CSV or Arrow ('s3a://lake/**', '/lake/**/*.parquet')"),
        arg(
            "--from-store", action="store_true", help="instead: what the newest profile of each dataset keeps of texts"
        ),
        arg("--renew", action="store_true", help="look at the tables that the index has once more"),
        option("--master", "URL", "Spark master; without it, local files are read in this process"),
        option("--conf", "KEY=VALUE", "Spark property; may be repeated", action="append", default=[]),
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
        arg("--stored-index", action="store_true", help="instead: the index in the statistics database"),
        option("--pattern", "TEXT", "the pattern itself instead of examples: '<upper>{2}-<digit>{4}'"),
        option(
            "--least", "SHARE", "share of a column's values with the pattern (default: 0.9)", type=float, default=0.9
        ),
    ),
    "tag order-id --examples ids.txt --index lake.patterns --source '/lake/**/*.parquet'",
    "when no column is of the type",
)
