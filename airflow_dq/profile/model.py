"""What a profile is: per-column states and metrics of one partition, small enough to keep for ever."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from airflow_dq.metrics.descriptor import MetricValue
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.profile.check.failed_rows import FailedRows
from airflow_dq.profile.check.measured import Measured
from airflow_dq.states.base import Kind, State

if TYPE_CHECKING:
    from airflow_dq.profile.check.held import Held
    from airflow_dq.profile.check.tally import Tally
    from airflow_dq.profile.sample import RowSample


@dataclass(frozen=True, slots=True)
class Variant:
    """One synthetic error (AVH, Appendix B) injected into a column, carried over to the whole partition."""

    type: str
    """One of the ten types of Appendix B: ``schema_change``, ``unit_change``, ``casing_change``, ..."""
    parameter: str
    """Its magnitude in words: ``10%``, ``x100``."""
    metrics: Mapping[str, MetricValue]
    states: Mapping[str, State]

    @property
    def label(self) -> str:
        """``type parameter``, as an explanation names it."""
        return f"{self.type} {self.parameter}"


class VariantCache:
    """The injected variants that follow from a partition's row sample, by column: each made when it is first asked for.

    Only a cache: what a column's variants are follows from its profile and the sample, whether they have been asked for
    or not, and a profile is equal to itself before and after, with the same JSON form.  They take seconds and are asked
    for again and again while programs are learned: they are remembered here, with the partition that they belong to,
    and nowhere else.
    """

    __slots__ = ("_made",)

    def __init__(self) -> None:
        """Nothing is made yet."""
        self._made: dict[str, tuple[Variant, ...]] = {}

    def of(self, column: str, make: Callable[[], tuple[Variant, ...]]) -> tuple[Variant, ...]:
        """The variants of a column.

        :param make: makes them from the sample: the same whenever it is called
        """
        found = self._made.get(column)
        if found is None:
            # Two threads may both make them; they are equal.
            found = self._made[column] = make()
        return found

    def __reduce__(self) -> tuple[type[VariantCache], tuple[()]]:
        """What was made does not travel: it can be made again."""
        return VariantCache, ()


@dataclass(frozen=True)
class ColumnProfile:
    """One column of one partition.  ``states`` may be empty: retention prunes them, metric values stay."""

    name: str
    kind: Kind
    data_type: str
    """The source's own type, as text (``int64``, ``decimal128(10, 2)``)."""
    metrics: Mapping[str, MetricValue]
    states: Mapping[str, State] = field(default_factory=dict)
    remark: str | None = None
    """Why the column is not profiled further (nested types), or what a reader should know."""
    states_digest: str = ""
    """Digest of the states' content (:func:`digest_states`), which outlives them."""
    distances: Mapping[str, Mapping[str, MetricValue]] = field(default_factory=dict, compare=False)
    """Two-distribution metrics measured already, by the fingerprint of the column compared with; safe to lose."""

    @property
    def in_full(self) -> bool:
        """Whether the values themselves are profiled, and not only how many and how large they are."""
        return bool(self.states) and self.kind not in (Kind.BINARY, Kind.NESTED, Kind.NULL)

    @cached_property
    def fingerprint(self) -> str:
        """Digest of the column's content: equal content, equal fingerprint, whenever and wherever profiled."""
        digest = hashlib.blake2b(digest_size=16)
        content = [self.name, self.kind, self.data_type, dict(sorted(self.metrics.items())), self.states_digest]
        digest.update(json.dumps(content, allow_nan=False).encode())
        return digest.hexdigest()

    def known_as(self, fingerprint: str) -> ColumnProfile:
        """The column itself, whose fingerprint was computed before: a long history has tens of thousands.

        :param fingerprint: what it was when the column was stored
        """
        self.__dict__["fingerprint"] = fingerprint
        return self

    def with_states(self, states: Mapping[str, State]) -> ColumnProfile:
        """The column with the states that its metrics were measured on; its content is the same."""
        return replace(self, states=states).known_as(self.fingerprint)


class States(Mapping[str, State]):
    """A column's states by key; to digest them and to store them they are encoded once."""

    def __init__(self, states: Mapping[str, State], blobs: Mapping[str, bytes] | None = None) -> None:
        """Take the states.

        :param blobs: some of them encoded, as far as known
        """
        self._states = dict(states)
        self._known = blobs or {}

    @classmethod
    def of(cls, states: Mapping[str, State]) -> States:
        """The states with what is encoded of them, if anything is."""
        return states if isinstance(states, States) else cls(states)

    def __reduce__(self) -> tuple[type[States], tuple[dict[str, State]]]:
        """What is encoded already does not travel."""
        return States, (self._states,)

    def __getitem__(self, key: str) -> State:
        """The state with this key."""
        return self._states[key]

    def __iter__(self) -> Iterator[str]:
        """The keys."""
        return iter(self._states)

    def __len__(self) -> int:
        """The number of states."""
        return len(self._states)

    @cached_property
    def blobs(self) -> Mapping[str, bytes]:
        """The encoded states by key."""
        return {key: self._known.get(key) or state.encode() for key, state in self._states.items()}

    def as_stored(self) -> States:
        """The states as they are stored, see :meth:`~airflow_dq.states.base.State.as_stored`."""
        stored = {key: state.as_stored() for key, state in self._states.items()}
        same = {key: blob for key, blob in self._known.items() if stored[key] is self._states[key]}
        return States(stored, same)


def encode_states(states: Mapping[str, State]) -> Mapping[str, bytes]:
    """The encoded states of a column by key."""
    return States.of(states).blobs


def digest_states(states: Mapping[str, State]) -> str:
    """Digest of a column's states: two columns may agree in every metric and still be distributed differently."""
    digest = hashlib.blake2b(digest_size=16)
    for key, blob in sorted(encode_states(states).items()):
        digest.update(key.encode())
        digest.update(blob)
    return digest.hexdigest()


@dataclass(frozen=True)
class Profile:
    """The profile of one partition of one dataset."""

    format: ClassVar[str] = "profile/1"
    """How its JSON document is named; another number when an older reader could not read it."""
    partition: str | None
    row_count: int
    columns: Mapping[str, ColumnProfile]
    """By column name, in the table's order."""
    checks: Mapping[str, Measured] = field(default_factory=dict)
    """What was counted for declared checks, by :attr:`airflow_dq.check.model.Check.measure`, and for learned rules, by
    :attr:`airflow_dq.options.rule.LearnedRule.measure`."""
    failing: Mapping[str, FailedRows] = field(default_factory=dict, compare=False, repr=False)
    """Some of the rows that declared checks of each row found wrong, by what they measure; never exported."""
    variants: Mapping[str, Sequence[Variant]] = field(default_factory=dict, compare=False, repr=False)
    """Injected variants that were stored or computed elsewhere, by column; for those of any column ask
    :func:`airflow_dq.corruption.variant.variants_of`."""
    sample: RowSample | None = field(default=None, compare=False, repr=False)
    """The bounded row sample the variants are computed from; never stored or serialized."""
    tallies: Mapping[str, Tally] = field(default_factory=dict, compare=False, repr=False)
    """What was counted for checks that look beyond the partition, until the job has looked there; not serialized."""
    held: Mapping[str, Held] = field(default_factory=dict, compare=False, repr=False)
    """What relations between rows are judged by, in this partition and in the next ones, by what they measure; not
    serialized, and stored of the newest partitions alone."""
    options: ProfileOptions = field(default_factory=ProfileOptions, compare=False)

    @cached_property
    def drawn(self) -> str:
        """Digest of the rows that were drawn, by all of their values together; empty where none were.

        Two partitions may agree in every column and have other rows: values that have changed places.
        """
        if self.sample is None:
            return ""
        digest = hashlib.blake2b(self.sample.hashes.tobytes(), digest_size=16)
        digest.update(self.sample.counts.tobytes())
        return digest.hexdigest()

    @cached_property
    def variant_cache(self) -> VariantCache:
        """Those of the variants that follow from the sample, as far as they have been asked for."""
        return VariantCache()

    @cached_property
    def fingerprint(self) -> str:
        """Digest of the whole profile's content; a profile made again from the same data has the same one."""
        digest = hashlib.blake2b(digest_size=16)
        digest.update(json.dumps([self.partition, self.row_count]).encode())
        for column in self.columns.values():
            digest.update(column.fingerprint.encode())
        # The same rows have another age every time, and are asked more once a rule has been learned.
        lasting = {name: one.to_dict() for name, one in sorted(self.checks.items()) if not (one.timed or one.learned)}
        if lasting:
            digest.update(json.dumps(lasting, allow_nan=False, sort_keys=True).encode())
        return digest.hexdigest()
