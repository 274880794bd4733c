"""Running spark-submit: its lines are shown as they come, and the last ones kept."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import deque

from airflow_dq.job.result import PREFIX

_HIDDEN = re.compile(rf"\d\d/\d\d/\d\d \d\d:\d\d:\d\d [A-Z]+ |WARNING: |Using |airflow_dq: error: |{re.escape(PREFIX)}")
"""How lines begin that are not shown as they come: those of Spark itself and of the JVM, which are of interest only
when the job fails without an explanation, and the last ones, which are shown at the end."""


def submit(command: list[str], environment: dict[str, str]) -> tuple[int, list[str]]:
    """Run spark-submit to its end: its exit code and last lines; the job's own lines are shown as they come."""
    lines: deque[str] = deque(maxlen=500)
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            for line in process.stdout or ():
                lines.append(line.rstrip("\n"))
                if not _HIDDEN.match(line):
                    print(lines[-1], file=sys.stderr, flush=True)
        except BaseException:
            process.terminate()
            raise
    return process.returncode, list(lines)
