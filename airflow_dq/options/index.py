"""The order that an index job carries out: plain data, no secrets, one JSON argument of spark-submit."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from airflow_dq.exceptions import ConfigurationError


@dataclass(frozen=True, slots=True)
class IndexSpec:
    """What to index, and where the index is kept.

    :param source: files or folders, a glob pattern; ``**`` stands for any folders
    :param file: the index's file on the driver's machine; None: it is kept in the statistics database
    :param renew: look at tables that the index has once more
    """

    source: str
    file: str | None = None
    renew: bool = False

    def to_json(self) -> str:
        """One line of strict JSON."""
        return json.dumps(asdict(self), allow_nan=False, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> IndexSpec:
        """The spec that :meth:`to_json` wrote.

        :raises ConfigurationError: when the text is not such a spec
        """
        try:
            data: dict[str, Any] = dict(json.loads(text))
            return cls(**data)
        except (ValueError, TypeError) as error:
            raise ConfigurationError(f"The index job's specification cannot be read: {error}") from error
