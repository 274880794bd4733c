"""What runs inside a Spark task that looks for rows which a check finds wrong."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa

from airflow_dq.check.model import Check
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.profile.check.evaluate import RuleError
from airflow_dq.profile.check.failing import Sampled, draw_more

FAILING = pa.schema([("rows", pa.string()), ("problem", pa.string())])
"""The rows of one task as JSON, or why there are none."""
FAILING_DDL = "rows string, problem string"


def failing_batches(
    batches: Iterable[pa.RecordBatch], names: Sequence[str], options: ProfileOptions, check: Check, size: int
) -> Iterator[pa.RecordBatch]:
    """The rows of a task that a check finds wrong.

    :param names: the names of the columns, whatever they are called in the batches
    :return: one row of :data:`FAILING`
    """
    found, problem = Sampled((), size), None
    try:
        for batch in batches:
            found = draw_more(found, batch.rename_columns(list(names)), check, options)
    except RuleError as error:
        problem = str(error)
    head, _ = found.encode()
    yield pa.RecordBatch.from_pylist([{"rows": json.dumps(head), "problem": problem}], FAILING)
