"""What is asked of a metric by its history, in place of fixed bounds: a strategy, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

from airflow_dq.exceptions import ConfigurationError

Strategy = Literal["learned", "absolute_change", "relative_change", "normal", "online_normal", "holt_winters"]
_TAKES: Mapping[str, tuple[str, ...]] = {
    "learned": ("target_fpr",),
    "absolute_change": ("lower", "upper", "order"),
    "relative_change": ("lower", "upper", "order"),
    "normal": ("sigma",),
    "online_normal": ("sigma",),
    "holt_winters": ("sigma", "season"),
}
"""Strategy -> what it may be given besides ``min_history``, ``level`` and ``deequ_compatible``."""
_COMMON = ("strategy", "min_history", "level", "deequ_compatible")
LEAST = {"learned": 7, "absolute_change": 1, "relative_change": 1, "normal": 7, "online_normal": 7, "holt_winters": 14}
"""Past values that a strategy has at least seen, where nothing is given: of fewer a spread says little."""


@dataclass(frozen=True, slots=True)
class Anomaly:
    """How far from its own history a value may lie.  The history never holds the value that is judged.

    :param strategy: ``learned``: the range that is learned of built-in metrics; ``absolute_change``: the difference of
        an order to the values before; ``relative_change``: the ratio to the value ``order`` partitions before;
        ``normal``: mean and standard deviation of the history; ``online_normal``: the same without past anomalies;
        ``holt_winters``: additive trend and season
    :param sigma: of the last three: how many standard deviations
    :param lower: of the changes: the least (None: no limit)
    :param upper: of the changes: the most
    :param order: of the changes: 1 for the change from the partition before
    :param season: of ``holt_winters``: partitions until the same comes again
    :param target_fpr: of ``learned``: the accepted rate of false alarms
    :param min_history: with fewer past values nothing is judged (None: as many as the strategy needs)
    :param level: ``error`` or ``warn``
    :param deequ_compatible: the strategy as Deequ has it: no least spread, the judged value a part of what
        ``online_normal`` compares it with, ``holt_winters`` at 1.96
    """

    strategy: Strategy = "learned"
    sigma: float = 3.0
    lower: float | None = None
    upper: float | None = None
    order: int = 1
    season: int = 7
    target_fpr: float = 0.001
    min_history: int | None = None
    level: Literal["error", "warn"] = "error"
    deequ_compatible: bool = False

    def __post_init__(self) -> None:
        """Refuse what no history could satisfy.

        :raises ConfigurationError: naming the field, what was given and what is allowed
        """
        if self.strategy not in get_args(Strategy):
            raise ConfigurationError(
                f"there is no strategy {self.strategy!r}; allowed: {', '.join(get_args(Strategy))}."
            )
        plain = {one.name: one.default for one in fields(self)}
        for name in plain:
            if name not in (*_COMMON, *_TAKES[self.strategy]) and getattr(self, name) != plain[name]:
                raise ConfigurationError(
                    f"{self.strategy} takes no {name}; it takes {', '.join((*_TAKES[self.strategy], *_COMMON[1:]))}."
                )
        changes = self.strategy.endswith("change")
        allowed = (
            (_number(self.sigma) and self.sigma > 0, "sigma", "a number above 0"),
            (not changes or self.lower is not None or self.upper is not None, "lower", "lower, upper or both"),
            (self._ordered(), "lower", "numbers, lower not above upper"),
            (type(self.order) is int and self.order >= 1, "order", "1 or more"),
            (type(self.season) is int and self.season >= 2, "season", "2 or more"),
            (_number(self.target_fpr) and 0 < self.target_fpr < 1, "target_fpr", "a rate between 0 and 1"),
            (
                self.min_history is None or (type(self.min_history) is int and self.min_history >= 1),
                "min_history",
                "1 or more",
            ),
            (self.level in ("error", "warn"), "level", "error or warn"),
        )
        for right, name, wanted in allowed:
            if not right:
                raise ConfigurationError(f"{self.strategy}: {name} is {getattr(self, name)!r}; give {wanted}.")

    def _ordered(self) -> bool:
        sides = [side for side in (self.lower, self.upper) if side is not None]
        return all(_number(side) for side in sides) and sides == sorted(sides)

    @property
    def least(self) -> int:
        """Past values that are needed."""
        if self.min_history is not None:
            return self.min_history
        own = LEAST[self.strategy]
        if self.strategy == "holt_winters":
            return 2 * self.season
        return max(own, self.order) if self.strategy.endswith("change") else own

    @property
    def words(self) -> str:
        """``holt_winters (season 7, sigma 3)``."""
        given = ", ".join(
            f"{name} {value:g}" for name in _TAKES[self.strategy] if (value := getattr(self, name)) is not None
        )
        return f"{self.strategy} ({given})"

    @classmethod
    def of(cls, given: Any) -> Anomaly:
        """A strategy as it is written: its name, ``{name: {field: value}}``, or an anomaly.

        :raises ConfigurationError: when it is none of these
        """
        if isinstance(given, Anomaly):
            return given
        if isinstance(given, str):
            return cls(given)  # type: ignore[arg-type]
        if isinstance(given, Mapping) and len(given) == 1:
            ((strategy, values),) = given.items()
            known = (*_TAKES.get(strategy, ()), *_COMMON[1:])
            unknown = [name for name in values or {} if name not in known]
            if unknown:
                raise ConfigurationError(f"{strategy} takes no {unknown[0]}; it takes {', '.join(known)}.")
            return cls(strategy, **(values or {}))
        names = ", ".join(get_args(Strategy))
        raise ConfigurationError(f"{given!r} is no strategy; give its name, or {{name: {{field: value}}}}, of {names}.")


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < float("inf")
