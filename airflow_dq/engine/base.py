"""What a profile job asks of an engine: the partitions of its order, one scan of each, the errors of the newest."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from airflow_dq.check.model import Check
from airflow_dq.engine.key_folder import EngineKeys, folder_of
from airflow_dq.exceptions import DQError, said_of, stack_of
from airflow_dq.options.job import JobSpec
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.options.rule import LearnedRule
from airflow_dq.profile.check.failed_rows import FailedRows
from airflow_dq.profile.model import Profile

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Origin:
    """Where profiles come from, as it is stored with each of them."""

    source: str
    """The path, pattern, table or query, in words."""
    read_options: Mapping[str, str]
    """The format and the options in effect; secrets are masked."""
    engine: str
    """Name and version of what read the data."""
    place: Mapping[str, str] = field(default_factory=dict)
    """The fields of the order that say where the rows are, see :func:`airflow_dq.engine.order.place_of`."""


@dataclass(frozen=True, slots=True)
class ScanResult:
    """What the scan of one partition has come to: its profile, or why there is none."""

    partition: str
    profile: Profile | None = None
    seconds: float = 0.0
    """Time that was spent on it."""
    skipped: Mapping[str, str] = field(default_factory=dict)
    """Columns that are not in the profile, and why."""
    error: str | None = None
    traceback: str | None = None
    """The stack of a failure that was not foreseen."""
    retryable: bool = True
    """Whether a failure may pass by itself."""

    @classmethod
    def failed(cls, partition: str, error: Exception, order: JobSpec) -> ScanResult:
        """The result of a scan that raised; to be called where the error is being handled."""
        discreet = order.profile_options.discreet
        said = said_of(error, discreet=discreet)
        if isinstance(error, DQError):
            return cls(partition, error=said, retryable=error.retryable)
        return cls(partition, error=said, traceback=stack_of(error, discreet=discreet))


class Engine(ABC):
    """Carries out one order.  A job calls the methods in the order in which they stand here, each once."""

    def __init__(self, order: JobSpec) -> None:
        """Take the order.

        :raises ConfigurationError: when it asks for what this engine cannot do
        """
        self.order = order
        self.rules: tuple[LearnedRule, ...] = ()
        """What has been learned of the dataset's rows; whoever runs the job sets it before anything is read."""

    @property
    def options(self) -> ProfileOptions:
        """How each partition is profiled."""
        return replace(self.order.profile_options, rules=self.rules)

    @abstractmethod
    def partitions(self) -> tuple[str, ...]:
        """The keys of the partitions that the order is about, ascending.

        :raises DQError: when there is none: the source as a whole is missing, empty or unreadable
        """

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader should know of the source beyond its partitions, once these have been asked for."""
        return ()

    @property
    @abstractmethod
    def origin(self) -> Origin:
        """Where the profiles come from."""

    @abstractmethod
    def schema(self, partition: str) -> pa.Schema:
        """The columns of a partition of the order as they are profiled, and their types; no row need be read for them.

        One of which no type is told, or of several, has none.

        :raises DQError: when they cannot be told
        """

    @abstractmethod
    def scan(self, with_errors: int) -> Iterator[ScanResult]:
        """Profile each partition by itself; every key comes once, in any order, and none takes down another.

        :param with_errors: number of newest partitions that :meth:`inject` will be given
        """

    @abstractmethod
    def beside(self, order: JobSpec) -> Engine:
        """An engine like this one for another order: another table that checks name, or the same rows once more.

        :raises ConfigurationError: when the order asks for what this engine cannot do
        """

    @abstractmethod
    def inject(self, profiles: Sequence[Profile]) -> list[Profile]:
        """The same profiles with the injected errors of their columns, as far as they can be had.

        :param profiles: of the newest partitions that could be profiled, oldest first
        """

    @abstractmethod
    def failing(self, partition: str, check: Check, size: int) -> FailedRows:
        """Some of the rows of a partition of the order that a check of each row finds wrong, in all of their columns.

        The same rows whichever engine reads them; equal ones count once.

        :param size: most rows
        :raises DQError: when the partition cannot be read, or the check cannot be computed
        """

    def keys(self) -> EngineKeys | None:
        """The dataset's folder for keys; None where the order names none.

        :raises ConfigurationError: when this engine cannot write to it
        """
        return (
            None if self.order.key_folder is None else self._keys(folder_of(self.order.key_folder, self.order.dataset))
        )

    @abstractmethod
    def _keys(self, folder: str) -> EngineKeys:
        """As :meth:`keys`, of a folder."""

    @abstractmethod
    def drawn(self, partition: str, share: float) -> pa.Table:
        """A random part of the rows of a partition of the order, the same one each time; as few columns as profiled.

        Columns of binaries and of nested types are left out.

        :param share: chance of each row to be among them; 1: all of them
        :raises DQError: when the partition cannot be read
        """
