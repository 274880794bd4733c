"""What was measured for a check: a value, or why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from airflow_dq.exceptions import CodecError

Value = int | float
"""A finite number; whole ones are exact."""


@dataclass(frozen=True, slots=True)
class One:
    """One measured value; exactly one of ``value``, ``nothing`` and ``problem`` is given."""

    value: Value | None = None
    numerator: int | None = None
    """Of a share, and of a number that is one of some rows."""
    denominator: int | None = None
    nothing: str | None = None
    """Why there is nothing to measure: no row is in scope, or none of them has a value."""
    problem: str | None = None
    """Why it could not be measured: the check was not looked at."""
    seen: str | None = None
    """What was seen, where the value alone does not tell: the column's type, the columns that are missing."""
    timed: bool = False
    """Whether it depends on more than the partition's rows, on when it was measured or on other data: the same
    partition then has another one."""
    learned: bool = False
    """Whether a learned rule asked for it: the same data profiled before there was the rule has none."""
    unusual: int | None = None
    """Values outside of what a learned rule says most of them are, those that break the rule included."""
    renamed: int | None = None
    """Of a dependency from one partition to the next, values of the determinant that have another dependent in nearly
    all of their rows."""
    known: int | None = None
    """Values of the determinant that could have."""
    places: int | None = None
    """Of a relation between rows, how many different values of its determinant, key or column have rows that break it:
    however many rows a place has, it changes its name once."""
    all_places: int | None = None
    """How many could have."""
    examples: tuple[tuple[str, int], ...] = ()
    """A few of the values that break the rule (without any: unusual ones), with the rows that have each, the most
    frequent first; of a hidden column their shapes."""

    def __post_init__(self) -> None:
        """Refuse what nobody can have measured.

        :raises ValueError: when it is given a value and a reason for having none, or more rows than there are
        """
        if sum(one is not None for one in (self.value, self.nothing, self.problem)) != 1:
            raise ValueError("what was measured is a value, or one reason why there is none")
        counts = (self.numerator, self.denominator)
        if None not in counts and not 0 <= (self.numerator or 0) <= (self.denominator or 0):
            raise ValueError(f"{self.numerator} of {self.denominator} rows is no share")

    def to_dict(self) -> dict[str, Any]:
        """What is given of it, as JSON values."""
        given = {one.name: getattr(self, one.name) for one in fields(self)}
        return {name: value for name, value in given.items() if value not in (None, ()) and value is not False}


@dataclass(frozen=True, slots=True)
class Measured(One):
    """What was measured for a check: one value, or one for the rows of each value of a column."""

    groups: Mapping[str, One] = field(default_factory=dict)
    """Of a check by the values of a column, what was measured of the rows of each; ``value`` is how many there are."""

    @classmethod
    def of_one(cls, one: One) -> Measured:
        """The same by itself."""
        return cls(**{each.name: getattr(one, each.name) for each in fields(One)})

    def alone(self) -> One:
        """The same as one of several."""
        return One(**{each.name: getattr(self, each.name) for each in fields(One)})

    def to_dict(self) -> dict[str, Any]:
        """What is given of it, as JSON values."""
        groups = {label: one.to_dict() for label, one in self.groups.items()}
        return {**One.to_dict(self.alone()), **({"groups": groups} if groups else {})}

    @classmethod
    def of_dict(cls, stored: object) -> Measured:
        """What :meth:`to_dict` wrote.

        :raises CodecError: when it is none
        """
        if not isinstance(stored, Mapping):
            raise CodecError(f"What was measured for a check is stored as {stored!r}, which is no object.")
        try:
            groups = {label: One(**one) for label, one in stored.get("groups", {}).items()}
            examples = tuple((str(text), int(rows)) for text, rows in stored.get("examples", ()))
            return cls(**{**stored, "groups": groups, "examples": examples})
        except (TypeError, ValueError, AttributeError) as error:
            raise CodecError(f"What was measured for a check cannot be read: {error}.") from None

    @classmethod
    def share(cls, numerator: int, denominator: int, nothing: str) -> Measured:
        """A share of rows.

        :param nothing: why there is none when the denominator is 0
        """
        if not denominator:
            return cls(nothing=nothing)
        return cls(numerator / denominator, numerator, denominator)


NO_ROWS = "no row is in scope"
NO_VALUES = "no row in scope has a value"
