"""What a profile says in OpenLineage's terms: the partition as an input with its data-quality metrics."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from airflow_dq.options.job import JobSpec
    from airflow_dq.profile.model import ColumnProfile, Profile

_QUANTILES = {"p05": "0.05", "p25": "0.25", "median": "0.5", "p75": "0.75", "p95": "0.95"}


def dataset_name(spec: JobSpec) -> tuple[str, str]:
    """Namespace and name of what was profiled, by OpenLineage's conventions for files."""
    place = spec.pattern or next(iter(spec.paths.values()), "")
    if not place:
        return "spark", spec.table or spec.dataset
    parts = urlsplit(place)
    if parts.scheme in ("", "file"):
        return "file", parts.path
    return f"{parts.scheme}://{parts.netloc}", parts.path.lstrip("/") or "/"


def facet_values(profile: Profile) -> dict[str, Any]:
    """The fields of the data-quality metrics facet, as plain data: what is known, and nothing in its stead."""
    columns = {name: _column(column) for name, column in profile.columns.items()}
    return {"rowCount": profile.row_count, "columnMetrics": columns}


def _column(column: ColumnProfile) -> dict[str, Any]:
    from airflow_dq.states.category import CategoryDistribution
    from airflow_dq.states.count import Counts
    from airflow_dq.states.number import NumberDistribution

    metrics = {name: value for name, value in column.metrics.items() if isinstance(value, float | int)}
    found: dict[str, Any] = {name: metrics[name] for name in ("min", "max", "sum") if name in metrics}
    if quantiles := {_QUANTILES[name]: metrics[name] for name in _QUANTILES if name in metrics}:
        found["quantiles"] = quantiles
    for state in column.states.values():
        if isinstance(state, Counts):
            found |= {"nullCount": state.nulls, "count": state.rows}
        # The patterns of a text are a distribution too, and not that of its values.
        if isinstance(state, NumberDistribution) or type(state) is CategoryDistribution:
            found["distinctCount"] = state.distinct
    return found


def operator_lineage(read: Iterable[tuple[JobSpec, Profile | None]]) -> Any:
    """An ``OperatorLineage`` for Airflow's OpenLineage provider, which must be installed.

    :param read: each order, with its partition's profile where there is one
    """
    from airflow.providers.openlineage.extractors import OperatorLineage

    return OperatorLineage(inputs=[_input(spec, profile) for spec, profile in read])


def _input(spec: JobSpec, profile: Profile | None) -> Any:
    from openlineage.client.generated.base import InputDataset
    from openlineage.client.generated.data_quality_metrics_input_dataset import (
        ColumnMetrics,
        DataQualityMetricsInputDatasetFacet,
    )

    namespace, name = dataset_name(spec)
    facets = {}
    if profile is not None:
        values = facet_values(profile)
        columns = {column: ColumnMetrics(**fields) for column, fields in values["columnMetrics"].items()}
        facets["dataQualityMetrics"] = DataQualityMetricsInputDatasetFacet(
            rowCount=values["rowCount"], columnMetrics=columns
        )
    return InputDataset(namespace=namespace, name=name, inputFacets=facets)
