from __future__ import annotations

from airflow_dq.states.memo import remember, remember_last


def test_only_the_very_same_pair_is_remembered() -> None:
    calls = []

    @remember_last
    def both(first: list[int], second: list[int]) -> int:
        """Add up."""
        calls.append((first, second))
        return len(first) + len(second)

    a, b, equal_to_a = [1], [2, 3], [1]
    assert [both(a, b), both(a, b), both(b, a), both(equal_to_a, b), both(a, b)] == [3] * 5
    assert len(calls) == 4
    assert both.__doc__ == "Add up."


def test_several_calls_are_remembered_and_the_oldest_is_forgotten() -> None:
    calls = []

    @remember(2)
    def size(values: list[int]) -> int:
        calls.append(values)
        return len(values)

    a, b, c = [1], [1, 2], [1, 2, 3]
    assert [size(values) for values in (a, b, a, b, c, b, a)] == [1, 2, 1, 2, 3, 2, 1]
    assert calls == [a, b, c, a]
