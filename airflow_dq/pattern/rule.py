"""A pattern rule: what the values of a column look like, and whether a set of values still does.

A rule is data, with a strict JSON form.  It is counted over all rows of a partition (:meth:`PatternRule.conforming`,
one RE2 expression, linear in the characters) and judged on two counts (:meth:`PatternRule.judge`), so that the gate
needs the values no second time.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property, lru_cache
from typing import Any, Literal, get_args

import pyarrow as pa
import pyarrow.compute as pc

from airflow_dq.exceptions import CodecError, ConfigurationError
from airflow_dq.pattern.language import whole_value
from airflow_dq.pattern.significance import evidence_of, fisher, predictive, usual_predictive
from airflow_dq.pattern.text import BLANK, readable

Method = Literal["calibrated", "fmdv", "fmdv-v", "fmdv-h", "fmdv-vh", "declared"]
"""How a rule was found; ``declared``: a person wrote it."""
VERSION = 1
"""Of the JSON form."""
EXAMPLES = 5
"""Non-conforming values that a test shows."""
_UNUSUAL_FACTOR = 3.0
"""A change of the usual form counts a third: it is a false alarm twice as often as a value outside every pattern."""
_LARGEST = 2**63 - 1
"""What the engine takes for a number of characters, and a database for one of rows."""
_TEXTS = ("patterns", "null_words", "usual")
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
    """A word for the kind: ``no values``, ``free text``, ``not in the index``, ``refused``."""
    detail: str
    """One sentence for a person; holds no value of the column."""


@dataclass(frozen=True, slots=True)
class PatternCount:
    """What was counted of a set of values; :meth:`PatternRule.judge` needs no more."""

    values: int
    """Neither null nor blank."""
    nonconforming: int
    unusual: int
    """Outside the usual patterns, the non-conforming ones included."""
    missing: int = 0
    """Null, empty or blank: completeness judges them, not the pattern."""
    examples: tuple[str, ...] = ()
    """Up to five distinct non-conforming values (without any: unusual ones), the most frequent first, cut at 200
    characters."""


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
    """Of them, different ones."""
    nonconforming: int = 0
    """Training values outside what the rest of them says (cross-validated, so not 0 where new forms keep coming)."""
    method: Method = "calibrated"
    significance: float = 0.003
    """A test whose p-value is below this is not accepted."""
    usual: tuple[str, ...] = ()
    """Tighter patterns, which most values have: a set that is mostly outside them is another column's, or has changed
    its format.  Empty: nothing tighter is known."""
    unusual: int = 0
    """Training values outside them, cross-validated too."""
    runs: int = 0
    """Runs of one and the same training value in the order in which they were given; 0: nobody knows, and equal values
    count as one run.  Of a partition a profile keeps equal values together: each is one run of that partition."""

    def __post_init__(self) -> None:
        """Refuse what cannot be a rule.

        :raises ConfigurationError: naming the field, what was seen and what is allowed
        """
        for name in _TEXTS:
            texts = getattr(self, name)
            if not isinstance(texts, tuple) or any(readable(text) != text for text in texts):
                raise ConfigurationError(
                    f"{name} is {str(texts)[:_SHOWN]!a}: a tuple of texts is wanted, without halves of surrogate pairs."
                )
        if not self.patterns:
            raise ConfigurationError("A pattern rule needs at least one pattern.")
        if max(self.values, self.min_length, self.max_length or 0) > _LARGEST:
            raise ConfigurationError(f"A pattern rule counts values and characters up to {_LARGEST}.")
        for name in ("distinct", "nonconforming", "unusual", "runs"):
            if not 0 <= getattr(self, name) <= self.values:
                raise ConfigurationError(f"{getattr(self, name)} of {self.values} training values cannot be {name}.")
        if self.min_length < 0 or (self.max_length is not None and self.max_length < self.min_length):
            raise ConfigurationError(f"No value is {self.min_length} to {self.max_length} characters long.")
        if not 0.0 < self.significance < 1.0:
            raise ConfigurationError(f"A significance lies between 0 and 1, not at {self.significance}.")
        if self.method not in get_args(Method):
            raise ConfigurationError(f"Method {self.method!r} is none of {', '.join(get_args(Method))}.")
        for expression in (self.expression, self.usual_expression):
            if expression is not None:
                _accepted_by_engine(expression)

    @cached_property
    def expression(self) -> str:
        """One anchored RE2 expression of what conforms, the accepted words included; lengths are checked apart."""
        return whole_value(self.patterns, self.null_words)

    @cached_property
    def usual_expression(self) -> str | None:
        """One anchored RE2 expression of what is usual; None when nothing tighter is known."""
        return whole_value(self.usual) if self.usual else None

    @property
    def evidence(self) -> float:
        """As how many values the training counts for what is usual."""
        return evidence_of(self.values, self.distinct, max(self.runs, self.distinct))

    def __str__(self) -> str:
        """As a person would write it: what is usual, where that is known, says more than what is allowed."""
        return " or ".join(self.usual or self.patterns)

    def conforming(self, values: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
        """Value by value, whether it conforms: null where it is null, empty or blank.

        :param values: strings; dictionaries are better decoded to their distinct values first
        """
        lengths = pc.utf8_length(values)
        within = pc.greater_equal(lengths, self.min_length)
        if self.max_length is not None:
            within = pc.and_(within, pc.less_equal(lengths, self.max_length))
        within = pc.and_(within, pc.match_substring_regex(values, self.expression))
        if self.null_words:
            within = pc.or_(within, pc.is_in(values, value_set=pa.array(self.null_words, values.type)))
        return pc.if_else(pc.match_substring_regex(values, BLANK), pa.scalar(None, pa.bool_()), within)

    def usual_of(self, values: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
        """Value by value, whether it is usual; as :meth:`conforming` where nothing tighter is known."""
        if self.usual_expression is None:
            return self.conforming(values)
        return pc.match_substring_regex(values, self.usual_expression)

    def count(self, counts: Mapping[Any, int]) -> PatternCount:
        """Count distinct values.

        :param counts: how often each occurs
        :raises ConfigurationError: when one is no text
        """
        distinct = {value: readable(value) for value in counts if value is not None}
        array = pa.array(distinct.values(), pa.large_string())
        flags = zip(distinct.items(), self.conforming(array).to_pylist(), self.usual_of(array).to_pylist(), strict=True)
        missing, tested = counts.get(None, 0), 0
        outside: list[tuple[int, str]] = []
        unusual: list[tuple[int, str]] = []
        for (value, text), conforms, usual in flags:
            if conforms is None:
                missing += counts[value]
                continue
            tested += counts[value]
            if not conforms:
                outside.append((-counts[value], text[:_SHOWN]))
            if not (conforms and usual):
                unusual.append((-counts[value], text[:_SHOWN]))
        examples = tuple(value for _, value in sorted(outside or unusual)[:EXAMPLES])
        return PatternCount(tested, -sum(n for n, _ in outside), -sum(n for n, _ in unusual), missing, examples)

    def judge(
        self,
        values: int,
        nonconforming: int,
        unusual: int | None = None,
        *,
        missing: int = 0,
        examples: Sequence[str] = (),
    ) -> PatternTest:
        """Whether so many values outside the rule can be what training showed.

        :param values: tested values, neither null nor blank
        :param nonconforming: of them, how many do not conform
        :param unusual: of them, how many are outside the usual patterns; None: not counted, and not judged
        """
        if not 0 <= nonconforming <= values or (unusual is not None and not 0 <= unusual <= values):
            raise ConfigurationError(f"{nonconforming} or {unusual} of {values} values cannot be outside the rule.")
        p_value = self._p_value(values, nonconforming, unusual) if values else 1.0
        share = nonconforming / values if values else 0.0
        return PatternTest(p_value >= self.significance, share, p_value, values, missing, tuple(examples))

    def _p_value(self, values: int, nonconforming: int, unusual: int | None) -> float:
        if self.method not in ("calibrated", "declared"):
            return fisher(self.nonconforming, self.values, nonconforming, values)
        p_value = predictive(self.nonconforming, self.values, nonconforming, values)
        if unusual is None or not self.usual:
            return p_value
        by_form = usual_predictive(self.evidence, self.unusual, self.values, unusual, values)
        return min(p_value, min(1.0, _UNUSUAL_FACTOR * by_form))

    def test(self, values: Iterable[str | None]) -> PatternTest:
        """Test values, given one by one; None and blank ones are counted as missing."""
        found = self.count(Counter(values))
        return self.judge(
            found.values, found.nonconforming, found.unusual, missing=found.missing, examples=found.examples
        )

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
        except (ValueError, RecursionError) as error:
            raise CodecError(f"The stored pattern rule is not JSON: {error}.") from error
        if not isinstance(data, dict) or data.get("version") != VERSION:
            seen = data.get("version") if isinstance(data, dict) else type(data).__name__
            raise CodecError(
                f"The stored pattern rule has version {seen!r}; this package reads {VERSION}. Learn it again."
            )
        data.pop("version")
        data.setdefault("runs", 0)  # what was stored before they were counted
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
    if name in _TEXTS:
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
