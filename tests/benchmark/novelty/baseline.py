"""The paper's statistical tests (section 5.2): Kolmogorov-Smirnov for numbers, chi-squared for texts, Bonferroni."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.stats import chi2_contingency, ks_2samp

LEVEL = 0.05


def tested(past: Sequence[pd.DataFrame], now: pd.DataFrame, numeric: dict[str, bool]) -> bool:
    """Whether any column differs from the past ones put together."""
    before = pd.concat(past)
    return any(_differs(before[name], now[name], number, LEVEL / len(numeric)) for name, number in numeric.items())


def _differs(before: pd.Series, now: pd.Series, number: bool, level: float) -> bool:
    old, new = before.dropna(), now.dropna()
    if not len(old) or not len(new):
        return len(old) != len(new)
    if number:
        return bool(ks_2samp(old, new).pvalue < level)
    counts = pd.concat([old.value_counts(), new.value_counts()], axis=1).fillna(0).to_numpy()
    if len(counts) < 2:
        return False
    return bool(chi2_contingency(counts[np.argsort(-counts.sum(1))]).pvalue < level)
