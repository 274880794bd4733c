"""Recurring tables to benchmark on: a folder of datasets, each a folder with one file per partition, in name order.

Files are Parquet, CSV or CSV.GZ.  A ``META.json`` beside them may name the columns and their kinds
(``{"columns": {"price": "numeric", "city": "categorical"}}``); without one every type is Arrow's own guess.  With one,
an empty cell of a CSV is null, and so is a cell of a numeric column that is not a number (``$12.30``).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as compute
import pyarrow.csv as pc
import pyarrow.parquet as pq

from airflow_dq.profile import Profile

ENDINGS = (".parquet", ".csv", ".csv.gz")
_NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
OWN_SEED = 1
"""Errors that are to be caught are drawn with another seed than those that a program learns from (0)."""


@dataclass(frozen=True)
class Dataset:
    """The profiles of one recurring table's partitions, oldest first."""

    name: str
    profiles: tuple[Profile, ...]
    """What a program learns from: errors are injected with the default seed."""
    tested: tuple[Profile, ...]
    """The same partitions, with errors that no program has seen."""


@dataclass(frozen=True)
class Recurring:
    """One recurring table as files, one per partition."""

    home: Path
    files: tuple[Path, ...]
    """Oldest first."""

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.home.name

    def tables(self) -> Iterator[tuple[str, pa.Table]]:
        """Key and rows of each partition."""
        kinds = _kinds(self.home)
        return ((path.name.split(".")[0], _read(path, kinds)) for path in self.files)


def recurring(folder: Path) -> Iterator[Recurring]:
    """The datasets of a folder by name."""
    for home in sorted(path for path in folder.iterdir() if path.is_dir()):
        files = sorted(path for path in home.iterdir() if path.name.endswith(ENDINGS))
        if files:
            yield Recurring(home, tuple(files))


def _kinds(home: Path) -> dict[str, str]:
    meta = home / "META.json"
    found = json.loads(meta.read_text())["columns"] if meta.exists() else {}
    return {str(name): str(kind) for name, kind in found.items()}


def _read(path: Path, kinds: dict[str, str]) -> pa.Table:
    if path.name.endswith(".parquet"):
        return pq.read_table(path)
    parsing = pc.ParseOptions(newlines_in_values=True)
    if not kinds:
        return pc.read_csv(path, parse_options=parsing)
    texts = dict.fromkeys(kinds, pa.string())
    options = pc.ConvertOptions(column_types=texts, strings_can_be_null=True, null_values=[""])
    table = pc.read_csv(path, parse_options=parsing, convert_options=options)
    for name, kind in kinds.items():
        if kind == "numeric" and name in table.column_names:
            place = table.column_names.index(name)
            table = table.set_column(place, name, numbers(table.column(name)))
    return table


def numbers(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """Texts as numbers; null where one is none."""
    trimmed = compute.utf8_trim_whitespace(texts)
    readable = compute.match_substring_regex(trimmed, _NUMBER)
    return compute.if_else(readable, trimmed, None).cast(pa.float64())
