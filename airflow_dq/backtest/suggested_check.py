"""Checks that a dataset's past suggests: found in its older partitions, and tried on all of them.

What Deequ's suggestions cannot do is to say on how many partitions each would have held, and to leave out what the
newer ones break.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from airflow_dq.backtest.suggested_rule import RULES, Candidate, Past, withheld
from airflow_dq.check.model import Check
from airflow_dq.exceptions import SynthesisError
from airflow_dq.profile.check.answer import answer
from airflow_dq.profile.check.measured import Measured
from airflow_dq.profile.model import Profile

T = TypeVar("T")
LEAST = 3
"""Fewer partitions say nothing of those to come."""
OLDER = 2 / 3
"""The share of the partitions that checks are found in; those after them have had no part in it."""


@dataclass(frozen=True, slots=True)
class SuggestedCheck:
    """A check, why it is suggested, and on how many partitions it would have held."""

    check: Check
    reason: str
    held: int
    of: int
    """Partitions of which it can be told; 0: of none, so that it is only a guess."""


def suggest_checks(profiles: Sequence[Profile], dataset: str = "") -> list[SuggestedCheck]:
    """What might be declared of a dataset: nothing that one of the partitions breaks.

    :param profiles: good partitions, oldest first
    :param dataset: its name, which tells something of its columns' names
    :raises SynthesisError: when there are fewer than :data:`LEAST`
    """
    if len(profiles) < LEAST:
        raise SynthesisError(
            f"{len(profiles)} partitions are profiled, and suggestions need {LEAST} or more: `airflow dq backfill`."
        )
    older = _older(profiles)
    # Of stored partitions only the newest keep their values: what asks for these is found in the older ones of them.
    with_values = [place for place, one in enumerate(profiles) if any(column.states for column in one.columns.values())]
    told = profiles[: _older(with_values)[-1] + 1] if len(with_values) >= LEAST else older
    names = [name for name in profiles[-1].columns if all(name in one.columns for one in older)]
    found, known = list[SuggestedCheck](), dict[tuple[str, int], Measured]()

    def tell(check: Check, profile: Profile) -> Measured:
        """What the profile answers, once for each check."""
        # Several rules ask the same, of the older partitions and again of all.
        key = check.measure, id(profile)
        if key not in known:
            known[key] = answer(check, profile)
        return known[key]

    for name in names:
        whole = [one for one in profiles if name in one.columns]
        for rule, follows in RULES:
            found_in = [*rule(Past(dataset, name, older, tell))]
            if not found_in and len(told) > len(older) and all(name in one.columns for one in told):
                found_in = [*rule(Past(dataset, name, told, tell))]
            tried = (_tried(one, profiles, tell) for one in found_in)
            held = next((one for one in tried if one is not None), None)
            if held is not None and follows and held.of:
                # The rule has held on partitions that it was not found in: its bounds may now be those of all.
                wider = (_tried(one, profiles, tell) for one in rule(Past(dataset, name, whole, tell)))
                held = next((one for one in wider if one is not None), None)
            found += [held] if held is not None else []
    return found


def _older(partitions: Sequence[T]) -> Sequence[T]:
    """Those that checks are found in."""
    return partitions[: max(LEAST - 1, math.ceil(OLDER * len(partitions)))]


def withheld_checks(profiles: Sequence[Profile]) -> list[str]:
    """What a limit alone keeps from being suggested, a sentence each that begins with the column's name.

    :param profiles: good partitions, oldest first
    """
    pasts = (Past("", name, [one for one in profiles if name in one.columns]) for name in profiles[-1].columns)
    return [f"{past.name}: {words}" for past in pasts for words in withheld(past)]


def _tried(
    candidate: Candidate, profiles: Sequence[Profile], tell: Callable[[Check, Profile], Measured]
) -> SuggestedCheck | None:
    """The check with the partitions that it holds on; None when one of them breaks it."""
    check, reason = candidate
    values = [value for one in profiles if (value := tell(check, one).value) is not None]
    held = sum(check.error is not None and check.error.holds(value) for value in values)
    return SuggestedCheck(check, reason, held, len(values)) if held == len(values) else None
