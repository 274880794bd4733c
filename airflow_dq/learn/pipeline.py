"""History -> program: the algorithm from above.

Every family of constraints learns from the same history; a program is what they have learned together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from airflow_dq.exceptions import SynthesisError, UnknownColumnError
from airflow_dq.learn.avh.detector import PaperDetector
from airflow_dq.learn.constraint.base import ColumnReport, Constraint, Detector, Learned, Skipped
from airflow_dq.learn.constraint.between import BetweenDetector
from airflow_dq.learn.constraint.date_column import DateColumnDetector
from airflow_dq.learn.constraint.declared import DeclaredDetector, declared
from airflow_dq.learn.constraint.first_occurrence import FirstOccurrenceDetector, NeverSeen
from airflow_dq.learn.constraint.gone import GoneDetector
from airflow_dq.learn.constraint.novelty import NoveltyDetector
from airflow_dq.learn.constraint.outsized import OutsizedDetector
from airflow_dq.learn.constraint.pattern import PatternDetector
from airflow_dq.learn.constraint.period import PeriodDetector
from airflow_dq.learn.constraint.range import Range
from airflow_dq.learn.constraint.range_detector import RangeDetector
from airflow_dq.learn.constraint.relation import RelationDetector
from airflow_dq.learn.constraint.repeated_partition import RepetitionDetector
from airflow_dq.learn.constraint.schema import SchemaDetector
from airflow_dq.learn.constraint.segment import SegmentDetector
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.learn.history.history import History
from airflow_dq.learn.program import Program
from airflow_dq.metrics.registry import find_metric, metrics_for
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.profile.model import Profile
from airflow_dq.states.base import Kind
from airflow_dq.uncollected import uncollected

DETECTORS: dict[str, tuple[Detector, ...]] = {
    "calibrated": (
        SchemaDetector(),
        DateColumnDetector(),
        PeriodDetector(),
        RepetitionDetector(),
        RangeDetector(),
        FirstOccurrenceDetector(),
        OutsizedDetector(),
        GoneDetector(),
        PatternDetector(),
        RelationDetector(),
        BetweenDetector(),
        SegmentDetector(),
        DeclaredDetector(),
        NoveltyDetector(),
    ),
    "paper": (SchemaDetector(), PaperDetector(), DeclaredDetector()),
}
"""The families of each mode, in the order in which their constraints are checked."""
FROM_THE_FIRST: tuple[Detector, ...] = (SchemaDetector(), PatternDetector(), DeclaredDetector())
"""The families that need no history: they are judged while a table warms up."""


@uncollected()
def synthesize(history: Sequence[Profile] | History, options: SynthesisOptions | None = None) -> Program:
    """Learn the validation program for the partition that follows the history.

    :param history: profiles of past partitions, oldest first; the newest ``options.history`` are learned from, of older
        ones only what beginnings and ends of months are like
    :param options: what to judge and how much to spend; default ``SynthesisOptions()``
    :return: the program; with fewer than ``options.min_history`` partitions one that says how many are missing, and
        has what needs no history alone: the schema, patterns and the declared checks
    :raises UnknownColumnError: when the options name a column that the history does not have
    :raises SynthesisError: when they name a metric that does not exist, or does not suit its column
    """
    options = options or SynthesisOptions()
    past = placed(history, options).last(options.history)
    if not options.learn:
        return Program(options, past.partitions, declared(options.checks), answers=past.answers)
    if len(past) < options.min_history:
        return _from_the_first(past, options)
    check_options(past, options)
    constraints: list[Constraint] = []
    reports: dict[str, ColumnReport] = {}
    skipped: dict[str, str] = {}
    for detector in DETECTORS[options.mode]:
        learned = detector.learn(past, options)
        reports |= learned.columns
        if isinstance(learned, Skipped):
            skipped[detector.name] = learned.reason
        else:
            constraints += learned.constraints
    kept = tuple(_without_covered(constraints))
    return Program(options, past.partitions, kept, reports, skipped, answers=past.answers)


def _from_the_first(past: History, options: SynthesisOptions) -> Program:
    """The program of a table that is warming up; of the very first partition there are the declared checks alone."""
    detectors = FROM_THE_FIRST if len(past) and options.mode != "paper" else (DeclaredDetector(),)
    learned = [detector.learn(past, options) for detector in detectors]
    constraints = tuple(one for found in learned if isinstance(found, Learned) for one in found.constraints)
    return Program(options, past.partitions, constraints, missing=options.min_history - len(past))


def on_occasion(program: Program, profile: Profile, history: Sequence[Profile] | History) -> Program:
    """A program with what like days say of one partition: at a beginning or an end of a month, other bounds hold.

    :param history: what the program was learned from, and the partitions before
    """
    if program.ahead == profile.partition:
        return program
    view = PartitionView(profile, placed(history, program.options).last(max(1, len(program.partitions))))
    if not view.is_edge:
        return program
    constraints = tuple(one.on_occasion(view, broken=False) for one in program.constraints)
    return replace(program, constraints=constraints, ahead=profile.partition)


def placed(history: Sequence[Profile] | History, options: SynthesisOptions) -> History:
    """A history on its slots in time, as the options' mode sees it: the paper knows no gaps."""
    return History.of(history, dated=options.mode != "paper")


def _without_covered(constraints: Sequence[Constraint]) -> list[Constraint]:
    """The constraints without those on values never seen before whose share has a range: that says what is too much."""
    ranged = {(one.scope, one.metric) for one in constraints if isinstance(one, Range)}
    return [one for one in constraints if not (isinstance(one, NeverSeen) and (one.scope, one.metric) in ranged)]


def check_options(history: History, options: SynthesisOptions) -> None:
    """Refuse options that do not fit the history.

    :raises UnknownColumnError: when they name a column that it does not have
    :raises SynthesisError: when they name a metric that does not exist, or is not measured on the column it is named
        for: the column would silently go unwatched
    """
    newest = history.profiles[-1]
    known, ever = list(history.columns), {name for profile in history.profiles for name in profile.columns}
    for option, names, allowed in (
        ("columns", options.columns or (), set(known)),
        ("exclude", options.exclude, ever),
        ("overrides", tuple(options.overrides), ever),
    ):
        unknown = [name for name in names if name not in allowed]
        if unknown:
            raise UnknownColumnError(
                f"SynthesisOptions({option}=...) names {_quoted(unknown)}, which partition {newest.partition} "
                f"does not have; its columns are {_quoted(known)}. Correct the option."
            )
    metrics = sorted({metric.name for kind in Kind for metric in metrics_for(kind)})
    named = [*(options.metrics or ()), *(name for own in options.overrides.values() for name in own.metrics or ())]
    if unknown := [name for name in named if name not in metrics]:
        raise SynthesisError(
            f"SynthesisOptions(metrics=...) names {_quoted(unknown)}, which is not a metric; "
            f"the metrics are {_quoted(metrics)}. Correct the option."
        )
    _check_directions(options, metrics)
    for name, own in options.overrides.items():
        kind = history.kind(name)
        suited = [metric.name for metric in metrics_for(kind)]
        wrong = [metric for metric in (*(own.metrics or ()), *(own.direction or ())) if metric not in suited]
        if wrong and kind is not Kind.NULL and options.judges(name) and name in newest.columns:
            raise SynthesisError(
                f"SynthesisOptions(overrides=...) names {_quoted(wrong)} for column {name!r}, which is {kind}; "
                f"the metrics of such a column are {_quoted(suited)}. Correct the option."
            )


def _check_directions(options: SynthesisOptions, metrics: Sequence[str]) -> None:
    """Refuse directions that nothing would follow, or that would leave a metric unwatched."""
    given = [
        ("", options.direction),
        *((f" for column {c!r}", o.direction or {}) for c, o in options.overrides.items()),
    ]
    for where, directions in given:
        for name, direction in directions.items():
            metric = find_metric(name)
            if metric is None:
                why = f"is not a metric; the metrics are {_quoted(metrics)}"
            elif metric.pair and direction == "falls":
                why = "is a distance, of which only a rise can be an alarm: its fall would leave it unwatched"
            elif metric.of_table and where:
                why = "is judged once, for the table: name it in SynthesisOptions(direction=...)"
            else:
                continue
            raise SynthesisError(
                f"SynthesisOptions(direction=...) has {name!r}: {direction!r}{where}, which {why}. Correct the option."
            )


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(repr(name) for name in names)
