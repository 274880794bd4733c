"""Column types for what is stored as a whole: strict JSON, compressed.

Programs and verdicts repeat every field's name in every clause: compressed they take an eighth of their text, and half
of what PostgreSQL's own compression of JSON leaves.  A column's metrics are too short to compress by themselves; with
the words that they are made of given beforehand they take a third of what JSONB does.

What people query is in columns of its own; ``airflow dq export`` gives all of it as JSON lines.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

import msgspec
from sqlalchemy import Dialect, LargeBinary
from sqlalchemy.types import TypeDecorator

from airflow_dq.exceptions import CodecError
from airflow_dq.metrics.descriptor import MetricValue
from airflow_dq.metrics.encoding import decode_metrics
from airflow_dq.states.inflate import inflate

METRIC_WORDS = (
    b'"overflow"},"engine error"},"not applicable"},{"reason":"no values"},{"reason":"empty batch"},'
    b'/sketch":0.0,{"3:{"l1":2.0,"l_inf":"cosine":"js_div":"kl_div":"chi_squared":"emd":"cohen_d":"ks_dist":"outside_ratio":'
    b'"new_ratio":"unseen_ratio":"initial_js_div":"pat_l1":0.0,"pat_l_inf":0.0,"pat_cosine":0.0,"pat_js_div":0.0,'
    b'"pat_kl_div":0.0,"pat_chi_squared":0.0,"pat_new_ratio":0.0,"pat_unseen_ratio":0.0,"row_count":"mode_ratio":'
    b'"zero_ratio":0.0,"unique_ratio":"integer_ratio":1.0,"complete_ratio":1.0,"negative_ratio":0.0,"min":"max":"sum":'
    b'"mean":"std":"range":"median":"p05":"p25":"p75":"p95":"kurtosis":"skewness":"true_ratio":"midnight_ratio":'
    b'"size_mean":"size_min":"size_max":"entropy":"dist_val_count":"pat_count":"pat_entropy":"str_len":"char_len":"digit_len":"lower_len":'
    b'"upper_len":0.0,"space_len":0.0,"punc_len":0.0,"numeric_ratio":0.0,"control_ratio":0.0,"non_ascii_ratio":0.0,'
    b'"leading_blank_ratio":0.0,"trailing_blank_ratio":0.0,'
)
"""What metrics are made of.  A change of it needs a migration: what is stored can be read with nothing else.  A metric
that is not in it is stored all the same, in a few bytes more."""

_DAMAGE = (zlib.error, ValueError, RecursionError, msgspec.DecodeError)
"""What comes of reading bytes that were changed."""
_METRICS: msgspec.json.Decoder[dict[str, MetricValue]] = msgspec.json.Decoder(dict[str, float])
_DISTANCES: msgspec.json.Decoder[dict[str, dict[str, MetricValue]]] = msgspec.json.Decoder(dict[str, dict[str, float]])
T = TypeVar("T")


class Document(TypeDecorator[dict[str, Any]]):
    """A dict of plain JSON values."""

    impl = LargeBinary
    cache_ok = True
    words: ClassVar[bytes] = b""
    """What the compression may take for known."""

    def process_bind_param(self, value: dict[str, Any] | None, dialect: Dialect) -> bytes | None:
        """What is stored."""
        return None if value is None else encode(value, self.words)

    def process_result_value(self, value: Any, dialect: Dialect) -> dict[str, Any] | None:
        """What was stored.

        :raises CodecError: when the bytes are damaged
        """
        return None if value is None else decode(bytes(value), self.words)


class Metrics(Document):
    """A dict of a column's metrics, or of such dicts."""

    cache_ok = True
    words = METRIC_WORDS


def encode(value: dict[str, Any], words: bytes = b"") -> bytes:
    """The document in a few bytes.

    :raises ValueError: when it holds a NaN or an infinity
    """
    text = json.dumps(value, allow_nan=False, separators=(",", ":")).encode()
    compressor = zlib.compressobj(zdict=words) if words else zlib.compressobj()
    return compressor.compress(text) + compressor.flush()


def decode(stored: bytes, words: bytes = b"") -> dict[str, Any]:
    """The document in these bytes.

    :raises CodecError: when they are damaged
    """
    try:
        text = inflate(stored, words)
        # A long history has tens of thousands of metrics documents, for which the standard library takes three times
        # as long; only that reads half a surrogate pair, which other documents may hold.
        found: dict[str, Any] = msgspec.json.decode(text) if words else json.loads(text)
    except _DAMAGE as error:
        raise CodecError(f"A stored document is damaged: {error}.") from error
    return found


def read_metrics(stored: bytes) -> dict[str, MetricValue]:
    """A column's metrics as :class:`Metrics` stored them.

    :raises CodecError: when they are damaged
    """
    return _read(stored, _METRICS, decode_metrics)


def read_distances(stored: bytes) -> dict[str, dict[str, MetricValue]]:
    """The same of a column's distances, by the fingerprint of the baseline.

    :raises CodecError: when they are damaged
    """
    return _read(stored, _DISTANCES, lambda found: {base: decode_metrics(one) for base, one in found.items()})


def _read(stored: bytes, numbers: msgspec.json.Decoder[T], otherwise: Callable[[dict[str, Any]], T]) -> T:
    """What a document of metrics holds.

    :param numbers: reads it when all of them are numbers, as nearly all are, in a quarter of the time
    :param otherwise: reads the plain values of any other
    """
    try:
        return numbers.decode(inflate(stored, METRIC_WORDS))
    except _DAMAGE:
        # It says what is wrong, if anything is.
        return otherwise(decode(stored, METRIC_WORDS))
