"""Data sets of partitions, and copies of a partition with one of the six errors of Redyuk et al., section 5.1."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from airflow_dq.profile import ProfileOptions, profile_table
from airflow_dq.profile.model import Profile

ERRORS = ("explicit", "implicit", "anomaly", "swap_num", "swap_text", "typo")
MAGNITUDES = (1, 5, 10, 20, 30, 50, 80)
"""Per cent of the values."""
_KEYBOARD = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_NEIGHBOURS = {key: row[max(0, at - 1) : at] + row[at + 1 : at + 2] for row in _KEYBOARD for at, key in enumerate(row)}
_OF_NUMBERS = {"anomaly": True, "swap_num": True, "swap_text": False, "typo": False}


@dataclass(frozen=True)
class Dataset:
    """Partitions in order, with the columns that all of them have."""

    name: str
    numeric: dict[str, bool]
    frames: list[pd.DataFrame]
    keys: list[str]
    dirty: dict[int, pd.DataFrame]
    """Really dirty versions, by place."""

    @classmethod
    def read(cls, folder: Path, partitions: int | None = None) -> Dataset:
        """A folder with ``META.json`` (``columns``: name -> kind), ``*.csv.gz`` and perhaps ``bad/*.csv.gz``."""
        kinds = json.loads((folder / "META.json").read_text())["columns"]
        home = folder / "partitions" if (folder / "partitions").is_dir() else folder
        raw = {one.name: pd.read_csv(one, dtype=object, keep_default_na=False) for one in sorted(home.glob("*.csv.gz"))}
        raw = dict(list(raw.items())[:partitions])
        names = [name for name in kinds if all(name in one for one in raw.values())]
        numeric = {name: str(kinds[name]).startswith("numeric") for name in names}
        bad = {at: folder / "bad" / key for at, key in enumerate(raw) if (folder / "bad" / key).is_file()}
        dirty = {at: _typed(pd.read_csv(one, dtype=object, keep_default_na=False), numeric) for at, one in bad.items()}
        return cls(folder.name, numeric, [_typed(one, numeric) for one in raw.values()], list(raw), dirty)

    def profile(self, frame: pd.DataFrame) -> Profile:
        """The profile of a partition of the data set."""
        schema = pa.schema([(name, pa.float64() if number else pa.string()) for name, number in self.numeric.items()])
        return profile_table(
            pa.Table.from_pandas(frame, schema=schema, preserve_index=False), options=ProfileOptions(sample_rows=0)
        )


def _typed(raw: pd.DataFrame, numeric: dict[str, bool]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            name: pd.to_numeric(raw[name], errors="coerce").astype("float64")
            if number
            else raw[name].astype(object).where(raw[name] != "", None)
            for name, number in numeric.items()
        }
    )


def corrupted(data: Dataset, frame: pd.DataFrame, error: str, magnitude: int, seed: int) -> pd.DataFrame | None:
    """A copy with the error in one random column that it suits (a swap: two); None where it suits none."""
    rng = np.random.default_rng([seed, ERRORS.index(error), magnitude])
    wanted = _OF_NUMBERS.get(error)
    pool = [name for name, number in data.numeric.items() if wanted in (None, number)]
    for name in rng.permutation(pool).tolist():
        changed = _with_error(frame, data.numeric, pool, name, error, magnitude, rng)
        if changed is not None and not changed.equals(frame):
            return changed
    return None


def _with_error(
    frame: pd.DataFrame,
    numeric: dict[str, bool],
    pool: list[str],
    name: str,
    error: str,
    magnitude: int,
    rng: np.random.Generator,
) -> pd.DataFrame | None:
    values = frame[name].to_numpy(copy=True)
    there = np.flatnonzero(frame[name].notna().to_numpy())
    if not len(there):
        return None
    rows = rng.choice(there, max(1, round(len(there) * magnitude / 100)), replace=False)
    if error.startswith("swap"):
        others = [one for one in pool if one != name]
        if not others:
            return None
        other = others[rng.integers(len(others))]
        second = frame[other].to_numpy(copy=True)
        values[rows], second[rows] = second[rows], values[rows].copy()
        return frame.assign(**{name: values, other: second})
    if error == "explicit":
        values[rows] = np.nan if numeric[name] else None
    elif error == "implicit":
        values[rows] = 99999.0 if numeric[name] else "NONE"
    elif error == "typo":
        values[rows] = [_misspelt(str(one), rng) for one in values[rows]]
    else:
        known = values[there].astype(np.float64)
        values[rows] = rng.normal(known.mean(), known.std() * rng.uniform(2, 5), len(rows))
    return frame.assign(**{name: values})


def _misspelt(text: str, rng: np.random.Generator) -> str:
    letters = list(text)
    at = [place for place, letter in enumerate(letters) if letter.lower() in _NEIGHBOURS]
    for place in rng.choice(at, max(1, len(at) // 10), replace=False).tolist() if at else ():
        near = _NEIGHBOURS[letters[place].lower()]
        letters[place] = near[rng.integers(len(near))]
    return "".join(letters)


def chosen(data: Dataset, start: int, number: int | None) -> Iterator[int]:
    """The partitions that are corrupted: all from ``start`` on, or so many of them evenly spaced."""
    last = len(data.frames) - 1
    count = last - start + 1 if number is None else min(number, last - start + 1)
    yield from np.unique(np.linspace(start, last, count).round().astype(int)).tolist()
