"""A profile's metrics as a row of features, remembered by what the profile holds.

A year of a table of a hundred columns is half a million numbers in as many places of memory; the next partition is
compared with all of them again, and only its own are new.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from airflow_dq.profile.model import Profile
from airflow_dq.states.base import Kind

Floats = NDArray[np.float64]
Layout = tuple[tuple[str, Kind, tuple[str, ...]], ...]
"""Name, kind and metrics of each column."""

LIMIT = 4_000_000
"""Numbers that a process remembers, in 32 MB: a table of 200 columns with four years of days."""

_known: dict[Layout, dict[str, Floats]] = {}


def rows_of(profiles: Sequence[Profile], layout: Layout, evenly: Callable[[Floats], Floats]) -> Floats:
    """A row for each profile: its number of rows, and the metrics of each column in the order of the layout.

    :param evenly: takes rows to the scales of the features; the same for the same layout
    :return: NaN where a profile lacks the column, has it of another kind, or has no number for the metric
    """
    width = 1 + sum(len(metrics) for _, _, metrics in layout)
    if width * sum(len(rows) for rows in _known.values()) > LIMIT:
        _known.clear()
    known = _known.setdefault(layout, {})
    found = []
    for profile in profiles:
        row = known.get(profile.fingerprint)
        if row is None:
            row = known[profile.fingerprint] = evenly(_row(profile, layout)[None])[0]
        found.append(row)
    return np.array(found)


def _row(profile: Profile, layout: Layout) -> Floats:
    values = [float(profile.row_count)]
    for name, kind, metrics in layout:
        column = profile.columns.get(name)
        found = column.metrics if column is not None and column.kind is kind else {}
        values += [value if isinstance(value := found.get(metric), float) else np.nan for metric in metrics]
    return np.array(values)
