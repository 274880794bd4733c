"""``airflow dq judge``: the verdict that a gate would give now."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from airflow_dq.check.file import declared_checks
from airflow_dq.cli.connection import find_dsn
from airflow_dq.cli.explain import passed, write_page
from airflow_dq.cli.learning import options_of
from airflow_dq.cli.run import print_json


def judge(arguments: Any) -> int:
    """Judge the stored profile, by what the gate was last set to unless something else is asked for.

    The verdict is stored only when that is asked for, and no decision changes either way.  Exit code 1 when it is
    neither ``pass`` nor ``warming_up``.
    """
    from airflow_dq.codec import to_builtins
    from airflow_dq.explain.lines import SPELT
    from airflow_dq.gate import pipeline
    from airflow_dq.report import render_text
    from airflow_dq.store import open_store

    dataset, partition = arguments.dataset, arguments.partition
    checks = None if arguments.checks is None else declared_checks(arguments.checks, dataset)
    with open_store(find_dsn(arguments.dq_conn_id)) as repository:
        program = (repository.current_program(dataset) or (None, None))[1]
        options = options_of(arguments, checks, None if program is None else program.options)
        act = pipeline.judge if arguments.store else pipeline.preview
        verdict = act(repository, dataset, partition, options)
    if arguments.html:
        write_page(Path(arguments.html), [(dataset, verdict)])
    if arguments.output:
        print_json({"dataset": dataset, "stored": arguments.store, **to_builtins(verdict)})
    else:
        print(render_text([(dataset, verdict)], findings=SPELT), end="")
    return 0 if passed(verdict) else 1
