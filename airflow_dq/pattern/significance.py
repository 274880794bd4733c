"""Whether the share of non-conforming values has changed: the paper's two tests, and a predictive one."""

from __future__ import annotations

import numpy as np

# scipy is imported where it is used: Spark's executors count rules, judge none, and need not have it.

_EXACT = 10_000
"""Non-conforming values up to which Fisher's test is summed; beyond, chi-squared differs by less than 1 % of p."""
_PRIOR_SHARE, _PRIOR_VALUES = 0.02, 10.0
"""What is known of any rule before its training: 2 % of later values are outside, as sure as ten values would say."""
_MOST_EVIDENCE = 5_000
"""Training values that count at most: a share wanders from batch to batch by more than a larger count would allow."""


def fisher(bad_before: int, before: int, bad_now: int, now: int) -> float:
    """Two-tailed p-value of 'the share of non-conforming values is the same': exact, of large counts chi-squared.

    :param bad_before: non-conforming of the ``before`` training values
    :param bad_now: non-conforming of the ``now`` tested values
    """
    bad = bad_before + bad_now
    from scipy.special import gammaln

    if not before or not now or not bad or bad == before + now:
        return 1.0
    if bad > _EXACT and before + now - bad > _EXACT:
        return chi_squared(bad_before, before, bad_now, now)
    k = np.arange(max(0, bad - now), min(bad, before) + 1)
    log_p = -(gammaln(k + 1) + gammaln(before - k + 1) + gammaln(bad - k + 1) + gammaln(now - bad + k + 1))
    p = np.exp(log_p - log_p.max())
    # Fisher's two tails: every table that is at most as probable as the seen one, but for rounding.
    return float(p[p <= p[bad_before - k[0]] * (1 + 1e-7)].sum() / p.sum())


def chi_squared(bad_before: int, before: int, bad_now: int, now: int) -> float:
    """The same by Pearson's chi-squared test with Yates' correction."""
    from scipy.stats import chi2

    bad, total = bad_before + bad_now, before + now
    if not before or not now or not bad or bad == total:
        return 1.0
    excess = max(0.0, abs(bad_before * (now - bad_now) - bad_now * (before - bad_before)) - total / 2)
    statistic = total * excess / before * excess / now / bad / (total - bad)
    return float(chi2.sf(statistic, 1))


def predictive(bad_before: int, before: int, bad_now: int, now: int) -> float:
    """Probability of at least ``bad_now`` non-conforming values, given what training showed: beta-binomial.

    One-tailed: fewer exceptions than in training are no alarm.
    """
    from scipy.special import betaln
    from scipy.stats import betabinom

    if not bad_now:
        return 1.0
    scale = min(1.0, _MOST_EVIDENCE / before) if before else 1.0
    a = _PRIOR_SHARE * _PRIOR_VALUES + bad_before * scale
    b = (1 - _PRIOR_SHARE) * _PRIOR_VALUES + (before - bad_before) * scale
    if bad_now == now:
        # The sum has one term, and the library's loses it to rounding.
        return float(np.exp(betaln(a + now, b) - betaln(a, b)))
    return float(np.clip(betabinom.sf(bad_now - 1, now, a, b), 0.0, 1.0))
