"""A partition that is an earlier one over again: every value is in range, and nothing of it is new."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from airflow_dq.learn.model import Alert, Program
from airflow_dq.profile.model import Profile

DISTINCT = 10
"""A column with at least this many different values does not have each of them equally often again by chance."""


def repetition_alerts(program: Program, profile: Profile, history: Sequence[Profile]) -> Iterator[Alert]:
    """An alert when each column holds the same values, each as often, as it did in one earlier partition.

    Columns that tell their partition's date are left out: whoever delivers old rows again may well stamp them anew.
    Nothing is said of a table that has been twice the same in the history (a dimension that seldom changes), nor of one
    none of whose columns has :data:`DISTINCT` different values.
    """
    dated = {name for name, column in program.columns.items() if column.calendar}
    compared = [name for name in profile.columns if name not in dated]
    if not any(_distinct(profile, name) >= DISTINCT for name in compared):
        return
    content = _content(profile, compared)
    past = [_content(earlier, compared) for earlier in history]
    if content is None or content not in past or len(set(past)) < len(past):
        return
    copied = history[past.index(content)]
    cause = "an old partition delivered again"
    message = (
        f"the table: the partition holds what {_named(copied)} holds ({profile.row_count:,} rows, every value as often "
        f"in all {len(compared)} columns); no two of the {len(past)} past partitions were alike."
    )
    yield Alert("partition_repeated", None, message, cause=cause)


def _content(profile: Profile, columns: Collection[str]) -> tuple[str, ...] | None:
    """What is in the columns; None when that is not known of all of them."""
    found = [profile.columns.get(name) for name in columns]
    known = [column.states_digest for column in found if column is not None and column.states_digest]
    return tuple(known) if len(known) == len(columns) else None


def _distinct(profile: Profile, column: str) -> float:
    """How many different values a column has, as far as they are counted."""
    values = profile.columns[column].metrics
    ratio, complete = values.get("unique_ratio"), values.get("complete_ratio")
    if not (isinstance(ratio, float) and isinstance(complete, float)):
        return 0.0
    return round(ratio * complete * profile.row_count)


def _named(profile: Profile) -> str:
    return "an earlier one" if profile.partition is None else f"partition {profile.partition}"
