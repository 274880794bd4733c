"""What checks ask beyond one scan of a partition: other tables, and keys that are too many to be counted at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from airflow_dq.check.model import Check
from airflow_dq.engine.base import Engine, ScanResult
from airflow_dq.engine.key_folder import EngineKeys
from airflow_dq.exceptions import said_of
from airflow_dq.job.other_table import OtherTables
from airflow_dq.job.wide import counted_again, in_passes, passes_for
from airflow_dq.profile.check.beside import Sides, compared, mirrored, tally_of
from airflow_dq.profile.check.many_keys import ManyKeys
from airflow_dq.profile.check.measured import Measured
from airflow_dq.profile.check.tally import Failed, Tally
from airflow_dq.profile.check.total import of_totals, total_group
from airflow_dq.profile.model import Profile


class Beyond:
    """Looks where no scan of a partition does."""

    def __init__(self, engine: Engine, folder: EngineKeys | None) -> None:
        """Nothing is looked at yet.

        :param folder: for the keys of all partitions that are too many for the database
        """
        self._folder = folder
        self._engine = engine
        self._others = OtherTables(engine)
        self._checks = engine.order.checks

    def look(self, result: ScanResult) -> ScanResult:
        """The result with what its checks ask beyond the scan; one that fails is left alone."""
        profile = result.profile
        if profile is None or not self._checks:
            return result
        found = {**profile.checks, **self._again(profile)}
        tallies = {**profile.tallies, **self._in_folder(profile)}
        for check in self._checks:
            if check.entry.source == "table":
                found[check.measure] = self._compared(check, profile)
        return replace(result, profile=replace(profile, checks=found, tallies=tallies))

    def _again(self, profile: Profile) -> dict[str, Measured]:
        """What is told of keys when they are counted in several passes."""
        wide = [
            check
            for check in self._checks
            if check.entry.source == "keys" and check.scope == "delta" and tally_of(profile, check).is_wide
        ]
        try:
            return counted_again(self._engine, profile, wide) if wide else {}
        except Exception as error:
            # Whatever it is, it concerns these checks, and must not lose the profile.
            said = Measured(problem=f"counting the keys in several passes failed with {type(error).__name__}")
            return {check.measure: said for check in wide}

    def _in_folder(self, profile: Profile) -> dict[str, Tally]:
        """What totals need of keys that are too many to be kept in memory: where they have been counted instead."""
        if self._folder is None:
            return {}
        wide = {
            total_group(check): check
            for check in of_totals(self._checks)
            if tally_of(profile, check).is_wide and not any(profile.options.hides(name) for name in check.reads)
        }
        found: dict[str, Tally] = {}
        try:
            for group, check in wide.items():
                piece = self._folder.count(profile.partition or "", check)
                found[group] = ManyKeys.of(tally_of(profile, check), piece)
        except Exception as error:
            # As above.
            said = said_of(error, discreet=profile.options.discreet)
            failed = Failed(f"the keys of partition {profile.partition!r} could not be counted in the folder: {said}")
            return {**dict.fromkeys(wide, failed), **found}
        return found

    def _compared(self, check: Check, profile: Profile) -> Measured:
        partition = profile.partition or ""
        other = self._others.profile(check, partition)
        if isinstance(other, str):
            return Measured(problem=other, timed=True)
        try:
            wide = tally_of(profile, check).is_wide or tally_of(other, mirrored(check)).is_wide
            passes = passes_for(max(profile.row_count, other.row_count))
            return compared(check, profile, other, self._in_passes(check, partition, passes) if wide else None)
        except Exception as error:
            # As above; which other error it may be, the tables decide.
            said = str(error) if isinstance(error, _PassError) else type(error).__name__
            return Measured(problem=f"comparing with the other table {check.to!r} failed: {said}", timed=True)

    def _in_passes(self, check: Check, partition: str, passes: int) -> Iterator[Sides]:
        for number, ours in enumerate(in_passes(self._engine, partition, [check], passes)):
            theirs = self._others.again(check, partition, (number, passes))
            for one in (ours, theirs):
                if isinstance(one, str):
                    raise _PassError(one)
            yield tally_of(ours, check), tally_of(theirs, mirrored(check))  # type: ignore[arg-type]


class _PassError(Exception):
    """Why a pass has no counts."""
