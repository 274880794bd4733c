"""Keys that are too many to be counted at once: the rows are read several times, and a share is counted each time.

The keys of one pass are those whose hash leaves the pass's number as its remainder: all rows of a key are in one pass,
so that what is counted is exact, and a pass needs no more memory than a scan with as many keys as are allowed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from airflow_dq.check.model import Check
from airflow_dq.engine.base import Engine
from airflow_dq.options.job import JobSpec
from airflow_dq.profile.check import key_tally
from airflow_dq.profile.check.beside import tally_of
from airflow_dq.profile.check.key_tally import NOTHING, Occurring
from airflow_dq.profile.check.many_keys import Label, measured_views, parts_of
from airflow_dq.profile.check.measured import Measured
from airflow_dq.profile.check.tally import Failed
from airflow_dq.profile.model import Profile

MOST_PASSES = 64
"""Times that the rows are read at most: enough for 230 million different keys."""
_SLACK = 1.1
"""How many more keys a pass is planned for than there can be on average: hashes fall unevenly, by far less."""


def passes_for(rows: int) -> int:
    """How often rows are read, each of which may have a key of its own."""
    return min(MOST_PASSES, max(2, math.ceil(_SLACK * rows / key_tally.MOST_KEYS)))


def in_passes(engine: Engine, partition: str, checks: Sequence[Check], passes: int) -> Iterator[Profile | str]:
    """The profiles of a partition, one for each pass; or why one cannot be made."""
    for number in range(passes):
        again = engine.beside(_order(engine.order, partition, checks, (number, passes)))
        again.partitions()
        found = {result.partition: result for result in again.scan(0)}
        profile = found[partition].profile
        yield profile if profile is not None else f"reading it again failed: {found[partition].error}"


def counted_again(engine: Engine, profile: Profile, checks: Sequence[Check]) -> dict[str, Measured]:
    """What is measured for checks whose keys are too many to be counted at once, by what they measure.

    :param profile: of the partition, with what was counted in one scan
    """
    found: dict[str, dict[Label, list[Occurring]]] = {check.measure: {} for check in checks}
    rows: dict[str, dict[Label, int]] = {check.measure: {} for check in checks}
    failed: dict[str, Measured] = {}
    for one in in_passes(engine, profile.partition or "", checks, passes_for(profile.row_count)):
        if isinstance(one, str):
            return {check.measure: Measured(problem=one) for check in checks}
        for check in checks:
            tally = tally_of(one, check)
            if tally.is_wide or isinstance(tally, Failed):
                failed[check.measure] = tally.measured(check)
                continue
            for label, parts in parts_of(tally).items():
                before = found[check.measure].get(label, [NOTHING] * len(parts))
                found[check.measure][label] = [
                    known.add(part.occurring) for known, part in zip(before, parts, strict=True)
                ]
                # Rows are counted in full in every pass.
                rows[check.measure][label] = parts[0].rows
    measured = {
        one.measure: measured_views(one, rows[one.measure], found[one.measure])
        for one in checks
        if one.measure not in failed
    }
    return {**measured, **failed}


def _order(order: JobSpec, partition: str, checks: Sequence[Check], key_pass: tuple[int, int]) -> JobSpec:
    """The order for one partition once more, and of it for what these checks read."""
    columns = tuple(dict.fromkeys(name for check in checks for name in check.reads))
    narrow = replace(
        order, columns=columns, exclude=(), sample_rows=0, checks=tuple(checks), limit=None, key_pass=key_pass
    )
    if order.paths:
        return replace(narrow, paths={partition: order.paths[partition]})
    return narrow if order.partition is not None else replace(narrow, since=partition, until=partition)
