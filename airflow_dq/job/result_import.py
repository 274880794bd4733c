"""The result that a job has left in a folder, on its way into the statistics database."""

from __future__ import annotations

import base64
import hashlib
import json
import struct
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import IO, TYPE_CHECKING, Any

from airflow_dq import __version__
from airflow_dq.exceptions import CodecError, ProfileError
from airflow_dq.job.exchange_line import read_line
from airflow_dq.job.result import JobResult, result_of
from airflow_dq.job.result_folder import ResultFolder
from airflow_dq.job.result_writer import FORMAT, PROFILES, RESULT, checksum
from airflow_dq.options.rule import rule_of

if TYPE_CHECKING:
    from airflow_dq.options.job import JobSpec
    from airflow_dq.profile.check.tally import Tally
    from airflow_dq.profile.model import Profile
    from airflow_dq.store import Repository


class FoundResult:
    """What a folder holds, checked as far as can be before the profiles are looked at."""

    def __init__(self, folder: ResultFolder, document: Mapping[str, Any], result: JobResult) -> None:
        """Take what :func:`find_result` has read."""
        self._folder = folder
        self._document = document
        self.result = result
        """How the job has ended."""

    def store(self, store: Repository, spec: JobSpec) -> None:
        """Store the profiles, each whole, under attempts that begin now; and why others failed.

        Everything is looked at before anything is stored.

        :param spec: the order that the job was given
        :raises ProfileError: when a file is damaged, or is not what the order asked for; then nothing is stored
        """
        keys, failed = self._document["profiles"]["partitions"], self._document["failed"]
        with self._folder.copied(PROFILES) if keys else _nothing() as lines:
            self._check(lines, spec)
            attempts = store.begin_attempts(spec.dataset, [*keys, *failed], **self._document["origin"])
            for key, error in failed.items():
                store.fail_attempt(attempts[key], error)
            for profile in self._profiles(lines):
                store.save_profiles(spec.dataset, {attempts[str(profile.partition)]: profile})
        self._finish(store, spec, keys)

    def _check(self, lines: IO[bytes], spec: JobSpec) -> None:
        told = self._document["profiles"]
        digest = hashlib.blake2b(digest_size=16)
        for line in lines:
            digest.update(line)
        if (lines.tell(), digest.hexdigest()) != (told["bytes"], told["checksum"]):
            raise self._damaged(f"{PROFILES} is not the file that the job has written")
        found = [(dataset, profile.partition) for dataset, profile in self._lines(lines)]
        if found != [(spec.dataset, key) for key in told["partitions"]]:
            raise self._damaged("it holds other partitions than it says, or those of another dataset")
        seen = {*told["partitions"], *self._document["failed"]}
        if spec.key is not None and seen != {spec.key} and (seen or self.result.error is None):
            shown = ", ".join(map(repr, sorted(seen)[:5])) or "none"
            raise self._damaged(f"it is about {shown}, and partition {spec.key!r} was ordered")

    def _profiles(self, lines: IO[bytes]) -> Iterator[Profile]:
        from airflow_dq.profile.check.failed_rows import FailedRows

        for _, profile in self._lines(lines):
            beside = self._document["beside"][profile.partition]
            yield replace(
                profile,
                tallies=self._unpacked(beside["tallies"]),
                held=self._unpacked(beside["held"]),
                failing={name: FailedRows.of_dict(rows) for name, rows in beside["failing"].items()},
            )

    def _lines(self, lines: IO[bytes]) -> Iterator[tuple[str, Profile]]:
        lines.seek(0)
        for number, line in enumerate(lines, start=1):
            try:
                yield read_line(line.decode(errors="surrogateescape"))
            except CodecError as error:
                raise self._damaged(f"line {number} of {PROFILES}: {error}") from error

    def _unpacked(self, text: str | None) -> dict[str, Any]:
        from airflow_dq.profile.check.tallies import Tallies

        try:
            found: Mapping[str, Tally] = {} if text is None else Tallies.decode(base64.b64decode(text)).by_group
        except (CodecError, ValueError, KeyError, TypeError, struct.error) as error:
            raise self._damaged(f"what was counted cannot be read: {error}") from error
        return dict(found)

    def _finish(self, store: Repository, spec: JobSpec, keys: list[str]) -> None:
        """What a job that reaches the database does behind its profiles."""
        from airflow_dq.profile.check.total import of_totals

        found = {name: [rule_of(one) for one in rules] for name, rules in self._document["found"].items()}
        store.add_between(spec.dataset, found["between"])
        store.add_relations(spec.dataset, found["relations"])
        if of_totals(spec.checks) and keys:
            store.update_totals(spec.dataset, spec.checks, keys)
        store.update_between(spec.dataset, spec.rules, keys)
        store.tidy(spec.dataset)

    def _damaged(self, problem: str) -> ProfileError:
        return ProfileError(f"The result in {self._folder} cannot be imported: {problem}. Nothing of it is stored.")


def find_result(folder: ResultFolder) -> FoundResult | None:
    """What a job has left in a folder; None as long as it has not ended.

    :raises ProfileError: when it is damaged, or the package on the cluster is of another version than this one
    """
    text = folder.get(RESULT)
    if text is None:
        return None
    said = f"The result in {folder} cannot be imported: "
    try:
        document = json.loads(text)
        told = document.pop("checksum")
        right = document["format"] == FORMAT and told == checksum(document)
    except (ValueError, KeyError, TypeError, AttributeError):
        right = False
    if not right:
        raise ProfileError(f"{said}{RESULT} was changed or damaged since it was written. Nothing of it is stored.")
    if document["version"] != __version__:
        raise ProfileError(
            f"{said}the package on the cluster is of version {document['version']}, and here it is {__version__}: put "
            "the zip and the entry file that `airflow dq job` writes here in the place of those there."
        )
    result = result_of(document["result"])
    if result is None:
        raise ProfileError(f"{said}it does not say how the job has ended.")
    return FoundResult(folder, document, result)


def _nothing() -> IO[bytes]:
    import io

    return io.BytesIO()
