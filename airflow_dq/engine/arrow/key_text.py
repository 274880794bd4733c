"""The values of a key column as partition keys, spelled as Spark casts them to texts."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.options.job import NULL_KEY

_FRACTION = r"\.?0+$"
"""The end of a time of day that Spark leaves out, of six digits of fraction."""


def key_texts(values: pa.Array, name: str, where: str) -> pa.Array:
    """The partition key of each row: :data:`~airflow_dq.options.job.NULL_KEY` where the value is null or empty.

    :raises ConfigurationError: when the column's type is none of a key
    """
    texts = _texts(values, name, where)
    return pc.if_else(pc.fill_null(pc.equal(texts, ""), True), NULL_KEY, texts)


def _texts(values: pa.Array, name: str, where: str) -> pa.Array:
    kind = values.type
    if pt.is_timestamp(kind):
        exact = pc.strftime(values.cast(pa.timestamp("us", kind.tz)), "%Y-%m-%d %H:%M:%S")
        return pc.replace_substring_regex(exact, _FRACTION, "")
    plain = (pt.is_string, pt.is_large_string, pt.is_integer, pt.is_boolean, pt.is_date, pt.is_decimal, pt.is_null)
    if not any(test(kind) for test in plain):
        raise ConfigurationError(
            f"{where}: column {name!r} is of type {kind}, which is no partition key that engine='arrow' spells: choose "
            "a column of texts, whole numbers, dates or timestamps, or use engine='spark'."
        )
    return values.cast(pa.string())
