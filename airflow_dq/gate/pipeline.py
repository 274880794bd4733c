"""The gate's decision: profile and history in, one stored verdict out."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from airflow_dq import __version__
from airflow_dq.exceptions import CodecError, DQError, StaleAttemptError, StoreError
from airflow_dq.judge.calendar import apply_events, left_out_words
from airflow_dq.judge.severity import graded, idle_columns
from airflow_dq.judge.verdict import ScopeVerdict, Status, Verdict
from airflow_dq.learn.constraint.base import Severity
from airflow_dq.learn.history.answer import NO_ANSWERS, Answers
from airflow_dq.learn.history.distance import Distances
from airflow_dq.learn.program import Program
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.store.snooze import apply_snoozes
from airflow_dq.store.value import strict_json
from airflow_dq.uncollected import uncollected

if TYPE_CHECKING:
    from airflow_dq.learn.history.history import History
    from airflow_dq.options.rule import LearnedRule
    from airflow_dq.profile.model import Profile
    from airflow_dq.store.repository import Repository
    from airflow_dq.store.review_model import HistoryStart, Origin

log = logging.getLogger(__name__)

ROUNDS = 3
"""A partition that is profiled anew while it is judged is judged again, at most this many times in all."""


@uncollected()
def judge(
    repository: Repository,
    dataset: str,
    partition: str,
    options: SynthesisOptions,
    severity: Mapping[str, Severity] | None = None,
    origin: Origin | None = None,
) -> Verdict:
    """Judge a partition's current profile against its history, and store and return the verdict.

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


@uncollected()
def preview(
    repository: Repository,
    dataset: str,
    partition: str,
    options: SynthesisOptions,
    severity: Mapping[str, Severity] | None = None,
) -> Verdict:
    """The verdict that :func:`judge` would give now; nothing is stored.

    :raises StoreError: when the partition has no profile
    :raises SynthesisError: when the options do not fit the history (an unknown column or metric)
    """
    return _look(repository, dataset, partition, options, severity or {}, None).verdict


@dataclass(frozen=True, slots=True)
class _Judged:
    """A verdict, and what is stored with it."""

    verdict: Verdict
    profile: Profile
    program: Program | None
    inputs: str | None
    history: Sequence[Profile]
    distances: Distances


def _judge(
    repository: Repository,
    dataset: str,
    partition: str,
    options: SynthesisOptions,
    severity: Mapping[str, Severity],
    origin: Origin | None,
) -> Verdict:
    found = _look(repository, dataset, partition, options, severity, origin)
    repository.save_distances(dataset, [*found.history, found.profile], found.distances.measured)
    repository.save_verdict(dataset, found.profile, found.program, found.verdict, inputs=found.inputs, origin=origin)
    return found.verdict


def _look(
    repository: Repository,
    dataset: str,
    partition: str,
    options: SynthesisOptions,
    severity: Mapping[str, Severity],
    origin: Origin | None,
) -> _Judged:
    # Its own injected errors are for those that come after it.
    profile = repository.load_profile(dataset, partition, variants=False)
    if profile is None:
        raise StoreError(
            f"Dataset {dataset!r}, partition {partition!r}: there is no profile to judge. Profile the partition first, "
            "with DQProfileOperator or `airflow dq backfill`."
        )
    history = repository.load_history(dataset, partition, options.history)
    older = repository.load_like_days(dataset, partition, options.history)
    answers = Answers.of(repository.answered_alarms(dataset, partition))
    rules = repository.rules(dataset, partition) if options.patterns or options.relations else ()
    inputs: str | None = None
    program: Program | None = None
    distances = Distances()
    try:
        learnable, uncompared = _learnable(history, older, profile, distances, answers)
        learnable = replace(learnable, rules=rules)
        inputs = inputs_digest([*older, *history], options, uncompared, answers, rules)
        program = _stored_program(repository, dataset, partition, inputs) or _synthesize(learnable, options)
        program = _on_occasion(program, profile, learnable)
        verdict = _evaluate(program, profile, learnable)
        if verdict.status is Status.FAIL:
            # Before anybody is woken: was the 15th of other months like this?
            more = repository.load_like_days(dataset, partition, options.history, every=True)
            verdict = _evaluate(program, profile, replace(learnable, older=more))
        verdict = _with_uncompared(verdict, uncompared)
        _warn_of_idle_columns(dataset, partition, profile, program, severity)
        verdict = apply_snoozes(graded(verdict, severity), repository.snoozes(dataset))
        verdict = _with_calendar(repository, dataset, verdict, history)
    except DQError:
        raise
    except Exception as error:
        log.exception("Dataset %r, partition %r could not be judged.", dataset, partition)
        verdict = _error(profile, error)
    if verdict.alerts:
        verdict = replace(verdict, record=repository.record(dataset, partition, options_digest(options)))
    if verdict.status is Status.WARMING_UP:
        verdict = _warming_up(repository, dataset, partition, options, verdict, origin)
    return _Judged(verdict, profile, program, inputs, history, distances)


def _warn_of_idle_columns(
    dataset: str, partition: str, profile: Profile, program: Program, severity: Mapping[str, Severity]
) -> None:
    for name in idle_columns(severity, {*profile.columns, *program.columns}):
        log.warning(
            "Dataset %r, partition %r: severity names the column %r, which neither the partition nor its history has, "
            "so it applies to no alert. The partition's columns are %s. Correct the name, or leave it out.",
            dataset,
            partition,
            name,
            ", ".join(map(repr, profile.columns)),
        )


def inputs_digest(
    history: Sequence[Profile],
    options: SynthesisOptions,
    uncompared: frozenset[str] = frozenset(),
    answers: Answers = NO_ANSWERS,
    rules: tuple[LearnedRule, ...] = (),
) -> str:
    """Digest of all that a program is synthesized from; equal digests, equal programs.

    :param uncompared: columns that are judged without their distances
    :param answers: what people have said of the dataset's alarms
    :param rules: the rules on rows that are stored of the dataset
    """
    content: list[Any] = [__version__, asdict(options), [profile.fingerprint for profile in history]]
    if uncompared:
        content.append(sorted(uncompared))
    if answers:
        content.append(asdict(answers))
    if rules:
        content.append([asdict(rule) for rule in rules])
    return _digest(content)


def options_digest(options: SynthesisOptions) -> str:
    """Digest of what a gate is set to; a backtest with an equal one tells what this gate would have done."""
    return _digest([__version__, asdict(options)])


def _digest(content: Sequence[Any]) -> str:
    return hashlib.blake2b(strict_json(content).encode(), digest_size=16).hexdigest()


def _learnable(
    profiles: Sequence[Profile], older: Sequence[Profile], profile: Profile, distances: Distances, answers: Answers
) -> tuple[History, frozenset[str]]:
    """The history as it can be learned from, and the columns whose distances the partition cannot be judged by."""
    from airflow_dq.gate.missing_distance import assume_missing, unmeasurable
    from airflow_dq.learn.history.history import History

    uncompared = unmeasurable(profile, profiles, distances)
    distances.leave_out(uncompared)
    history = History.of(profiles, distances=distances, older=older, answers=answers)
    assume_missing(history)
    return history, uncompared


def _with_uncompared(verdict: Verdict, uncompared: frozenset[str]) -> Verdict:
    """Say what was not looked at in an old partition that is judged late."""
    if not uncompared or verdict.status is Status.WARMING_UP:
        return verdict
    said = (
        f"Judged without comparing the distribution of {', '.join(sorted(uncompared))} with that of the "
        "partitions before, whose statistics are no longer kept."
    )
    return replace(verdict, reason=f"{verdict.reason} {said}" if verdict.reason else said)


def _with_calendar(repository: Repository, dataset: str, verdict: Verdict, history: Sequence[Profile]) -> Verdict:
    """The verdict with what the calendar of events says of the partition, and of its history."""
    events = repository.calendar(dataset)
    if not events or verdict.partition is None:
        return verdict
    found = apply_events(verdict, events)
    since = history[0].partition if history else None
    left_out = repository.left_out(dataset, since, verdict.partition) if since is not None else []
    return replace(found, notes=(*found.notes, *(left_out_words(event, count) for event, count in left_out)))


def _stored_program(repository: Repository, dataset: str, partition: str, inputs: str) -> Program | None:
    try:
        return repository.load_program(dataset, partition, inputs=inputs)
    except CodecError as error:
        log.warning("Dataset %r, partition %r: its program is made again: %s", dataset, partition, error)
        return None


def _synthesize(history: History, options: SynthesisOptions) -> Program:
    from airflow_dq.learn.pipeline import synthesize

    return synthesize(history, options)


def _on_occasion(program: Program, profile: Profile, history: History) -> Program:
    """The program with what like days say of this partition, so that its page tells of it."""
    from airflow_dq.learn.pipeline import on_occasion

    return on_occasion(program, profile, history)


def _evaluate(program: Program, profile: Profile, history: History) -> Verdict:
    from airflow_dq.judge.evaluation import evaluate

    verdict = evaluate(program, profile, history)
    # The profile's own key: a verdict is found again by it, whatever the evaluation was given.
    return replace(verdict, partition=profile.partition)


def _warming_up(
    repository: Repository,
    dataset: str,
    partition: str,
    options: SynthesisOptions,
    verdict: Verdict,
    origin: Origin | None,
) -> Verdict:
    """The verdict, if the dataset as a whole is young; a partition that only stands at its beginning is not judged.

    Nor is one of a dataset that will be young for ever: no gate is green time and again without a check.
    """
    maturity = repository.maturity(dataset, partition)
    if maturity.partitions >= options.min_history:
        reason = (
            f"The key {partition!r} comes before most of the {maturity.partitions} partitions that could be learned "
            f"from, the newest of which is {maturity.newest!r}; fewer than {options.min_history} come before it "
            f"({verdict.reason}). If it is a new partition, spell its key as theirs are; an old one cannot be judged."
        )
        return _unjudged(verdict, reason)
    stalled = None if origin is None else repository.stalled(dataset, partition, origin, options.min_history)
    if stalled is not None:
        return _unjudged(verdict, f"{stalled} ({verdict.reason})")
    verdict = _with_history_start(verdict, repository.history_start(dataset, partition))
    alike = repository.dataset_alike(dataset, options.min_history)
    before = None if origin is None else repository.dataset_before(dataset, origin, options.min_history)
    if alike is not None:
        said = f"There is a dataset {alike!r} too: is {dataset!r} misspelt?"
    elif before is not None:
        said = f"The same task has judged dataset {before!r} before: is {dataset!r} misspelt?"
    else:
        return verdict
    return replace(verdict, reason=f"{verdict.reason}. {said}")


def _unjudged(verdict: Verdict, reason: str) -> Verdict:
    scope = ScopeVerdict(Status.NOT_EVALUATED, reason=reason)
    columns = dict.fromkeys(verdict.columns, scope)
    return replace(verdict, status=Status.NOT_EVALUATED, table=scope, columns=columns, reason=reason)


def _with_history_start(verdict: Verdict, start: HistoryStart | None) -> Verdict:
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
