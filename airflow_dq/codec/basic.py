"""Forms of what models are made of: numbers, texts, words, and collections of other values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from airflow_dq.codec.form import Form, Mismatch, shown
from airflow_dq.codec.wire import Finite


def _float(value: Any) -> float:
    if isinstance(value, float | int) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    raise Mismatch(f"{shown(value)} is not a JSON number")


def _text(value: Any) -> str:
    if isinstance(value, str):
        return str(value)
    raise Mismatch(f"{shown(value)} is not a text")


def _exactly(kind: type, words: str) -> Form:
    def write(value: Any) -> Any:
        if type(value) is kind:
            return value
        raise Mismatch(f"{shown(value)} is not {words}")

    return Form(kind, write, expected=words)


SCALARS = {
    bool: _exactly(bool, "true or false"),
    int: _exactly(int, "a whole number"),
    float: Form(Finite, _float, expected="a finite number"),
    str: Form(str, _text, expected="a text"),
}


def choice(kind: Any, written: Mapping[Any, Any]) -> Form:
    """One of some words.

    :param kind: the type whose values they stand for
    :param written: value -> word
    """
    expected = f"one of {', '.join(map(str, written.values()))}"

    def write(value: Any) -> Any:
        try:
            return written[value]
        except (KeyError, TypeError):
            raise Mismatch(f"{shown(value)} is not {expected}") from None

    return Form(kind, write, expected=expected)


def optional(form: Form) -> Form:
    """A value or None."""
    inner = form.read

    def write(value: Any) -> Any:
        return None if value is None else form.write(value)

    def from_wire(wired: Any) -> Any:
        return None if wired is None or inner is None else inner(wired)

    def parts(data: Any) -> Iterable[tuple[str, Form, Any]]:
        return form.parts(data)

    return Form(form.wire | None, write, inner and from_wire, parts, form.expected and f"{form.expected}, or null")


def mapping(item: Form) -> Form:
    """Values by text."""

    def each(convert: Callable[[Any], Any], given: Mapping[str, Any]) -> dict[str, Any]:
        try:
            return {key: convert(value) for key, value in given.items()}
        except Mismatch:
            # Once more, to name the key: a loop that knows it takes half as long again.
            for key, value in given.items():
                try:
                    convert(value)
                except Mismatch as mismatch:
                    raise mismatch.within(f"[{key!r}]") from None
            raise

    def write(value: Any) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise Mismatch(f"{shown(value)} is not a mapping")
        for key in value:
            if not isinstance(key, str):
                raise Mismatch(f"the key {shown(key)} is not a text")
        return each(item.write, value)

    def parts(data: Any) -> Iterator[tuple[str, Form, Any]]:
        if isinstance(data, dict):
            for key, value in data.items():
                yield f"[{key!r}]", item, value

    inner = item.read
    return Form(dict[str, item.wire], write, inner and (lambda wired: each(inner, wired)), parts)  # type: ignore[name-defined]


def sequence(item: Form, kind: type[list[Any]] | type[tuple[Any, ...]]) -> Form:
    """Any number of values.

    :param kind: what they are read as
    """

    def each(convert: Callable[[Any], Any], given: Iterable[Any]) -> list[Any]:
        found: list[Any] = []
        try:
            for value in given:
                found.append(convert(value))
        except Mismatch as mismatch:
            raise mismatch.within(f"[{len(found)}]") from None
        return found

    def write(value: Any) -> list[Any]:
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise Mismatch(f"{shown(value)} is not a sequence")
        return each(item.write, value)

    inner = item.read
    wire: Any = list[item.wire] if kind is list else tuple[item.wire, ...]  # type: ignore[name-defined]
    return Form(wire, write, inner and (lambda wired: kind(each(inner, wired))), lambda data: _numbered(item, data))


def _numbered(item: Form, data: Any) -> Iterator[tuple[str, Form, Any]]:
    if isinstance(data, list | tuple):
        for place, value in enumerate(data):
            yield f"[{place}]", item, value


def fixed_tuple(items: Sequence[Form]) -> Form:
    """One value of each form."""

    def each(converts: Iterable[Callable[[Any], Any] | None], given: Iterable[Any]) -> list[Any]:
        found: list[Any] = []
        try:
            for convert, value in zip(converts, given, strict=True):
                found.append(value if convert is None else convert(value))
        except Mismatch as mismatch:
            raise mismatch.within(f"[{len(found)}]") from None
        return found

    def write(value: Any) -> list[Any]:
        if not isinstance(value, tuple) or len(value) != len(items):
            raise Mismatch(f"{shown(value)} is not a tuple of {len(items)}")
        return each([item.write for item in items], value)

    def parts(data: Any) -> Iterator[tuple[str, Form, Any]]:
        if isinstance(data, list | tuple) and len(data) == len(items):
            for place, (item, value) in enumerate(zip(items, data, strict=True)):
                yield f"[{place}]", item, value

    reads = [item.read for item in items]
    wire: Any = tuple[tuple(item.wire for item in items)]  # type: ignore[misc]
    return Form(wire, write, (lambda wired: tuple(each(reads, wired))) if any(reads) else None, parts)
