"""What one job is to do: one order, or those of a fleet of datasets that share an application."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.options.job import JobSpec


@dataclass(frozen=True, slots=True)
class Orders:
    """The orders of one job, each on a dataset of its own.

    :param each: the orders
    :param fleet: they are those of a fleet, be it of one dataset
    """

    each: tuple[JobSpec, ...]
    fleet: bool = False

    def __post_init__(self) -> None:
        """Refuse a job with nothing to do, and two orders whose outcomes could not be told apart.

        :raises ConfigurationError: naming the datasets that are there twice
        """
        if not self.each:
            raise ConfigurationError("datasets is empty: name at least one.")
        twice = [name for name, times in Counter(self.datasets).items() if times > 1]
        if twice:
            raise ConfigurationError(
                f"datasets names {', '.join(map(repr, twice))} more than once: give each dataset once, several "
                "partitions of it by a pattern."
            )

    @classmethod
    def of(cls, order: JobSpec) -> Orders:
        """A job of one order."""
        return cls((order,))

    def __iter__(self) -> Iterator[JobSpec]:
        return iter(self.each)

    def __len__(self) -> int:
        return len(self.each)

    @property
    def datasets(self) -> list[str]:
        """The datasets' names."""
        return [order.dataset for order in self.each]

    @property
    def name(self) -> str:
        """What the job is about, for a message."""
        return f"Dataset {self.each[0].dataset!r}" if not self.fleet else f"The fleet of {len(self.each)} datasets"

    def place(self, order: JobSpec) -> str | None:
        """Where in the folder for the job's results that of an order lies; None: it is the folder's own."""
        if not self.fleet:
            return None
        return hashlib.blake2b(order.dataset.encode(errors="surrogatepass"), digest_size=8).hexdigest()

    def to_json(self) -> str:
        """One line of strict JSON: the order itself, or a list of a fleet's."""
        return f"[{', '.join(order.to_json() for order in self.each)}]" if self.fleet else self.each[0].to_json()

    @classmethod
    def from_json(cls, text: str) -> Orders:
        """What :meth:`to_json` wrote.

        :raises ConfigurationError: when the text is no such thing
        """
        if not text.lstrip().startswith("["):
            return cls.of(JobSpec.from_json(text))
        try:
            found = json.loads(text)
        except ValueError as error:
            raise ConfigurationError(f"The profile job's specification cannot be read: {error}") from error
        return cls(tuple(JobSpec.from_json(json.dumps(one)) for one in found), fleet=True)
