"""The order to find the slices that carry a partition's change: plain data, one JSON argument."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from airflow_dq.exceptions import ConfigurationError

SLICES = 5
"""Slices that are told: who has more to look at has not been told where it is."""
ROWS = 20
"""Rows of a slice that are told."""


@dataclass(frozen=True, slots=True)
class DrillSpec:
    """Which partition to look into, and what to compare it with.

    :param dataset: its name in the store
    :param partition: the partition
    :param against: the other one (None: the newest good one before it)
    :param columns: columns whose change is looked into (None: those that alarmed; all, where none has)
    :param slices: most slices
    :param rows: most rows of each that are kept
    :param options: read options besides those that are stored
    """

    dataset: str
    partition: str
    against: str | None = None
    columns: tuple[str, ...] | None = None
    slices: int = SLICES
    rows: int = ROWS
    options: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse numbers that make no sense.

        :raises ConfigurationError: naming dataset, partition, what was given and what is allowed
        """
        for name, least in (("slices", 1), ("rows", 0)):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < least:
                raise ConfigurationError(
                    f"Dataset {self.dataset!r}, partition {self.partition!r}: {name} is {value!r}; give a whole number "
                    f"of at least {least}."
                )

    def to_json(self) -> str:
        """One line of strict JSON."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> DrillSpec:
        """The spec that :meth:`to_json` wrote.

        :raises ConfigurationError: when the text is not such a spec
        """
        try:
            data = dict(json.loads(text))
            columns = data.pop("columns")
            return cls(**data, columns=None if columns is None else tuple(map(str, columns)))
        except (KeyError, ValueError, TypeError) as error:
            raise ConfigurationError(f"The order to drill cannot be read: {error}") from error
