"""Whether the share of non-conforming values has changed: the paper's two tests, and a predictive one."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

# scipy is imported where it is used: Spark's executors count rules, judge none, and need not have it.

_EXACT = 10_000
"""Non-conforming values up to which Fisher's test is summed; beyond, chi-squared differs by less than 1 % of p."""


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
    from scipy.special import chdtrc

    bad, total = bad_before + bad_now, before + now
    if not before or not now or not bad or bad == total:
        return 1.0
    excess = max(0.0, abs(bad_before * (now - bad_now) - bad_now * (before - bad_before)) - total / 2)
    statistic = total * excess / before * excess / now / bad / (total - bad)
    return float(chdtrc(1.0, statistic))


@dataclass(frozen=True, slots=True)
class Belief:
    """What is known of the share of values outside a rule before its training: a beta distribution."""

    share: float
    values: float
    """How many values would make us as sure of it."""
    most: float
    """Values before that count at most: the share wanders from batch to batch by more than more would allow."""


_NONCONFORMING = Belief(0.02, 10.0, 5_000.0)
_UNUSUAL = Belief(0.05, 4.0, 20.0)
"""Sorted data, another month, a new supplier: half of a batch can be unusual with nothing wrong.  After twenty values,
none of them unusual, a fifth that is foreign is told from chance at .003; after ten it is not."""
_APART = 0.5
"""How much of a value one is that came before and comes again behind others: half of the forms that the column has."""
_REPEATED = 0.05
"""The same of one that only repeats the value before it: that a column had one value in thirty-six rows that were
sorted says little of the form of others; in two hundred it is a constant."""


def predictive(bad_before: int, before: int, bad_now: int, now: int) -> float:
    """Probability of at least ``bad_now`` non-conforming values, given what training showed: beta-binomial.

    One-tailed: fewer exceptions than in training are no alarm.
    """
    return beta_binomial(_NONCONFORMING, bad_before, before, bad_now, now)


def usual_predictive(evidence: float, bad_before: int, before: int, bad_now: int, now: int) -> float:
    """The same for values that are only unusual, with little trust in what was before.

    :param evidence: as how many of the values before they count, see :func:`evidence_of`
    """
    return beta_binomial(replace(_UNUSUAL, most=evidence), bad_before, before, bad_now, now)


def evidence_of(values: int, distinct: int, runs: int) -> float:
    """As how many values those of one training count for what is usual.

    :param distinct: how many different ones there are among them
    :param runs: how often a value differs from the one before it
    """
    return min(_UNUSUAL.most, distinct + _APART * (runs - distinct) + _REPEATED * (values - runs))


def beta_binomial(belief: Belief, bad_before: int, before: int, bad_now: int, now: int) -> float:
    """Probability of at least ``bad_now`` bad ones of ``now``, given those before and what is known of such rules."""
    from scipy.special import betaincc, betaln, gammaln

    if bad_now <= 0:
        return 1.0
    weight = min(1.0, belief.most / before) if before else 1.0
    a = belief.share * belief.values + bad_before * weight
    b = (1 - belief.share) * belief.values + (before - bad_before) * weight
    if now > _EXACT:
        # So many values show their share as it is: the beta distribution of that share.
        return float(betaincc(a, b, bad_now / now))
    k = np.arange(bad_now, now + 1)
    log_p = gammaln(now + 1) - gammaln(k + 1) - gammaln(now - k + 1) + betaln(a + k, b + now - k) - betaln(a, b)
    return float(min(1.0, np.exp(log_p).sum()))
