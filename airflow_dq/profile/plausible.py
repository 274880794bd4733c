"""Whether a profile from elsewhere can be one at all: what no scan can have measured would be learned from for ever."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import pairwise

from airflow_dq.exceptions import CodecError
from airflow_dq.metrics.descriptor import Metric, MetricValue, Reason
from airflow_dq.metrics.evaluate import measure
from airflow_dq.metrics.registry import find_metric, get_metric
from airflow_dq.profile.model import ColumnProfile, Profile, digest_states
from airflow_dq.states.base import Kind, Representation, states_for

_MOST_ROWS = 2**63 - 1
"""What the store's column of it takes."""
_RELATIVE, _ABSOLUTE = 1e-6, 1e-9
"""How far a metric may be from what its states give: another machine's last digits, no more."""
_ROW_COUNT = "row_count"


def require_plausible(profile: Profile) -> None:
    """Refuse a profile that no scan can have made.

    :raises CodecError: naming the column, what was seen and what was allowed
    """
    if not 0 <= profile.row_count <= _MOST_ROWS:
        raise CodecError(f"Profile.row_count: {profile.row_count} is not a number of rows (0 or more).")
    for problem in _problems(profile):
        raise CodecError(f"Profile{problem}.")


def _problems(profile: Profile) -> Iterator[str]:
    for name, column in profile.columns.items():
        where = f".columns[{name!r}]"
        rows = column.metrics.get(_ROW_COUNT, float(profile.row_count))
        if isinstance(rows, float) and rows != profile.row_count:
            yield f"{where}.metrics['row_count']: {rows:g} is not the profile's number of rows, {profile.row_count}"
        yield from _out_of_range(where + ".metrics", column.kind, column.metrics)
        yield from _out_of_order(where + ".metrics", column)
        for baseline, measured in column.distances.items():
            yield from _out_of_range(f"{where}.distances[{baseline!r}]", column.kind, measured)
        yield from _other_states(where, column)
        for place, variant in enumerate(profile.variants.get(name, ())):
            yield from _out_of_range(f".variants[{name!r}][{place}].metrics", column.kind, variant.metrics)


def _out_of_range(where: str, kind: Kind, metrics: Mapping[str, MetricValue]) -> Iterator[str]:
    """Values that their metrics cannot have, and metrics of another kind of column."""
    for stored, value in metrics.items():
        name = stored.removesuffix(f"/{Representation.SKETCH}")
        metric = get_metric(name, kind)
        if metric is None:
            other = find_metric(name)
            if other is not None and other.built_in:
                yield f"{where}[{stored!r}]: a {kind} column has no such metric"
        elif metric.built_in and not isinstance(value, Reason) and not _within(metric, value):
            low, high = metric.natural_range
            yield f"{where}[{stored!r}]: {value:g} is not from {low:g} to {high:g}"


def _within(metric: Metric, value: float) -> bool:
    low, high = metric.natural_range
    # The last digits of a sum of shares are rounded.
    return low - _ABSOLUTE <= value <= high + _ABSOLUTE


def _out_of_order(where: str, column: ColumnProfile) -> Iterator[str]:
    """Quantiles that fall where they must rise."""
    found = [
        (metric.level, value, name)
        for name, value in column.metrics.items()
        if not isinstance(value, Reason)
        and (metric := get_metric(name, column.kind)) is not None
        and metric.level is not None
    ]
    found.sort(key=lambda one: one[0])
    for (_, low, lower), (_, high, higher) in pairwise(found):
        if low > high and not math.isclose(low, high, rel_tol=_RELATIVE, abs_tol=_ABSOLUTE):
            yield f"{where}[{higher!r}]: {high:g} is less than {lower!r}, which is {low:g}"


def _other_states(where: str, column: ColumnProfile) -> Iterator[str]:
    """States that are of another column, another partition, or of nothing that was scanned."""
    if not column.states:
        return  # dropped with time; their digest stays
    known = {state.key for state in states_for(column.kind)}
    for key in column.states:
        if key not in known:
            yield f"{where}.states[{key!r}]: a {column.kind} column has no such state"
            return
    digest = digest_states(column.states)
    if column.states_digest and digest != column.states_digest:
        yield f"{where}.states_digest: {column.states_digest!r} is not that of its states, {digest!r}"
        return
    for name, value in measure(column.kind, column.states).items():
        told, metric = column.metrics.get(name), get_metric(name, column.kind)
        if told is not None and metric is not None and metric.built_in and not _same(told, value):
            yield f"{where}.metrics[{name!r}]: {_shown(told)} is not what its states say, {_shown(value)}"


def _same(one: MetricValue, other: MetricValue) -> bool:
    if isinstance(one, Reason) or isinstance(other, Reason):
        return one is other
    return math.isclose(one, other, rel_tol=_RELATIVE, abs_tol=_ABSOLUTE)


def _shown(value: MetricValue) -> str:
    return repr(value.value) if isinstance(value, Reason) else f"{value:g}"
