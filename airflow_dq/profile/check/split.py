"""Which checks each row fails: what a table is split by."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from airflow_dq.check.model import Check
from airflow_dq.exceptions import ConfigurationError, UnknownColumnError
from airflow_dq.profile.check.evaluate import Batch, RuleError
from airflow_dq.profile.check.failing import failing_rows
from airflow_dq.profile.check.tallies import missing_words

FAILED_TYPE = pa.list_(pa.string())


def require_columns(checks: Sequence[Check], known: Sequence[str], where: str) -> None:
    """Refuse checks of a column that there is not: no row would fail them.

    :raises UnknownColumnError: naming the check and the column
    """
    for check in checks:
        missing = [name for name in check.reads if name not in known]
        if missing:
            raise UnknownColumnError(f"{where}: check {check.id!r}: {missing_words(missing, list(known))}.")


def failed_checks(rows: pa.Table | pa.RecordBatch, checks: Sequence[Check], where: str) -> pa.ListArray:
    """The ids of the checks that each row fails, in their order; none for a row that follows all.

    A row of which a check is neither true nor false fails it only with ``nulls="fail"``.

    :raises ConfigurationError: when a check cannot be computed: then no row can be called good
    """
    batch = Batch({name: rows.column(name) for name in rows.schema.names}, rows.num_rows)
    failing = np.zeros((len(checks), rows.num_rows), np.bool_)
    for place, check in enumerate(checks):
        try:
            wrong = failing_rows(batch, check)
        except RuleError as error:
            raise ConfigurationError(f"{where}: check {check.id!r} cannot be computed: {error}.") from None
        if wrong is not None:
            failing[place] = wrong.to_numpy(zero_copy_only=False)
    ends = np.cumsum(failing.sum(axis=0), dtype=np.int32)
    _, found = np.nonzero(failing.T)
    ids = pa.array([check.id for check in checks], pa.string()).take(pa.array(found))
    return pa.ListArray.from_arrays(pa.array(np.concatenate([[0], ends]), pa.int32()), ids)
