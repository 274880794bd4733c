"""What is asked of a check as it is declared: bounds, a strategy, or what everybody asks of its metric."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Protocol, TypedDict

from airflow_dq.check.anomaly import Anomaly
from airflow_dq.check.bounds import Bounds, Number
from airflow_dq.check.expression import Scalar
from airflow_dq.check.metric import ALIASES, METRICS
from airflow_dq.check.model import Check, Level, Nulls, ScopeWord
from airflow_dq.exceptions import ConfigurationError

BoundsLike = Bounds | str | Number | Sequence[Number]
"""``">=0.9"``, a number (exactly that), ``[lowest, highest]``, or bounds."""


class Common(TypedDict, total=False):
    """What every check may be given.  ``level="warn"`` makes what is asked by default only warn."""

    error: BoundsLike
    warn: BoundsLike
    anomaly: Anomaly | str | Mapping[str, Any]
    level: Level
    where: str
    by: str
    scope: ScopeWord
    id: str
    message: str
    owner: str
    tags: Iterable[str]


class Rule(Common, total=False):
    """What a check of each row may be given besides."""

    nulls: Nulls


class Beside(Common, total=False):
    """What a check that compares with another table may be given besides."""

    to_columns: str | Sequence[str]
    to_where: str
    nulls: Nulls


def several(values: Iterable[Scalar]) -> tuple[Scalar, ...]:
    """Values as they were given.

    :raises ConfigurationError: when it is one text, whose letters would be taken for values
    """
    if isinstance(values, str):
        raise ConfigurationError(f"values is the text {values!r}; give a list: [{values!r}].")
    return tuple(values)


class Declaring(Protocol):
    """What declares checks, as those that were declared see it."""

    _declared: list[Check]

    def add(self, metric: str, columns: Sequence[str] = (), **given: Any) -> Asked:
        """Declare a check by the name of its metric."""

    def _ask(self, place: int, bounds: Bounds, level: Level) -> None:
        """Ask something of the check that was declared in this place."""


class Asked:
    """A check as it was declared; what it asks may be given here, too."""

    def __init__(self, checks: Declaring, place: int) -> None:
        self._checks = checks
        self._place = place

    @property
    def check(self) -> Check:
        """The check as it is so far."""
        return self._checks._declared[self._place]

    def between(self, low: Number, high: Number, *, level: Level = "error") -> Asked:
        """The value lies from ``low`` to ``high``."""
        return self._ask(level, low, high)

    def at_least(self, low: Number, *, level: Level = "error") -> Asked:
        """The value is ``low`` or more."""
        return self._ask(level, low)

    def at_most(self, high: Number, *, level: Level = "error") -> Asked:
        """The value is ``high`` or less."""
        return self._ask(level, None, high)

    def exactly(self, value: Number, *, level: Level = "error") -> Asked:
        """The value is this one."""
        return self._ask(level, value, value)

    def _ask(self, level: Level, low: Number | None, high: Number | None = None) -> Asked:
        with naming(self.check.label):
            self._checks._ask(self._place, Bounds(low, high), level)
        return self


def asked_of(name: str, values: dict[str, Any]) -> dict[str, Any]:
    """What is asked of a metric, taken out of what was given: bounds, a strategy, or what everybody asks of it.

    :return: empty where nothing is asked: the metric is learned then
    """
    level = values.pop("level", "error")
    if level not in ("error", "warn"):
        raise ConfigurationError(f"level is {level!r}; allowed: error, warn.")
    asked: dict[str, Any] = {one: _bounds(one, values.pop(one)) for one in ("error", "warn") if one in values}
    if "anomaly" in values:
        try:
            anomaly = Anomaly.of(values.pop("anomaly"))
        except ConfigurationError as error:
            raise ConfigurationError(f"anomaly: {error}") from None
        return {**asked, "anomaly": replace(anomaly, level="warn") if level == "warn" else anomaly}
    if asked and level == "warn":
        raise ConfigurationError("level='warn' is for checks without bounds; give warn= alone.")
    alias, entry = ALIASES.get(name), METRICS.get(name)
    default = alias.default if alias is not None else None if entry is None else entry.default
    if asked or (default is None and level == "error"):
        return asked
    return {level: default} if default is not None else {"anomaly": Anomaly(level="warn")}


def _bounds(name: str, given: Any) -> Bounds:
    try:
        return Bounds.of(given)
    except ConfigurationError as error:
        raise ConfigurationError(f"{name}: {error}") from None


@contextmanager
def naming(label: str) -> Iterator[None]:
    """Let an error of the block say which check it is about, where it does not yet."""
    try:
        yield
    except ConfigurationError as error:
        said = str(error)
        raise ConfigurationError(said if said.startswith("Check ") else f"Check {label}: {said}") from None


def at_least(least: BoundsLike | None, given: Mapping[str, Any]) -> dict[str, Any]:
    """What was given, with bounds that have a name of their own."""
    level = given.get("level", "error")
    rest = {name: value for name, value in given.items() if least is None or name != "level"}
    return rest if least is None else {**rest, level: least}


def within(tolerance: float, given: Mapping[str, Any]) -> dict[str, Any]:
    """What was given, with the most that two tables may differ by, unless bounds were given.

    :raises ConfigurationError: when it is no share
    """
    if isinstance(tolerance, bool) or not isinstance(tolerance, int | float) or not 0 <= tolerance < 1:
        raise ConfigurationError(f"tolerance is {tolerance!r}; give a share from 0 to below 1.")
    asked = {"error", "warn", "anomaly"} & given.keys()
    return dict(given) if asked else at_least(Bounds(0, tolerance), given)
