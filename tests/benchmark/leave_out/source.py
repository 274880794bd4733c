"""What a parameter is tried on: real datasets, simulated tables, and documented incidents."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as compute
import pyarrow.csv as pc

from airflow_dq.options.profile import ProfileOptions
from airflow_dq.profile import Profile, profile_table
from tests.benchmark.program.dataset import OWN_SEED, Dataset, Recurring, numbers, recurring
from tests.benchmark.simulated import profiled

NUMERIC = 0.98
"""A column of texts is numeric when more than this share of its cells are numbers, and more than two differ."""
HISTORY, LEAST = 31, 8
"""Partitions before an incident, at most and at least."""


def real(folder: Path, columns: int, cache: Path) -> Iterator[Dataset]:
    """The datasets of a folder, each with at most so many columns (always the same ones)."""
    for found in recurring(folder):
        profiles = profiled.kept(f"corpus-{found.name}", partial(_profiles, found), cache)
        yield _dataset(found.name, profiles, columns)


def simulated(seeds: Sequence[int], days: int, columns: int, cache: Path) -> Iterator[Dataset]:
    """Simulated tables by their seeds."""
    for seed in seeds:
        table, profiles = profiled.simulated(seed, days, cache)
        yield _dataset(table.name, profiles, columns)


def _dataset(name: str, profiles: Sequence[Profile], columns: int) -> Dataset:
    names = [name for name in profiles[0].columns if all(name in one.columns for one in profiles)]
    some = np.random.default_rng(7).choice(len(names), min(columns, len(names)), replace=False)
    chosen = [names[i] for i in sorted(some.tolist())]
    learned = tuple(replace(one, columns={name: one.columns[name] for name in chosen}) for one in profiles)
    # Errors follow from the row sample and the seed: other ones for the same profiles.
    tested = tuple(replace(one, options=ProfileOptions(seed=OWN_SEED)) for one in learned)
    return Dataset(name, learned, tested)


def _profiles(found: Recurring) -> list[Profile]:
    return [profile_table(table, partition=key) for key, table in found.tables()]


@dataclass(frozen=True)
class Incident:
    """A documented error in a real table, and the version that corrects it."""

    dataset: str
    key: str
    columns: frozenset[str]
    """Those that the documentation names."""
    history: tuple[Profile, ...]
    """Oldest first."""
    bad: Profile | str
    """The wrong version; a text when it could not be read or lacks columns, which every check notices."""
    fixed: Profile | str | None
    """The corrected one; None when it is not known."""


def incidents(folder: Path, corpus: Path, cache: Path, grade: str = "batch-level") -> Iterator[Incident]:
    """The incidents of ``incidents.json`` that have enough history.

    :param grade: ``all``, or that of the incidents to take
    """
    for one in json.loads((folder / "incidents.json").read_text()):
        usable = one["bad"] and one["bad"].endswith(".csv.gz") and "*" not in one["bad"]
        if grade not in ("all", one["grade"]) or not usable:
            continue
        files = _history(folder / one["dataset"], corpus / one["dataset"])
        before = [key for key in sorted(files) if key < one["batch"]][-HISTORY:]
        if len(before) < LEAST:
            continue
        past = {key: table for key in before if (table := _texts(files[key])) is not None}
        bad = _texts(folder / one["bad"])
        fixed = _texts(folder / one["fixed"]) if one.get("fixed") else None
        reference = fixed if fixed is not None and fixed.num_columns > 1 else None
        newest = list(past.values())[-1]
        # The publisher's columns changed over the years: those that the right version has are judged.
        names = [
            name
            for name in newest.column_names
            if all(name in table.column_names for table in past.values())
            and (reference is None or name in reference.column_names)
        ]
        numeric = {name for name in names if _is_numeric([table.column(name) for table in past.values()])}
        profile = partial(_profile, names=names, numeric=numeric)
        yield Incident(
            one["dataset"],
            one["batch"],
            frozenset(one["columns"]),
            tuple(profiled.kept(f"incident-{_name(one['bad'])}", partial(_read, past, profile), cache)),
            profile(bad, one["batch"]),
            profile(fixed, one["batch"]) if one.get("fixed") else None,
        )


def _name(path: str) -> str:
    return path.removesuffix(".csv.gz").replace("/", "-")


def _read(past: Mapping[str, pa.Table], profile: Callable[[pa.Table, str], Profile | str]) -> list[Profile]:
    return [found for key, table in past.items() if isinstance(found := profile(table, key), Profile)]


def _history(incident: Path, corpus: Path) -> dict[str, Path]:
    """Files by key; a day that was corrected is absent from the history, and its corrected version takes its place."""
    own = incident / "history"
    home = own if own.is_dir() else corpus
    files = {path.name.removesuffix(".csv.gz"): path for path in home.glob("*.csv.gz")}
    for path in sorted((incident / "fixed").glob("*.csv.gz")):
        files.setdefault(path.name.removesuffix(".csv.gz").split("_v")[0], path)
    return files


def _texts(path: Path) -> pa.Table | None:
    """A file with every cell as text; None when it cannot be read."""
    parsing = pc.ParseOptions(newlines_in_values=True)
    try:
        names = pc.open_csv(path, parse_options=parsing).schema.names
        options = pc.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=True)
        options.null_values = [""]
        return pc.read_csv(path, parse_options=parsing, convert_options=options)
    except (pa.ArrowInvalid, OSError):
        return None


def _is_numeric(cells: Sequence[pa.ChunkedArray]) -> bool:
    some = compute.drop_null(pa.chunked_array([chunk for column in cells[:10] for chunk in column.chunks], pa.string()))
    if not len(some):
        return False
    read = len(compute.drop_null(numbers(some))) / len(some)
    return read > NUMERIC and compute.count_distinct(some).as_py() > 2


def _profile(table: pa.Table | None, key: str, *, names: Sequence[str], numeric: set[str]) -> Profile | str:
    if table is None or not table.num_rows:
        return "unreadable or empty"
    if set(names) - set(table.column_names):
        return "columns are missing"
    typed = {name: numbers(table.column(name)) if name in numeric else table.column(name) for name in names}
    return profile_table(pa.table(typed), partition=key)
