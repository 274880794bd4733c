"""Every error this package raises on purpose.

::

    DQError
    ├── ConfigurationError      a setting, connection or argument is missing or contradictory
    │   └── UnknownColumnError        an option names a column that the data does not have
    ├── EnvironmentMismatchError  pyspark/pyspark-client differ, no Java, a missing extra
    ├── StoreError              the database cannot be used
    │   ├── StoreUnreachableError     wrong DSN, server down, wrong password
    │   ├── StoreNotMigratedError     the schema is absent or at another revision
    │   └── StaleAttemptError         a newer attempt at the same partition has started
    ├── ProfileError            a partition cannot be profiled
    │   ├── SparkLostError            Spark has gone away, or its executors are lost one after the other
    │   ├── SourceMissingError        the folder, file or table does not exist
    │   ├── SourceEmptyError          it exists and holds no data file
    │   └── SourceUnreadableError     a file is there and cannot be read
    ├── ReviewError             what a person asked for cannot be recorded
    │   ├── NotJudgedError            there is no verdict on the partition's current profile
    │   └── AlreadyDecidedError       somebody has decided about the partition before
    ├── SynthesisError          no program can be made from this history with these options
    └── CodecError              stored bytes or JSON that this version cannot read

A message names the dataset, the partition and the column where there is one, what was seen, what was
allowed, and what to do.  The classes derive from one base so that a caller can tell a problem it can
explain to a person (``DQError``) from a bug (anything else).
"""

from __future__ import annotations

import traceback
from typing import ClassVar

from airflow_dq.visible import visible


class DQError(Exception):
    """Base of all errors that carry an explanation for a person; ``str(error)`` is one plain sentence or two."""

    retryable: ClassVar[bool] = False
    """Whether a later try can end otherwise with nothing changed by a person: the server is back, the file is there."""

    def __init__(self, message: str = "", *, discreet: str | None = None) -> None:
        """Explain.

        :param discreet: the same without a word of what was read, when ``message`` has some
        """
        super().__init__(message)
        self._discreet = discreet

    @property
    def discreet(self) -> str:
        """The explanation when some column's values must not be shown: file, line and kind of error only."""
        return str(self) if self._discreet is None else self._discreet

    def __str__(self) -> str:
        """The sentence; what names of data hide in it is shown."""
        return visible(super().__str__(), lines=True)


class ConfigurationError(DQError):
    """A setting, connection or argument is missing or contradictory."""


class UnknownColumnError(ConfigurationError):
    """An option names a column that the data does not have."""


class EnvironmentMismatchError(DQError):
    """The machine lacks something the product needs (Java, matching pyspark wheels, an extra)."""


class StoreError(DQError):
    """The statistics database cannot be used."""


class StoreUnreachableError(StoreError):
    """No connection to the statistics database could be made."""

    retryable = True


class StoreNotMigratedError(StoreError):
    """The database lacks our schema, or has it at another revision."""


class StaleAttemptError(StoreError):
    """A newer attempt at the same dataset and partition has started; this one must not write."""

    retryable = True


class ProfileError(DQError):
    """A partition cannot be profiled."""

    retryable = True


class SparkLostError(ProfileError):
    """Spark has gone away, or its executors are lost one after the other: nothing can be read there now."""


class SourceMissingError(ProfileError):
    """The folder, file or table to profile does not exist."""


class SourceEmptyError(ProfileError):
    """The folder to profile exists and holds no data file."""


class SourceUnreadableError(ProfileError):
    """A data file exists and cannot be read."""


def said_of(error: BaseException, *, discreet: bool) -> str:
    """An error in words.

    :param discreet: leave out whatever may have been read from data: what is not ours to word, we do not know
    """
    if isinstance(error, DQError):
        return error.discreet if discreet else str(error)
    return type(error).__name__ if discreet else f"{type(error).__name__}: {error}"


def stack_of(error: BaseException, *, discreet: bool) -> str:
    """The stack of an error that was not foreseen, without its message when it must be ``discreet``."""
    if not discreet:
        return "".join(traceback.format_exception(error))
    return "".join([*traceback.format_tb(error.__traceback__), type(error).__name__])


class ReviewError(DQError):
    """A decision or a snooze that cannot be recorded as it was asked for."""


class NotJudgedError(ReviewError):
    """There is no verdict on the partition's current profile to decide about."""


class AlreadyDecidedError(ReviewError):
    """Somebody has decided about the partition before, and nobody asked to revise that."""


class SynthesisError(DQError):
    """No validation program can be synthesized from this history with these options."""


class CodecError(DQError):
    """Stored bytes or JSON that this version of the package cannot read."""
