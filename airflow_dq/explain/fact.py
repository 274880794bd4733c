"""What is known of a problem as a whole, kept on the alert that speaks for it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fact:
    """One accident in a sentence, and what it concerns."""

    key: str
    """What it is, the same on the following day: ``unit_change air_time``, ``rows``, ``check orders.x``."""
    headline: str
    """What happened, with values, factor, share and names; no full stop."""
    columns: tuple[str, ...] = ()
    """The columns concerned, the likely root first; none for the table as a whole."""
    rows: int | None = None
    """Rows concerned; None where nobody knows."""
    advice: str | None = None
    """What to do."""
