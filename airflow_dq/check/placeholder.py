"""Values that stand for a missing one, as forms, exports and old programs write them."""

from __future__ import annotations

TEXTS = frozenset(
    ("", "-", "--", ".", "?", "#n/a", "#null!", "<na>", "missing", "n.a.", "n/a", "na", "nan", "nil", "no value")
) | frozenset(("none", "not applicable", "not available", "null", "tba", "tbd", "undefined", "unknown", "xxx"))
"""Texts, in lower case and without blanks at their ends."""
NUMBERS = (
    *(-1, -9, -99, -999, -9999, -99999, -999999),
    *(99999, 999999, 9999999, 99999999, 999999999),
    *(-(2**31), 2**31 - 1, 2**63 - 1),
)
"""Numbers: minus one, rows of nines, and the ends of what a machine counts to."""
DAYS = ("0001-01-01", "1900-01-01", "1970-01-01", "9999-12-31")
"""Days: the first and the last that databases and spreadsheets know, and that of second 0."""
