"""One column of the row sample before any error, made ready: what several injections read of it is computed once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from airflow_dq.corruption.spelling import CodePoints, Texts, join_points, parsed, to_texts
from airflow_dq.states.base import Kind

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class CleanColumn:
    """The values to inject into: canonical (:data:`airflow_dq.profile.column.CANONICAL`), one per sampled row."""

    kind: Kind
    values: pa.Array
    donor: pa.Array | None = None
    """The next column of the same kind: where a schema change takes its values from; None when there is none."""

    @property
    def rows(self) -> int:
        """Number of sampled rows."""
        return len(self.values)

    @cached_property
    def texts(self) -> Texts:
        """The values as text; None for a null (and for a number that has no digits)."""
        return to_texts(self.kind, self.values)

    @cached_property
    def code_points(self) -> CodePoints:
        """All characters of the texts."""
        return join_points(self.texts)

    @cached_property
    def ascending(self) -> npt.NDArray[np.int64]:
        """The rows that have a value, the one with the smallest first."""
        missing = self.values.is_null(nan_is_null=pa.types.is_floating(self.values.type))
        rows = np.flatnonzero(~missing.to_numpy(zero_copy_only=False))
        order: npt.NDArray[np.int64] = rows[pc.array_sort_indices(self.values.take(pa.array(rows))).to_numpy()]
        return order

    @cached_property
    def _numbers(self) -> list[float | None]:
        return self.values.to_pylist()  # type: ignore[no-any-return]

    def respelled(self, texts: Texts) -> pa.Array:
        """The column with new texts; a number whose text did not change stays as it was, NaN and infinities too."""
        if self.kind is Kind.STRING:
            return pa.array(texts, pa.large_string())
        return parsed(texts, self.texts, self._numbers)


def changed_rows(left: pa.Array, right: pa.Array) -> Mask:
    """By row: True where two columns of equal length and type differ; NaN is the same as NaN."""
    a, b = (side.to_numpy(zero_copy_only=False) for side in (left, right))
    differ = np.asarray(a != b, dtype=bool)
    if pa.types.is_floating(left.type):
        differ &= ~(np.isnan(a) & np.isnan(b))
    if left.null_count or right.null_count:
        missing_left, missing_right = (side.is_null().to_numpy(zero_copy_only=False) for side in (left, right))
        differ = np.where(missing_left | missing_right, missing_left != missing_right, differ)
    return np.asarray(differ, dtype=bool)
