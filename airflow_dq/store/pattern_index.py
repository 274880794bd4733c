"""The pattern index in its table, and what profiles keep of texts, of which it is fed."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection, func, select
from sqlalchemy.dialects.postgresql import insert

from airflow_dq.exceptions import CodecError
from airflow_dq.learn.rule import drawn, newest_texts
from airflow_dq.pattern import PatternIndex
from airflow_dq.states.base import Kind
from airflow_dq.states.text_sample import TextSample
from airflow_dq.store import profile_reader
from airflow_dq.store.table import DatasetRow, PatternIndexRow

_LAST = "\U0010ffff"
"""No partition's key comes after it."""


def load(connection: Connection) -> PatternIndex | None:
    """The index; None where there is none yet.

    :raises CodecError: when it is damaged, or of another version
    """
    data = connection.execute(select(PatternIndexRow.data)).scalar()
    try:
        return None if data is None else PatternIndex.from_bytes(bytes(data))
    except CodecError as error:
        raise CodecError(f"Table pattern_index: {error}") from error


def save(connection: Connection, index: PatternIndex) -> None:
    """Put an index in the place of the one that there was."""
    given = insert(PatternIndexRow).values(id=1, data=index.to_bytes(), updated_at=func.clock_timestamp())
    new = {"data": given.excluded.data, "updated_at": given.excluded.updated_at}
    connection.execute(given.on_conflict_do_update(index_elements=["id"], set_=new))


def dataset_names(connection: Connection) -> list[str]:
    """The names of all datasets, in their order."""
    return list(connection.execute(select(DatasetRow.name).order_by(DatasetRow.name)).scalars())


def texts(connection: Connection, dataset: str) -> Iterator[list[str]]:
    """The texts of each column of strings, as the newest partition that may be learned from has them.

    Of hidden columns nothing is kept that could be told.
    """
    for profile in profile_reader.newest_texts(connection, dataset, _LAST):
        for column in profile.columns.values():
            if column.kind is Kind.STRING and newest_texts([profile], column.name):
                state = column.states[TextSample.key]
                assert isinstance(state, TextSample)
                yield list(drawn([state]))
