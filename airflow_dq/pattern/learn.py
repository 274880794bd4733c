"""From values to a rule: shapes, and where there are too many of them, the characters that occur."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from airflow_dq.pattern.language import Characters, Constant, Element, Pattern
from airflow_dq.pattern.rule import Method, NoPattern, PatternRule

_RUN = re.compile(r"[0-9]+|[A-Za-z]+|[^0-9A-Za-z]")
_LONGEST = 1_000
"""Characters of a value that are looked at for its shape: a longer value is held by its length range and characters."""
_SHAPES = 3
_MAIN = 0.9


def learn_pattern(
    values: Iterable[str | None], index: object = None, method: Method = "calibrated"
) -> PatternRule | None:
    """The rule of a column, or None when it has none (:func:`find_pattern` says why).

    :param values: training values; None and blank ones say nothing
    :param index: what a corpus of other columns knows of patterns; None: only the values count
    :param method: ``calibrated``, or the paper's ``fmdv``, ``fmdv-v``, ``fmdv-h``, ``fmdv-vh`` (these need an index)
    """
    found = find_pattern(values, index, method)
    return found if isinstance(found, PatternRule) else None


def find_pattern(
    values: Iterable[str | None], index: object = None, method: Method = "calibrated"
) -> PatternRule | NoPattern:
    """The rule of a column, or why it has none.  Arguments as of :func:`learn_pattern`."""
    counts = Counter(value for value in values if value is not None and value.strip())
    if not counts:
        return NoPattern("no values", "The column has no values but null and blank ones.")
    patterns = _shapes(counts) or _characters(counts)
    lengths = [len(value) for value in counts]
    rule = PatternRule(
        tuple(map(str, patterns)),
        min_length=min(lengths) * 2 // 3,
        max_length=max(lengths) * 3 // 2 + 1,
        values=sum(counts.values()),
        distinct=len(counts),
        method=method,
    )
    bad = round(rule.test(counts.elements()).nonconforming * rule.values)
    return PatternRule(
        rule.patterns, (), rule.min_length, rule.max_length, rule.values, rule.distinct, bad, rule.method
    )


def _shapes(counts: Counter[str]) -> list[Pattern]:
    clusters: dict[tuple[str, ...], list[list[str]]] = {}
    sizes: Counter[tuple[str, ...]] = Counter()
    for value, count in counts.items():
        runs = _RUN.findall(value[:_LONGEST])
        shape = tuple(
            "0" if run[0].isdigit() and run.isascii() else "a" if run.isascii() and run.isalpha() else run
            for run in runs
        )
        clusters.setdefault(shape, []).append(runs)
        sizes[shape] += count
    best = sizes.most_common(_SHAPES)
    if sum(size for _, size in best) < _MAIN * sizes.total():
        return []
    return [Pattern(tuple(_element([runs[i] for runs in clusters[s]]) for i in range(len(s)))) for s, _ in best]


def _element(runs: Sequence[str]) -> Element:
    first = runs[0]
    if not (first.isascii() and first.isalnum()):
        return Constant(first)
    return Characters(("digit",) if first.isdigit() else ("letter",), 1, None)


def _characters(counts: Counter[str]) -> list[Pattern]:
    seen = {c for value in counts for c in value[:_LONGEST]}
    members = [
        name
        for name, has in (("digit", "0-9"), ("letter", "A-Za-z"), ("other", r"\x00-\x1f\x7f-\U0010ffff"))
        if re.search(f"[{has}]", "".join(seen))
    ]
    members += sorted(c for c in seen if c.isascii() and c.isprintable() and not c.isalnum())
    return [Pattern((Characters(tuple(members), 1, None),))]
