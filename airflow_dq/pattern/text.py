"""The values of a column as patterns read them."""

from __future__ import annotations

from collections.abc import Iterable

from airflow_dq.exceptions import ConfigurationError

BLANK = r"\A[\s\v\x1c-\x1f\x{85}\pZ]*\z"
"""An RE2 expression of what Python strips to nothing: what says nothing when a rule is learned is none of the values
that are counted either."""


def readable(value: object) -> str:
    """A value as the engine reads it: half of a surrogate pair, which is no character, as U+FFFD.

    :raises ConfigurationError: when it is no text
    """
    if not isinstance(value, str):
        raise ConfigurationError(
            f"Patterns are of texts; {str(value)[:50]!r} is of type {type(value).__name__}. Cast the column to texts, "
            "and give None where a value is missing."
        )
    if value.isascii():
        return value
    try:
        value.encode()
    except UnicodeEncodeError:
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value


def present(values: Iterable[str | None]) -> list[str]:
    """The values that are neither null nor blank, in their order.

    :raises ConfigurationError: when one is no text
    """
    texts = [readable(value) for value in values if value is not None]
    return [text for text in texts if text.strip()]
