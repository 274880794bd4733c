"""A check by the values of a column: what it needs of the rows of each of them, and which of them is worst."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from airflow_dq.check.bounds import Bounds
from airflow_dq.check.model import Check
from airflow_dq.profile.check.evaluate import Batch, RuleError
from airflow_dq.profile.check.hashed import Mask, flags
from airflow_dq.profile.check.measured import NO_ROWS, Measured, One
from airflow_dq.profile.check.tally import Failed, Tally

MOST_GROUPS = 1_000
"""Values by which a check is told: what is measured of each is stored, some 100 bytes, and shown to a person."""
NULL = "(null)"
"""What the rows without a value in the column are called."""


def too_many_groups(by: str) -> str:
    """That a column has more values than a check is told by."""
    return f"column {by!r} has more than {MOST_GROUPS:,} different values; take one of fewer"


@dataclass(frozen=True, slots=True)
class Grouped(Tally):
    """What a check needs of the rows of each value of a column, by that value as a text."""

    tag: ClassVar[str] = "grouped"

    by: str
    groups: Mapping[str, Tally] = field(default_factory=dict)

    def _with(self, other: Any) -> Tally:
        found = dict(self.groups)
        for label, tally in other.groups.items():
            found[label] = found[label].merge(tally) if label in found else tally
        if len(found) > MOST_GROUPS:
            return Failed(too_many_groups(self.by))
        both = Grouped(self.by, found)
        return both.lost() if both.filled > 1 else both

    @property
    def filled(self) -> float:
        """That of all together: their number is not to multiply what memory must hold."""
        return sum(tally.filled for tally in self.groups.values())

    @property
    def is_wide(self) -> bool:
        """Whether those of one value are."""
        return any(tally.is_wide for tally in self.groups.values())

    def lost(self) -> Grouped:
        """That of the same values when nothing can be kept of any."""
        return Grouped(self.by, {label: tally.lost() for label, tally in self.groups.items()})

    def encode(self) -> tuple[Any, bytes]:
        """Each of them."""
        encoded = [(label, tally.tag, *tally.encode()) for label, tally in sorted(self.groups.items())]
        heads = [[label, tag, head, len(data)] for label, tag, head, data in encoded]
        return [self.by, heads], b"".join(data for *_, data in encoded)

    @classmethod
    def decode(cls, head: Any, data: bytes) -> Self:
        """What :meth:`encode` wrote."""
        (by, heads), groups, place = head, {}, 0
        for label, tag, one, size in heads:
            groups[label] = Tally.named(tag).decode(one, data[place : place + size])
            place += size
        return cls(by, groups)

    def measured(self, check: Check) -> Measured:
        """The number of values, with what was measured of the rows of each."""
        if not self.groups:
            return Measured(nothing=NO_ROWS)
        found = {label: tally.measured(check).alone() for label, tally in sorted(self.groups.items())}
        return Measured(len(found), groups=found)


def count_groups(
    batch: Batch, by: str, mask: Mask, hidden: bytes | None, counter: Callable[[pa.BooleanArray], Tally]
) -> Tally:
    """Count the rows of each value of a column by itself.

    :param hidden: secret with which the values of a hidden column are hashed
    :param counter: counts the rows that a mask names
    """
    scope = flags(mask, batch.rows)
    return Grouped(by, dict(_groups(batch, by, scope, hidden, counter)))


def _groups(
    batch: Batch, by: str, scope: Any, hidden: bytes | None, counter: Callable[[pa.BooleanArray], Tally]
) -> Iterator[tuple[str, Tally]]:
    values = batch.column(by)
    try:
        texts = pc.fill_null(values.cast(pa.large_string()), NULL)
    except pa.ArrowException:
        raise RuleError(f"column {by!r} is {values.type}, whose values are no groups") from None
    encoded = texts.dictionary_encode()
    places = encoded.indices.to_numpy(zero_copy_only=False)
    present = np.unique(places[scope])
    if len(present) > MOST_GROUPS:
        raise RuleError(too_many_groups(by))
    for place in present.tolist():
        label = encoded.dictionary[place].as_py()
        if hidden is not None and label != NULL:
            label = hashlib.blake2b(label.encode(), key=hidden[:64], digest_size=6).hexdigest()
        yield label, counter(pa.array(scope & (places == place)))


def worst(check: Check, measured: Measured) -> Measured:
    """Of a check by the values of a column: what was measured of the one that lies farthest outside of what is asked.

    Where none does, one that could not be measured: it must not be taken for right.
    """
    if not measured.groups:
        return measured
    known = {label: one for label, one in measured.groups.items() if one.value is not None}
    for bounds in (check.error, check.warn):
        broken = {label: _outside(bounds, one) for label, one in known.items() if _outside(bounds, one) is not None}
        if broken:
            label = max(broken, key=lambda one: (broken[one] or 0.0, one))
            return _named(check, known[label], label, f"{len(broken):,} of {len(known):,} values break it")
    unknown = {label: one for label, one in measured.groups.items() if one.problem is not None}
    if unknown or not known:
        label, one = next(iter((unknown or measured.groups).items()))
        said = f"of {check.by} {label!r}: {one.problem or one.nothing}"
        return Measured(problem=said) if one.problem else Measured(nothing=said)
    label = min(known, key=lambda one: (known[one].value, one))
    return _named(check, known[label], label, f"the least of {len(known):,} values")


def _outside(bounds: Bounds | None, measured: One) -> float | None:
    """How far the value lies outside of the bounds; None within them."""
    value = measured.value
    if bounds is None or value is None or bounds.holds(value):
        return None
    below = 0.0 if bounds.lower is None else float(bounds.lower - value)
    above = 0.0 if bounds.upper is None else float(value - bounds.upper)
    return max(below, above, 0.0)


def _named(check: Check, one: One, label: str, said: str) -> Measured:
    seen = f"{check.by} {label!r}; {said}" + (f"; {one.seen}" if one.seen else "")
    return replace(Measured.of_one(one), seen=seen)
