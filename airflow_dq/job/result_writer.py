"""What a profile job does with its profiles where the statistics database is out of its reach: a folder of files.

``profiles.jsonl`` is what ``airflow dq export`` writes.  ``result.json`` comes last: it says which file of profiles
belongs to it, what no export has (how partitions failed, what later ones are judged by), and that the job is over.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from airflow_dq import __version__
from airflow_dq.job.exchange_line import write_line
from airflow_dq.job.result import JobResult
from airflow_dq.job.result_folder import ResultFolder
from airflow_dq.options.rule import LearnedRule

if TYPE_CHECKING:
    from airflow_dq.check.model import Check
    from airflow_dq.profile.check.many_keys import KeyFolder
    from airflow_dq.profile.check.tally import Tally
    from airflow_dq.profile.model import Profile

FORMAT = "airflow-dq-result/1"
RESULT = "result.json"
PROFILES = "profiles.jsonl"


class ResultWriter:
    """Keeps the profiles of one job: :class:`airflow_dq.job.keeper.Keeper`."""

    def __init__(self, folder: ResultFolder, rules: Sequence[LearnedRule]) -> None:
        """Begin.

        :param rules: what has been learned of the dataset's rows, as whoever ordered the job knows it
        """
        self._folder = folder
        self._rules = tuple(rules)
        self._lines = tempfile.TemporaryFile()  # noqa: SIM115  (gone with this object)
        self._digest = hashlib.blake2b(digest_size=16)
        self._keys: list[str] = []
        self._origin: dict[str, Any] = {}
        self._failed: dict[str, str] = {}
        self._beside: dict[str, dict[str, Any]] = {}
        self._found: dict[str, list[dict[str, Any]]] = {"between": [], "relations": []}

    def learn_rules(self, dataset: str, before: str) -> tuple[LearnedRule, ...]:
        """Those that were handed over."""
        return self._rules

    def seen_columns(self, dataset: str) -> None:
        """What was profiled before is in the database."""

    def begin_attempts(
        self,
        dataset: str,
        partitions: Sequence[str],
        *,
        source: str | None = None,
        read_options: Mapping[str, str] | None = None,
        engine: str | None = None,
        place: Mapping[str, str] | None = None,
    ) -> dict[str, int]:
        """Remember where the rows come from: the attempts that count begin when the result is imported."""
        self._keys = list(dict.fromkeys(partitions))
        self._origin = {"source": source, "read_options": read_options, "engine": engine, "place": place}
        return {key: number for number, key in enumerate(self._keys)}

    def fail_attempt(self, attempt: int, error: str) -> None:
        """Remember why there is no profile of a partition."""
        self._failed[self._keys[attempt]] = error

    def save_profiles(self, dataset: str, profiles: Mapping[int, Profile]) -> None:
        """Write the profiles' lines, and remember what no line has."""
        for attempt, profile in profiles.items():
            self._save(attempt, dataset, profile)

    def _save(self, attempt: int, dataset: str, profile: Profile) -> None:
        # Of the rows that were drawn no errors are made here: the job has made those that are wanted.
        line = write_line(dataset, replace(profile, sample=None)).encode()
        self._lines.write(line)
        self._digest.update(line)
        self._beside[self._keys[attempt]] = {
            "tallies": _packed(profile.tallies),
            "held": _packed(profile.held),
            "failing": {name: rows.to_dict() for name, rows in profile.failing.items()},
        }

    def add_between(self, dataset: str, found: Sequence[LearnedRule]) -> int:
        """Remember relations between rows; which are new shows at the import."""
        self._found["between"] += map(asdict, found)
        return 0

    def add_relations(self, dataset: str, found: Sequence[LearnedRule]) -> int:
        """Remember relations between columns; which are new shows at the import."""
        self._found["relations"] += map(asdict, found)
        return 0

    def update_totals(
        self, dataset: str, checks: Sequence[Check], changed: Sequence[str], folder: KeyFolder | None = None
    ) -> int:
        """Nothing: totals are those of the database, and are measured at the import."""
        return 0

    def update_between(self, dataset: str, rules: Sequence[LearnedRule], changed: Sequence[str]) -> None:
        """Nothing: the partitions before are in the database, and are looked at at the import."""

    def tidy(self, dataset: str) -> None:
        """Nothing is old here."""

    def finish(self, result: JobResult) -> None:
        """Write the files.

        :param result: how the job has ended
        :raises ProfileError: when they cannot be written
        """
        size = self._lines.tell()
        self._lines.seek(0)
        if size:
            self._folder.put(PROFILES, self._lines)
        body = {
            "format": FORMAT,
            "version": __version__,
            "origin": self._origin,
            "profiles": {"partitions": list(self._beside), "bytes": size, "checksum": self._digest.hexdigest()},
            "failed": self._failed,
            "beside": self._beside,
            "found": self._found,
            "result": asdict(result),
        }
        text = json.dumps({**body, "checksum": checksum(body)}, allow_nan=False)
        self._folder.put(RESULT, io.BytesIO(text.encode()))
        self._lines.close()


def checksum(body: Mapping[str, Any]) -> str:
    """Of what a result says, however it is spelled."""
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _packed(counted: Mapping[str, Tally]) -> str | None:
    from airflow_dq.profile.check.tallies import Tallies  # needs numpy

    return base64.b64encode(Tallies(counted).encode()).decode() if counted else None
