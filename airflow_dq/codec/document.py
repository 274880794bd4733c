"""Models as JSON text or as JSON values, and back."""

from __future__ import annotations

from functools import cache
from typing import Any, TypeVar

from airflow_dq.codec import profile, program
from airflow_dq.codec.form import Form, Mismatch, located, read
from airflow_dq.codec.registry import form_of
from airflow_dq.codec.wire import msgspec, text_of
from airflow_dq.exceptions import CodecError

Model = TypeVar("Model")

profile.register_forms()
program.register_forms()


def to_json(value: object) -> str:
    """One line of strict JSON.

    :param value: a program, a verdict, a profile (with its injected variants as far as they can be computed), a
        backtest's result, or any part of them
    :raises CodecError: when it holds what JSON does not have: NaN, an infinity, half a surrogate pair
    """
    try:
        return text_of(to_builtins(value))
    except (UnicodeError, RecursionError) as error:
        raise CodecError(f"{type(value).__name__}: cannot be written as JSON: {error}.") from error


def from_json(kind: type[Model], text: str) -> Model:
    """The value that :func:`to_json` wrote.

    :param kind: its class
    :raises CodecError: naming the first field that is missing, unknown or of a wrong type, and what was seen
    """
    form = _form(kind)
    try:
        wired = _decoder(kind).decode(text)
        return wired if form.read is None else form.read(wired)  # type: ignore[no-any-return]
    except Mismatch as mismatch:
        raise _error(kind, mismatch) from mismatch
    except msgspec.ValidationError as error:
        raise _error(kind, _mistake(form, text, error)) from None
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise CodecError(f"The stored {kind.__name__} is not JSON: {error}.") from error


def to_builtins(value: object) -> Any:
    """The same as JSON values: dicts, lists, texts, numbers, None.

    :raises CodecError: when it holds a number that JSON does not have
    """
    kind = type(value)
    try:
        return _form(kind).write(value)
    except Mismatch as mismatch:
        raise _error(kind, mismatch) from mismatch


def from_builtins(kind: type[Model], data: Any) -> Model:
    """The value that :func:`to_builtins` wrote.

    :raises CodecError: as :func:`from_json`
    """
    try:
        found: Model = read(_form(kind), data)
        return found
    except Mismatch as mismatch:
        raise _error(kind, mismatch) from mismatch
    except RecursionError as error:
        raise CodecError(f"The stored {kind.__name__} is nested too deeply: {error}.") from error


def _form(kind: Any) -> Form:
    return form_of(kind)


def _decoder(kind: Any) -> Any:
    return _decoder_of(form_of(kind))


@cache
def _decoder_of(form: Form) -> Any:
    return msgspec.json.Decoder(form.wire)


def _mistake(form: Form, text: str, error: Exception) -> Mismatch:
    try:
        return located(form, msgspec.json.decode(text), error)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        # Its very text is damaged further on.
        return Mismatch(str(error))


def _error(kind: type, mismatch: Mismatch) -> CodecError:
    return CodecError(f"{kind.__name__}{mismatch.path}: {mismatch.problem}.")
