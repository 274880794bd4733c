"""Checks of all partitions so far: what is kept of each partition for them, and the running total of it.

A total is merged from what is kept; no partition is scanned twice for it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from airflow_dq.check.model import Check
from airflow_dq.exceptions import said_of
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.profile.check.count import group_of
from airflow_dq.profile.check.filtered import Filtered
from airflow_dq.profile.check.grouped import Grouped
from airflow_dq.profile.check.key_tally import too_many
from airflow_dq.profile.check.many_keys import KeyFolder, ManyKeys, counted, joined
from airflow_dq.profile.check.measured import Measured
from airflow_dq.profile.check.tallies import Tallies, missing_words
from airflow_dq.profile.check.tally import Failed, Lengths, Shares, Tally
from airflow_dq.profile.check.type_tally import Types
from airflow_dq.profile.column_state import ColumnState
from airflow_dq.profile.model import Profile
from airflow_dq.states.count import Counts

Other = TypeVar("Other")
_DISCREET = (Shares, Lengths, Types, Filtered, Failed)
"""What holds no value of a hidden column, and no hash of one that could be guessed."""


def of_totals(checks: Iterable[Check]) -> tuple[Check, ...]:
    """The checks of all partitions so far."""
    return tuple(check for check in checks if check.scope == "total")


def total_group(check: Check) -> str:
    """Under which name what a check of all partitions needs is kept."""
    kept = check.metric if check.metric in ("rows", "completeness") else "column"
    return group_of(check) or json.dumps([kept, *check.columns])


def kept_for_totals(profile: Profile) -> Tallies:
    """What is kept of a partition for the checks of all partitions: counted in its scan, or in its profile anyway."""
    found: dict[str, Tally] = {}
    for check in of_totals(profile.options.checks):
        group = total_group(check)
        if group not in found:
            tally = profile.tallies.get(group)
            found[group] = _discreet(_of_profile(check, profile) if tally is None else tally, check, profile.options)
    return Tallies(found)


def _discreet(tally: Tally, check: Check, options: ProfileOptions) -> Tally:
    """The tally, unless it tells a value of a hidden column to whoever reads the store."""
    parts = tuple(tally.groups.values()) if isinstance(tally, Grouped) else (tally,)
    hidden = [name for name in check.reads if options.hides(name)]
    if not hidden or all(isinstance(part, _DISCREET) for part in parts):
        return tally
    return Failed(f"column {hidden[0]!r} is hidden, and what a total of it needs is not stored")


def _of_profile(check: Check, profile: Profile) -> Tally:
    """What the profile keeps of a column, or of the table, as counts that can be added up."""
    if check.metric == "rows":
        return Shares(profile.row_count)
    column = profile.columns.get(check.columns[0])
    if column is None:
        return Failed(missing_words(check.columns, list(profile.columns)))
    counts = column.states.get(Counts.key)
    if not isinstance(counts, Counts):
        return Failed(f"column {column.name!r} cannot be profiled: {column.remark}")
    if check.metric == "completeness":
        return Shares(counts.rows, counts.rows - counts.missing)
    return Filtered(column.name, counts.rows, ColumnState(column.kind, frozenset({column.data_type}), column.states))


@dataclass(frozen=True, slots=True)
class Running:
    """The total of some partitions."""

    tallies: Tallies = field(default_factory=Tallies)
    partitions: int = 0
    whole: bool = True
    """Whether all was added that there is; False when a folder for keys could not be written or read."""

    def add(self, partition: str, kept: Tallies, checks: Sequence[Check], folder: KeyFolder | None = None) -> Running:
        """The total with one more partition, which must have been profiled with each of the checks.

        :param folder: for keys that are too many to be kept in memory
        """
        found: dict[str, Tally] = {}
        whole = self.whole
        for group in {total_group(check) for check in checks}:
            one = _known(partition, kept.by_group.get(group), folder)
            before = self.tallies.by_group.get(group)
            try:
                found[group] = one if before is None else joined(before, one, folder)
            except Exception as error:
                # Whatever it is, it concerns what these keys are asked for, and must not lose the other totals.
                found[group], whole = Failed(_unreached(error)), False
        return Running(Tallies(found), self.partitions + 1, whole)

    def covers(self, checks: Sequence[Check]) -> bool:
        """Whether it is the total of what each of the checks needs, of which nothing was lost."""
        groups = {total_group(check) for check in checks}
        return groups <= self.tallies.by_group.keys() and not any(self.tallies.by_group[one].is_wide for one in groups)

    @property
    def many(self) -> dict[str, ManyKeys]:
        """The totals that only the folder for keys can tell, by group."""
        return {group: tally for group, tally in self.tallies.by_group.items() if isinstance(tally, ManyKeys)}

    def packed(self, folder: KeyFolder) -> Running:
        """The same with one piece of the folder for all that are in it."""
        one = {group: replace(tally, pieces=(folder.merge(tally.pieces),)) for group, tally in self.many.items()}
        return replace(self, tallies=Tallies({**self.tallies.by_group, **one}))

    def measured(self, checks: Sequence[Check]) -> dict[str, Measured]:
        """What is measured of all of them, by what the checks measure."""
        found = {}
        for check in checks:
            try:
                measured = self.tallies.by_group[total_group(check)].measured(check)
            except Exception as error:
                # Whatever it is, it concerns this check, and must not lose the others.
                measured = Measured(problem=f"measuring it failed with {type(error).__name__}")
            # The same partition has another total when one before it is profiled again.
            found[check.measure] = replace(measured, timed=True)
        return found


def _known(partition: str, tally: Tally | None, folder: KeyFolder | None) -> Tally:
    """What is known of one partition, or why nothing is."""
    if tally is None:
        return Failed(f"partition {partition!r} was profiled without this check; profile it again")
    if folder is not None and tally.is_wide:
        return Failed(
            f"partition {partition!r} was profiled without key_folder=, and has too many keys; profile it again"
        )
    return tally


def measured_in_folder(
    checks: Sequence[Check], totals: Sequence[Mapping[str, ManyKeys]], folder: KeyFolder | None
) -> list[dict[str, Measured]]:
    """What the folder for keys tells of growing totals; every group is asked for once.

    :param totals: of each total, the groups that are in the folder (:attr:`Running.many`)
    """
    found: list[dict[str, Measured]] = [{} for _ in totals]
    for group in dict.fromkeys(name for total in totals for name in total):
        places = [place for place, total in enumerate(totals) if group in total]
        asked = [check for check in checks if total_group(check) == group]
        try:
            views = None if folder is None else counted([totals[place][group] for place in places], folder)
            problem = ""
        except Exception as error:
            views, problem = None, _unreached(error)
        for step, place in enumerate(places):
            for check in asked:
                if views is not None:
                    measured = totals[place][group].counted(check, views[step])
                else:
                    measured = Measured(problem=problem) if problem else too_many(check)
                found[place][check.measure] = replace(measured, timed=True)
    return found


def _unreached(error: Exception) -> str:
    return f"the folder for keys cannot be used: {said_of(error, discreet=False)}"


def with_totals(profiles: Iterable[Profile | Other]) -> Iterator[Profile | Other]:
    """Profiles, oldest first, with what their checks of all partitions measure: for those that no store keeps.

    :param profiles: what is no profile, such as a partition that could not be read, is in no total, and stays
    """
    running, first = Running(), True
    for profile in profiles:
        if not isinstance(profile, Profile):
            yield profile
            continue
        checks = of_totals(profile.options.checks)
        if not first and not running.covers(checks):
            # What was not counted in those before is no total of them.
            missing: Mapping[str, Tally] = {
                total_group(check): Failed("partitions before were profiled without this check")
                for check in checks
                if total_group(check) not in running.tallies.by_group
            }
            running = replace(running, tallies=Tallies({**running.tallies.by_group, **missing}))
        running = running.add(profile.partition or "", kept_for_totals(profile), checks)
        first = False
        yield replace(profile, checks={**profile.checks, **running.measured(checks)})
