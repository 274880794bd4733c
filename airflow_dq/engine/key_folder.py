"""A folder for keys, whichever engine fills it: a piece is Parquet files in a folder for each of its buckets.

Every engine writes the same, and reads what another wrote.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Protocol
from urllib.parse import quote

from airflow_dq.check.model import Check
from airflow_dq.profile.check.many_keys import KeyFolder


class EngineKeys(KeyFolder, Protocol):
    """A folder for keys that an engine also counts the rows of its partitions into."""

    @abstractmethod
    def count(self, partition: str, check: Check) -> str:
        """Keep how often each key of a partition occurs, which is read for it once more; the name of the piece.

        :raises DQError: when the rows cannot be read, or the keys not be computed
        """


def folder_of(key_folder: str, dataset: str) -> str:
    """Where a dataset's pieces are; a name may have any characters."""
    return f"{key_folder.rstrip('/')}/{quote(dataset, safe='')}"
