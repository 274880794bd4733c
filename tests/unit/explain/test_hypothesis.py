from __future__ import annotations

import ast
import pkgutil
import subprocess
import sys
from importlib import import_module
from inspect import getsource
from pathlib import Path

import pytest

import airflow_dq.explain.cause as package
from airflow_dq.explain.cause import hypothesis
from airflow_dq.explain.cause.hypothesis import fit, hypotheses_for, percent
from airflow_dq.states.base import Kind

MODULES = sorted(module.name for module in pkgutil.iter_modules(package.__path__))


@pytest.mark.parametrize("kind", list(Kind))
def test_every_kind_has_hypotheses_the_most_trusted_first(kind: Kind) -> None:
    found = hypotheses_for(kind)
    assert {"missing", "volume", "stale"} <= {entry.examine.__name__ for entry in found}
    trusts = [entry.trust for entry in found]
    assert trusts == sorted(trusts, reverse=True)
    assert all(0.0 < trust <= 1.0 for trust in trusts)


def test_each_module_beside_the_registry_has_a_hypothesis() -> None:
    found = {entry.examine.__module__.rpartition(".")[2] for kind in Kind for entry in hypotheses_for(kind)}
    assert found == set(MODULES) - {"hypothesis"}


def test_the_registry_imports_none_of_its_siblings() -> None:
    tree = ast.parse(getsource(hypothesis))
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert not [name for name in imported if name and name.startswith(package.__name__)]


def test_the_order_does_not_depend_on_what_was_imported_first() -> None:
    def names(first: str) -> str:
        code = (
            f"import {package.__name__}.{first}\nfrom {hypothesis.__name__} import hypotheses_for\n"
            "from airflow_dq.states.base import Kind\n"
            "print([entry.examine.__name__ for entry in hypotheses_for(Kind.STRING)])"
        )
        root = Path(import_module("airflow_dq").__path__[0]).parent
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
        return done.stdout

    assert names("text") == names("letter")


@pytest.mark.parametrize(
    ("rest", "noise", "effect", "score"), [(0.05, 0.1, 0.5, 1.0), (0.5, 0.0, 0.5, 0.0), (0.3, 0.1, 0.5, 0.5)]
)
def test_score_of_what_a_cause_leaves_unexplained(rest: float, noise: float, effect: float, score: float) -> None:
    assert fit(rest, noise, effect) == pytest.approx(score)


@pytest.mark.parametrize(("share", "text"), [(1.0, "all"), (0.37, "37%"), (0.004, "0.4%"), (0.0512, "5.1%")])
def test_a_share_in_a_cause(share: float, text: str) -> None:
    assert percent(share) == text
