"""Rows that break a relation between rows: by the others of the partition, and by the partitions before."""

from __future__ import annotations

import pyarrow as pa

from airflow_dq.profile.check.breach import breaches
from airflow_dq.profile.check.coded import CodedRows, as_numbers
from airflow_dq.profile.check.held import Held
from airflow_dq.relation.dependency import Counter, Dependency, Key
from airflow_dq.states.prepared import PreparedColumn

NAME = Dependency(("code",), "name", lasting=True)
INSIDE = Dependency(("code",), "name", lasting=False)


def texts(values: list[str]) -> CodedRows:
    return CodedRows.of(PreparedColumn(pa.array(values, pa.large_string())))


def names(codes: str, values: str) -> Held:
    return Held.of(texts(codes.split()), texts(values.split()), hidden=False)


def counts(keys: str, numbers: list[float]) -> Held:
    column = PreparedColumn(pa.array(numbers, pa.float64()))
    return Held.of(texts(keys.split()), as_numbers(CodedRows.of(column), column), hidden=False)


def test_the_rows_beside_the_most_frequent_member_break_a_dependency() -> None:
    found = breaches(INSIDE, names("a a a b c c", "x x y z w w"), [])
    # b stands alone: it could break nothing.
    assert (found.numerator, found.denominator, found.examples) == (1, 5, (("a: y", 1),))


def test_a_member_that_it_never_had_breaks_a_lasting_dependency() -> None:
    before = [names("a b c", "x z w")] * 3
    found = breaches(NAME, names("a b c d", "y z w v"), before)
    assert (found.numerator, found.denominator, found.examples) == (1, 3, (("a: y, before x", 1),))
    assert breaches(INSIDE, names("a b c d", "y z w v"), before).value is None


def test_what_most_rows_say_now_is_nothing_against_what_was_always_so() -> None:
    found = breaches(NAME, names("a a a", "y y x"), [names("a", "x")])
    assert (found.numerator, found.denominator) == (2, 3)


def test_after_a_change_a_group_is_not_judged_until_it_is_settled() -> None:
    old, new = names("a b", "x z"), names("a b", "y z")
    assert breaches(NAME, new, [old, old, old]).numerator == 1
    assert breaches(NAME, new, [old, old, new]).numerator == 0
    assert breaches(NAME, old, [new, new, new]).numerator == 1


def test_of_a_determinant_that_has_always_had_two_members_nothing_is_asked() -> None:
    both = names("a a b", "x y z")
    found = breaches(NAME, both, [both, both, both])
    assert (found.numerator, found.denominator) == (0, 1)


def test_every_row_of_a_key_that_occurs_twice_breaks_it() -> None:
    found = breaches(Key(("code",)), Held.of(texts(list("aabc")), None, hidden=False), [])
    assert (found.numerator, found.denominator, found.examples) == (2, 4, (("a", 2),))


def test_a_counter_is_compared_with_the_newest_partition_that_has_its_key() -> None:
    counter = Counter(("code",), "cases", 0.5, 10.0)
    before = [counts("a b c e", [50.0, 90.0, 10.0, 10.0]), counts("a b", [70.0, 100.0])]
    found = breaches(counter, counts("a b c d e", [60.0, 100.0, 20.0, -4.0, 21.0]), before)
    assert (found.numerator, found.denominator, found.examples) == (
        2,
        4,
        (("a: 60, before 70", 1), ("e: 21, before 10", 1)),
    )
    corrected = breaches(counter, counts("a b", [69.9, 99.0]), before)
    assert (corrected.numerator, corrected.denominator) == (0, 2)
    assert breaches(counter, counts("a", [1.0]), []).value is None


def test_of_nothing_there_is_no_share() -> None:
    for relation in (NAME, INSIDE, Key(("code",)), Counter(("code",), "cases", 0.5, 10.0)):
        assert breaches(relation, Held(), [Held()]).nothing is not None
