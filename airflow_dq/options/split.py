"""The order to split rows into those that follow checks and those that do not: plain data, one JSON argument."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from airflow_dq.check.model import Check
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.options.job import JobSpec

FAILED = "dq_failed_checks"
"""The column of bad rows that names the checks they fail."""
TARGET_FORMATS = ("parquet", "orc", "json", "avro")
"""Formats that can hold a list of texts beside what a source may hold."""


@dataclass(frozen=True, slots=True)
class SplitSpec:
    """Which rows to split, by which checks, and where to.

    :param order: names the rows, of one partition, and the checks
    :param good: folder of the rows that follow all of them; what is there is replaced
    :param bad: folder of the others, each with the ids of the checks that it fails
    :param target_format: format of both
    """

    order: JobSpec
    good: str
    bad: str
    target_format: str = "parquet"

    def __post_init__(self) -> None:
        """Refuse what cannot be split, or would be written over what is read.

        :raises ConfigurationError: naming the dataset, what was given and what is allowed
        """
        where, order = f"Dataset {self.order.dataset!r}", self.order
        if not order.checks:
            raise ConfigurationError(f"{where}: there is no check to split by; give checks=.")
        require_row_checks(order.checks, where)
        if order.pattern is not None or order.partition_by is not None or len(order.paths) > 1:
            raise ConfigurationError(f"{where}: the rows of one partition are split; give its own path, table or sql.")
        if self.target_format not in TARGET_FORMATS:
            raise ConfigurationError(
                f"{where}: target_format is {self.target_format!r}; allowed: {', '.join(TARGET_FORMATS)}."
            )
        source = next(iter(order.paths.values()), None)
        places = {"good": self.good, "bad": self.bad} | ({} if source is None else {"source": source})
        for name, place in places.items():
            if not str(place).strip("/ "):
                raise ConfigurationError(f"{where}: {name} is {place!r}, which is no folder.")
        for name, other in (("good", "bad"), ("good", "source"), ("bad", "source")):
            if other in places and _overlap(places[name], places[other]):
                raise ConfigurationError(
                    f"{where}: {name} ({places[name]}) and {other} ({places[other]}) lie in one another; give three "
                    "places apart."
                )

    def to_json(self) -> str:
        """One line of strict JSON."""
        given = {"good": self.good, "bad": self.bad, "target_format": self.target_format}
        return json.dumps({"order": json.loads(self.order.to_json()), **given}, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> SplitSpec:
        """The spec that :meth:`to_json` wrote.

        :raises ConfigurationError: when the text is not such a spec
        """
        try:
            data: dict[str, Any] = dict(json.loads(text))
            return cls(JobSpec.from_json(json.dumps(data.pop("order"))), **data)
        except (KeyError, ValueError, TypeError) as error:
            raise ConfigurationError(f"The order to split rows cannot be read: {error}") from error


def require_row_checks(checks: Sequence[Check], where: str) -> None:
    """Refuse checks that single rows neither follow nor break.

    :raises ConfigurationError: naming them
    """
    others = [check.id for check in checks if not check.entry.by_row]
    if others:
        raise ConfigurationError(
            f"{where}: {', '.join(map(repr, others))} {'is' if len(others) == 1 else 'are'} no rule on single rows, "
            "and split none. Leave them out, or name those to split by: check_ids=[...]."
        )


def chosen_checks(checks: Sequence[Check], wanted: Sequence[str] | None, where: str) -> tuple[Check, ...]:
    """The checks with these ids; all of them where no id is given.

    :raises ConfigurationError: when there is no check with one of the ids
    """
    known = {check.id: check for check in checks}
    unknown = [name for name in wanted or () if name not in known]
    if unknown:
        raise ConfigurationError(f"{where}: there is no check {unknown[0]!r}; there are {', '.join(known)}.")
    return tuple(checks) if wanted is None else tuple(known[name] for name in wanted)


def _overlap(one: str, other: str) -> bool:
    ours, theirs = (f"{place.rstrip('/').removeprefix('file://')}/" for place in (one, other))
    return ours.startswith(theirs) or theirs.startswith(ours)
