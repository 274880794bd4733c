from __future__ import annotations

from dataclasses import replace

from airflow_dq.explain.alert import Alert, Change
from airflow_dq.explain.cause import Cause
from airflow_dq.explain.cause.hypothesis import Proof
from airflow_dq.explain.headline import Known, with_facts
from airflow_dq.learn.constraint.base import Finding, Scope
from airflow_dq.states.base import Kind

FACTOR = Cause(
    "unit_change", "x60", "change of unit, x60", 1.0, fact="is 60 times too large", detail="median 1 -> 60", rows=100,
    proof=Proof(1, 1),
)  # fmt: skip


def _alert(column: str | None, observed: float = 500.0, **given: object) -> Alert:
    metric = "row_count" if column is None else "mean"
    made = {"metric": metric, "observed": observed, "lower": 90.0, "upper": 110.0, "kind": Kind.NUMERIC} | given
    return Alert("range", column, f"{metric} was odd.", **made)  # type: ignore[arg-type]


def _told(*alerts: Alert, rows: int = 100, schema: dict[str, Finding] | None = None, **causes: Cause) -> list[str]:
    order = {name: place for place, name in enumerate("abcdef")}
    found = with_facts(alerts, Known(rows, causes, order, schema or {}))
    return [alert.fact.headline for alert in found if alert.fact is not None]


def test_a_proven_cause_is_the_fact_and_the_partition_passes_only_where_nothing_else_is_wrong() -> None:
    assert _told(_alert("a"), a=FACTOR) == [
        "a is 60 times too large (median 1 -> 60) in all 100 rows; undone, the partition passes"
    ]
    first, second = _told(_alert("a"), _alert("b"), a=FACTOR)
    assert first.endswith("; undone, it passes")
    assert second == "b: mean is 500, usually 90 to 110"


def test_several_columns_are_one_sentence() -> None:
    group = [_alert(name, group="x60", root=name == "a") for name in "abcd"]
    (told,) = _told(*group, **dict.fromkeys("abcd", FACTOR))
    assert told == "a, b, c and 1 more are 60 times too large (a: median 1 -> 60) in all 100 rows; " + (
        "undone, the partition passes"
    )


def test_findings_that_stay_are_counted() -> None:
    group = [_alert("a", group="x60"), _alert("a", group="x60", metric="max")]
    (told,) = _told(*group, a=replace(FACTOR, proof=Proof(1, 2)))
    assert told.endswith("; undone, 1 of 2 findings vanish")


def test_what_could_not_be_judged_again_neither_stays_nor_vanishes() -> None:
    related = Alert("relation", None, "a is not b times c.", metric="broken_ratio", columns=("a", "b"), group="x60")
    (told,) = _told(_alert("a", group="x60"), related, a=FACTOR)
    assert told.endswith("; undone, the finding that can be judged again vanishes")
    (told,) = _told(
        _alert("a", group="x60"),
        _alert("a", group="x60", metric="max"),
        related,
        a=replace(FACTOR, proof=Proof(2, 2)),
    )
    assert told.endswith("; undone, the 2 findings that can be judged again vanish")


def test_what_has_changed_in_the_same_rows_is_said_of_each_column() -> None:
    def cause(fact: str, type_: str = "placeholder") -> Cause:
        return Cause(type_, fact, fact, 1.0, fact=fact, detail="never before", rows=12, hit=12)

    group = [_alert(name, group="x", root=name == "a") for name in "abc"]
    (told,) = _told(*group, a=cause("is 1"), b=cause("is 'x'"))
    assert told == "a is 1 and b is 'x' (never before) in 12 of 100 rows; c changed with it"
    null = replace(cause("is null", "increased_nulls"), parameter="null 12%", detail="before 1%")
    (told,) = _told(*group, a=null, b=replace(null, parameter="null 13%"), c=replace(null, parameter="null 14%"))
    assert told == "a, b and c are null (a: before 1%) in 12 of 100 rows"


def test_an_empty_partition_is_one_line() -> None:
    assert _told(_alert(None, 0.0), rows=0) == ["the partition is empty: 0 rows, usually 90 to 110"]


def test_what_a_person_knows_is_told_before_a_distance() -> None:
    change = Change("value", "'x' appeared: 12.0%", "x")
    assert _told(_alert("a", 0.5, metric="js_div", changes=(change,))) == ["a: 'x' appeared: 12.0%"]
    assert _told(_alert("a", 0.5, metric="js_div")) == ["a: its values are distributed otherwise than before"]


def test_the_table_comes_first_then_what_is_far_outside_by_its_rows() -> None:
    near, far = _alert("a", 111.0), _alert("b", 500.0)
    few = Cause("placeholder", "", "-9", 1.0, fact="is -9", rows=3)
    told = _told(near, _alert("c"), far, _alert(None), c=few)
    assert [one.split()[0] for one in told] == ["100", "b:", "c", "a:"]


def test_a_changed_schema_names_each_column_once() -> None:
    alerts = [Alert(f"column_{what}", name, "it changed.", group="columns") for name, what in (
        ("a", "missing"), ("b", "missing"), ("c", "added"), ("d", "renamed"), ("e", "retyped"))]  # fmt: skip
    schema = {
        "d": Finding("column_renamed", Scope(("d",)), seen="new name"),
        "e": Finding("column_retyped", Scope(("e",)), seen="string", expected="numeric"),
    }
    assert _told(*alerts, schema=schema) == [
        "columns a and b are missing; column c is new; column d is missing and seems to be renamed to 'new name'; "
        "column e is now string, it was numeric"
    ]


def test_a_quantile_that_did_not_alarm_is_not_told_beside_a_metric_that_did() -> None:
    moved = Change("quantile", "min 74,000 -> 78,000", "min")
    distinct = _alert("a", 0.97, metric="unique_ratio", lower=0.99, upper=None, changes=(moved,))
    assert _told(distinct) == ["a: share of distinct values is 97%, usually at least 99%"]
    least = _alert("a", 78_000.0, metric="min", lower=70_000.0, upper=75_000.0, group="x", root=False)
    both = _told(replace(distinct, group="x"), least)
    assert both == ["a: share of distinct values is 97%, usually at least 99%; min 74,000 -> 78,000"]
