"""Names, arguments and help of the commands about the store."""

from __future__ import annotations

from airflow_dq.cli.argument import DATASET, arg, command, number, option, optional

PRUNE = command(
    "prune",
    "Drop all but the newest partitions of a dataset, or of every dataset",
    "prune",
    (
        *optional("dataset", "DATASET", "only this dataset (default: all)"),
        option("--keep", "N", "newest partitions to keep of each dataset", type=int, required=True),
    ),
    "prune --keep 400",
)

EXPORT = command(
    "export",
    "Write the profiles of a dataset to a file of JSON lines",
    "export",
    (
        DATASET,
        arg("file", metavar="FILE", help="file to write (-: the standard output)"),
        option("--limit", "N", "only the newest N partitions", type=number, default=1_000_000),
    ),
    "export flights flights.jsonl",
)

IMPORT = command(
    "import",
    "Store the profiles that export wrote; those of the same partitions are replaced",
    "import_profiles",
    (
        arg("file", metavar="FILE", help="file to read (-: the standard input)"),
        option("--dataset", "DATASET", "store them under this name (default: the one they were exported under)"),
    ),
    "import flights.jsonl --dataset flights_copy",
)

EXPORT_RULES = command(
    "export-rules",
    "Write what is learned and declared of a dataset as another tool writes its rules",
    "export_rules",
    (
        DATASET,
        option(
            "--to",
            "NAME",
            "dqdl (AWS Glue), gx (Great Expectations), soda, dbt, odcs (Open Data Contract Standard), deequ (PyDeequ)",
            choices=("dqdl", "gx", "soda", "dbt", "odcs", "deequ"),
            required=True,
        ),
        option("--out", "FOLDER", "folder to write to (default: the standard output)"),
        arg("--replace", action="store_true", help="write over files that are there already"),
        option("--checks", "FILE", "also the checks of this file"),
        option("--only", "WHICH", "only what is learned, or only what is declared", choices=("learned", "declared")),
        option("--table", "NAME", "what queries call the table (default: the dataset's name)"),
        option(
            "--sql",
            "DIALECT",
            "how SQL is written where the tool leaves that open: ansi (default), duckdb, postgres, spark",
            choices=("ansi", "duckdb", "postgres", "spark"),
            default="ansi",
        ),
    ),
    "export-rules flights --to gx --out exported",
)
