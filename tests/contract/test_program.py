"""What the program package promises to notebooks, tests and benchmarks: its three functions and their limits."""

from __future__ import annotations

import ast
import inspect
import pkgutil
import subprocess
import sys
from importlib import import_module

import numpy as np
import pyarrow as pa
import pytest

import airflow_dq.backtest
import airflow_dq.explain
import airflow_dq.judge
import airflow_dq.learn
from airflow_dq.codec import from_json, to_json
from airflow_dq.profile import profile_table
from airflow_dq.profile.model import Profile
from airflow_dq.program import Program, Status, SynthesisOptions, Verdict, evaluate, synthesize

MODULES = [
    import_module(module.name)
    for package in (airflow_dq.learn, airflow_dq.judge, airflow_dq.explain, airflow_dq.backtest)
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
]


def _orders(day: int, *, currency: float = 1.0, lower: bool = False, lost: float = 0.0) -> Profile:
    rng = np.random.default_rng(day)
    rows = int(rng.normal(600, 15))
    amount = np.where(rng.random(rows) < lost, np.nan, rng.gamma(4.0, 10.0, rows) * currency)
    codes = rng.choice(["SKU-1001", "SKU-1002", "SKU-2040", "SKU-3177"], rows, p=[0.4, 0.3, 0.2, 0.1])
    if lower:
        codes = np.char.lower(codes)
    table = pa.table(
        {
            "amount": amount,
            "sku": codes.tolist(),
            "paid": rng.random(rows) < 0.8,
            "placed": pa.array(rng.integers(0, 86_400, rows) + 86_400 * (15_000 + day), pa.timestamp("s")),
            "lines": pa.array([[1, 2]] * rows, pa.list_(pa.int64())),
        }
    )
    return profile_table(table, partition=f"day-{day:03d}")


HISTORY = [_orders(day) for day in range(20)]
PROGRAM = synthesize(HISTORY, SynthesisOptions(target_fpr=1e-3, scope="column", mode="paper"))


@pytest.mark.parametrize("scope", ["partition", "column"])
def test_no_program_spends_more_than_its_target(scope: str) -> None:
    for target in (0.2, 1e-2, 1e-3, 1e-5):
        program = synthesize(HISTORY, SynthesisOptions(target_fpr=target, scope=scope, mode="paper"))
        spent = [column.fpr for column in program.columns.values()]
        assert (sum(spent) if scope == "partition" else max(spent)) <= target * (1 + 1e-9)


def test_every_kind_of_column_has_a_verdict() -> None:
    verdict = evaluate(PROGRAM, _orders(20), HISTORY)
    assert verdict.status is Status.PASS
    assert set(verdict.columns) == {"amount", "sku", "paid", "placed", "lines"}
    assert verdict.columns["amount"].status is Status.PASS


@pytest.mark.parametrize(
    ("broken", "column"),
    [({"currency": 100.0}, "amount"), ({"lower": True}, "sku"), ({"lost": 0.5}, "amount")],
)
def test_real_errors_fail_their_column(broken: dict[str, float], column: str) -> None:
    verdict = evaluate(PROGRAM, _orders(20, **broken), HISTORY)
    assert verdict.status is Status.FAIL
    assert verdict.columns[column].status is Status.FAIL
    assert {alert.column for alert in verdict.alerts} == {column}
    for alert in verdict.alerts:
        assert alert.message.startswith(f"{column}: ")
        assert len(alert.history) == len(HISTORY)
        assert alert.evidence is not None
        assert alert.evidence.deviation > alert.evidence.worst
        assert (alert.evidence.rank, alert.partitions) == (1, alert.evidence.partitions)


def test_learned_programs_and_verdicts_survive_json() -> None:
    verdict = evaluate(PROGRAM, _orders(20, currency=100.0), HISTORY)
    assert from_json(Program, to_json(PROGRAM)) == PROGRAM
    assert from_json(Verdict, to_json(verdict)) == verdict
    again = evaluate(from_json(Program, to_json(PROGRAM)), _orders(20, currency=100.0), HISTORY)
    assert again == verdict


def test_synthesis_is_deterministic() -> None:
    assert synthesize([_orders(day) for day in range(20)], PROGRAM.options) == PROGRAM


def test_an_empty_partition_never_passes() -> None:
    empty = profile_table(
        pa.table({"amount": pa.array([], pa.float64()), "sku": pa.array([], pa.string())}), partition="day-020"
    )
    verdict = evaluate(PROGRAM, empty, HISTORY, columns=["amount", "sku"])
    assert verdict.status is Status.FAIL


def test_program_package_imports_no_airflow_database_or_statistics_library() -> None:
    code = (
        "import sys\n"
        "from airflow_dq.program import evaluate, synthesize\n"
        "from airflow_dq.codec import to_json\n"
        "heavy = {'airflow', 'sqlalchemy', 'pyspark', 'scipy.stats', 'statsmodels'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__.rpartition(".")[2])
def test_everything_public_is_documented_and_fits_a_screen(module: object) -> None:
    source = inspect.getsource(module)
    tree = ast.parse(source)
    assert ast.get_docstring(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            assert ast.get_docstring(node), f"{node.name} has no docstring"
        if isinstance(node, ast.FunctionDef):
            assert (node.end_lineno or 0) - node.lineno < 60, f"{node.name} does not fit a screen"
    assert source.count("\n") <= 400
