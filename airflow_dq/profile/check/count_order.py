"""Taking from a batch what is kept until it can be put in order."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt
from numpy.typing import NDArray

from airflow_dq.check.model import Check
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.profile.check.evaluate import Batch, RuleError
from airflow_dq.profile.check.hashed import Mask, flags, hashed
from airflow_dq.profile.check.order_tally import Pairs, Steps
from airflow_dq.profile.check.tally import Tally

_OPEN = 2**63 - 1
"""Where a range without an end has it."""


def count_steps(batch: Batch, check: Check, mask: Mask, options: ProfileOptions) -> Tally:
    """The steps that the values of a column lie in."""
    name, every = check.columns[0], check.every or 1.0
    rows = flags(mask, batch.rows)
    values, form = _ordered(batch, name)
    there = rows & flags(values.is_valid(), batch.rows)
    number = int(np.count_nonzero(rows))
    if form is None or not there.any():
        return Steps(number, np.empty(0, np.int64))
    if form == "float":
        found = batch.column(name).cast(pa.float64()).filter(pa.array(there)).to_numpy()
        found = found[np.isfinite(found)]
    else:
        found = values.filter(pa.array(there)).to_numpy()
    unit = 1_000_000 if form == "time" else 1
    whole = every * unit
    if form != "float" and whole == int(whole):
        steps = found // int(whole)
    else:
        floats = np.floor(found / whole)
        if floats.size and np.abs(floats).max() >= 2**62:
            raise RuleError(f"column {name!r} has values that lie too many steps apart")
        steps = floats.astype(np.int64)
    said = "time" if form == "time" else "number"
    return Steps.of(number, steps, "hidden" if options.hides(name) else said)


def count_pairs(batch: Batch, check: Check, mask: Mask, options: ProfileOptions) -> Tally:
    """Two columns' values of the rows that have both, and the groups that the others make; an open range has no end."""
    (first, ours), (second, theirs) = (_ordered(batch, name) for name in check.columns[:2])
    if check.metric == "overlaps":
        if None not in (ours, theirs) and ours != theirs:
            raise RuleError(f"the columns {check.columns[0]!r} and {check.columns[1]!r} are of different types")
        second = pc.fill_null(second.cast(pa.int64()), _OPEN)
        theirs = ours = ours or theirs
    rows = flags(mask, batch.rows)
    there = rows & flags(first.is_valid(), batch.rows) & flags(second.is_valid(), batch.rows)
    number = int(np.count_nonzero(rows))
    groups = hashed(batch, check.columns[2:], by_place=True)[0][there]
    if ours is None or theirs is None or not there.any():
        nothing: NDArray[np.int64] = np.empty(0, np.int64)
        return Pairs(number, groups[:0], nothing, nothing)
    one, other = (side.filter(pa.array(there)).to_numpy() for side in (first, second))
    return Pairs.of(number, groups, one, other, (ours, theirs))


def _ordered(batch: Batch, name: str) -> tuple[pa.Array, str | None]:
    """A column as whole numbers in the order of its values: microseconds, integers, or the bits of floats."""
    values = batch.column(name)
    if pt.is_null(values.type):
        return values, None
    if pt.is_date(values.type) or pt.is_timestamp(values.type):
        return values.cast(pa.timestamp("us"), safe=False).cast(pa.int64()), "time"
    if pt.is_integer(values.type):
        return values.cast(pa.int64()), "integer"
    if pt.is_floating(values.type) or pt.is_decimal(values.type):
        bits = (pc.fill_null(values.cast(pa.float64()), 0.0).to_numpy(zero_copy_only=False) + 0.0).view(np.int64)
        # The bits of negative floats go the other way round.
        found = pa.array(np.where(bits < 0, bits ^ np.int64(_OPEN), bits))
        return pc.if_else(values.is_valid(), found, pa.scalar(None, pa.int64())), "float"
    raise RuleError(f"column {name!r} is {values.type}, and has no order that can be counted")
