from __future__ import annotations

from airflow_dq.explain.alert import Alert
from airflow_dq.explain.cause import Cause
from airflow_dq.explain.grouping import grouped


def _alert(column: str | None, metric: str = "mean") -> Alert:
    return Alert("range", column, f"{metric} was odd.", metric=metric)


def _cause(type_: str, parameter: str = "") -> Cause:
    return Cause(type_, parameter, type_, 1.0)


def test_alerts_without_anything_in_common_stay_as_they_are() -> None:
    alerts = (_alert("a"), _alert("b"))
    assert grouped(alerts, {"a": _cause("unit_change", "x60")}, judged=9) == alerts


def test_a_short_table_is_the_root_of_what_has_no_cause_of_its_own() -> None:
    alerts = [_alert("a"), _alert("b"), _alert("c"), _alert(None, "row_count")]
    causes = {"b": _cause("volume_change", "fewer"), "c": _cause("casing_change")}
    found = grouped(alerts, causes, judged=9)
    assert [(alert.column, alert.root) for alert in found] == [(None, True), ("a", False), ("b", False), ("c", True)]
    assert found[0].message == (
        "the table: row_count was odd. Looks like: volume_change. 2 columns moved with it: a, b."
    )
    assert found[0].cause == "volume_change"
    assert {alert.group for alert in found[:3]} == {"rows"}
    assert found[3].group is None


def test_the_column_that_tells_why_rows_are_missing_is_no_problem_of_its_own() -> None:
    alerts = [_alert("shop"), _alert("price"), _alert(None, "row_count")]
    causes = {"shop": _cause("stuck", "'north'"), "price": _cause("unit_change", "x60")}
    found = grouped(alerts, causes, judged=9, rows_by="shop")
    assert [(alert.column, alert.root) for alert in found] == [(None, True), ("shop", False), ("price", True)]


def test_that_a_value_is_gone_is_said_by_whatever_else_speaks_of_it() -> None:
    gone = Alert("value_gone", "shop", "none of the values is 'north'.")
    rows = grouped([gone, _alert(None, "row_count")], {}, judged=9, rows_by="shop")
    assert [(alert.column, alert.root) for alert in rows] == [(None, True), ("shop", False)]
    pattern = Alert("pattern", "shop", "values look otherwise.")
    assert [alert.rule for alert in grouped([gone, pattern], {}, judged=9) if alert.root] == ["pattern"]
    assert [alert.root for alert in grouped([gone], {}, judged=9)] == [True]


def test_what_columns_have_in_common_says_more_than_numbers_that_moved_nobody_knows_why() -> None:
    broken = Alert("relation", "total", "all rows break total = price + fee.", metric="broken_ratio")
    moved = [_alert("total", "median"), _alert("total", "mean"), broken]
    assert [alert.rule for alert in grouped(moved, {}, judged=9) if alert.root] == ["relation"]
    known = grouped(moved, {"total": _cause("unit_change", "x100")}, judged=9)
    assert [alert.metric for alert in known if alert.root] == ["median"]


def test_that_a_value_is_gone_says_more_than_what_breaks_with_it() -> None:
    gone, broken = Alert("value_gone", "shop", "no 'north'."), Alert("relation", "shop", "rows break it.")
    assert [alert.rule for alert in grouped([broken, gone], {}, judged=9) if alert.root] == ["value_gone"]


def test_rows_that_came_twice_explain_which_values_are_frequent() -> None:
    copies = Cause("volume_change", "copies", "rows are there more than once", 1.0, of_rows=True)
    causes = {"id": copies, "shop": _cause("overwritten", "'north'")}
    found = grouped([_alert("id"), _alert("shop")], causes, judged=9)
    assert [(alert.column, alert.group) for alert in found] == [("id", "rows"), ("shop", "rows")]
    assert {alert.group for alert in grouped([_alert("shop")], {"shop": causes["shop"]}, judged=9)} == {None}


def test_columns_with_the_same_accident_are_together_and_the_largest_group_comes_first() -> None:
    alerts = [_alert(name) for name in "abcde"]
    causes = {name: _cause("increased_nulls", "null 37%") for name in "bde"} | {
        "a": _cause("increased_nulls", "null 5%")
    }
    found = grouped(alerts, causes, judged=9)
    assert [alert.column for alert in found] == ["b", "d", "e", "a", "c"]
    assert found[0].message.endswith(" 2 other columns moved with it: d, e.")


def test_long_lists_are_cut() -> None:
    alerts = [_alert(name) for name in "abcdefg"]
    found = grouped(alerts, {name: _cause("unit_change", "x10") for name in "abcdefg"}, judged=9)
    assert found[0].message.endswith(" 6 other columns moved with it: b, c, d and 3 more.")


def test_several_alerts_of_one_column_have_one_root() -> None:
    found = grouped([_alert("a"), _alert("a", "max")], {}, judged=9)
    assert [(alert.metric, alert.root, alert.group) for alert in found] == [
        ("mean", True, "column a"),
        ("max", False, "column a"),
    ]


def test_shifted_columns_belong_to_the_changed_schema() -> None:
    missing, added = (
        Alert(f"column_{what}", name, f"it is {what}.") for what, name in (("missing", "x"), ("added", "y"))
    )
    found = grouped([missing, added, _alert("b")], {"b": _cause("schema_change")}, judged=9)
    assert [(alert.column, alert.root) for alert in found] == [("x", True), ("y", True), ("b", False)]
    assert found[0].message == "x: it is missing. 1 other column moved with it: b."


def test_most_of_a_table_without_a_cause_is_one_accident() -> None:
    alerts = [_alert(name) for name in "abcdef"]
    found = grouped(alerts, {}, judged=8)
    assert [alert.root for alert in found] == [True] + [False] * 5
    assert [alert.root for alert in grouped(alerts, {}, judged=100)] == [True] * 6


def test_columns_that_are_computed_of_each_other_have_one_accident() -> None:
    together = grouped([_alert("net"), _alert("total"), _alert("weight")], {}, 20, related=[{"net", "total"}])
    assert [(alert.column, alert.group) for alert in together if alert.group] == [
        ("net", "column net"),
        ("total", "column net"),
    ]
    causes = {"net": Cause("unit_change", "x100", "x100", 1.0), "total": Cause("stuck", "", "one value", 1.0)}
    apart = grouped([_alert("net"), _alert("total")], causes, 20, related=[{"net", "total"}])
    assert {alert.group for alert in apart} == {None}  # each has a cause of its own


def _in_rows(rows: int, fact: str) -> Cause:
    return Cause("placeholder", fact, fact, 1.0, fact=fact, rows=rows, hit=rows)


def test_values_that_changed_in_as_many_rows_are_one_accident() -> None:
    alerts = [_alert(name) for name in "abcd"]
    causes = {"a": _in_rows(157, "is 1"), "b": _in_rows(160, "is 'x'"), "c": _in_rows(300, "is 0")}
    found = grouped(alerts, causes, judged=30, told={"d": 155})
    assert [(alert.column, alert.root) for alert in found] == [("a", True), ("b", False), ("d", False), ("c", True)]
    apart = grouped(alerts, causes, judged=30, told={"d": 900})
    assert [(alert.column, alert.root) for alert in apart][:2] == [("a", True), ("b", False)]
    assert {alert.column: alert.root for alert in apart}["d"]


def test_a_column_that_only_moved_with_them_does_not_speak_for_them() -> None:
    found = grouped([_alert("d"), _alert("a")], {"a": _in_rows(157, "is 1")}, judged=30, told={"d": 157})
    assert [(alert.column, alert.root) for alert in found] == [("a", True), ("d", False)]
