"""What is known about how values of one type are written and read, and where in them a mistake is.

msgspec checks what is read against a form's ``wire`` type, all of it at once.  Of a mistake in a mapping it does not
name the key, and it never shows the value: where it refuses, the mistake is looked for part by part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from airflow_dq.codec.wire import msgspec

_LONGEST = 80
"""Characters of a value that a message shows: enough to recognise it, on one line."""


class Mismatch(Exception):  # noqa: N818  (never leaves this package)
    """A value that does not fit its form; each level adds its step of the path on the way out."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self._steps: list[str] = []

    def within(self, step: str) -> Mismatch:
        """The same, seen from one level further out."""
        self._steps.append(step)
        return self

    @property
    def path(self) -> str:
        """Where the value stands, from the outside in: ``.columns['fare'].clauses[0]``."""
        return "".join(reversed(self._steps))


def no_parts(data: Any) -> Iterator[tuple[str, Form, Any]]:
    """What a form without parts has."""
    return iter(())


@dataclass(frozen=True, slots=True)
class Form:
    """How values of one type are written and read."""

    wire: Any
    """What msgspec is asked for."""
    write: Callable[[Any], Any]
    """The value as JSON values; a :class:`Mismatch` when it does not fit."""
    read: Callable[[Any], Any] | None = None
    """The value from what msgspec gives; None where that is the value."""
    parts: Callable[[Any], Iterable[tuple[str, Form, Any]]] = no_parts
    """(step of the path, form, JSON value) of what a JSON value consists of, to find the mistake in it."""
    expected: str | None = None
    """What it takes, in words; None to leave the words to msgspec."""


def read(form: Form, data: Any) -> Any:
    """The value that was written as these JSON values.

    :raises Mismatch: when they do not fit
    """
    try:
        wired = msgspec.convert(data, form.wire)
    except (msgspec.ValidationError, UnicodeError) as error:
        raise located(form, data, error) from None
    return wired if form.read is None else form.read(wired)


def located(form: Form, data: Any, error: Exception) -> Mismatch:
    """The innermost mistake in JSON values that do not fit.

    :param error: what msgspec says to all of them
    """
    for step, part, value in form.parts(data):
        try:
            msgspec.convert(value, part.wire)
        except (msgspec.ValidationError, UnicodeError) as inner:
            return located(part, value, inner).within(step)
    seen = shown(data)
    if form.expected is not None:
        return Mismatch(f"{seen} is not {form.expected}")
    return Mismatch(f"{str(error).partition(' - at ')[0]}: {seen}")


def shown(value: Any) -> str:
    """A value in a message."""
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
