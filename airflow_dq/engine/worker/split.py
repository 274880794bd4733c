"""What runs inside a Spark task that splits rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa

from airflow_dq.check.model import Check
from airflow_dq.profile.check.split import failed_checks


def judged_batches(
    batches: Iterable[pa.RecordBatch], names: Sequence[str], checks: Sequence[Check], where: str
) -> Iterator[pa.RecordBatch]:
    """The rows as they came, each with the ids of the checks that it fails in one more column, the last one.

    :param names: the names of the columns, whatever they are called in the batches
    """
    for batch in batches:
        failed = failed_checks(batch.rename_columns(list(names)), checks, where)
        yield pa.RecordBatch.from_arrays([*batch.columns, failed], names=[*batch.schema.names, "failed"])
