"""The other tables that checks name: each read once in a job, as the partitions are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePath

from airflow_dq.check.beyond import PARTITION, is_path
from airflow_dq.check.model import Check
from airflow_dq.engine.base import Engine
from airflow_dq.exceptions import DQError, said_of
from airflow_dq.options.job import PATH_FORMATS, JobSpec
from airflow_dq.profile.check.beside import mirrored
from airflow_dq.profile.model import Profile

_KEY = "other table"
"""Under which key the rows of another table are read, which are of no partition."""
_ENDINGS: Mapping[str, str] = {
    **{f".{name}": name for name in ("parquet", "csv", "json", "orc", "avro", "arrow")},
    ".pq": "parquet",
    ".jsonl": "json",
}


class OtherTables:
    """Reads other tables with the engine of the job."""

    def __init__(self, engine: Engine) -> None:
        """Nothing is read yet."""
        self._engine = engine
        self._read: dict[tuple[str | None, str, str | None], Profile | str] = {}

    def profile(self, check: Check, partition: str) -> Profile | str:
        """The profile of the table that a check names, with what is counted there; or why there is none."""
        place = (check.to or "").replace(PARTITION, partition)
        together, alone = (check.to, place, None), (check.to, place, check.measure)
        if together not in self._read:
            # Nobody asks for that of another partition again.
            self._read = {known: profile for known, profile in self._read.items() if known[0] != check.to}
            same = (mirrored(one) for one in self._engine.order.checks if one.to == check.to)
            checks = {one.measure: one for one in same}
            self._read[together] = self._scan(place, tuple(checks.values()), (0, 1))
        if not isinstance(self._read[together], str):
            return self._read[together]
        if alone not in self._read:
            # What one check names that is not there must not lose the others.
            self._read[alone] = self._scan(place, (mirrored(check),), (0, 1))
        return self._read[alone]

    def again(self, check: Check, partition: str, key_pass: tuple[int, int]) -> Profile | str:
        """The same in one of several passes, each of which counts a share of the keys."""
        return self._scan((check.to or "").replace(PARTITION, partition), (mirrored(check),), key_pass)

    def _scan(self, place: str, checks: tuple[Check, ...], key_pass: tuple[int, int]) -> Profile | str:
        try:
            spec = replace(_order(self._engine.order, place, checks), key_pass=key_pass)
            engine = self._engine.beside(spec)
            engine.partitions()
            (result,) = engine.scan(0)
        except Exception as error:
            # Whatever it is, it concerns this table, and must not lose the partition.
            discreet = self._engine.order.profile_options.discreet
            said = str(error) if isinstance(error, DQError) and not discreet else said_of(error, discreet=discreet)
            return f"the other table {place!r} cannot be read: {said}"
        if result.profile is None:
            return f"the other table {place!r} cannot be read: {result.error}"
        return result.profile


def _order(order: JobSpec, place: str, checks: tuple[Check, ...]) -> JobSpec:
    """The order to read another table, in the format that its name says, or else in that of the partitions."""
    columns = tuple(dict.fromkeys(name for check in checks for name in check.reads)) or None
    plain = JobSpec(
        dataset=order.dataset,
        table=place,
        partition=_KEY,
        where="true",
        columns=columns,
        sample_rows=0,
        store_values=order.store_values,
        checks=checks,
    )
    if not is_path(place):
        return plain
    named = _ENDINGS.get(PurePath(place).suffix.lower())
    same = named in (None, order.format.lower()) and order.format.lower() in (*PATH_FORMATS, "arrow")
    found = order.format if same else named or "parquet"
    options = order.options if same else {}
    return replace(plain, table=None, partition=None, where=None, paths={_KEY: place}, format=found, options=options)
