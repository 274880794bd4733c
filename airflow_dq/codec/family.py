"""Open families: a field of an abstract class, whose subclasses say by a word which of them was written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from airflow_dq.codec.form import Form, Mismatch, read, shown
from airflow_dq.codec.registry import record, register

WORD = "family"
"""The class variable that names a subclass, and the field that it is written to."""


def polymorphic(base: type, families: Callable[[], Mapping[str, type]]) -> None:
    """Let fields of an abstract class hold any of its subclasses: ``{"family": "...", **fields}``.

    :param base: the abstract class, as fields are annotated (``tuple[Constraint, ...]``)
    :param families: gives the subclasses, frozen dataclasses, by their class variable ``family``; it is asked at each
        value, not here, and so may find them by introspection once and keep them
    """
    # Not a union of all subclasses for msgspec: a subclass may hold others of them, and new ones may come.
    register(
        base, lambda: Form(dict[str, Any], lambda value: _write(value, families()), lambda d: _read(d, families()))
    )


def _write(value: Any, families: Mapping[str, type]) -> Any:
    word = getattr(value, WORD, None)
    if isinstance(word, str) and families.get(word) is type(value):
        return _form(families[word]).write(value)
    raise Mismatch(f"{shown(value)} is of no known family")


def _read(data: dict[str, Any], families: Mapping[str, Any]) -> Any:
    word = data.get(WORD)
    if isinstance(word, str) and word in families:
        return read(_form(families[word]), data)
    raise Mismatch(f"{shown(word)} is not one of {', '.join(sorted(families))}").within(f".{WORD}")


def _form(kind: Any) -> Form:
    return record(kind, word=WORD)
