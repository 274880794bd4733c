"""From an arithmetic result to what a metric may return: a finite float or the reason why there is none."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

from airflow_dq.metrics.descriptor import MetricValue, Reason

if TYPE_CHECKING:
    from airflow_dq.states.count import Counts


def finite(value: float) -> MetricValue:
    """The value as a float, or :attr:`Reason.OVERFLOW` when it is beyond the largest float."""
    return float(value) if math.isfinite(value) else Reason.OVERFLOW


def when_any(counts: Counts, values: int, value: Callable[[], float]) -> MetricValue:
    """The value if there are ``values`` to compute it from, else the reason why not."""
    if counts.rows == 0:
        return Reason.EMPTY_BATCH
    if values == 0:
        return Reason.NO_VALUES
    try:
        return finite(value())
    except OverflowError:
        return Reason.OVERFLOW


def as_value(returned: object) -> MetricValue:
    """What a metric's function returned as what may be judged and stored of it: a user's own may return anything.

    NaN is a value without a meaning, an infinity one beyond the largest float, and whatever is no number an error.
    There is no negative zero: PostgreSQL's numeric has none.
    """
    if isinstance(returned, Reason):
        return returned
    if type(returned) is float and math.isfinite(returned):
        # Most often it is one already, and whether it is a number at all takes long to ask.
        return returned + 0.0
    if not isinstance(returned, Real | np.bool_):
        return Reason.ENGINE_ERROR
    try:
        value = float(returned)
    except OverflowError:
        return Reason.OVERFLOW
    return Reason.NOT_APPLICABLE if math.isnan(value) else finite(value + 0.0)
