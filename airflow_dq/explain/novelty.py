"""A novel partition in words: how odd it is, which columns and metrics make it so, and what these have in common."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import takewhile

from airflow_dq.explain.cause import Cause, contenders
from airflow_dq.explain.comparison import Comparison
from airflow_dq.explain.wording import metric_words
from airflow_dq.learn.constraint.base import Finding

_GROUPS = (
    ("how much there is", ("row_count", "complete_ratio")),
    ("how many values differ", ("unique_ratio", "dist_val_count", "mode_ratio", "entropy", "unseen_ratio")),
    (
        "how large the numbers are",
        ("mean", "std", "min", "max", "negative_ratio", "zero_ratio", "integer_ratio", "finer_ratio"),
    ),
    (
        "how the texts are spelt",
        (
            *("str_len", "digit_len", "punc_len", "upper_len", "lower_len", "space_len"),
            *("pat_count", "pat_entropy", "numeric_ratio", "bigram_unseen_ratio"),
        ),
    ),
)
"""What metrics of different columns have in common, in words."""
_LEAST_PREFIX = 3
"""Characters that names must begin with alike to be called alike."""

_SHARE = 0.25
"""A column that is responsible for less of what is odd is not what happened."""
_CONVINCING = 0.9
"""Least score of a cause of it: nothing else was found of the column that could prove one."""
_SEEN = "new_values"
"""The type of a cause that says what values there are, which needs no proof."""

Attributes = Sequence[tuple[str | None, str, float]]


def novel_causes(findings: Iterable[Finding], compare: Callable[[str], Comparison | None]) -> dict[str, Cause]:
    """What happened to the columns that make a partition novel, by their names; empty where it does not show.

    :param compare: a column beside itself in the past
    """
    shares: dict[str, float] = defaultdict(float)
    for finding in findings:
        for column, _, share in finding.attributes:
            if column is not None:
                shares[column] += share
    told = {}
    for name in sorted(shares, key=lambda one: -shares[one]):
        comparison = compare(name) if shares[name] >= _SHARE else None
        found = () if comparison is None else contenders(comparison)
        if len(found) != 1 or found[0].fact is None:
            continue
        if found[0].score >= _CONVINCING or found[0].type == _SEEN:
            told[name] = found[0]
    first = next(iter(told.values()), None)
    return {name: one for name, one in told.items() if first is not None and one.type == first.type}


def novelty_words(finding: Finding, past: str) -> str:
    """``odd as a whole, 1.4 times what is usual ...; most responsible: price (mean 42%, std 20%)``.

    :param past: how many past partitions it is compared with, in words
    """
    score = finding.observed if isinstance(finding.observed, float) else 0.0
    times = score / finding.upper if finding.upper else 1.0
    rank = finding.evidence.rank if finding.evidence is not None else 1
    seldom = "no past one was so odd" if rank == 1 else f"{rank - 1} of them were as odd"
    common = _common(finding.attributes)
    return (
        f"odd as a whole, {times:.3g} times as far off as is usual ({past}; {seldom}); "
        f"most responsible: {_named(finding.attributes)}{'' if common is None else f'; {common}'}."
    )


def _named(attributes: Attributes) -> str:
    """The columns in order, each with its metrics and their shares."""
    columns: dict[str | None, list[str]] = {}
    for column, metric, share in attributes:
        columns.setdefault(column, []).append(f"{metric_words(metric, False)} {share:.0%}")
    return ", ".join(f"{column or 'the table'} ({', '.join(metrics)})" for column, metrics in columns.items())


def _common(attributes: Attributes) -> str | None:
    """What they have in common; None where they are one, or nothing is."""
    if len(attributes) < 2:
        return None
    names = list(dict.fromkeys(column for column, _, _ in attributes if column is not None))
    metrics = {metric for _, metric, _ in attributes}
    found = []
    if len(names) == 1:
        found.append(f"all of it is in the column {names[0]!r}")
    elif len(metrics) == 1:
        found.append(f"the same metric moved in {len(names)} columns")
    else:
        found += [f"all of it is about {words}" for words, group in _GROUPS if metrics <= set(group)]
    prefix = _common_beginning(names) if len(names) > 1 else ""
    if len(prefix) >= _LEAST_PREFIX:
        found.append(f"the names of these columns begin with {prefix!r}")
    return " and ".join(found) if found else None


def _common_beginning(names: Sequence[str]) -> str:
    letters = zip(*names, strict=False)
    return "".join(first for first, *_ in takewhile(lambda column: len(set(column)) == 1, letters))
