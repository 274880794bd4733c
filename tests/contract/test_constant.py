"""Every number that has a name says what it means and what has set it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "airflow_dq"
_NAME = re.compile(r"_?[A-Z][A-Z0-9_]*")
_ARITHMETIC = (ast.Constant, ast.UnaryOp, ast.BinOp, ast.Tuple, ast.operator, ast.unaryop, ast.Name, ast.expr_context)


def unexplained(source: str) -> Iterator[str]:
    """Names of the numeric constants of a module and of its classes with no docstring below and no comment at them."""
    lines, module = source.splitlines(), ast.parse(source)
    for scope in [module, *(node for node in ast.walk(module) if isinstance(node, ast.ClassDef))]:
        for place, statement in enumerate(scope.body):
            name = _numeric(statement)
            if name is None:
                continue
            below = scope.body[place + 1] if place + 1 < len(scope.body) else None
            is_told = isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
            at = [lines[statement.lineno - 2].lstrip()[:1] == "#", "#" in lines[statement.lineno - 1]]
            if not is_told and not any(at):
                yield name


def _numeric(statement: ast.stmt) -> str | None:
    """Name of the constant that is one number, or a tuple of them; None for any other statement."""
    if isinstance(statement, ast.AnnAssign):
        target, value = statement.target, statement.value
    elif isinstance(statement, ast.Assign):
        target, value = statement.targets[0], statement.value
    else:
        return None
    names = [node.id for node in ast.walk(target) if isinstance(node, ast.Name)]
    if value is None or not names or not all(map(_NAME.fullmatch, names)):
        return None
    numbers = [node for node in ast.walk(value) if isinstance(node, ast.Constant)]
    is_arithmetic = all(isinstance(node, _ARITHMETIC) for node in ast.walk(value))
    if not is_arithmetic or not numbers or not all(type(number.value) in (int, float) for number in numbers):
        return None
    return names[0]


def test_every_numeric_constant_is_explained() -> None:
    found = {str(path): names for path in PACKAGE.rglob("*.py") if (names := list(unexplained(path.read_text())))}
    assert not found, "say below it what it means, and what has set it"


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("A = 3", ["A"]),
        ('A = 3\n"""Tries."""', []),
        ("# Tries.\nA = 3", []),
        ("A = 3  # tries", []),
        ("A = -(2**63)\nB: Final[float] = 0.5", ["A", "B"]),
        ("class C:\n    _SIZE: ClassVar[int] = 1 << 10", ["_SIZE"]),
        ("A, B = 1.0, 2.0\nC = (A, 3)", ["A", "C"]),
        ("a = 3\nA = 'x'\nB = {1: 2}\nC = f(3)\nD = E", []),
    ],
)
def test_what_counts_as_one(source: str, names: list[str]) -> None:
    assert list(unexplained(source)) == names
