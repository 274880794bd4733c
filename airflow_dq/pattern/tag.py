"""Auto-tag, the dual of FMDV: the tightest pattern of a named type, to find more columns of it (CMDV, section 2.3)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.pattern.contribution import sampled
from airflow_dq.pattern.fmdv import Corpus, FmdvOptions, cmdv
from airflow_dq.pattern.language import Pattern, whole_value
from airflow_dq.pattern.null_word import is_null_word
from airflow_dq.pattern.rule import NoPattern
from airflow_dq.pattern.text import present

LEAST_SHARE = 0.9
"""Share of a column's values that must have the pattern: what a horizontal cut leaves of a column of the type."""


@dataclass(frozen=True, slots=True)
class Tag:
    """A named type and the pattern that describes it."""

    name: str
    pattern: str

    def __post_init__(self) -> None:
        """Refuse what is no pattern.

        :raises ConfigurationError: when ``pattern`` is none
        """
        Pattern.parse(self.pattern)

    def share(self, values: Iterable[str | None]) -> float | None:
        """Share of a column's values that have the pattern, of a sample of them; None when there are no values.

        :param values: null, blank and null words do not count
        """
        sample = [value for value in sampled(values) if not is_null_word(value)]
        if not sample:
            return None
        found = pc.match_substring_regex(pa.array(sample, pa.large_string()), whole_value((self.pattern,)))
        return float(pc.sum(found).as_py() / len(sample))


def learn_tag(
    name: str, examples: Iterable[str | None], index: Corpus, options: FmdvOptions | None = None
) -> Tag | NoPattern:
    """The tag of a type, from values of it.

    :param examples: values of the type; a tenth of them may be something else
    :param index: what a corpus knows of patterns
    """
    options = options or FmdvOptions()
    values = [value for value in present(examples) if not is_null_word(value)]
    if not values:
        return NoPattern("no values", "There are no examples but null and blank ones.")
    pattern = cmdv(values, index, options)
    if pattern is None:
        return NoPattern(
            "not in the index", f"No pattern of the examples has FPR <= {options.r} and coverage >= {options.m} there."
        )
    return Tag(name, pattern)


def tagged(
    tag: Tag, columns: Iterable[tuple[str, Iterable[str | None]]], least: float = LEAST_SHARE
) -> list[tuple[str, float]]:
    """The columns of a type with the share of their values that have its pattern, the surest first.

    :param columns: of each, its name and its values
    :param least: share from which a column is one of the type
    :raises ConfigurationError: when ``least`` is no share
    """
    if not 0 < least <= 1:
        raise ConfigurationError(f"The least share is {least}; it lies above 0 and at most at 1.")
    found = [(name, share) for name, values in columns if (share := tag.share(values)) is not None and share >= least]
    return sorted(found, key=lambda one: (-one[1], one[0]))
