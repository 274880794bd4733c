"""How a program is synthesized: what a user sets for a whole table, and what is different for one of its columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from numbers import Integral, Real
from typing import Any, Literal, get_args
from zoneinfo import ZoneInfo

from airflow_dq.check.model import Check, require_own_ids
from airflow_dq.exceptions import ConfigurationError

Novelty = Literal["warn", "fail", "off"]
"""What becomes of a partition that is novel as a whole."""
NOVELTY_HISTORY = 30
"""Past partitions from which on novelty is judged: with fewer, one clean partition in ten is novel."""
Direction = Literal["falls", "rises"]
"""The only way in which a metric's move is an alarm."""

MIN_HISTORY = 3
"""A mean and a variance from fewer values say nothing."""
_LEAST_RATE = 1e-9
"""Of less nobody could ever tell whether it is kept, and a bound that seldom broken allows every value there is."""
_RATE = f"a rate between 0 and 1, such as 0.001 (the least is {_LEAST_RATE:g})"
_CLAUSES = "None, or 1 or more"
_ZONE = "None, or a name of the time zone database, such as 'Europe/Berlin'"
_DIRECTIONS = "a dict of metrics and 'falls' or 'rises', such as {'row_count': 'falls'}"


@dataclass(frozen=True, slots=True)
class ColumnOptions:
    """What is different for one column; None: as for the others.

    :param target_fpr: this column's own false-positive rate, whatever the scope; the others share that of the table
    :param max_clauses: most clauses its program may have
    :param metrics: use only these metrics
    :param stationary: let its bounds follow a metric that grows or has a weekly cycle
    :param direction: by metric, that only its fall (``falls``) or its rise (``rises``) is an alarm; what the options of
        the table say of other metrics stays
    """

    target_fpr: float | None = None
    max_clauses: int | None = None
    metrics: tuple[str, ...] | None = None
    stationary: bool | None = None
    direction: Mapping[str, Direction] | None = None

    @classmethod
    def of(cls, given: ColumnOptions | Mapping[str, Any], column: str) -> ColumnOptions:
        """The options of a column as given in Python, or as a dict in a DAG file or JSON.

        :raises ConfigurationError: naming the column, the field, what was given and what is allowed.
        """
        if isinstance(given, Mapping):
            known = [one.name for one in fields(cls)]
            if unknown := sorted(set(given) - set(known)):
                raise ConfigurationError(
                    f"SynthesisOptions(overrides=...) has no field {', '.join(unknown)} for column {column!r}; "
                    f"it has {', '.join(known)}. Correct the option."
                )
            values: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in given.items()}
            given = cls(**values)
        allowed = (
            (given.target_fpr is None or _is_rate(given.target_fpr), "target_fpr", given.target_fpr, _RATE),
            (given.max_clauses is None or _is_count(given.max_clauses, 1), "max_clauses", given.max_clauses, _CLAUSES),
            (given.direction is None or _are_directions(given.direction), "direction", given.direction, _DIRECTIONS),
        )
        for valid, name, value, wanted in allowed:
            if not valid:
                raise ConfigurationError(
                    f"SynthesisOptions(overrides=...) cannot use {name}={value!r} for column {column!r}: give {wanted}."
                )
        return given


@dataclass(frozen=True, slots=True)
class SynthesisOptions:
    """How a program is synthesized.

    :param target_fpr: accepted false-positive rate, spent as ``scope`` says
    :param scope: ``partition``: the target holds for the whole table (at most one false alarm in
        1/target_fpr partitions); ``column``: for each column by itself, as in the paper
    :param mode: ``calibrated``: bounds that hold on real tables, more metrics, and the row count judged once per
        table; ``paper``: AVH as published (KDD 2023)
    :param history: learn from at most this many of the newest partitions
    :param min_history: with fewer partitions the verdict is ``warming_up``
    :param max_clauses: most clauses a column's program may have (None: no limit)
    :param columns: judge only these columns (None: all)
    :param exclude: do not judge these columns
    :param metrics: use only these metrics (None: all registered)
    :param stationary: let the bounds follow a metric that grows or has a weekly cycle: by a forecast (``calibrated``),
        or by differencing a series that is not stationary (``paper``, Algorithms 4 and 5)
    :param direction: by metric, that only its fall (``falls``) or its rise (``rises``) is an alarm, in every column
        that has the metric; ``{"row_count": "falls"}``: more rows than ever are fine.  A distance only ever rises
    :param timezone: the zone of partition keys that name local days or hours (``Europe/Berlin``): on its days of 23
        and 25 hours, and in the hours that come not at all or twice, so many fewer or more rows are no alarm
    :param novelty: what a partition does that is odd as a whole, in many ways at once or in what no range watches:
        ``warn`` (about one clean partition in a hundred), ``fail`` (``target_fpr`` of them), ``off``.  Judged in mode
        ``calibrated``, from 30 partitions of history on
    :param overrides: by column, what is different for it: :class:`ColumnOptions`, or a dict of its fields
    :param patterns: hold columns of strings to what their values have looked like, from the second partition on
    :param relations: hold rows to what has held between their columns, once all rows of ``min_history`` partitions have
    :param checks: declared checks, judged with what is learned, however short the history is: a tuple, or ``Checks``
    :param learn: False judges the declared checks alone, from the first partition on
    """

    target_fpr: float = 1e-3
    scope: Literal["partition", "column"] = "partition"
    mode: Literal["calibrated", "paper"] = "calibrated"
    history: int = 30
    min_history: int = 7
    max_clauses: int | None = None
    columns: tuple[str, ...] | None = None
    exclude: tuple[str, ...] = ()
    metrics: tuple[str, ...] | None = None
    stationary: bool = True
    direction: Mapping[str, Direction] = field(default_factory=dict)
    timezone: str | None = None
    novelty: Novelty = "warn"
    overrides: Mapping[str, ColumnOptions] = field(default_factory=dict)
    patterns: bool = True
    relations: bool = True
    checks: tuple[Check, ...] = ()
    learn: bool = True

    def __post_init__(self) -> None:
        """Refuse options that no history could satisfy.

        :raises ConfigurationError: naming the option, what was given and what is allowed.
        """
        overrides = {name: ColumnOptions.of(given, name) for name, given in self.overrides.items()}
        object.__setattr__(self, "overrides", overrides)
        object.__setattr__(self, "checks", tuple(self.checks))
        require_own_ids(self.checks, "SynthesisOptions(checks=...)")
        if not self.learn and not self.checks:
            raise ConfigurationError("SynthesisOptions(learn=False) without checks judges nothing: give checks=...")
        allowed = (
            (_is_rate(self.target_fpr), "target_fpr", self.target_fpr, _RATE),
            (self.scope in ("partition", "column"), "scope", self.scope, "'partition' or 'column'"),
            (self.mode in ("calibrated", "paper"), "mode", self.mode, "'calibrated' or 'paper'"),
            (
                _is_count(self.min_history, MIN_HISTORY),
                "min_history",
                self.min_history,
                f"at least {MIN_HISTORY} partitions",
            ),
            (
                _is_count(self.history, self.min_history),
                "history",
                self.history,
                f"at least min_history ({self.min_history})",
            ),
            (self.max_clauses is None or _is_count(self.max_clauses, 1), "max_clauses", self.max_clauses, _CLAUSES),
            (_are_directions(self.direction), "direction", self.direction, _DIRECTIONS),
            (self.novelty in get_args(Novelty), "novelty", self.novelty, "'warn', 'fail' or 'off'"),
            (self.timezone is None or _is_zone(self.timezone), "timezone", self.timezone, _ZONE),
        )
        texts = tuple(
            (not isinstance(given, str), name, given, f"a tuple of names: ({given!r},)")
            for name, given in (("columns", self.columns), ("exclude", self.exclude), ("metrics", self.metrics))
        )
        for valid, name, given, wanted in (*allowed, *texts):
            if not valid:
                raise ConfigurationError(f"SynthesisOptions({name}={given!r}) cannot be used: give {wanted}.")

    def judges(self, column: str) -> bool:
        """Whether a column is to be judged."""
        return (self.columns is None or column in self.columns) and column not in self.exclude

    def own_rate(self, column: str) -> float | None:
        """The false-positive rate that a column has to itself; None when it shares the table's."""
        own = self.overrides.get(column)
        return None if own is None else own.target_fpr

    def of_column(self, column: str) -> SynthesisOptions:
        """The options with which the program of one column is made."""
        own = self.overrides.get(column)
        if own is None:
            return self
        given: dict[str, Any] = {one.name: getattr(own, one.name) for one in fields(own)}
        given["direction"] = {**self.direction, **(own.direction or {})}
        return replace(self, overrides={}, **{name: value for name, value in given.items() if value is not None})


def _is_rate(value: object) -> bool:
    return isinstance(value, Real) and _LEAST_RATE <= float(value) < 1


def _is_zone(value: object) -> bool:
    try:
        ZoneInfo(value)  # type: ignore[arg-type]
    except (ValueError, TypeError, OSError, KeyError):
        return False
    return True


def _are_directions(value: object) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(name, str) and to in get_args(Direction) for name, to in value.items()
    )


def _is_count(value: object, least: object) -> bool:
    return isinstance(value, Integral) and isinstance(least, Integral) and int(value) >= int(least)
