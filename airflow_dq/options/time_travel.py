"""As of when a table is read that keeps its past: a version, a snapshot, or a moment."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from airflow_dq.exceptions import ConfigurationError

_MOMENT = re.compile(r"(?P<base>.*?)\s*(?:\+\s*(?P<number>\d{1,6})\s*(?P<unit>[dhm]))?", re.DOTALL)
_UNITS = {"d": "days", "h": "hours", "m": "minutes"}
OWN_KEY = "*"
"""Stands in a moment for the partition's key, so that each is read as it was then."""


@dataclass(frozen=True, slots=True)
class TimeTravel:
    """Which state of a table is read; at most one of these is given, none means the newest."""

    version: int | None = None
    """A version of a Delta table."""
    snapshot: str | None = None
    """A snapshot of an Iceberg table: its id, or the name of a branch or tag."""
    moment: datetime | None = None
    """The last state at this time."""

    def __bool__(self) -> bool:
        """Whether it is another state than the newest."""
        return self != TimeTravel()

    @property
    def words(self) -> str:
        """The state in words; empty for the newest."""
        if self.version is not None:
            return f"version {self.version}"
        if self.snapshot is not None:
            return f"snapshot {self.snapshot}"
        return "" if self.moment is None else f"its state of {self.moment.isoformat()}"

    @property
    def snapshot_id(self) -> int | None:
        """The snapshot's number; None where it is the name of a branch or tag."""
        return (
            int(self.snapshot)
            if self.snapshot is not None and self.snapshot.isascii() and self.snapshot.isdigit()
            else None
        )


def require_moment(text: str, where: str) -> None:
    """Refuse a text that is no moment, whatever the partition's key.

    :raises ConfigurationError: with what may be given
    """
    moment_of(text, "2000-01-01", where)


def moment_of(text: str, key: str | None, where: str) -> datetime:
    """The moment that a text says: a date or time (UTC unless it says so), or ``*`` for the key; then maybe ``+ 30h``.

    >>> moment_of("* + 30h", "2026-01-31", "").isoformat()
    '2026-02-01T06:00:00+00:00'

    :raises ConfigurationError: when it says none
    """
    parts = _MOMENT.fullmatch(text.strip())
    assert parts is not None
    base = (key or "") if parts["base"] == OWN_KEY else parts["base"]
    try:
        found = datetime.fromisoformat(base)
        found = found if found.tzinfo is not None else found.replace(tzinfo=UTC)
        if parts["number"]:
            found += timedelta(**{_UNITS[parts["unit"]]: int(parts["number"])})
    except (ValueError, OverflowError):
        seen = f"the partition's key is {key!r}" if parts["base"] == OWN_KEY else f"as_of is {text!r}"
        raise ConfigurationError(
            f"{where}: {seen}, which is no date or time: give as_of='2026-01-31T06:00:00Z', or '* + 30h' where the "
            "keys are dates (each partition as it was 30 hours after its date began)."
        ) from None
    return found.astimezone(UTC)
