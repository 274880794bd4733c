"""Which form a type has: its fields and their types say it, so that a new field needs no change here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from airflow_dq.codec.basic import SCALARS, choice, fixed_tuple, mapping, optional, sequence
from airflow_dq.codec.form import Form, Mismatch, shown
from airflow_dq.codec.wire import msgspec, struct
from airflow_dq.exceptions import DQError

_BUILDERS: dict[Any, Callable[[], Form]] = {}


def register(kind: Any, build: Callable[[], Form]) -> None:
    """Give a type a form of its own, in place of what its fields say.

    :param kind: as fields are annotated: a class, ``float | Reason``, ``Mapping[str, State]``
    :param build: called when a value of the type is first written or read
    """
    _BUILDERS[_name(kind)] = build
    form_of.cache_clear()
    record.cache_clear()


def _name(kind: Any) -> Any:
    return frozenset(get_args(kind)) if get_origin(kind) in (Union, UnionType) else kind


@cache
def form_of(kind: Any) -> Form:
    """The form of a type.

    :raises TypeError: when there is none
    """
    build = _BUILDERS.get(_name(kind))
    if build is not None:
        return build()
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return _union(kind, arguments)
    if origin is Literal:
        return choice(kind, {value: value for value in arguments})
    if origin is tuple and arguments[-1] is not Ellipsis:
        return fixed_tuple([form_of(one) for one in arguments])
    if isinstance(origin, type) and issubclass(origin, Mapping) and arguments[0] is str:
        return mapping(form_of(arguments[1]))
    if isinstance(origin, type) and issubclass(origin, Sequence):
        return sequence(form_of(arguments[0]), list if origin is list else tuple)
    if hasattr(kind, "__dataclass_fields__"):
        return record(kind)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return choice(kind, {member: member.value for member in kind})
    if kind in SCALARS:
        return SCALARS[kind]
    raise TypeError(f"{kind!r} has no form in JSON: see airflow_dq.codec.registry.register.")


def _union(kind: Any, arguments: tuple[Any, ...]) -> Form:
    others = [one for one in arguments if one is not NoneType]
    if len(others) == len(arguments):
        raise TypeError(f"{kind!r} has no form in JSON: a union of several types needs one of its own.")
    return optional(form_of(others[0] if len(others) == 1 else Union[tuple(others)]))  # noqa: UP007  (made here)


@cache
def record(
    kind: Any,
    *,
    without: frozenset[str] = frozenset(),
    word: str | None = None,
    names: tuple[tuple[str, Any], ...] = (),
) -> Form:
    """The form of a dataclass: an object with each of its fields, no more and no fewer.

    :param without: fields that are not written and take their default when they are read
    :param word: name of a class variable that is written too, and must be the same when it is read; by default
        ``format``, where the class has one
    :param names: what the class's module imports for its annotations only
    """
    hints = get_type_hints(kind, localns=dict(names))
    forms = {one.name: form_of(hints[one.name]) for one in fields(kind) if one.name not in without}
    if word is None and "format" not in forms and isinstance(getattr(kind, "format", None), str):
        word = "format"
    head = {} if word is None else {word: getattr(kind, word)}
    given = {**{name: choice(Literal[value], {value: value}) for name, value in head.items()}, **forms}
    wire = struct(kind.__name__, [(name, form.wire) for name, form in given.items()])

    def parts(data: Any) -> Iterator[tuple[str, Form, Any]]:
        if isinstance(data, dict):
            for name, form in given.items():
                if name in data:
                    yield f".{name}", form, data[name]

    return Form(wire, _writer(kind, head, forms), _reader(kind, head, forms), parts)


def _writer(kind: type, head: Mapping[str, str], forms: Mapping[str, Form]) -> Callable[[Any], Any]:
    writes = [(name, form.write) for name, form in forms.items()]

    def write(value: Any) -> dict[str, Any]:
        if type(value) is not kind:
            raise Mismatch(f"{shown(value)} is not a {kind.__name__}")
        written: dict[str, Any] = dict(head)
        for name, convert in writes:
            try:
                written[name] = convert(getattr(value, name))
            except Mismatch as mismatch:
                raise mismatch.within(f".{name}") from None
        return written

    return write


def _reader(kind: type, head: Mapping[str, str], forms: Mapping[str, Form]) -> Callable[[Any], Any]:
    reads = [(name, form.read) for name, form in forms.items() if form.read is not None]

    def from_wire(wired: Any) -> Any:
        values = msgspec.structs.asdict(wired)
        for name in head:
            del values[name]
        for name, convert in reads:
            try:
                values[name] = convert(values[name])
            except Mismatch as mismatch:
                raise mismatch.within(f".{name}") from None
        try:
            return kind(**values)
        except (DQError, ArithmeticError, TypeError, ValueError) as error:
            # The model's own check of its fields.
            raise Mismatch(str(error).rstrip(".")) from error

    return from_wire
