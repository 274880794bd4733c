"""Sharing a table's false-alarm budget out to its columns: where it buys most recall."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

LEVELS = (0.5, 1.0, 2.0)
"""The budgets that are tried for a column, in multiples of an equal share."""


def allot(caught: Mapping[str, Sequence[int]]) -> dict[str, int]:
    """Choose a level for each column, so that all together get no more than if each had one equal share.

    Every column gets the least; then, again and again, the one that catches most further errors for what it costs gets
    more.  What is left then goes to those that have the least: a larger budget also makes tighter ranges.

    :param caught: by column: how many injected errors its program catches at each of :data:`LEVELS`, or at the first
        ones only, when more would not help it
    :return: the index of its level by column
    """
    chosen = dict.fromkeys(caught, 0)
    left = len(caught) * (1.0 - LEVELS[0])
    while steps := [
        ((caught[name][level] - caught[name][now]) / (LEVELS[level] - LEVELS[now]), name, level)
        for name, now in chosen.items()
        for level in range(now + 1, len(caught[name]))
        if caught[name][level] > caught[name][now] and LEVELS[level] - LEVELS[now] <= left
    ]:
        # Of equally good steps the first one.
        _, name, level = max(steps, key=lambda step: step[0])
        left -= LEVELS[level] - LEVELS[chosen[name]]
        chosen[name] = level
    for name, counts in caught.items():
        if chosen[name] == 0 and len(counts) > 1 and counts[1] >= counts[0] and LEVELS[1] - LEVELS[0] <= left:
            left -= LEVELS[1] - LEVELS[0]
            chosen[name] = 1
    return chosen
