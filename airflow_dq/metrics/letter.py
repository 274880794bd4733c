"""How texts are spelt, letter by letter: what finds misspelt words where nearly every text is a new one."""

from __future__ import annotations

from airflow_dq.metrics.descriptor import FROM_0_TO_1, Bound, MetricValue, Reason, Unit
from airflow_dq.metrics.registry import metric
from airflow_dq.states.base import Kind
from airflow_dq.states.category import CategoryDistribution
from airflow_dq.states.letter_pair import unseen_share


@metric(
    CategoryDistribution,
    bound=Bound.CANTELLI,
    pair=True,
    pool=3,
    kinds=frozenset({Kind.STRING}),
    words="share of values with two letters side by side unseen",
    link="in",
    unit=Unit.SHARE,
    natural_range=FROM_0_TO_1,
    counts_new=True,
    of_letters=True,
)
def bigram_unseen_ratio(now: CategoryDistribution, before: CategoryDistribution) -> MetricValue:
    """Share of the values with a pair of letters side by side that none of the last three partitions has."""
    if not now.total or not before.total:
        return Reason.NO_VALUES
    # Of hashed values no letter is known.
    return Reason.NOT_COUNTED if now.buckets or before.buckets else unseen_share(now, [before])
