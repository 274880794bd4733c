"""How a command learns and judges: as the dataset's gate has last, but for what is given."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from airflow_dq.cli.argument import names

if TYPE_CHECKING:
    from airflow_dq.check.model import Check
    from airflow_dq.program import SynthesisOptions

_GIVEN = ("target_fpr", "scope", "mode", "novelty", "history", "min_history")


def options_of(arguments: Any, checks: tuple[Check, ...] | None, last: SynthesisOptions | None) -> SynthesisOptions:
    """The options.

    :param arguments: with those of :data:`airflow_dq.cli.definition_past.LEARNING`
    :param checks: the declared checks; None when none were given
    :param last: what the gate was set to when it judged last; None when it is not known
    """
    from airflow_dq.program import SynthesisOptions

    given = {name: getattr(arguments, name) for name in _GIVEN}
    given |= {"columns": names(arguments.columns), "exclude": names(arguments.exclude), "checks": checks}
    options = replace(last or SynthesisOptions(), **{name: one for name, one in given.items() if one is not None})
    return replace(options, min_history=min(options.min_history, options.history))
