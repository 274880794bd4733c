"""What a reader should know about a column that its metrics do not say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from airflow_dq.states.base import Kind, State
from airflow_dq.states.text import TextShape

if TYPE_CHECKING:
    from airflow_dq.profile.model import Profile

LOOKS_NUMERIC = 0.999
"""From this share of strings that read as numbers on, a text column says that it looks numeric."""

_BY_KIND: dict[Kind, str] = {
    Kind.BINARY: "binary: not profiled further than nulls and sizes",
    Kind.NESTED: "nested: not profiled further than nulls and sizes",
    Kind.NULL: "no type: it has no value that is not null",
}


def remark_of(kind: Kind, states: Mapping[str, State]) -> str | None:
    """The remark on a column of this kind with the states of a whole partition; None when there is nothing to say."""
    share = numeric_share(states)
    if share is not None and share >= LOOKS_NUMERIC:
        said = f"looks numeric: {_percent(share)} of the values read as numbers"
        return f"{said}; profiled as text, with mean, spread, least and largest of them"
    return _BY_KIND.get(kind)


def numeric_share(states: Mapping[str, State]) -> float | None:
    """Share of a text column's values that read as numbers; None when it has no texts."""
    text = states.get(TextShape.key)
    return text.numeric / text.count if isinstance(text, TextShape) and text.count else None


def looking_numeric(profile: Profile) -> list[str]:
    """The text columns whose values read as numbers."""
    shares = {column.name: numeric_share(column.states) for column in profile.columns.values()}
    return [name for name, share in shares.items() if share is not None and share >= LOOKS_NUMERIC]


def _percent(share: float) -> str:
    return "all" if share == 1.0 else f"{100 * share:.2f} %"
