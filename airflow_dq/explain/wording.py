"""Numbers, metrics and chances in words, for the person who is paged."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby

from airflow_dq.metrics.registry import Bound, Reason, get_metric
from airflow_dq.states.base import Kind

_DIGITS = 4
_SYMBOLS = {"d": "9", "l": "a"}
_RUN = 5
"""A run of one symbol is counted from this length on."""
_LONGEST = 40
"""Characters of a value that a sentence shows."""

_NAMES = {
    "std": "standard deviation",
    "p05": "5th percentile",
    "p25": "25th percentile",
    "p75": "75th percentile",
    "p95": "95th percentile",
    "zero_ratio": "share of zeros",
    "negative_ratio": "share of negative values",
    "integer_ratio": "share of whole numbers",
    "infinite_ratio": "share of infinite values",
    "new_ratio": "share of values new",
    "unseen_ratio": "share of values unseen",
    "pat_unseen_ratio": "share of values with a pattern unseen",
    "initial_js_div": "Jensen-Shannon divergence of the first characters",
    "outside_ratio": "share of values outside the range",
    "upper_len": "average number of upper-case letters",
    "lower_len": "average number of lower-case letters",
    "space_len": "average number of white-space characters",
    "leading_blank_ratio": "share of values with leading white space",
    "trailing_blank_ratio": "share of values with trailing white space",
    "non_ascii_ratio": "share of values beyond ASCII",
    "mode_ratio": "share of the most frequent value",
    "pat_count": "number of distinct patterns",
    "sum": "sum",
    "str_len": "average length",
    "char_len": "average number of letters",
    "digit_len": "average number of digits",
    "punc_len": "average number of punctuation marks",
    "dist_val_count": "number of distinct values",
    "row_count": "number of rows",
    "unique_ratio": "share of distinct values",
    "complete_ratio": "share of complete values",
    "true_ratio": "share of true values",
    "emd": "earth mover's distance",
    "ks_dist": "Kolmogorov-Smirnov distance",
    "js_div": "Jensen-Shannon divergence",
    "kl_div": "Kullback-Leibler divergence",
    "cohen_d": "shift of the mean (Cohen's d)",
    "l1": "L1 distance",
    "l_inf": "L-infinity distance",
    "cosine": "cosine distance",
    "chi_squared": "chi-squared distance",
}
_REASONS = {
    Reason.EMPTY_BATCH: "the partition has no rows",
    Reason.NO_VALUES: "there is no usable value in it",
    Reason.OVERFLOW: "it is too large for a number",
    Reason.NOT_APPLICABLE: "it does not apply to these values",
    Reason.ENGINE_ERROR: "measuring it failed",
}
_PAIR_LINKS = {"new_ratio": "against", "outside_ratio": "of", "unseen_ratio": "in"}
_COUNTS = {2: "two", 3: "three", 4: "four", 5: "five"}
_MOMENTS = ("min", "max", "mean", "median", "p05", "p25", "p75", "p95")


def metric_words(metric: str, pair: bool) -> str:
    """A metric in words; one without an entry here is called by its name."""
    pattern = metric.removeprefix("pat_")
    words = _NAMES.get(metric) or _NAMES.get(pattern, pattern.replace("_", " "))
    if pattern != metric and metric not in _NAMES:
        words += " of value patterns"
    if not pair:
        return words
    return f"{words} {_PAIR_LINKS.get(pattern, 'from')} {_baseline_words(metric)}"


def _baseline_words(metric: str) -> str:
    pool = max((entry.pool for kind in Kind if (entry := get_metric(metric, kind)) is not None), default=1)
    return "the partition before" if pool == 1 else f"the last {_COUNTS.get(pool, pool)} partitions"


def reason_words(reason: Reason) -> str:
    """Why a metric has no value."""
    return _REASONS[reason]


def natural_range(metric: str, pair: bool) -> tuple[float, float]:
    """What the metric can be at all: bounds beyond that mean nothing to a reader."""
    if metric.endswith("_ratio"):
        return 0.0, 1.0
    if pair or metric.endswith(("_len", "_count", "std", "range")):
        return 0.0, math.inf
    return -math.inf, math.inf


def number_words(metric: str, kind: Kind, values: Sequence[float]) -> list[str]:
    """Values of one metric as text: four significant digits, more where two of them would look the same."""
    write = _writer(metric, kind)
    for digits in range(_DIGITS, 17):
        texts = [write(value, digits) for value in values]
        if len(set(texts)) == len(set(values)):
            break
    return texts


def _writer(metric: str, kind: Kind) -> Callable[[float, int], str]:
    if metric.endswith("_ratio"):
        return lambda value, digits: f"{_plain(100 * value, digits)}%"
    if kind is Kind.TIMESTAMP and metric in _MOMENTS:
        return _moment
    if kind is Kind.TIMESTAMP and metric in ("range", "std", "emd"):
        return lambda value, digits: f"{_plain(value, digits)} s"
    return _plain


def _plain(value: float, digits: int) -> str:
    """``9,061``, ``0.001234``, ``1.2e-09``."""
    size = abs(value)
    if value == round(value) and size < 1e15:
        return f"{round(value):,}"
    if not 1e-4 <= size < 1e15:
        return f"{value:.{digits}g}"
    places = max(0, digits - 1 - math.floor(math.log10(size)))
    text = f"{value:,.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _moment(value: float, digits: int) -> str:
    """Seconds since the epoch as a date and time in UTC."""
    try:
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=value)
    except OverflowError:
        return f"{_plain(value, digits)} s since 1970"
    exact = digits > _DIGITS and moment.microsecond
    return moment.replace(tzinfo=None).isoformat(" ", "microseconds" if exact else "seconds")


def share_words(share: float) -> str:
    """A share as a percentage; one that is not 0 or 1 never looks as if it was."""
    if share in (0.0, 1.0):
        return f"{share:.0%}"
    percent = 100.0 * share
    if percent < 0.1:
        return f"{percent:.1g}%" if percent >= 0.001 else "under 0.001%"
    return f"{percent:.1f}%" if 10.0 <= percent < 99.95 else f"{percent:.2f}%"


def times_words(now: float, before: float) -> str:
    """A ratio: ``x60``, ``x0.1``."""
    return f"x{_plain(float(f'{now / before:.3g}'), _DIGITS)}"


def pattern_words(pattern: str) -> str:
    """A stored pattern with 9 for a digit, a for a letter and . for punctuation; long runs are counted: ``a{12}``."""
    parts = []
    for symbol, run in groupby(pattern):
        length, shown = len(list(run)), _SYMBOLS.get(symbol, symbol)
        parts.append(shown * length if length < _RUN else f"{shown}{{{length}}}")
    return "".join(parts)


def listed(names: Sequence[str], most: int = 3) -> str:
    """Some of the names, and how many more there are."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def chance_words(bound: Bound, fpr: float, spread: float, partitions: int) -> str:
    """How likely a false alarm of one clause is; never "0"."""
    if spread == 0.0 and bound is Bound.STUDENT_T:
        return f"it never changed in {partitions} partitions: a change is rarer than about 1 time in {partitions + 1}"
    if spread == 0.0:
        return f"it never changed in {partitions} partitions, so the chance of a false alarm cannot be estimated"
    often = f"1 time in {_round_down(1.0 / fpr)}"
    if fpr < 1e-9:
        often = "less than 1 time in 1,000,000,000"
    match bound:
        case Bound.CHEBYSHEV:
            return f"a false alarm at most {often} (Chebyshev's inequality)"
        case Bound.CANTELLI:
            return f"a false alarm at most {often} (Cantelli's inequality)"
        case Bound.CLT:
            return f"a false alarm about {often} (normal distribution)".replace("about less", "less")
        case Bound.STUDENT_T:
            return f"a false alarm about {often} (Student's t)".replace("about less", "less")


def _round_down(times: float) -> str:
    """Three significant digits, downwards: "1 in N" must not promise more than the bound."""
    unit = 10 ** max(0, math.floor(math.log10(times)) - 2) if times >= 1 else 1
    return f"{max(1, math.floor(times / unit + 1e-9) * unit):,}"


def quoted(text: str) -> str:
    """A value or a name from the data in a sentence: in quotes, cut when it is long, nothing that breaks a line."""
    shown = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
    return "'" + "".join(symbol if symbol.isprintable() else f"\\x{ord(symbol):02x}" for symbol in shown) + "'"
