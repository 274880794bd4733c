"""Which ``target_fpr`` fits a table, and why, in words."""

from __future__ import annotations

from collections.abc import Sequence

from airflow_dq.backtest.model import Suggestion, TargetOutcome

LEAST_JUDGED = 10
"""With fewer judged partitions no target can be told from another."""
ALIKE = 0.01
"""A difference in recall of less than this is not worth a larger target."""
WORTH = 0.05
"""A gain in recall of this much is worth mentioning at the price of more alarms."""


def suggest(targets: Sequence[TargetOutcome]) -> Suggestion | None:
    """The smallest target that catches as much as any other without raising a further alarm.

    :param targets: by ascending target
    :return: None when there is nothing to compare, or too few partitions were judged
    """
    if len(targets) < 2 or targets[0].judged < LEAST_JUDGED:
        return None
    fewest = min(one.alarms for one in targets)
    quiet = [one for one in targets if one.alarms == fewest]
    if any(one.recall is None for one in targets):
        return _blind(targets, quiet)
    best = max(one.recall or 0.0 for one in quiet)
    chosen = next(one for one in quiet if (one.recall or 0.0) >= best - ALIKE)
    reason = f"{_alarms(chosen)}, no target gives fewer; {_share(chosen.recall)} of the injected errors are caught"
    smallest = targets[0]
    if chosen is not smallest:
        gain = (chosen.recall or 0.0) - (smallest.recall or 0.0)
        reason += f", {100 * gain:.1f} points more than at {smallest.target_fpr:g}"
    if fewest and len(quiet) == len(targets):
        return Suggestion(chosen.target_fpr, f"{reason}. The alarms do not depend on the target: look at each of them.")
    return Suggestion(chosen.target_fpr, f"{reason}.{_dearer(chosen, targets)}")


def _blind(targets: Sequence[TargetOutcome], quiet: Sequence[TargetOutcome]) -> Suggestion:
    """Without injected errors: the largest target that raises no further alarm: it allows the smallest deviations."""
    chosen = quiet[-1]
    reason = f"{_alarms(chosen)}, no target gives fewer, and of those that give as few it bounds most tightly"
    if len(quiet) < len(targets):
        reason += f"; at {targets[-1].target_fpr:g} there would be {targets[-1].alarms}"
    return Suggestion(chosen.target_fpr, f"{reason}. What it catches is not known: no injected errors are kept.")


def _dearer(chosen: TargetOutcome, targets: Sequence[TargetOutcome]) -> str:
    """The smallest target that catches clearly more, and what it costs."""
    for one in targets:
        gain = (one.recall or 0.0) - (chosen.recall or 0.0)
        if one.target_fpr > chosen.target_fpr and gain >= WORTH:
            more = one.alarms - chosen.alarms
            return (
                f" {one.target_fpr:g} would catch {100 * gain:.1f} points more, for {more} more "
                f"{'alarm' if more == 1 else 'alarms'}."
            )
    return ""


def _alarms(one: TargetOutcome) -> str:
    return f"{one.alarms or 'no'} {'alarm' if one.alarms == 1 else 'alarms'} in {one.judged} judged partitions"


def _share(value: float | None) -> str:
    return f"{100 * (value or 0.0):.1f}%"
