"""Which rows a check of each row finds wrong, and a bounded sample of them, drawn in the profile's scan."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt
from numpy.typing import NDArray

from airflow_dq.check.model import Check
from airflow_dq.check.parser import predicate
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.profile.check.answer import answer
from airflow_dq.profile.check.count import row_rule
from airflow_dq.profile.check.evaluate import Batch
from airflow_dq.profile.check.failed_rows import COLUMNS, HIDDEN, ROWS, FailedRows, cell, leading_columns
from airflow_dq.profile.check.measured import Measured
from airflow_dq.profile.check.tallies import Tallies
from airflow_dq.profile.check.tally import Tally
from airflow_dq.profile.column import kind_of
from airflow_dq.profile.column_state import contiguous
from airflow_dq.profile.fingerprint import RowHashes
from airflow_dq.profile.model import Profile
from airflow_dq.states.hashing import Hashes
from airflow_dq.states.prepared import PreparedColumn

log = logging.getLogger(__name__)

_AHEAD = 16
"""How many times as many candidates as rows are looked at first: equal rows have one hash, and count once."""


@dataclass(frozen=True, slots=True)
class Sampled(Tally):
    """The few distinct failing rows with the smallest hashes of their content, by hash.

    A row among the smallest of the whole is among the smallest of its part, so that the order of the parts, and how the
    rows are divided, change nothing.
    """

    tag: ClassVar[str] = "failing"

    rows: tuple[tuple[int, Mapping[str, str | None]], ...]
    """A row's hash, and its values by column: ascending."""
    size: int = ROWS
    """Most rows."""

    def _with(self, other: Any) -> Sampled:
        # Of one hash, the row that more is known of: a part may lack a column.
        found = dict(sorted((*self.rows, *other.rows), key=lambda one: len(one[1])))
        return Sampled(tuple(sorted(found.items(), key=lambda one: one[0])[: self.size]), self.size)

    def encode(self) -> tuple[Any, bytes]:
        """The rows, and how many there may be."""
        return [self.size, [[hashed, dict(row)] for hashed, row in self.rows]], b""

    @classmethod
    def decode(cls, head: Any, data: bytes) -> Self:
        """What :meth:`encode` wrote."""
        size, rows = head
        return cls(tuple((int(hashed), row) for hashed, row in rows), size)

    def measured(self, check: Check) -> Measured:
        """Nothing: it illustrates what another tally counts."""
        return Measured(problem="a sample of rows measures nothing")

    def shown(self, check: Check, checks: Sequence[Check]) -> FailedRows:
        """The rows for a reader."""
        names = tuple(dict.fromkeys(name for _, row in self.rows for name in row))
        rows = tuple(tuple(row.get(name) for name in names) for _, row in self.rows)
        return FailedRows(names, rows, len(leading_columns(check, checks, names)))


def sample_group(check: Check) -> str:
    """Under which name the sample of a check is kept among the tallies."""
    return json.dumps(["failing", check.measure])


def failing_rows(batch: Batch, check: Check) -> pa.BooleanArray | None:
    """Which rows of a batch do not follow a check of each row; None when all do.

    :raises RuleError: when that cannot be computed
    """
    truth = batch.truth(row_rule(check))
    null_fails = check.nulls == "fail" and truth.null_count > 0
    if not truth.false_count and not null_fails:
        return None
    wrong = pc.fill_null(pc.invert(truth), check.nulls == "fail")
    if check.where is not None:
        wrong = pc.and_(wrong, pc.fill_null(batch.truth(predicate(check.where)), False))
    return wrong if wrong.true_count else None


def draw(
    batch: Batch, options: ProfileOptions, hashes: Callable[[], Hashes], known: Mapping[str, Tally]
) -> dict[str, Tally]:
    """Samples of the rows of a batch that the declared checks find wrong, by group.

    :param hashes: gives one of each row's content; asked for only where a row fails
    :param known: what was drawn of the rows before: what cannot enter is not looked at
    """
    found: dict[str, Tally] = {}
    if not options.store_values:
        return found
    for check in options.checks:
        if not check.entry.by_row or sample_group(check) in found or _is_complete(batch, check):
            continue
        try:
            wrong = failing_rows(batch, check)
            if wrong is not None:
                places = np.flatnonzero(wrong.to_numpy(zero_copy_only=False))
                before = known.get(sample_group(check))
                drawn = _drawn(batch, check, options, places, hashes()[places], before, Sampled(()), COLUMNS)
                found |= {} if drawn is None else {sample_group(check): drawn}
        except MemoryError:
            raise
        except Exception:
            # The check's own count has met it as well, and is stored with the problem: there is no sample to show.
            continue
    return found


def _is_complete(batch: Batch, check: Check) -> bool:
    """Whether no value can be missing: to see that costs nothing."""
    if check.metric != "completeness":
        return False
    values = batch.raw(check.columns[0])
    return bool(pt.is_primitive(values.type)) and not pt.is_floating(values.type) and not values.null_count


def draw_more(sample: Sampled, table: pa.Table | pa.RecordBatch, check: Check, options: ProfileOptions) -> Sampled:
    """A sample of the rows that one check finds wrong, with those of one more batch, in all of its columns.

    It is that of the profile's scan where it is of as many rows.

    :param options: those that the partition was profiled with
    :raises RuleError: when the check cannot be computed
    """
    wanted = set(table.schema.names if options.columns is None else options.columns) - set(options.exclude)
    whole = pa.table({name: table.column(name) for name in table.schema.names if name in wanted})
    batch = Batch(dict(zip(whole.column_names, whole.columns, strict=True)), table.num_rows)
    wrong = failing_rows(batch, check)
    if wrong is None:
        return sample
    rows = whole.filter(wrong)
    failing = Batch(dict(zip(rows.column_names, rows.columns, strict=True)), rows.num_rows)
    places = np.arange(rows.num_rows)
    drawn = _drawn(failing, check, options, places, _hashes(rows, options.seed), sample, sample, rows.num_columns)
    return sample if drawn is None else sample._with(drawn)


def _hashes(rows: pa.Table, seed: int) -> Hashes:
    """A hash of each row, as the profile's scan makes it."""
    found = RowHashes(rows.num_rows, seed)
    for name, values in zip(rows.column_names, rows.columns, strict=True):
        try:
            found.add(name, PreparedColumn(contiguous(values, kind_of(values.type))))
        except (pa.ArrowException, ValueError) as error:
            # The profile takes a column that cannot be read for one of nulls, and says so.
            log.debug("column left out of the hash: %s", type(error).__name__)
    return found.result()


def _drawn(
    batch: Batch,
    check: Check,
    options: ProfileOptions,
    places: NDArray[np.int64],
    hashes: Hashes,
    before: Tally | None,
    like: Sampled,
    columns: int,
) -> Sampled | None:
    if isinstance(before, Sampled) and len(before.rows) == before.size:
        near = hashes < np.uint64(before.rows[-1][0])
        places, hashes = places[near], hashes[near]
    if not len(hashes):
        return None
    kept, first = _smallest(hashes, like.size)
    leading = leading_columns(check, options.checks, batch.names)
    names = tuple(dict.fromkeys((*leading, *batch.names)))[: max(columns, len(leading))]
    values = {name: _texts(batch, name, places[first], options) for name in names}
    rows = ({name: texts[row] for name, texts in values.items()} for row in range(len(kept)))
    return Sampled(tuple(zip(kept.tolist(), rows, strict=True)), like.size)


def _smallest(hashes: Hashes, size: int) -> tuple[Hashes, NDArray[np.int64]]:
    """The smallest distinct hashes, and where each stands first."""
    ahead = _AHEAD * size
    if len(hashes) > ahead:
        near = np.flatnonzero(hashes <= np.partition(hashes, ahead)[ahead])
        kept, first = np.unique(hashes[near], return_index=True)
        if len(kept) >= size:
            return kept[:size], near[first[:size]]
    kept, first = np.unique(hashes, return_index=True)
    return kept[:size], first[:size]


def _texts(batch: Batch, name: str, places: NDArray[np.int64], options: ProfileOptions) -> list[str | None]:
    if options.hides(name):
        return [HIDDEN] * len(places)
    return texts_of(batch.raw(name).take(pa.array(places)))


def texts_of(values: pa.Array | pa.ChunkedArray) -> list[str | None]:
    """Values as texts; what Python cannot hold is shown as Arrow does."""
    if pt.is_timestamp(values.type) and values.type.unit == "ns":
        values = values.cast(pa.timestamp("us", values.type.tz), safe=False)
    found = []
    for scalar in values:
        try:
            found.append(cell(scalar.as_py()))
        except (UnicodeDecodeError, OverflowError, ValueError, KeyError):
            found.append(cell(repr(scalar)))
    return found


def samples(tallies: Tallies, checks: Sequence[Check], profile: Profile) -> dict[str, FailedRows]:
    """The sample of each check that an alert may show, by what it measures: not of those that hold."""
    found = {}
    for check in checks:
        sample = tallies.by_group.get(sample_group(check))
        if isinstance(sample, Sampled) and check.measure not in found and _may_alert(check, answer(check, profile)):
            found[check.measure] = sample.shown(check, checks)
    return found


def _may_alert(check: Check, measured: Measured) -> bool:
    if measured.value is None:
        return False
    bounds = [one for one in (check.error, check.warn) if one is not None]
    return check.anomaly is not None or not all(one.holds(measured.value) for one in bounds)
