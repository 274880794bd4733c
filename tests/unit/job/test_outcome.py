from __future__ import annotations

from airflow_dq.job.outcome import Outcome, remarks, summary


def test_a_line_for_each_partition() -> None:
    good = Outcome("2013-01-01", 1_000, 9, {"tags": "nested"}, 1.26)
    assert good.line("flights") == "flights 2013-01-01: 1000 rows, 9 columns profiled, 1 skipped (tags: nested), 1.3 s"
    assert Outcome("x", error="no file").line("flights") == "flights x: failed: no file"


def test_the_summary_counts_what_is_good() -> None:
    outcomes = [
        Outcome("1", 10, 3, {"a": "nested"}),
        Outcome("2", error="no file"),
        Outcome("3", 5, 4, {"a": "nested", "b": "no type"}),
    ]
    assert summary("t", outcomes, 61.4) == (
        "t: 2 of 3 partitions profiled (1 to 3), 15 rows, 3 to 4 columns profiled, "
        "2 skipped (a: nested; b: no type), 61 s"
    )
    wide = Outcome("p", 1, 0, {f"c{index}": "nested" for index in range(8)})
    assert summary("t", [wide], 1.0) == (
        "t: 1 of 1 partitions profiled (p), 1 rows, 0 columns profiled, "
        "8 skipped (c0: nested; c1: nested; c2: nested; c3: nested; c4: nested; and 3 more), 1 s"
    )


def test_keys_that_are_one_number_are_pointed_out() -> None:
    assert list(remarks(["2013-01-01", "2013-01-02", "20130101", "AA", "true"])) == []
    assert list(remarks(["-0", "00011", "0", "11", "1e3", "1000.0", "1e2"])) == [
        "the keys '-0' and '0' are one number, and are kept as 2 partitions",
        "the keys '00011' and '11' are one number, and are kept as 2 partitions",
        "the keys '1e3' and '1000.0' are one number, and are kept as 2 partitions",
    ]
    assert list(remarks([str(index) for index in range(9)] + [f"0{index}" for index in range(9)]))[-1] == (
        "4 more numbers are spelled in several ways"
    )
    assert "(null)" in next(remarks(["(null)", "1"]))
