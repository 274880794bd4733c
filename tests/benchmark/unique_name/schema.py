"""Columns of database schemas that ship in Python packages: read from their migrations, which are never run.

Django's ``CreateModel`` and ``AddField``, Alembic's ``create_table``.  Nothing of a schema is kept in the repository:
what is trained with it is a table of weights of hashed character n-grams.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

_KINDS = {
    "numeric": ("int", "auto", "float", "decimal", "numeric", "serial", "double"),
    "boolean": ("bool",),
    "timestamp": ("date", "time", "duration", "interval"),
    "string": ("char", "text", "string", "slug", "url", "email", "uuid", "path", "address", "enum", "unicode", "file"),
}
_OF_ONE = ("OneToOneField", "ParentalOneToOneField")
_REFERENCES = ("ForeignKey", "OneToOneField", "ParentalKey", "TreeForeignKey", "ForeignKeyWithAutoRelatedName")


@dataclass(frozen=True)
class Named:
    """One column of a schema."""

    source: str
    """The package."""
    table: str
    column: str
    kind: str
    """As a profile would call it: numeric, string, boolean, timestamp, or other."""
    unique: bool
    """By itself: the only column of a key, or declared to be unique."""


def columns_of(folder: Path, source: str) -> Iterator[Named]:
    """The columns that the migrations below a folder create."""
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text(encoding="utf-8", errors="ignore")
        if "CreateModel" not in text and "create_table" not in text and "AddField" not in text:
            continue
        try:
            tree = ast.parse(text)
        except SyntaxError:
            continue
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            name = _called(call)
            found: Iterator[Named] = iter(())
            if name == "CreateModel":
                found = _django_model(call)
            elif name == "AddField":
                found = _django_field(call)
            elif name == "create_table":
                found = _alembic_table(call)
            yield from (replace(one, source=source) for one in found)


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _keyword(call: ast.Call, name: str, place: int | None = None) -> ast.expr | None:
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    return call.args[place] if place is not None and len(call.args) > place else None


def _text(node: ast.expr | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _true(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is True


def _kind(type_name: str) -> str:
    low = type_name.lower()
    return next((kind for kind, words in _KINDS.items() if any(word in low for word in words)), "other")


def _django_model(call: ast.Call) -> Iterator[Named]:
    table = _text(_keyword(call, "name", 0))
    fields = _keyword(call, "fields", 1)
    if table is None or not isinstance(fields, ast.List):
        return
    for item in fields.elts:
        if isinstance(item, ast.Tuple) and len(item.elts) == 2 and isinstance(item.elts[1], ast.Call):
            name = _text(item.elts[0])
            if name is not None:
                yield from _field(table, name, item.elts[1])


def _django_field(call: ast.Call) -> Iterator[Named]:
    table, name, field = (
        _text(_keyword(call, "model_name", 0)),
        _text(_keyword(call, "name", 1)),
        _keyword(call, "field", 2),
    )
    if table is not None and name is not None and isinstance(field, ast.Call):
        yield from _field(table, name, field)


def _field(table: str, name: str, field: ast.Call) -> Iterator[Named]:
    made = _called(field)
    if "ManyToMany" in made or made == "GenericRelation":
        return
    refers = made in _REFERENCES
    unique = _true(_keyword(field, "unique")) or _true(_keyword(field, "primary_key")) or made in _OF_ONE
    yield Named("", table, f"{name}_id" if refers else name, "numeric" if refers else _kind(made), unique)


def _alembic_table(call: ast.Call) -> Iterator[Named]:
    table = _text(call.args[0]) if call.args else None
    if table is None:
        return
    parts = [one for one in call.args[1:] if isinstance(one, ast.Call)]
    columns = [one for one in parts if _called(one) == "Column"]
    alone: set[str] = set()
    keys: list[str] = []
    for one in parts:
        if _called(one) in ("PrimaryKeyConstraint", "UniqueConstraint"):
            names = [text for arg in one.args if (text := _text(arg)) is not None]
            alone |= set(names) if len(names) == 1 else set()
    for one in columns:
        name = _text(one.args[0]) if one.args else None
        if name is not None and _true(_keyword(one, "primary_key")):
            keys.append(name)
    alone |= set(keys) if len(keys) == 1 else set()
    for one in columns:
        name = _text(one.args[0]) if one.args else None
        if name is None:
            continue
        given = one.args[1] if len(one.args) > 1 else None
        made = _called(given) if isinstance(given, ast.Call) else getattr(given, "attr", getattr(given, "id", ""))
        yield Named("", table, name, _kind(made), name in alone or _true(_keyword(one, "unique")))
