"""The gate's decision: profile and history in, one stored verdict out."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from airflow_dq import __version__
from airflow_dq.exceptions import CodecError, DQError, StaleAttemptError, StoreError
from airflow_dq.program.model import Program, ScopeVerdict, Severity, Status, SynthesisOptions, Verdict
from airflow_dq.program.severity import graded
from airflow_dq.store.value import to_json

if TYPE_CHECKING:
    from airflow_dq.profile.model import Profile
    from airflow_dq.store.repository import Repository

log = logging.getLogger(__name__)

ROUNDS = 3
"""A partition that is profiled anew while it is judged is judged again, at most so often."""


def judge(
    repository: Repository,
    dataset: str,
    partition: str,
    options: SynthesisOptions,
    severity: Mapping[str, Severity] | None = None,
) -> Verdict:
    """Judge a partition's current profile against its history, store the judgement, and return the verdict.

    The program that the partition was judged by before is used again when nothing it was made from has changed,
    so that judging again gives the equal verdict, today and after retention has dropped the injected variants.
    A bug in synthesis or evaluation gives a verdict ``error`` that says so, never a pass.

    :param severity: which alerts only warn, see :mod:`airflow_dq.program.severity`
    :raises StoreError: when the partition has no profile
    :raises SynthesisError: when the options do not fit the history (an unknown column or metric)
    """
    for rounds_left in reversed(range(ROUNDS)):
        try:
            return _judge(repository, dataset, partition, options, severity or {})
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
) -> Verdict:
    profile = repository.load_profile(dataset, partition)
    if profile is None:
        raise StoreError(
            f"Dataset {dataset!r}, partition {partition!r}: there is no profile to judge. Profile the partition first, "
            "with DQProfileOperator or `airflow dq backfill`."
        )
    history = repository.load_history(dataset, partition, options.history)
    inputs = digest(history, options)
    program: Program | None = None
    try:
        program = _stored_program(repository, dataset, partition, inputs) or _synthesize(history, options)
        verdict = graded(_evaluate(program, profile, history), severity)
    except DQError:
        raise
    except Exception as error:
        log.exception("Dataset %r, partition %r could not be judged.", dataset, partition)
        verdict = _error(profile, error)
    repository.save_pairs(dataset, [*history, profile])
    repository.save_judgement(dataset, profile, program, verdict, inputs=inputs)
    return verdict


def digest(history: Sequence[Profile], options: SynthesisOptions) -> str:
    """Digest of all that a program is synthesized from; equal digests, equal programs."""
    content = [__version__, asdict(options), [profile.fingerprint for profile in history]]
    return hashlib.blake2b(to_json(content).encode(), digest_size=16).hexdigest()


def _stored_program(repository: Repository, dataset: str, partition: str, inputs: str) -> Program | None:
    try:
        return repository.load_program(dataset, partition, inputs=inputs)
    except CodecError as error:
        log.warning("Dataset %r, partition %r: its program is made again: %s", dataset, partition, error)
        return None


def _synthesize(history: Sequence[Profile], options: SynthesisOptions) -> Program:
    from airflow_dq.program.synthesis import synthesize

    return synthesize(history, options)


def _evaluate(program: Program, profile: Profile, history: Sequence[Profile]) -> Verdict:
    from airflow_dq.program.evaluation import evaluate

    verdict = evaluate(program, profile, history)
    # The profile's own key: a verdict is found again by it, whatever the evaluation was given.
    return replace(verdict, partition=profile.partition)


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
