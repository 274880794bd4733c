"""The suggestions of Deequ's default rules (Schelter et al., VLDB 2018, section 3.3), to compare ours with.

As its documentation has them, with Wilson's interval: of one data set, the newest partition or all of them pooled.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from statsmodels.stats.proportion import proportion_confint

from airflow_dq.check.bounds import Bounds
from airflow_dq.check.model import Check
from airflow_dq.check.odcs_metric import name_sql
from airflow_dq.profile.model import Profile
from airflow_dq.states.base import Kind
from airflow_dq.states.category import CategoryDistribution
from airflow_dq.states.count import Counts

SINGLES = 0.1
FEW_COMPLETE = 0.2


def paper_checks(profiles: Sequence[Profile]) -> list[Check]:
    """CompleteIfComplete, RetainCompleteness, RetainType, CategoricalRange, NonNegativeNumbers, and uniqueness."""
    return [check for name in profiles[-1].columns for check in _of_column(name, profiles)]


def _of_column(name: str, profiles: Sequence[Profile]) -> Iterator[Check]:
    columns = [one.columns[name] for one in profiles if name in one.columns]
    counts = [state for one in columns if isinstance(state := one.states.get(Counts.key), Counts)]
    rows, missing = sum(one.rows for one in counts), sum(one.nulls + one.nans for one in counts)
    kinds = {one.kind for one in columns} - {Kind.NULL}
    if not rows or len(kinds) != 1:
        return
    (kind,) = kinds
    share = 1 - missing / rows
    if missing == 0:
        yield Check("rule", sql=f"{name_sql(name)} is not null")
    elif FEW_COMPLETE < share < 1:
        low, _ = proportion_confint(rows - missing, rows, alpha=0.05, method="wilson")
        bound = math.floor(100 * float(low)) / 100
        yield Check("rule", sql=f"{name_sql(name)} is not null", error=Bounds(lower=bound))
    if kind is not Kind.STRING:
        yield Check("type", (name,), type=str(kind))
    if kind is Kind.NUMERIC:
        if all(_is(one.metrics.get("integer_ratio"), 1.0) for one in columns):
            yield Check("rule", sql=f"{name_sql(name)} = floor({name_sql(name)})")
        lowest = [value for one in columns if isinstance(value := one.metrics.get("min"), float)]
        if lowest and min(lowest) >= 0:
            yield Check("between", (name,), low=0)
    if kind is Kind.STRING:
        yield from _categories(name, [one.states.get(CategoryDistribution.key) for one in columns])
    near = [one.metrics.get("unique_ratio") for one in columns]
    if missing == 0 and len(columns) == 1 and all(isinstance(one, float) and abs(1 - one) <= 0.08 for one in near):
        yield Check("uniqueness", (name,), error=Bounds(1, 1))


def _is(value: object, wanted: float) -> bool:
    return not isinstance(value, float) or value == wanted


def _categories(name: str, states: Sequence[object]) -> Iterator[Check]:
    known = [one for one in states if isinstance(one, CategoryDistribution)]
    if not known:
        return
    pooled = known[0]
    for one in known[1:]:
        pooled = pooled.merge(one)
    if pooled.buckets is None and len(pooled.values) and (pooled.counts == 1).mean() <= SINGLES:
        yield Check("isin", (name,), values=tuple(pooled.values.to_pylist()), nulls="pass")
