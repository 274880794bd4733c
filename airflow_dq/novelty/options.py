"""How novelty is detected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from airflow_dq.exceptions import ConfigurationError

Method = Literal["calibrated", "average-knn"]

LEAST_HISTORY = 8
"""With fewer partitions nothing can be said; Redyuk et al. start with as many."""


@dataclass(frozen=True, slots=True)
class NoveltyOptions:
    """How novelty is detected.

    :param method: ``calibrated``: ours, see :mod:`airflow_dq.novelty.calibrated`; ``average-knn``: as published
        (Redyuk et al., EDBT 2021), see :mod:`airflow_dq.novelty.average_knn`
    :param columns: look only at these columns (None: all)
    :param exclude: do not look at these columns
    :param rate: share of clean partitions that may be called novel (``calibrated``); the published method has 1 %
    :param min_history: with fewer partitions nothing is novel, and the result says so
    """

    method: Method = "calibrated"
    columns: tuple[str, ...] | None = None
    exclude: tuple[str, ...] = ()
    rate: float = 0.01
    min_history: int = LEAST_HISTORY

    def __post_init__(self) -> None:
        """Refuse what cannot be used.

        :raises ConfigurationError: naming the field, what was given and what is allowed
        """
        if self.method not in get_args(Method):
            allowed = " or ".join(map(repr, get_args(Method)))
            raise ConfigurationError(f"NoveltyOptions(method={self.method!r}) cannot be used: give {allowed}.")
        if not isinstance(self.min_history, int) or self.min_history < 2:
            raise ConfigurationError(
                f"NoveltyOptions(min_history={self.min_history!r}) cannot be used: give 2 or more; the spread of "
                "fewer partitions is not known."
            )
        if not 0.0 < self.rate < 0.5:
            raise ConfigurationError(
                f"NoveltyOptions(rate={self.rate!r}) cannot be used: give a share of clean partitions, such as 0.01."
            )
        for name, given in (("columns", self.columns), ("exclude", self.exclude)):
            if isinstance(given, str):
                raise ConfigurationError(
                    f"NoveltyOptions({name}={given!r}) cannot be used: give a tuple of names: ({given!r},)."
                )

    def reads(self, column: str) -> bool:
        """Whether a column is looked at."""
        return (self.columns is None or column in self.columns) and column not in self.exclude
