"""Keys as rows: what a task counts of its batches, and what travels to one, is what memory has."""

from __future__ import annotations

import pyarrow as pa

from airflow_dq import ProfileOptions
from airflow_dq.check import Checks
from airflow_dq.engine.worker.keys import KEY_SCHEMA, key_batches, key_table, packed_chunks, unpacked_chunks
from airflow_dq.profile.check.count import count
from airflow_dq.profile.check.evaluate import Batch


def test_a_task_counts_each_batch_under_the_columns_names() -> None:
    checks = Checks("t")
    checks.add("mutual_information", ("a.b", "s"), error=">=0", scope="total")
    (check,) = checks
    table = pa.table({"a.b": [1, 2, 2, None], "s": ["x", "y", "y", "z"]})
    (tally,) = count(
        Batch({name: table[name] for name in table.column_names}, 4), ProfileOptions(checks=(check,))
    ).values()
    wanted = key_table(tally)
    assert wanted.schema == KEY_SCHEMA
    assert sorted(wanted["view"].to_pylist()) == [0, 0, 1, 1, 2, 2]
    assert sum(wanted["n"].to_pylist()) == 9
    batches = table.rename_columns(["c0", "c1"]).to_batches()
    found = pa.Table.from_batches(list(key_batches(batches, ["a.b", "s"], check)), KEY_SCHEMA)
    assert found == wanted
    chunks = pa.record_batch([pa.array(list(packed_chunks(wanted)), pa.binary())], ["data"])
    assert pa.Table.from_batches(list(unpacked_chunks([chunks])), KEY_SCHEMA) == wanted
