"""The table's schema against the one in the history: a changed schema is its own alert, not drift."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from airflow_dq.explain.wording import quoted
from airflow_dq.learn.constraint.renaming import renamings
from airflow_dq.learn.model import Alert, Change, Program
from airflow_dq.profile.model import Profile
from airflow_dq.states.base import Kind


def compatible(expected: Kind, seen: Kind) -> bool:
    """Whether a column may have this kind; one without a type (all null) may stand for any."""
    return expected is seen or Kind.NULL in (expected, seen)


def schema_alerts(
    program: Program, profile: Profile, columns: Sequence[str] | None, history: Sequence[Profile] = ()
) -> Iterator[Alert]:
    """Columns that are missing, new, renamed, or of another kind than in the history.

    :param columns: look at these columns only; new columns are then no concern
    :param history: the profiles the partition follows; with them a new column is recognized as a missing one
    """
    past = _Past(history[-len(program.partitions) :], f"the {len(program.partitions)} past partitions")
    added = _added(program, profile) if columns is None and program.options.columns is None else []
    renamed = renamings(program.table.schema, profile, history[-1], added) if history else {}
    for name, kind in program.table.schema.items():
        if columns is not None and name not in columns:
            continue
        seen = profile.columns.get(name)
        if name in renamed:
            yield _renamed(name, renamed[name], past)
        elif seen is None:
            yield Alert("column_missing", name, f"{name}: the column is missing; it is in {past.having(name)}.")
        elif not compatible(kind, seen.kind):
            message = f"{name}: the column is now {seen.kind} ({seen.data_type}); it was {kind} in "
            message += f"{past.having(name, kind)}."
            yield Alert("column_retyped", name, message, changes=_types(name, profile, history))
        elif kind is Kind.NESTED and (before := past.only_type(name)) not in (None, seen.data_type):
            message = f"{name}: the column is now {seen.data_type}; it was {before} in {past.words}."
            yield Alert("column_retyped", name, message)
    for name in added:
        seen = profile.columns[name]
        if name not in renamed.values():
            message = f"{name}: the column is new ({seen.kind}, {seen.data_type}); {past.lacking(name)}."
            yield Alert("column_added", name, message)


@dataclass(frozen=True, slots=True)
class _Past:
    """The partitions that the program was learned from, as far as they are given."""

    profiles: Sequence[Profile]
    words: str
    """All of them in words: ``the 30 past partitions``."""

    def having(self, name: str, kind: Kind | None = None) -> str:
        """All of them, or how many of them, that have the column, of this kind."""
        found = [profile.columns.get(name) for profile in self.profiles]
        count = sum(one is not None and (kind is None or compatible(kind, one.kind)) for one in found)
        return self.words if count == len(found) else f"{count} of {self.words}"

    def lacking(self, name: str) -> str:
        """How the column that is new now was missing before."""
        count = sum(name in profile.columns for profile in self.profiles)
        return f"{count} of {self.words} have it, the newest does not" if count else f"{self.words} do not have it"

    def only_type(self, name: str) -> str | None:
        """The source's type of the column in all of them; None when it has varied."""
        columns = (profile.columns.get(name) for profile in self.profiles)
        types = {None if column is None else column.data_type for column in columns}
        return types.pop() if len(types) == 1 else None


def _renamed(name: str, new: str, past: _Past) -> Alert:
    message = (
        f"{name}: the column is missing; it looks renamed to {quoted(new)}, a new column with the same values. "
        f"It is called {quoted(name)} in {past.having(name)}."
    )
    return Alert("column_renamed", name, message, cause=f"renamed to {quoted(new)}", cause_stated=True)


def _added(program: Program, profile: Profile) -> list[str]:
    known = {*program.table.schema, *program.options.exclude}
    return [name for name in profile.columns if name not in known]


def _types(name: str, profile: Profile, history: Sequence[Profile]) -> tuple[Change, ...]:
    """The source's own types, and the column's place when it moved as well."""
    before = history[-1].columns.get(name) if history else None
    if before is None:
        return ()
    now = profile.columns[name]
    changes = [Change("type", f"type {before.data_type} -> {now.data_type}", name)]
    places = [list(side.columns).index(name) + 1 for side in (history[-1], profile)]
    if places[0] != places[1]:
        changes.append(
            Change("order", f"column {places[0]} -> column {places[1]}", name, float(places[0]), float(places[1]))
        )
    return tuple(changes)
