"""Pooled surprises of metrics: constants that ``python -m tests.benchmark.surprise`` measures.

Of 272,079 series of 32 tables (20 simulated ones and 12 public ones that recur, 7, 14 and 30 partitions of history, 12
places each), judged one step ahead of the history that their expectation and largest error come from.
"""

from __future__ import annotations

from collections.abc import Mapping

CHANCE = 0.055
"""Chance that the next error is the largest so far, times the number of past errors plus one, for a column's budget.

A single series has 0.45 (0.5 if the next error is as likely the largest as any other, and falls or rises by more than
is material).  Those of a column alarm together, and most of its ranges are far wider than they would have to be: with a
ninth of that the columns alarm as often as their budget says."""
TAIL = 0.7
"""Exponent of the tail after one error."""
TAIL_GROWTH = 0.5
"""What the exponent gains when the number of past errors grows by a factor of e: 1.7 after 7 errors, 2.4 after 30."""
HEAVINESS: Mapping[str, float] = {
    "emd": 1.67,
    "row_count": 1.57,
    "digit_len": 1.53,
    "max": 1.53,
    "punc_len": 1.47,
    "space_len": 1.38,
    "upper_len": 1.32,
    "std": 1.31,
    "cohen_d": 1.29,
    "pat_cosine": 1.27,
    "cosine": 1.26,
    "true_ratio": 1.24,
    "char_len": 1.23,
    "pat_l1": 1.15,
    "mean": 1.13,
    "mode_ratio": 0.75,
    "complete_ratio": 0.71,
    "p25": 0.64,
    "pat_unseen_ratio": 0.62,
    "p75": 0.6,
    "median": 0.58,
    "p95": 0.58,
    "integer_ratio": 0.57,
    "unique_ratio": 0.57,
    "p05": 0.54,
    "dist_val_count": 0.49,
    "entropy": 0.48,
    "pat_entropy": 0.41,
}
"""By metric: how many times the chance of a surprise above 2 that of all metrics is, drawn half way (by its root) to 1;
metrics that differ by less than a tenth are left out."""
