"""``airflow dq explain``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airflow_dq.cli.connection import find_dsn
from airflow_dq.cli.run import print_json
from airflow_dq.exceptions import ConfigurationError, StoreError
from airflow_dq.program import Status

if TYPE_CHECKING:
    from airflow_dq.program import Verdict


def explain(arguments: Any) -> int:
    """Show the stored verdict; exit code 1 when it is neither ``pass`` nor ``warming_up``."""
    from airflow_dq.codec import to_builtins
    from airflow_dq.report import render_text
    from airflow_dq.report.markdown import render_markdown

    verdict = _verdict(arguments)
    shown = [(arguments.dataset, verdict)]
    if arguments.html:
        write_page(Path(arguments.html), shown)
    if arguments.markdown:
        print(render_markdown(arguments.dataset, verdict), end="")
    elif arguments.output:
        print_json({"dataset": arguments.dataset, **to_builtins(verdict)})
    else:
        print(render_text(shown), end="")
    return 0 if passed(verdict) else 1


def passed(verdict: Verdict) -> bool:
    """Whether nothing was found, as far as it could be judged: a young dataset has nothing to be held to."""
    return verdict.status in (Status.PASS, Status.WARMING_UP)


def _verdict(arguments: Any) -> Verdict:
    from airflow_dq.store import open_store

    with open_store(find_dsn(arguments.dq_conn_id)) as repository:
        stored = repository.load_verdict(arguments.dataset, arguments.partition)
        attempt = repository.attempt_status(arguments.dataset, arguments.partition)
    if stored is None:
        said = (
            "no verdict is stored. A DQGateSensor stores one when it judges the partition; `airflow dq judge` shows "
            "what it would be."
            if attempt is not None and attempt.has_profile
            else "there is no profile. `airflow dq status` and `airflow dq status DATASET` list what there is."
        )
        raise StoreError(f"Dataset {arguments.dataset!r}, partition {arguments.partition!r}: {said}")
    return stored


def write_page(path: Path, shown: list[tuple[str, Verdict]]) -> None:
    """Write the page of verdicts.

    :raises ConfigurationError: when that file cannot be written
    """
    from airflow_dq.report import write_report

    try:
        write_report(path, shown)
    except OSError as error:
        raise ConfigurationError(f"The page cannot be written to {str(path)!r}: {error.strerror}.") from None
    print(f"Written: {path}", file=sys.stderr)
