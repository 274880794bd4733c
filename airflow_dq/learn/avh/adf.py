"""The augmented Dickey-Fuller unit-root test, with a constant and the lag order chosen by AIC.

The same test as ``statsmodels.tsa.stattools.adfuller`` with its defaults and the same p-values, in a form that
suits thousands of short series: all lag orders come from one QR factorisation, and degenerate series
(perfect trends, a single step) have a defined answer in place of numerical noise.
"""

from __future__ import annotations

import math

import numpy as np

from airflow_dq.learn.array import FloatArray

MIN_POINTS = 6
"""With fewer values the regression has no degree of freedom left to speak of."""

_PERFECT = 1e-13
"""A residual share below this is a perfect fit: what is left is rounding."""
_RANK = 1e-8
"""What is below this share is rounding: about the square root of a float64's precision."""

_TAU_MIN, _TAU_STAR, _TAU_MAX = -18.83, -1.61, 2.74
"""Where MacKinnon's approximations hold, and where one ends and the other begins (MacKinnon 1994, tables 1 and 2: one
variable, regression with a constant; the coefficients are from there, too)."""
_LEFT = (0.038269, 1.4412, 2.1659)
"""Coefficients of the approximation below the middle, the highest power first."""
_RIGHT = (-0.010368, -0.12745, 0.93202, 1.7339)
"""The same above it."""


def adf_pvalue(series: FloatArray) -> float | None:
    """Chance of the series under the hypothesis that it has a unit root (is not stationary).

    :param series: finite values, evenly spaced, oldest first
    :return: the p-value; 0.0 for a constant series; None (undecided) for fewer than ``MIN_POINTS`` values
    """
    if len(series) < MIN_POINTS:
        return None
    x = _standardised(series)
    if x is None:
        return 0.0
    return mackinnon_pvalue(_statistic(x, _best_lag(x)))


def mackinnon_pvalue(statistic: float) -> float:
    """MacKinnon's approximate p-value of the Dickey-Fuller t statistic (regression with a constant)."""
    if statistic > _TAU_MAX:
        return 1.0
    if statistic < _TAU_MIN:
        return 0.0
    value = 0.0
    for coefficient in _LEFT if statistic <= _TAU_STAR else _RIGHT:
        value = value * statistic + coefficient
    return 0.5 * math.erfc(-value / math.sqrt(2.0))


def _standardised(series: FloatArray) -> FloatArray | None:
    """Centred and scaled (the test is invariant to both, its arithmetic is not); None when constant."""
    scale = float(np.abs(series).max())
    if scale == 0.0:
        return None
    x = series / scale
    x = x - x.mean()
    spread = float(np.abs(x).max())
    # Against one unit in the last place, so that a constant computed two ways counts as constant.
    return None if spread < 1e-15 else x / spread


def _design(x: FloatArray, lag: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Differences, and the level and the lagged differences that explain them; centred, which is the constant."""
    diff = np.diff(x)
    rows = len(diff) - lag
    lagged = np.empty((rows, lag))
    for j in range(lag):
        lagged[:, j] = diff[lag - 1 - j : lag - 1 - j + rows]
    target, level = diff[lag:], x[lag:-1]
    return target - target.mean(), level - level.mean(), lagged - lagged.mean(axis=0)


def _best_lag(x: FloatArray) -> int:
    """Number of lagged differences with the lowest AIC, over the same rows for each."""
    n = len(x)
    target, level, lagged = _design(x, min(n // 2 - 2, math.ceil(12.0 * (n / 100.0) ** 0.25)))
    total = float(target @ target)
    if total == 0.0:
        return 0
    basis = _basis(np.column_stack([level, lagged]))
    residual = 1.0 - np.cumsum((target @ basis) ** 2) / total
    rank = np.cumsum(basis.any(axis=0))
    aic = len(target) * np.log(np.maximum(residual, _PERFECT)) + 2.0 * rank
    return int(np.argmin(aic))


def _statistic(x: FloatArray, lag: int) -> float:
    """The t value of the level's coefficient; infinite with its sign when the fit is perfect."""
    target, level, lagged = _design(x, lag)
    basis = _basis(np.column_stack([lagged, level]))
    # Orthogonal to all other columns, the last direction alone carries the level's coefficient.
    parts = target @ basis
    share = float(parts[-1])
    if not basis[:, -1].any():
        # The level is constant over the window or says what the differences say: nothing speaks for stationarity.
        return math.inf
    total = float(target @ target)
    residual = total - float(parts @ parts)
    if residual <= _PERFECT * total:
        return -math.inf if share < -_RANK * math.sqrt(total) else math.inf
    freedom = len(target) - 1 - int(basis.any(axis=0).sum())
    return share / math.sqrt(residual / freedom) if freedom > 0 else math.inf


def _basis(columns: FloatArray) -> FloatArray:
    """Orthonormal columns that span what the first 1, 2, ... columns span; zero where one depends on those before.

    Each points to the same side as its column.
    """
    norms = np.sqrt(np.einsum("ij,ij->j", columns, columns))
    if len(columns) > columns.shape[1]:
        q, r = np.linalg.qr(columns)
        diagonal = r.diagonal()
        if (np.abs(diagonal) > _RANK * norms).all():
            return np.asarray(q * np.sign(diagonal), dtype=np.float64)
    basis = np.zeros_like(columns)
    for j in range(columns.shape[1]):
        rest = columns[:, j]
        for _ in range(2):  # once more for what rounding left
            rest = rest - basis[:, :j] @ (rest @ basis[:, :j])
        size = math.sqrt(rest @ rest)
        if size > _RANK * norms[j] and size > 0.0:
            basis[:, j] = rest / size
    return basis
