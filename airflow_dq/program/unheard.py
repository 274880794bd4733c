"""Values of a sort that a column has never held: constraints are chosen by injected errors, and no error is like these.

An infinity is a value that is present, and no mean or distance looks at it; a control character is one among others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from airflow_dq.profile.model import Profile
from airflow_dq.program.model import Alert, ColumnProgram
from airflow_dq.program.series import ABSENT
from airflow_dq.program.wording import share_words

SORTS = {
    "infinite_ratio": "are infinite; in the past partitions none was.",
    "control_ratio": "hold a control character (NUL, a tab, a line feed ...); in the past partitions none did.",
}
"""Metrics that say how many values are of the sort, and its words."""
SHARE = 0.01
"""Least share of the values that is worth an alert; one value alone never is."""


def unheard_alerts(
    programs: Mapping[str, ColumnProgram], profile: Profile, history: Sequence[Profile]
) -> Iterator[Alert]:
    """One alert for each column with values of a sort that none of the past partitions has."""
    for name, program in programs.items():
        column = profile.columns.get(name)
        if column is None or column.kind is not program.kind:
            continue
        for metric, words in SORTS.items():
            share, complete = column.metrics.get(metric), column.metrics.get("complete_ratio")
            if not isinstance(share, float) or not isinstance(complete, float):
                continue
            if share < SHARE or round(share * complete * profile.row_count) < 2:
                continue
            past = [earlier.columns[name].metrics.get(metric) for earlier in history if name in earlier.columns]
            # A partition without values says nothing; one that was profiled before there was the metric might have had.
            if all(value == 0.0 or value in ABSENT for value in past) and 0.0 in past:
                message = f"{name}: {share_words(share)} of the values {words}"
                yield Alert("values_unheard", name, message, kind=column.kind)
