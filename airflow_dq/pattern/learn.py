"""From the values of a column to its rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from typing import get_args

import pyarrow as pa

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.pattern.fit import Fit, Form
from airflow_dq.pattern.fmdv import Corpus, FmdvOptions, fmdv
from airflow_dq.pattern.language import Constant
from airflow_dq.pattern.null_word import ACCEPTED, is_null_word
from airflow_dq.pattern.rule import Method, NoPattern, PatternRule
from airflow_dq.pattern.shape import LONGEST, is_free_text
from airflow_dq.pattern.text import present

_MOST = 1_000
"""Distinct values that are looked at, evenly spaced: more take longer and change nothing but the rarest shapes."""
_LENGTH = 1.5
"""Later values are at most so many times as long as the longest, or as short as the shortest: ids grow by a digit,
names by half."""
_SPREAD = 4
"""Where the longest value is so many times as long as the shortest, later ones may be twice as long again: lists."""
_FEW = 8
"""Distinct values below which their lengths say little of the next."""
_NO_SHAPE = 0.2
"""Share of the distinct values outside the shapes of the rest from which shapes are not what is usual."""
_PAPER_SIGNIFICANCE = 0.01
"""Two-tailed, as in the paper's experiments."""


def learn_pattern(
    values: Iterable[str | None],
    index: Corpus | None = None,
    method: Method = "calibrated",
    options: FmdvOptions | None = None,
) -> PatternRule | None:
    """The rule of a column, or None when it has none; :func:`find_pattern` says why.

    :param values: training values in their order; None and blank ones say nothing
    :param index: what a corpus of other columns knows of patterns; the paper's methods need one, and
        ``calibrated`` asks none
    :param method: ``calibrated``, or the paper's ``fmdv``, ``fmdv-v``, ``fmdv-h``, ``fmdv-vh``
    :param options: of the paper's methods
    :raises ConfigurationError: when the method is unknown, or needs an index and there is none, or a value is no text
    """
    found = find_pattern(values, index, method, options)
    return found if isinstance(found, PatternRule) else None


def find_pattern(
    values: Iterable[str | None],
    index: Corpus | None = None,
    method: Method = "calibrated",
    options: FmdvOptions | None = None,
) -> PatternRule | NoPattern:
    """The rule of a column, or why it has none.  Arguments as of :func:`learn_pattern`."""
    if method == "declared" or method not in get_args(Method):
        raise ConfigurationError(
            f"No pattern is learned by {method!r}: {', '.join(get_args(Method)[:-1])} are possible."
        )
    found = present(values)
    if not found:
        return NoPattern("no values", "The column has no values but null and blank ones.")
    if method != "calibrated" and index is None:
        raise ConfigurationError(f"Method {method!r} needs a pattern index. Build one with `airflow dq index`.")
    try:
        if method == "calibrated" or index is None:
            return _calibrated(found)
        return _published(found, index, method, options or FmdvOptions())
    except (pa.ArrowInvalid, ConfigurationError):
        # One column's odd values must not lose a table's verdict.
        return NoPattern("refused", "The engine refuses the expression of the values' pattern, which is too large.")


def _published(values: list[str], index: Corpus, method: Method, options: FmdvOptions) -> PatternRule | NoPattern:
    cuts = method.partition("-")[2]
    pattern = fmdv(values, index, "v" in cuts, "h" in cuts, options)
    if pattern is None:
        return NoPattern(
            "not in the index", f"No pattern of the values has FPR <= {options.r} and coverage >= {options.m} there."
        )
    rule = PatternRule(
        (pattern,), values=len(values), distinct=len(set(values)), method=method, significance=_PAPER_SIGNIFICANCE
    )
    return replace(rule, nonconforming=rule.count(Counter(values)).nonconforming)


def _calibrated(values: list[str]) -> PatternRule | NoPattern:
    counts = Counter(values)
    words = [value for value in counts if is_null_word(value)]
    missing = frozenset(words)
    body = [value for value in counts if value not in missing]
    if not body:
        return NoPattern("no values", "The column has no values but words for a missing one, such as NA.")
    short = [value for value in body if len(value) <= LONGEST]
    if len(short) * 2 < len(body):
        return NoPattern(
            "free text", f"Most values have more than {LONGEST} characters: these are documents, not codes."
        )
    body = short
    if len(body) > _MOST:
        body = [body[i * len(body) // _MOST] for i in range(_MOST)]
    fit = Fit(body)
    form: Form = "usual"
    unusual = fit.missed(form)
    if is_free_text([row for row in fit.rows if row is not None], len(body), unusual / len(body)):
        return NoPattern("free text", "The values are free text: each has another form. No pattern describes the next.")
    if fit.listed or unusual > _NO_SHAPE * len(body):
        form, unusual = "characters", fit.missed("characters")
    usual = fit.patterns(form)
    few = len(body) < _FEW
    lengths = [len(value) for value in body]
    shortest, longest = min(lengths), max(lengths)
    open_ended = few or longest > _SPREAD * shortest
    rule = PatternRule(
        patterns=tuple(dict.fromkeys(map(str, fit.patterns("wide")))),
        usual=(*dict.fromkeys(map(str, usual)), *(str(Constant(word)) for word in words)),
        null_words=tuple(dict.fromkeys([*words, *ACCEPTED])),
        min_length=1 if fit.numeric or few else int(shortest / _LENGTH),
        max_length=int(longest * (2 * _LENGTH if open_ended else _LENGTH)) + (3 if few else 1),
        values=counts.total(),
        distinct=len(counts),
        runs=1 + sum(before != value for before, value in pairwise(values)),
    )
    seen = rule.count(counts)
    return replace(rule, nonconforming=max(fit.missed("wide"), seen.nonconforming), unusual=max(unusual, seen.unusual))
