"""What a broken relation does to the gate: one has to earn it that it stops a partition.

Nobody has declared it, and in right tables a name changes for good, a total is corrected, a season begins anew.  So it
fails only what none of these explains, and of the rest it warns.  Measured on twelve public tables, of which 1,170
partitions were judged: see tests/benchmark/relation.
"""

from __future__ import annotations

from collections.abc import Sequence

from airflow_dq.learn.constraint.base import Severity
from airflow_dq.profile.check.measured import Measured
from airflow_dq.relation.arithmetic import Arithmetic, Equal
from airflow_dq.relation.base import Relation
from airflow_dq.relation.condition import Order
from airflow_dq.relation.total import Total

EARNED = 28
"""Past partitions that must have spoken of it: four weeks, after which fewer than one relation in 300 is broken in a
public table that is right.  Of rounds in which each team plays once, the eighteenth was the first that had two."""
FEW, FEW_SHARE, MOST_FEW = 3, 0.01, 20
"""So many places, or this share of all of them but at most so many, only warn: a few names, totals and members are
corrected or change on many days of a right table, more in a longer one.  None of the public tables had more than four
on a day without a reason; and of ten million rows 90,000 are no few."""
FAR = 10.0
"""Times as large as what was usual a share must be where rows have broken it before: what has exceptions has more of
them on some days, of public tables up to 3.7 times as many, and six times when half of all names got another sector."""


def severity_of_broken(
    relation: Relation, measured: Measured, past: Sequence[Measured], usual: float | None
) -> Severity:
    """``fail`` or ``warn``, and never less for more rows that break it.

    :param measured: what the partition says of it, of which too many rows break it
    :param past: what each past partition has said
    :param usual: the largest share of rows that is learned of the past ones; None where there is no such range
    """
    if isinstance(relation, Equal | Arithmetic | Order):
        # Arithmetic holds in each row, or one is wrong: no partition of the public tables was failed by it.
        return "fail"
    places, all_places = measured.places or measured.numerator or 0, measured.all_places or measured.denominator or 0
    # A partition may have one total, and nobody corrects it alone.
    few = 0.0 if isinstance(relation, Total) else max(FEW, min(FEW_SHARE * all_places, MOST_FEW))
    if len(past) < EARNED or places <= few:
        return "warn"
    seen = max([usual or 0.0, *(one.value or 0.0 for one in past)])
    return "fail" if (measured.value or 0.0) > FAR * seen else "warn"
