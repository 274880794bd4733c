"""The order of a profile job carried out in this process: files -> states -> profiles -> store."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable

import pyarrow as pa

from airflow_dq.exceptions import ConfigurationError, DQError
from airflow_dq.local.listing import data_files, locate
from airflow_dq.local.reader import FORMATS, csv_options, read
from airflow_dq.profile.model import Profile
from airflow_dq.profile.spec import JobSpec
from airflow_dq.profile.table import TableState
from airflow_dq.profile.variant import WITH_VARIANTS, variants_of
from airflow_dq.spark.outcome import Outcome
from airflow_dq.store import Repository


class LocalJob:
    """One job: ``LocalJob(...).run()``."""

    def __init__(self, spec: JobSpec, store: Repository, say: Callable[[str], None]) -> None:
        check_local(spec)
        self._spec = spec
        self._store = store
        self._say = say
        self._options = spec.profile_options
        self._attempts: dict[str, int] = {}
        self._newest: list[tuple[Profile, float]] = []
        self._outcomes: dict[str, Outcome] = {}

    def run(self) -> list[Outcome]:
        """Profile and store every partition of the order, each by itself.

        :return: what became of each partition, in the order of their keys
        :raises DQError: when there is nothing to profile
        """
        places = locate(self._spec)
        source = self._spec.pattern or ", ".join(dict.fromkeys(places.values()))
        self._say(f"{self._spec.dataset}: {len(places)} partition(s) to profile from {source}")
        self._attempts = self._store.begin_attempts(
            self._spec.dataset,
            list(places),
            source=source,
            read_options={"format": self._spec.format, **self._spec.options},
            engine=f"arrow {pa.__version__}",
        )
        try:
            for key, place in places.items():
                self._profile(key, place)
            self._finish_newest()
        except BaseException as error:
            for key in self._attempts.keys() - self._outcomes.keys():
                self._store.fail_attempt(self._attempts[key], f"The job ended: {type(error).__name__}: {error}")
            raise
        return [self._outcomes[key] for key in places]

    def _profile(self, key: str, place: str) -> None:
        """Scan a partition, and store what is then no longer among the newest."""
        began = time.monotonic()
        try:
            profile = self._scan(key, place)
        except DQError as error:
            self._fail(key, str(error))
        except Exception as error:
            self._fail(key, f"{type(error).__name__}: {error}", traceback.format_exc())
        else:
            self._newest.append((profile, time.monotonic() - began))
            if len(self._newest) > WITH_VARIANTS:
                self._save(*self._newest.pop(0))

    def _scan(self, key: str, place: str) -> Profile:
        where = f"Dataset {self._spec.dataset!r}, partition {key!r}"
        state: TableState | None = None
        for path in data_files(place, where):
            for batch in read(path, self._spec, where):
                state = TableState.of(batch, self._options) if state is None else state.add(batch, self._options)
        assert state is not None
        return state.profile(key, self._options)

    def _finish_newest(self) -> None:
        for profile, _ in self._newest:
            for name in profile.columns:
                variants_of(profile, name)
        while self._newest:
            self._save(*self._newest.pop(0))

    def _save(self, profile: Profile, seconds: float) -> None:
        key = profile.partition or ""
        try:
            self._store.save_profile(self._attempts[key], self._spec.dataset, profile)
        except DQError as error:
            self._fail(key, str(error))
        else:
            self._outcomes[key] = _outcome(profile, seconds)

    def _fail(self, key: str, error: str, trace: str | None = None) -> None:
        self._store.fail_attempt(self._attempts[key], error)
        self._outcomes[key] = Outcome(key, error=error, trace=trace)


def _outcome(profile: Profile, seconds: float) -> Outcome:
    noted = {name: str(column.note) for name, column in profile.columns.items() if not column.in_full}
    return Outcome(profile.partition or "", profile.row_count, len(profile.columns) - len(noted), noted, seconds)


def check_local(spec: JobSpec) -> None:
    """Refuse an order that needs Spark.

    :raises ConfigurationError: saying what it is that needs it
    """
    asked = [name for name in ("table", "sql", "partition_by") if getattr(spec, name)]
    if asked or spec.format.lower() not in FORMATS:
        what = " and ".join(asked) or f"format {spec.format!r}"
        raise ConfigurationError(
            f"Dataset {spec.dataset!r}: engine='arrow' reads files of the formats {', '.join(FORMATS)} and no {what}: "
            "use engine='spark'."
        )
    if spec.format.lower() == "csv":
        csv_options(spec.options)
    elif spec.options:
        raise ConfigurationError(
            f"Dataset {spec.dataset!r}: engine='arrow' knows no read options for {spec.format}: use engine='spark'."
        )
