"""What a reader should know about a column that its metrics do not say."""

from __future__ import annotations

from collections.abc import Mapping

from airflow_dq.states.base import Kind, State
from airflow_dq.states.text import TextShape

LOOKS_NUMERIC = 0.999
"""From this share of strings that read as numbers on, a text column says that it looks numeric."""

_BY_KIND: dict[Kind, str] = {
    Kind.BINARY: "binary: not profiled further than nulls, empty values and lengths",
    Kind.NESTED: "nested: not profiled further than nulls and sizes",
    Kind.NULL: "no type: every value is null",
}


def note_of(kind: Kind, states: Mapping[str, State]) -> str | None:
    """The note on a column of this kind with the states of a whole partition; None when there is nothing to note."""
    text = states.get(TextShape.key)
    if isinstance(text, TextShape) and text.count and text.numeric >= LOOKS_NUMERIC * text.count:
        return (
            f"looks numeric: {_percent(text.numeric / text.count)} of the values read as numbers; profiled as a string"
        )
    return _BY_KIND.get(kind)


def _percent(share: float) -> str:
    return "all" if share == 1.0 else f"{100 * share:.2f} %"
