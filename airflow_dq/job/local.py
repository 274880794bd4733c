"""The order of a profile job carried out in this process: files -> states -> profiles -> store."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable

import pyarrow as pa

from airflow_dq.corruption.variant import with_variants
from airflow_dq.engine.arrow.listing import data_files, locate
from airflow_dq.engine.arrow.reader import FORMATS, csv_options, read
from airflow_dq.exceptions import ConfigurationError, DQError
from airflow_dq.job.ledger import Ledger
from airflow_dq.job.outcome import Outcome
from airflow_dq.options.job import JobSpec
from airflow_dq.profile.model import Profile
from airflow_dq.profile.table import TableState
from airflow_dq.store import Repository


class LocalJob:
    """One job: ``LocalJob(...).run()``."""

    def __init__(self, spec: JobSpec, store: Repository, say: Callable[[str], None]) -> None:
        check_local(spec)
        self._spec = spec
        self._options = spec.profile_options
        self._ledger = Ledger(store, spec, say)

    def run(self) -> list[Outcome]:
        """Profile and store every partition of the order, each by itself.

        :return: what became of each partition, in the order of their keys
        :raises DQError: when there is nothing to profile
        """
        places = locate(self._spec)
        self._ledger.begin(
            list(places),
            source=self._spec.pattern or ", ".join(dict.fromkeys(places.values())),
            read_options={"format": self._spec.format, **self._spec.options},
            engine=f"arrow {pa.__version__}",
        )
        with self._ledger.closing():
            for key, place in places.items():
                self._profile(key, place)
            return self._ledger.finish(_inject)

    def _profile(self, key: str, place: str) -> None:
        began = time.monotonic()
        try:
            profile = self._scan(key, place)
        except DQError as error:
            self._ledger.fail(key, str(error))
        except Exception as error:
            self._ledger.fail(key, f"{type(error).__name__}: {error}", traceback.format_exc())
        else:
            self._ledger.keep(profile, time.monotonic() - began)

    def _scan(self, key: str, place: str) -> Profile:
        where = f"Dataset {self._spec.dataset!r}, partition {key!r}"
        # Text files of 0 bytes have no columns, and come in no batch.
        files = data_files(place, where)
        batches = (batch for path in files for batch in read(path, self._spec, where))
        return TableState.of_all(batches, self._options).profile(key, self._options)


def _inject(profiles: list[Profile]) -> list[Profile]:
    return [with_variants(profile) for profile in profiles]


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
