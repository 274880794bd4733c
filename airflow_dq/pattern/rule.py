"""A pattern rule: what the values of a column look like, and whether a set of values still does.

A rule is data, with a strict JSON form.  It is counted over all rows of a partition (:meth:`PatternRule.conforming`,
one RE2 expression, linear in the characters) and judged on two counts (:meth:`PatternRule.judge`), so that the gate
needs the values no second time.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property, lru_cache
from typing import Any, Literal, get_args

import pyarrow as pa
import pyarrow.compute as pc

from airflow_dq.exceptions import CodecError, ConfigurationError
from airflow_dq.pattern.language import whole_value
from airflow_dq.pattern.significance import fisher, predictive

Method = Literal["calibrated", "fmdv", "fmdv-v", "fmdv-h", "fmdv-vh", "declared"]
"""How a rule was found; ``declared``: a person wrote it."""
VERSION = 1
"""Of the JSON form."""
EXAMPLES = 5
"""Non-conforming values that a test shows."""
_SHOWN = 200
"""Characters of an example: what is wrong with a value stands at its start or is its length."""


@dataclass(frozen=True, slots=True)
class PatternTest:
    """What came of testing a set of values against a rule."""

    accepted: bool
    """Whether the share of non-conforming values can be the training's."""
    nonconforming: float
    """Share of the tested values outside the rule; 0.0 when there were none."""
    p_value: float
    """Probability of at least so many non-conforming values if nothing had changed; 1.0 when nothing was tested."""
    values: int
    """Tested: neither null nor blank."""
    missing: int = 0
    """Null, empty or blank values: completeness judges them, not the pattern."""
    examples: tuple[str, ...] = ()
    """Up to five distinct non-conforming values, the most frequent first, cut at 200 characters."""


@dataclass(frozen=True, slots=True)
class NoPattern:
    """Why a column has no rule."""

    reason: str
    """A word for the kind: ``no values``, ``free text``, ``too few values``, ``not in the index``."""
    detail: str
    """One sentence for a person; holds no value of the column."""


@dataclass(frozen=True)
class PatternRule:
    """What the values of one column look like."""

    patterns: tuple[str, ...]
    """As a person writes them; a value conforms to one of them."""
    null_words: tuple[str, ...] = ()
    """Values that stand for a missing one (``N/A``, ``-``), accepted beside the patterns, character for character."""
    min_length: int = 0
    """Least code points of a value that has one of the patterns."""
    max_length: int | None = None
    """Most; None: any."""
    values: int = 0
    """Training values that were neither null nor blank."""
    distinct: int = 0
    """Of them, different ones: repeated values are no further evidence."""
    nonconforming: int = 0
    """Training values outside the rule."""
    method: Method = "calibrated"
    significance: float = 0.01
    """A test whose p-value is below this is not accepted."""

    def __post_init__(self) -> None:
        """Refuse what cannot be a rule.

        :raises ConfigurationError: naming the field, what was seen and what is allowed
        """
        if not self.patterns and not self.null_words:
            raise ConfigurationError("A pattern rule needs at least one pattern or accepted word.")
        if not 0 <= self.nonconforming <= self.values or not 0 <= self.distinct <= self.values:
            raise ConfigurationError(
                f"A pattern rule of {self.values} training values cannot have {self.distinct} distinct and "
                f"{self.nonconforming} non-conforming ones."
            )
        if self.min_length < 0 or (self.max_length is not None and self.max_length < self.min_length):
            raise ConfigurationError(f"No value is {self.min_length} to {self.max_length} characters long.")
        if not 0.0 < self.significance < 1.0:
            raise ConfigurationError(f"A significance lies between 0 and 1, not at {self.significance}.")
        if self.method not in get_args(Method):
            raise ConfigurationError(f"Method {self.method!r} is none of {', '.join(get_args(Method))}.")
        _accepted_by_engine(self.expression)

    @cached_property
    def expression(self) -> str:
        """One anchored RE2 expression of what conforms, the accepted words included; lengths are checked apart."""
        return whole_value(self.patterns, self.null_words)

    def __str__(self) -> str:
        """As a person would write it."""
        words = f", or one of {', '.join(map(repr, self.null_words))}" if self.null_words else ""
        return (" or ".join(self.patterns) or "nothing else") + words

    def conforming(self, values: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
        """Value by value, whether it conforms: null where it is null, empty or blank.

        :param values: strings; dictionaries are better decoded to their distinct values first
        """
        found = pc.match_substring_regex(values, self.expression)
        lengths = pc.utf8_length(values)
        within = pc.greater_equal(lengths, self.min_length)
        if self.max_length is not None:
            within = pc.and_(within, pc.less_equal(lengths, self.max_length))
        if self.null_words:
            within = pc.or_(within, pc.is_in(values, value_set=pa.array(self.null_words, values.type)))
        blank = pc.match_substring_regex(values, r"\A[\s\v\pZ]*\z")
        return pc.if_else(blank, pa.scalar(None, pa.bool_()), pc.and_(found, within))

    def judge(self, values: int, nonconforming: int, *, missing: int = 0, examples: Sequence[str] = ()) -> PatternTest:
        """Whether so many non-conforming values can be the training's share of them.

        :param values: tested values, neither null nor blank
        :param nonconforming: of them, how many do not conform
        """
        if not 0 <= nonconforming <= values:
            raise ConfigurationError(f"{nonconforming} of {values} values cannot be non-conforming.")
        p_value = self._p_value(values, nonconforming)
        share = nonconforming / values if values else 0.0
        return PatternTest(p_value >= self.significance, share, p_value, values, missing, tuple(examples))

    def _p_value(self, values: int, nonconforming: int) -> float:
        if not values:
            return 1.0
        if self.method in ("calibrated", "declared"):
            return predictive(self.nonconforming, self.values, nonconforming, values)
        return fisher(self.nonconforming, self.values, nonconforming, values)

    def test(self, values: Iterable[str | None]) -> PatternTest:
        """Test values, given one by one; None and blank ones are counted as missing."""
        counts = Counter(values)
        missing = counts.pop(None, 0)
        distinct = [value for value in counts if value is not None]
        flags = self.conforming(pa.array(distinct, pa.large_string())).to_pylist()
        tested = bad = 0
        odd: list[tuple[int, str]] = []
        for value, conforms in zip(distinct, flags, strict=True):
            count = counts[value]
            if conforms is None:
                missing += count
                continue
            tested += count
            if not conforms:
                bad += count
                odd.append((-count, value[:_SHOWN]))
        examples = [value for _, value in sorted(odd)[:EXAMPLES]]
        return self.judge(tested, bad, missing=missing, examples=examples)

    def to_json(self) -> str:
        """One line of strict JSON."""
        return json.dumps({"version": VERSION, **asdict(self)}, ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> PatternRule:
        """The rule that :meth:`to_json` wrote.

        :raises CodecError: naming the first field that is missing, unknown or of a wrong type, or a version that this
            package does not read
        """
        try:
            data = json.loads(text)
        except ValueError as error:
            raise CodecError(f"The stored pattern rule is not JSON: {error}.") from error
        if not isinstance(data, dict) or data.get("version") != VERSION:
            seen = data.get("version") if isinstance(data, dict) else type(data).__name__
            raise CodecError(
                f"The stored pattern rule has version {seen!r}; this package reads {VERSION}. Learn it again."
            )
        data.pop("version")
        try:
            return cls(**{field.name: _checked(field.name, data.pop(field.name)) for field in fields(cls)}, **data)
        except KeyError as error:
            raise CodecError(f"The stored pattern rule lacks {error.args[0]!r}.") from error
        except TypeError as error:
            raise CodecError(f"The stored pattern rule has unknown fields: {', '.join(sorted(data))}.") from error
        except ConfigurationError as error:
            raise CodecError(f"The stored pattern rule is damaged: {error}") from error


def _checked(name: str, value: Any) -> Any:
    """A field's value of its type, lists as tuples."""
    if name in ("patterns", "null_words"):
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(value)
        raise CodecError(f"The stored pattern rule's {name!r} is no list of texts.")
    kinds: tuple[type, ...] = {"method": (str,), "significance": (float,), "max_length": (int, type(None))}.get(
        name, (int,)
    )
    if not isinstance(value, kinds) or isinstance(value, bool):
        raise CodecError(f"The stored pattern rule's {name!r} is {value!r}: of the wrong type.")
    return value


@lru_cache(maxsize=4096)
def _accepted_by_engine(expression: str) -> None:
    try:
        pc.match_substring_regex(pa.array([""]), expression)
    except pa.ArrowInvalid as error:
        raise ConfigurationError(f"The engine refuses the pattern rule {expression[:200]!r}: {error}.") from error
