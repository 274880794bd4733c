"""Packing the metrics that users have registered for a Spark driver or its executors.

A metric of a DAG file cannot be imported there, so its function travels by value.  Whatever else it uses must be
importable on the other side: this package, numpy, pyarrow, and what the job's ``py_files`` bring.
"""

from __future__ import annotations

import base64
import sys
from typing import Any

from pyspark import cloudpickle as _untyped

from airflow_dq.metrics.registry import USER_METRICS_MODULE, own_metrics
from airflow_dq.metrics.user_metric import PYTHON

cloudpickle: Any = _untyped


def pack_metrics() -> str:
    """All metrics that users have registered here, as plain text; empty when there are none."""
    entries = own_metrics()
    if not entries:
        return ""
    modules = {sys.modules[name] for entry in entries if (name := entry.function.__module__) in sys.modules}
    for module in modules:
        cloudpickle.register_pickle_by_value(module)
    try:
        content = cloudpickle.dumps(entries)
    finally:
        for module in modules:
            cloudpickle.unregister_pickle_by_value(module)
    return f"{PYTHON}:{base64.b64encode(content).decode()}"


def user_metrics_module() -> dict[str, str]:
    """The module that registers the same metrics on an executor, as text by file name; none when there are none."""
    packed = pack_metrics()
    text = f"from airflow_dq.metrics.user_metric import unpack_metrics\n\nunpack_metrics({packed!r})\n"
    return {f"{USER_METRICS_MODULE}.py": text} if packed else {}
