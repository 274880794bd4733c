"""How a table is profiled."""

from __future__ import annotations

from dataclasses import dataclass

from airflow_dq.check.model import Check
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.options.rule import LearnedRule


@dataclass(frozen=True, slots=True)
class ProfileOptions:
    """How a table is profiled; every field has a default that suits a daily table.

    :param columns: profile only these columns (None: all)
    :param exclude: do not profile these columns
    :param sample_rows: number of rows to sample for the injected errors that programs are trained on; 0: none
    :param seed: seed of the injected errors
    :param store_values: False stores no value of any column, only keyed hashes, counts and rounded bounds; this
        needs the variable ``AIRFLOW_DQ_HASH_SECRET``
    :param hidden: columns to which ``store_values=False`` applies although it is True for the others
    :param segments: columns of few values (a country, a channel): the rows of each value are profiled and judged by
        themselves as well
    :param checks: declared checks; what they need of the rows is counted in the same scan
    :param rules: learned rules, whose exceptions are counted in the same scan; one of a column that is not profiled is
        left out
    :param key_pass: which of how many passes this is, where keys are too many to be counted in one
    """

    columns: tuple[str, ...] | None = None
    exclude: tuple[str, ...] = ()
    sample_rows: int = 1000
    seed: int = 0
    store_values: bool = True
    hidden: tuple[str, ...] = ()
    segments: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()
    rules: tuple[LearnedRule, ...] = ()
    key_pass: tuple[int, int] = (0, 1)

    def __post_init__(self) -> None:
        """Refuse a text where a tuple of names belongs (its letters would be taken for names), and to profile nothing.

        :raises ConfigurationError: naming the option
        """
        for name in ("columns", "exclude", "hidden", "segments"):
            given = getattr(self, name)
            if isinstance(given, str):
                raise ConfigurationError(f"ProfileOptions({name}={given!r}) is a text; give a tuple: ({given!r},).")
        if self.columns == ():
            raise ConfigurationError(
                "ProfileOptions(columns=()) names no column; leave it out (None) to profile all of them."
            )
        lost = [name for name in self.segments if name in self.exclude or name not in (self.columns or self.segments)]
        if lost:
            raise ConfigurationError(
                f"segments names {', '.join(map(repr, lost))}, which columns or exclude leaves out of the profile. "
                "Profile the column, or leave it out of segments."
            )
        object.__setattr__(self, "checks", tuple(self.checks))
        for check in self.checks:
            lost = [n for n in check.reads if n in self.exclude or n not in (self.columns or check.reads)]
            if lost:
                raise ConfigurationError(
                    f"Check {check.id!r} reads {', '.join(map(repr, lost))}, which columns or exclude leaves out of "
                    "the profile. Profile the column, or take the check away."
                )

    @property
    def discreet(self) -> bool:
        """Whether the values of any column must not be shown: an error then quotes nothing that was read."""
        return bool(self.hidden) or not self.store_values

    def hides(self, column: str) -> bool:
        """Whether no value of the column may be stored."""
        return not self.store_values or column in self.hidden
