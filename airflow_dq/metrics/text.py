"""What strings look like (AVH, Table 4): averages over the non-null, non-empty ones, in code points."""

from __future__ import annotations

from airflow_dq.metrics.descriptor import Bound, FirstOccurrence, MetricValue, Reason, Scale, Use
from airflow_dq.metrics.divergence import LARGEST_JS, jensen_shannon
from airflow_dq.metrics.extrapolation import SHARE
from airflow_dq.metrics.outcome import when_any
from airflow_dq.metrics.registry import metric
from airflow_dq.states.count import Counts
from airflow_dq.states.initial import Initials
from airflow_dq.states.text import TextShape


@metric(Counts, TextShape, bound=Bound.CLT, paper=True, scale=Scale.LENGTH, words="average length")
def str_len(counts: Counts, text: TextShape) -> MetricValue:
    """Average length."""
    return when_any(counts, text.count, lambda: text.length / text.count)


@metric(Counts, TextShape, bound=Bound.CLT, paper=True, scale=Scale.LENGTH, words="average number of letters")
def char_len(counts: Counts, text: TextShape) -> MetricValue:
    """Average number of letters (ASCII and Unicode category L*)."""
    return when_any(counts, text.count, lambda: text.letters / text.count)


@metric(Counts, TextShape, bound=Bound.CLT, paper=True, scale=Scale.LENGTH, words="average number of digits")
def digit_len(counts: Counts, text: TextShape) -> MetricValue:
    """Average number of digits (ASCII and Unicode category Nd)."""
    return when_any(counts, text.count, lambda: text.digits / text.count)


@metric(Counts, TextShape, bound=Bound.CLT, paper=True, scale=Scale.LENGTH, words="average number of punctuation marks")
def punc_len(counts: Counts, text: TextShape) -> MetricValue:
    """Average number of punctuation characters (ASCII's 32 and Unicode category P*)."""
    return when_any(counts, text.count, lambda: text.punctuation / text.count)


@metric(Counts, TextShape, bound=Bound.CLT, scale=Scale.LENGTH, words="average number of upper-case letters")
def upper_len(counts: Counts, text: TextShape) -> MetricValue:
    """Average number of upper-case letters."""
    return when_any(counts, text.count, lambda: text.upper / text.count)


@metric(Counts, TextShape, bound=Bound.CLT, scale=Scale.LENGTH, words="average number of lower-case letters")
def lower_len(counts: Counts, text: TextShape) -> MetricValue:
    """Average number of lower-case letters."""
    return when_any(counts, text.count, lambda: text.lower / text.count)


@metric(Counts, TextShape, bound=Bound.CLT, scale=Scale.LENGTH, words="average number of white-space characters")
def space_len(counts: Counts, text: TextShape) -> MetricValue:
    """Average number of white-space characters."""
    return when_any(counts, text.count, lambda: text.whitespace / text.count)


@metric(
    Counts,
    TextShape,
    bound=Bound.CLT,
    scale=Scale.SHARE,
    words="share of values with leading white space",
    extrapolation=SHARE,
)
def leading_blank_ratio(counts: Counts, text: TextShape) -> MetricValue:
    """Share of strings that begin with white space."""
    return when_any(counts, text.count, lambda: text.leading_blank / text.count)


@metric(
    Counts,
    TextShape,
    bound=Bound.CLT,
    scale=Scale.SHARE,
    words="share of values with trailing white space",
    extrapolation=SHARE,
)
def trailing_blank_ratio(counts: Counts, text: TextShape) -> MetricValue:
    """Share of strings that end with white space."""
    return when_any(counts, text.count, lambda: text.trailing_blank / text.count)


@metric(
    Counts, TextShape, bound=Bound.CLT, scale=Scale.SHARE, words="share of values beyond ASCII", extrapolation=SHARE
)
def non_ascii_ratio(counts: Counts, text: TextShape) -> MetricValue:
    """Share of strings with a character beyond ASCII."""
    return when_any(counts, text.count, lambda: text.non_ascii / text.count)


@metric(
    Counts,
    TextShape,
    bound=Bound.CLT,
    scale=Scale.SHARE,
    use=Use.NAMED,
    words="share of values with a control character",
    first_occurrence=FirstOccurrence(
        "hold a control character (NUL, a tab, a line feed ...); in the past partitions none did."
    ),
    extrapolation=SHARE,
)
def control_ratio(counts: Counts, text: TextShape) -> MetricValue:
    """Share of strings with a control character, such as NUL, a tab or a line feed."""
    return when_any(counts, text.count, lambda: text.with_control / text.count)


@metric(
    Counts,
    TextShape,
    bound=Bound.CLT,
    scale=Scale.SHARE,
    use=Use.NAMED,
    words="share of values that read as a number",
    extrapolation=SHARE,
)
def numeric_ratio(counts: Counts, text: TextShape) -> MetricValue:
    """Share of strings that read as a number in ASCII digits, with sign, point or exponent."""
    return when_any(counts, text.count, lambda: text.numeric / text.count)


@metric(
    Initials,
    bound=Bound.CANTELLI,
    pair=True,
    pool=3,
    order=2,
    words="Jensen-Shannon divergence of the first characters",
    natural_range=(0.0, LARGEST_JS),
)
def initial_js_div(now: Initials, before: Initials) -> MetricValue:
    """Jensen-Shannon divergence in nats of the strings' first characters from the last three partitions' together."""
    if not now.total or not before.total:
        return Reason.NO_VALUES
    return jensen_shannon(now.counts / now.total, before.counts / before.total)
