"""What may import what: no module waits for another in a circle, and learning is a stack of layers."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations

import grimp
import pytest

LEARN = ("history", "rule", "relation", "between", "expect", "choose", "constraint", "avh", "pipeline")
"""What learning is made of; each may import what stands before it, and nothing that stands behind it."""
BASIC = ("array", "counting", "distribution", "renaming")
"""What learning computes with: these import none of the layers."""


@cache
def graph(*, typed: bool = False) -> grimp.ImportGraph:
    """Every import between our modules, also those inside of functions; with ``typed`` also those for types only."""
    return grimp.build_graph("airflow_dq", exclude_type_checking_imports=not typed, cache_dir=None)


def circles(found: grimp.ImportGraph) -> list[list[str]]:
    """The modules that import each other, directly or not (Tarjan's strongly connected components)."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    open_: list[str] = []
    circular: list[list[str]] = []

    def visit(module: str) -> None:
        order[module] = lowest[module] = len(order)
        open_.append(module)
        for imported in sorted(found.find_modules_directly_imported_by(module)):
            if imported not in order:
                visit(imported)
                lowest[module] = min(lowest[module], lowest[imported])
            elif imported in open_:
                lowest[module] = min(lowest[module], order[imported])
        if lowest[module] == order[module]:
            place = open_.index(module)
            if len(open_) - place > 1:
                circular.append(sorted(open_[place:]))
            del open_[place:]

    for module in sorted(found.modules):
        if module not in order:
            visit(module)
    return circular


def imports_between(importers: str, imported: str) -> Iterator[str]:
    """``a -> b`` for each module of one part of ``airflow_dq.learn`` that imports one of another."""
    for module in (f"airflow_dq.learn.{importers}", *graph().find_descendants(f"airflow_dq.learn.{importers}")):
        for target in graph().find_modules_directly_imported_by(module):
            if f"{target}.".startswith(f"airflow_dq.learn.{imported}."):
                yield f"{module} -> {target}"


def test_a_circle_is_found() -> None:
    made = grimp.ImportGraph()
    for importer, imported in ("ab", "bc", "ca", "cd", "ed"):
        made.add_import(importer=importer, imported=imported)
    assert circles(made) == [["a", "b", "c"]]


@pytest.mark.parametrize("typed", [False, True], ids=["run", "types"])
def test_no_modules_import_each_other_in_a_circle(typed: bool) -> None:
    assert circles(graph(typed=typed)) == []


@pytest.mark.parametrize(("lower", "higher"), list(combinations(LEARN, 2)))
def test_the_layers_of_learning_import_downwards_only(lower: str, higher: str) -> None:
    assert list(imports_between(lower, higher)) == []


@pytest.mark.parametrize("place", range(1, len(LEARN)))
def test_each_layer_of_learning_uses_one_below_it(place: int) -> None:
    assert any(True for lower in LEARN[:place] for _ in imports_between(LEARN[place], lower))


@pytest.mark.parametrize("basic", BASIC)
def test_what_learning_computes_with_imports_no_layer(basic: str) -> None:
    assert [found for layer in LEARN for found in imports_between(basic, layer)] == []


def test_every_module_of_learning_has_its_layer() -> None:
    parts = {module.split(".")[2] for module in graph().find_descendants("airflow_dq.learn")}
    # A program is what the layers make together: it knows the constraints, and the pipeline makes it.
    assert parts == {*LEARN, *BASIC, "program"}
