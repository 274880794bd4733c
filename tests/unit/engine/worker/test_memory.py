from __future__ import annotations

import subprocess
import sys

import pytest

_FAULTS = """
import resource
import numpy as np
from airflow_dq.engine.worker.memory import keep_freed_memory
if {kept}:
    keep_freed_memory()
def faults(rounds):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(rounds):
        arrays = [np.full(2**17, 1.0) for _ in range(8)]
        del arrays
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
faults(3)
print(faults(50))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="asks the C library of Linux")
def test_the_next_arrays_lie_where_the_last_ones_lay() -> None:
    # In processes of their own: it holds for all of a process, and stays.
    faults = [
        int(subprocess.check_output([sys.executable, "-c", _FAULTS.format(kept=kept)], text=True))
        for kept in (False, True)
    ]
    # 8 MB are 2,048 pages a round.
    assert faults[1] < 2_048 < faults[0]
