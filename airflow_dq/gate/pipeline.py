"""The gate's decision: profile and history in, one stored verdict out."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from airflow_dq import __version__
from airflow_dq.exceptions import CodecError, DQError, StaleAttemptError, StoreError
from airflow_dq.judge.severity import graded, idle_columns
from airflow_dq.learn.model import Program, ScopeVerdict, Severity, Status, Verdict
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.store.snooze import applied
from airflow_dq.store.value import strict_json

if TYPE_CHECKING:
    from airflow_dq.profile.model import Profile
    from airflow_dq.store.repository import Repository
    from airflow_dq.store.review_model import HistoryStart, Origin

log = logging.getLogger(__name__)

ROUNDS = 3
"""A partition that is profiled anew while it is judged is judged again, at most this many times in all."""


def judge(
    repository: Repository,
    dataset: str,
    partition: str,
    options: SynthesisOptions,
    severity: Mapping[str, Severity] | None = None,
    origin: Origin | None = None,
) -> Verdict:
    """Judge a partition's current profile against its history, store the judgement, and return the verdict.

    The program that the partition was judged by before is used again when nothing it was made from has changed,
    so that judging again gives the equal verdict, today and after retention has dropped the injected variants.
    A bug in synthesis or evaluation gives a verdict ``error`` that says so, never a pass.

    An alert under an active snooze only warns, whatever ``severity`` says, and tells until when.

    :param severity: which alerts only warn, see :mod:`airflow_dq.judge.severity`
    :param origin: the task that judges
    :raises StoreError: when the partition has no profile
    :raises SynthesisError: when the options do not fit the history (an unknown column or metric)
    """
    for rounds_left in reversed(range(ROUNDS)):
        try:
            return _judge(repository, dataset, partition, options, severity or {}, origin)
        except StaleAttemptError:
            if not rounds_left:
                raise
            log.info("Dataset %r, partition %r: profiled anew meanwhile; judging it again.", dataset, partition)
    raise AssertionError("unreachable")


def _judge(
    repository: Repository,
    dataset: str,
    partition: str,
    options: SynthesisOptions,
    severity: Mapping[str, Severity],
    origin: Origin | None,
) -> Verdict:
    # Its own injected errors are for those that come after it.
    profile = repository.load_profile(dataset, partition, variants=False)
    if profile is None:
        raise StoreError(
            f"Dataset {dataset!r}, partition {partition!r}: there is no profile to judge. Profile the partition first, "
            "with DQProfileOperator or `airflow dq backfill`."
        )
    history = repository.load_history(dataset, partition, options.history)
    inputs: str | None = None
    program: Program | None = None
    try:
        comparable, blind = _comparable(history, profile)
        inputs = digest(history, options, blind)
        program = _stored_program(repository, dataset, partition, inputs) or _synthesize(comparable, options)
        verdict = _told(_evaluate(program, profile, comparable), blind)
        for name in idle_columns(severity, {*profile.columns, *program.columns}):
            log.warning(
                "Dataset %r, partition %r: severity names the column %r, which neither the partition nor its history "
                "has, so it applies to no alert. The partition's columns are %s. Correct the name, or leave it out.",
                dataset,
                partition,
                name,
                ", ".join(map(repr, profile.columns)),
            )
        verdict = applied(graded(verdict, severity), repository.snoozes(dataset))
    except DQError:
        raise
    except Exception as error:
        log.exception("Dataset %r, partition %r could not be judged.", dataset, partition)
        verdict = _error(profile, error)
    repository.save_pairs(dataset, [*history, profile])
    if verdict.status is Status.WARMING_UP:
        verdict = _restarted(verdict, repository.history_start(dataset, partition))
    repository.save_judgement(dataset, profile, program, verdict, inputs=inputs, origin=origin)
    return verdict


def digest(history: Sequence[Profile], options: SynthesisOptions, blind: frozenset[str] = frozenset()) -> str:
    """Digest of all that a program is synthesized from; equal digests, equal programs.

    :param blind: columns that are judged without their distances
    """
    content = [__version__, asdict(options), [profile.fingerprint for profile in history]]
    if blind:
        content.append(sorted(blind))
    return hashlib.blake2b(strict_json(content).encode(), digest_size=16).hexdigest()


def _comparable(history: Sequence[Profile], profile: Profile) -> tuple[Sequence[Profile], frozenset[str]]:
    """The history as it can be learned from, and the columns whose distances the partition cannot be judged by."""
    from airflow_dq.gate.missing_distance import bridged, unmeasurable

    blind = unmeasurable(profile, history)
    return bridged(history, blind), blind


def _told(verdict: Verdict, blind: frozenset[str]) -> Verdict:
    """Say what was not looked at in an old partition that is judged late."""
    if not blind or verdict.status is Status.WARMING_UP:
        return verdict
    said = (
        f"Judged without comparing the distribution of {', '.join(sorted(blind))} with that of the partitions before, "
        "whose statistics are no longer kept."
    )
    return replace(verdict, reason=f"{verdict.reason} {said}" if verdict.reason else said)


def _stored_program(repository: Repository, dataset: str, partition: str, inputs: str) -> Program | None:
    try:
        return repository.load_program(dataset, partition, inputs=inputs)
    except CodecError as error:
        log.warning("Dataset %r, partition %r: its program is made again: %s", dataset, partition, error)
        return None


def _synthesize(history: Sequence[Profile], options: SynthesisOptions) -> Program:
    from airflow_dq.learn.pipeline import synthesize

    return synthesize(history, options)


def _evaluate(program: Program, profile: Profile, history: Sequence[Profile]) -> Verdict:
    from airflow_dq.judge.evaluation import evaluate

    verdict = evaluate(program, profile, history)
    # The profile's own key: a verdict is found again by it, whatever the evaluation was given.
    return replace(verdict, partition=profile.partition)


def _restarted(verdict: Verdict, start: HistoryStart | None) -> Verdict:
    """Say why there is so little history, when a person has cut it."""
    if start is None:
        return verdict
    said = f"The history restarts at {start.partition} (new normal, by {start.by})."
    return replace(verdict, reason=f"{verdict.reason} {said}" if verdict.reason else said)


def _error(profile: Profile, error: Exception) -> Verdict:
    reason = (
        f"Judging the partition failed with {type(error).__name__}: {error}. This is a fault of the product, "
        "not of the data; the log has the details."
    )
    return Verdict(
        partition=profile.partition,
        status=Status.ERROR,
        table=ScopeVerdict(Status.ERROR, reason=reason),
        columns={},
        reason=reason,
    )
