from __future__ import annotations

import sys
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import pyarrow as pa
import pytest

from airflow_dq.operators.lineage import dataset_name, facet_values, operator_lineage
from airflow_dq.profile import JobSpec, profile_table

TABLE = pa.table({"n": [1.0, 2.0, 2.0, float("nan"), None], "s": ["a", "", None, "b", "b"], "l": [[1]] * 5})


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (JobSpec(dataset="d", paths={"1": "/lake/day=1"}), ("file", "/lake/day=1")),
        (JobSpec(dataset="d", paths={"1": "file:///lake/day=1"}), ("file", "/lake/day=1")),
        (JobSpec(dataset="d", pattern="s3a://bucket/lake/day=*"), ("s3a://bucket", "lake/day=*")),
        (JobSpec(dataset="d", table="db.t", partition="1"), ("spark", "db.t")),
        (JobSpec(dataset="d", sql="select 1", partition="1"), ("spark", "d")),
    ],
)
def test_names_follow_the_conventions_for_files(spec: JobSpec, expected: tuple[str, str]) -> None:
    assert dataset_name(spec) == expected


def test_the_facet_says_what_is_known_and_nothing_in_its_stead() -> None:
    values = facet_values(profile_table(TABLE, "1"))
    assert values["rowCount"] == 5
    number = values["columnMetrics"]["n"]
    assert {name: number[name] for name in ("nullCount", "count", "distinctCount", "min", "max", "sum")} == {
        "nullCount": 1,
        "count": 5,
        "distinctCount": 2,
        "min": 1.0,
        "max": 2.0,
        "sum": 5.0,
    }
    assert number["quantiles"]["0.5"] == 2.0
    assert values["columnMetrics"]["s"] == {"nullCount": 1, "count": 5, "distinctCount": 2}
    assert values["columnMetrics"]["l"]["nullCount"] == 0


def test_the_providers_classes_get_the_values(monkeypatch: pytest.MonkeyPatch) -> None:
    _pretend_openlineage_is_installed(monkeypatch)
    lineage = operator_lineage([(JobSpec(dataset="d", paths={"1": "/lake/day=1"}), profile_table(TABLE, "1"))])
    (read,) = lineage.inputs
    assert (read.namespace, read.name) == ("file", "/lake/day=1")
    facet = read.inputFacets["dataQualityMetrics"]
    assert (facet.rowCount, facet.columnMetrics["n"].max, facet.columnMetrics["s"].max) == (5, 2.0, None)
    without = operator_lineage([(JobSpec(dataset="d", pattern="/lake/day=*"), None)])
    assert without.inputs[0].inputFacets == {}


def _pretend_openlineage_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The few classes that are used, with the fields that openlineage-python 1.54 gives them."""

    @dataclass
    class ColumnMetrics:
        nullCount: int | None = None  # noqa: N815 - OpenLineage's own names
        distinctCount: int | None = None  # noqa: N815
        sum: float | None = None
        count: float | None = None
        min: float | None = None
        max: float | None = None
        quantiles: dict[str, float] | None = None

    @dataclass
    class DataQualityMetricsInputDatasetFacet:
        columnMetrics: dict[str, ColumnMetrics]  # noqa: N815
        rowCount: int | None = None  # noqa: N815

    @dataclass
    class InputDataset:
        namespace: str
        name: str
        inputFacets: dict[str, Any] = field(default_factory=dict)  # noqa: N815

    @dataclass
    class OperatorLineage:
        inputs: list[InputDataset]

    classes: dict[str, tuple[type, ...]] = {
        "airflow.providers.openlineage.extractors": (OperatorLineage,),
        "openlineage.client.generated.base": (InputDataset,),
        "openlineage.client.generated.data_quality_metrics_input_dataset": (
            ColumnMetrics,
            DataQualityMetricsInputDatasetFacet,
        ),
    }
    for name, found in classes.items():
        module = ModuleType(name)
        for one in found:
            setattr(module, one.__name__, one)
        parts = name.split(".")
        for depth in range(1, len(parts)):
            parent = ".".join(parts[:depth])
            if parent not in sys.modules:
                monkeypatch.setitem(sys.modules, parent, ModuleType(parent))
        monkeypatch.setitem(sys.modules, name, module)
