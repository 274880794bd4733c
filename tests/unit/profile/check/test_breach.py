"""Rows that break a relation between rows: by the others of the partition, and by the partitions before."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.profile.check.between import BetweenRule
from airflow_dq.profile.check.breach import breaches
from airflow_dq.profile.check.coded import CodedRows, of_numbers
from airflow_dq.profile.check.held import Held
from airflow_dq.profile.check.learned import RuleRows
from airflow_dq.relation.dependency import Counter, Dependency, Key, Step
from airflow_dq.relation.inclusion import Inclusion
from airflow_dq.relation.rule import RelationRule
from airflow_dq.relation.total import Total
from airflow_dq.states.prepared import PreparedColumn

NAME = Dependency(("code",), "name", lasting=True)
INSIDE = Dependency(("code",), "name", lasting=False)


def texts(values: list[str]) -> CodedRows:
    return CodedRows.of(PreparedColumn(pa.array(values, pa.large_string())))


def names(codes: str, values: str) -> Held:
    return Held.of(texts(codes.split()), texts(values.split()), hidden=False)


def counts(keys: str, numbers: list[float]) -> Held:
    column = PreparedColumn(pa.array(numbers, pa.float64()))
    return Held.of(texts(keys.split()), of_numbers(column.numbers), hidden=False)


def steps(keys: str, numbers: list[float], changes: list[float]) -> Held:
    columns = [PreparedColumn(pa.array(some)) for some in (numbers, changes)]
    rule = BetweenRule(RelationRule(Step(("code",), "cases", "new")).learned(()))
    every = [PreparedColumn(pa.array(keys.split(), pa.large_string())), *columns]
    return rule.count(RuleRows(dict(zip(rule.relation.columns, every, strict=True)))).whole


def beside(relation: Inclusion, columns: list[list[str]]) -> Held:
    rule = BetweenRule(RelationRule(relation).learned(()))
    every = [PreparedColumn(pa.array(one, pa.large_string())) for one in columns]
    return rule.count(RuleRows(dict(zip(relation.columns, every, strict=True)))).whole


def test_the_rows_beside_the_most_frequent_member_break_a_dependency() -> None:
    found = breaches(INSIDE, names("a a a b c c", "x x y z w w"), [])
    # b stands alone: it could break nothing.
    assert (found.numerator, found.denominator, found.examples) == (1, 5, (("a: y", 1),))


def test_a_place_is_one_however_many_of_its_rows_break_it() -> None:
    before = [names("a a b c d", "x x z w v")] * 3
    found = breaches(NAME, names("a a a b c d", "y y u z t v"), before)
    assert (found.numerator, found.places, found.all_places) == (4, 2, 4)


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
    found = breaches(Key(("code",)), Held.of(texts(list("aabc")), 0, hidden=False), [])
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


def test_a_code_with_another_name_in_all_of_its_rows_is_told_from_rows_that_are_wrong_here_and_there() -> None:
    before = [names("a a b b c", "x x z z w")]
    scattered = breaches(NAME, names("a a b b c", "y x z v u"), before)
    renamed = breaches(NAME, names("a a b b c", "y y z z w"), before)
    # Of c, which has one row, nobody can tell.
    assert (scattered.numerator, scattered.renamed, scattered.known) == (3, 0, 2)
    assert (renamed.numerator, renamed.renamed, renamed.known) == (2, 1, 2)
    assert breaches(INSIDE, names("a a", "y y"), before).renamed is None
    # What one row said, it may have said by mistake.
    once = breaches(NAME, names("a a", "y y"), [names("a", "x")])
    assert (once.numerator, once.renamed, once.known) == (2, 0, 0)


def test_a_number_is_what_it_was_right_before_and_its_change() -> None:
    step = Step(("code",), "cases", "new")
    before = [steps("a b", [90.0, 5.0], [0.0, 0.0]), steps("a b c", [100.0, 7.0, 1.5], [10.0, 2.0, 0.1])]
    found = breaches(step, steps("a b c d", [103.0, 9.0, 1.8, 4.0], [3.0, 1.0, 0.3, 4.0]), before)
    # d is new, and c is off by what floats are.
    assert (found.numerator, found.denominator, found.examples) == (1, 3, (("b: 8, before 7", 1),))
    assert breaches(step, steps("a", [1.0], [1.0]), []).nothing is not None


def test_a_value_is_one_of_another_column_or_of_the_partitions_before() -> None:
    within, lasting = Inclusion("parent", "id", lasting=False), Inclusion("id", "id", lasting=True)
    held = beside(within, [["a", "b", "x", "x"], ["a", "b", "c", "d"]])
    found = breaches(within, held, [])
    assert (found.numerator, found.denominator, found.examples) == (2, 4, (("x", 2),))
    now, before = (beside(lasting, [values]) for values in (["a", "z"], ["a", "b"]))
    found = breaches(lasting, now, [before, beside(lasting, [["c"]])])
    assert (found.numerator, found.denominator, found.examples) == (1, 2, (("z", 1),))
    assert breaches(lasting, now, []).nothing is not None


def test_what_lies_beyond_the_values_that_are_held_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Held, "SIZE", 8)
    relation, rng = Inclusion("id", "id", lasting=True), np.random.default_rng(0)
    values = [f"v{one}" for one in rng.permutation(200)]
    found = breaches(relation, beside(relation, [values[:180]]), [beside(relation, [values])])
    assert found.numerator == 0
    assert 0 < (found.denominator or 0) <= 8


def test_of_nothing_there_is_no_share() -> None:
    for relation in (
        NAME,
        INSIDE,
        Key(("code",)),
        Counter(("code",), "cases", 0.5, 10.0),
        Inclusion("a", "b", lasting=False),
    ):
        assert breaches(relation, Held(), [Held()]).nothing is not None


def added(regions: str, cases: list[float], by: tuple[str, ...] = (), days: str = "", parts: int = 1) -> Held:
    """What is held of some rows, counted in so many parts."""
    rule = BetweenRule(RelationRule(Total("region", "All", "cases", by)).learned(()))
    columns = {"region": pa.array(regions.split(), pa.large_string()), "cases": pa.array(cases)}
    columns |= {"day": pa.array(days.split(), pa.large_string())} if by else {}
    whole = Held()
    for part in range(parts):
        some = {name: PreparedColumn(values[part::parts]) for name, values in columns.items()}
        one = rule.count(RuleRows({name: some[name] for name in rule.relation.columns}, before=whole))
        whole = one if part == 0 else whole.merge(one)
    return Held.from_bytes(whole.whole.to_bytes())


TOTAL, OF_DAYS = Total("region", "All", "cases"), Total("region", "All", "cases", ("day",))


@pytest.mark.parametrize("parts", [1, 3])
def test_a_row_that_is_not_the_sum_of_the_others_breaks_a_total(parts: int) -> None:
    right = breaches(TOTAL, added("a b All c", [0.1, 0.2, 0.7, 0.4], parts=parts), [])
    assert (right.numerator, right.denominator) == (0, 1)
    wrong = breaches(TOTAL, added("a b All b", [1.0, 2.0, 7.0, 2.0], parts=parts), [])
    assert (wrong.numerator, wrong.denominator, wrong.examples) == (1, 1, (("all rows: 7, the others 5", 1),))


def test_each_group_is_added_up_by_itself() -> None:
    held = added("a b All a b All", [1, 2, 3, 4, 5, 8], ("day",), "mo mo mo tu tu tu", parts=2)
    found = breaches(OF_DAYS, held, [])
    assert (found.numerator, found.denominator, found.places, found.all_places) == (1, 2, 1, 2)
    assert found.examples == (("tu: 8, the others 9", 1),)


def test_of_no_total_and_of_nothing_but_zeros_nothing_is_asked() -> None:
    assert breaches(TOTAL, added("a b", [1.0, 2.0]), []).value is None
    assert breaches(TOTAL, added("All", [1.0]), []).value is None
    assert breaches(TOTAL, added("a All", [0.0, 0.0]), []).value is None
    assert breaches(TOTAL, added("a All b", [1.0, float("nan"), 2.0]), []).value is None
    assert breaches(TOTAL, added("a b All", [0.0, 0.0, 3.0]), []).numerator == 1


def test_of_a_total_nothing_is_held_where_a_column_is_hidden() -> None:
    rule = BetweenRule(RelationRule(TOTAL).learned(()))
    columns = {"region": pa.array(["a", "All"], pa.large_string()), "cases": pa.array([1.0, 1.0])}
    rows = {name: PreparedColumn(values) for name, values in columns.items()}
    assert rule.count(RuleRows(rows, {"region"})).rows == 0
