"""The table's schema against the one in the history: a changed schema is its own alert, not drift."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from airflow_dq.profile.model import Profile
from airflow_dq.program.model import Alert, Program
from airflow_dq.states.base import Kind


def compatible(expected: Kind, seen: Kind) -> bool:
    """Whether a column may have this kind; one without a type (all null) may stand for any."""
    return expected is seen or Kind.NULL in (expected, seen)


def schema_alerts(program: Program, profile: Profile, columns: Sequence[str] | None) -> Iterator[Alert]:
    """Columns that are missing, new, or of another kind than in the history.

    :param columns: look at these columns only; new columns are then no concern
    """
    count = len(program.partitions)
    past = f"the {count} past partitions"
    for name, kind in program.table.schema.items():
        if columns is not None and name not in columns:
            continue
        seen = profile.columns.get(name)
        if seen is None:
            yield Alert("column_missing", name, f"{name}: the column is missing; it is in {past}.")
        elif not compatible(kind, seen.kind):
            message = f"{name}: the column is now {seen.kind} ({seen.data_type}); it was {kind} in {past}."
            yield Alert("column_retyped", name, message)
    if columns is None and program.options.columns is None:
        for name, seen in profile.columns.items():
            if name not in program.table.schema and name not in program.options.exclude:
                message = f"{name}: the column is new ({seen.kind}, {seen.data_type}); {past} do not have it."
                yield Alert("column_added", name, message)
