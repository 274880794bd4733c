"""``airflow dq rules``: what was learned of a dataset's rows, and what a person makes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from airflow_dq.cli.connection import find_dsn
from airflow_dq.cli.decision import who
from airflow_dq.cli.run import tell
from airflow_dq.cli.table import render
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.visible import visible

if TYPE_CHECKING:
    from airflow_dq.store import Repository
    from airflow_dq.store.rule_list import StoredRule

_HEAD = ("RULE", "STATE", "KIND", "WHAT HOLDS", "PARTITIONS", "ROWS", "BROKEN")


def rules(arguments: Any) -> int:
    """List the learned rules of a dataset, or confirm, mute or delete one."""
    from airflow_dq.store import open_store

    asked = [name for name in ("confirm", "mute", "delete") if getattr(arguments, name) is not None]
    if len(asked) > 1:
        raise ConfigurationError(f"Give one of --confirm, --mute and --delete, not {' and '.join(asked)} together.")
    with open_store(find_dsn(arguments.dq_conn_id)) as repository:
        found = repository.stored_rules(arguments.dataset)
        if not asked:
            _list(arguments, found)
            return 0
        number = getattr(arguments, asked[0])
        chosen = next((one for one in found if one.id == number), None)
        if chosen is None:
            raise ConfigurationError(
                f"Dataset {arguments.dataset!r} has no learned rule {number}: see `airflow dq rules "
                f"{arguments.dataset}`."
            )
        _ACTIONS[asked[0]](arguments, repository, chosen)
    return 0


def _list(arguments: Any, found: list[StoredRule]) -> None:
    told = [
        {
            "rule": one.id,
            "state": one.state,
            "family": one.rule.family,
            "columns": list(one.rule.columns),
            "words": one.words,
            "reason": one.reason,
            "learned_from": list(one.rule.partitions),
            "partitions": one.partitions,
            "rows": one.rows,
            "broken": one.broken,
        }
        for one in found
    ]
    rows = [(one.id, one.state, one.rule.family, one.words, one.partitions, one.rows, one.broken) for one in found]
    table = render(_HEAD, rows) if found else f"Nothing is learned of the rows of dataset {arguments.dataset!r}."
    tell(arguments, told, table)


def _confirm(arguments: Any, repository: Repository, chosen: StoredRule) -> None:
    """Write the rule as a declared check, which from then on asks it in its place."""
    check = chosen.check
    if check is None:
        raise ConfigurationError(
            f"Rule {chosen.id} ({visible(chosen.words)}) cannot be written as a check, for {chosen.why_no_check}; it "
            "goes on as a learned one."
        )
    repository.mute_rule(arguments.dataset, chosen.id, who(arguments), confirmed=True)
    told = (
        f"# {visible(chosen.words)}\n{chosen.check_line}\n"
        f"# Add it to the checks of dataset {visible(arguments.dataset)}; the learned rule {chosen.id} is muted."
    )
    tell(arguments, {"confirmed": chosen.id, "check": check.to_dict()}, told)


def _mute(arguments: Any, repository: Repository, chosen: StoredRule) -> None:
    repository.mute_rule(arguments.dataset, chosen.id, who(arguments))
    told = f"Rule {chosen.id} is muted: neither counted nor judged any more, nor learned again."
    tell(arguments, {"muted": chosen.id}, told)


def _delete(arguments: Any, repository: Repository, chosen: StoredRule) -> None:
    repository.delete_rule(arguments.dataset, chosen.id, who(arguments))
    told = f"Rule {chosen.id} is deleted; it is learned again where it holds."
    tell(arguments, {"deleted": chosen.id}, told)


_ACTIONS = {"confirm": _confirm, "mute": _mute, "delete": _delete}
