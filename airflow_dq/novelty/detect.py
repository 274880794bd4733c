"""Is a partition novel?  One question over all metrics of all columns together."""

from __future__ import annotations

from collections.abc import Sequence

from airflow_dq.novelty import calibrated
from airflow_dq.novelty.feature import Features
from airflow_dq.novelty.options import NoveltyOptions
from airflow_dq.novelty.result import NoveltyResult, attributes
from airflow_dq.novelty.unseen import Unseen, measured_unseen
from airflow_dq.profile.model import Profile

NOTABLE = 2.0
"""A feature takes part in what makes a partition novel from this many standard deviations on."""


def detect_novelty(
    history: Sequence[Profile],
    profile: Profile,
    options: NoveltyOptions | None = None,
    *,
    unseen: Unseen = measured_unseen,
) -> NoveltyResult:
    """Whether a partition differs from its history in more ways, or further, than past partitions differ.

    :param history: the profiles that it follows, oldest first
    :param options: how; default ``NoveltyOptions()``
    :param unseen: where the share of unseen values comes from (default: the profiles' states)
    :return: not novel, with a reason, when the history is too short or there is nothing to compare
    """
    options = options or NoveltyOptions()
    if len(history) < options.min_history:
        reason = f"{len(history)} past partitions; {options.min_history} are needed"
        return NoveltyResult(False, None, None, partitions=len(history), reason=reason)
    if options.method == "average-knn":
        # Half a second of scipy, which no gate needs.
        from airflow_dq.novelty import average_knn

        return average_knn.detect(history, profile, options)
    return judged(Features.of(history, profile, options, unseen), options.rate)


def judged(features: Features, rate: float) -> NoveltyResult:
    """What the calibrated detector says of the partition that the features tell of."""
    model = calibrated.fit(features, rate)
    number = len(features.past)
    if not (model.known > 1).any():
        return NoveltyResult(False, None, None, partitions=number, reason="there is nothing to compare")
    deviations = model.deviations(features.now)
    score = float(model.scores(deviations)[0])
    notable = deviations[0] ** 2 * (deviations[0] > NOTABLE)
    return NoveltyResult(
        score > 1.0, score, 1.0, attributes(features.keys, notable), number, tuple(model.past.tolist())
    )
