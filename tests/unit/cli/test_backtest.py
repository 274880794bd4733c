"""``airflow dq backtest --files``: from a folder of files to the report, with nothing else there."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from airflow_dq.cli.main import main
from airflow_dq.codec import from_json, to_builtins
from airflow_dq.program import BacktestResult


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten days of prices; the eighth is in another unit, the ninth cannot be read."""
    folder = tmp_path_factory.mktemp("lake") / "shop"
    folder.mkdir()
    for place in range(1, 11):
        rng = np.random.default_rng(place)
        prices = rng.normal(50.0, 5.0, 120).round(2) * (100.0 if place == 8 else 1.0)
        text = "price,city\n" + "".join(f"{price},{rng.choice(['Oslo', 'Rome'])}\n" for price in prices)
        (folder / f"day{place}.csv").write_text("price,city\n1,2,3\n" if place == 9 else text, encoding="utf-8")
    return folder


def run(*arguments: str) -> int:
    """The command's exit code."""
    try:
        main(["backtest", *arguments])
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


def test_files_to_report(shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.html"
    typed = ("--option", "inferSchema=true")
    assert run("--files", f"{shop}/day*.csv", *typed, "--min-history", "5", "--html", str(page)) == 0
    out, err = capsys.readouterr()
    assert out.startswith("shop: 10 partitions, 1 to 10, each judged by what came before it")
    assert [line.split()[0] for line in out.splitlines() if " ALARM " in line] == ["8"]
    assert "1 of 4 judged partitions" in out
    assert "day9.csv cannot be read as csv (CSV parse error" in " ".join(out.split())
    assert err.splitlines()[-1] == f"Written: {page}"
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_csv_is_judged_as_text_and_a_person_is_told(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--files", f"{shop}/day*.csv", "--min-history", "5", "--quick") == 0
    out, err = capsys.readouterr()
    assert [line.split()[0] for line in out.splitlines() if " ALARM " in line] == ["8"]  # by the length of the texts
    assert "'price' read as numbers and are judged as text" in err
    assert "--option inferSchema=true" in err


def test_folders_that_are_columns_do_not_name_the_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for day in range(7):
        folder = tmp_path / "orders" / f"day={day}" / "hour=00"
        folder.mkdir(parents=True)
        (folder / "x.csv").write_text("a\n1\n")
    run("--files", f"{tmp_path}/orders/day=*", "--quick")
    assert capsys.readouterr().out.startswith("orders: 7 partitions, 0 to 6")


def test_a_span_is_judged_with_what_came_before_it(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    span = (
        "--since",
        "day6",
        "--until",
        "day8",
        "--min-history",
        "5",
        "--quick",
        "--json",
        "--option",
        "inferSchema=true",
    )
    assert run("--files", f"{shop}/*.csv", *span) == 0
    out = capsys.readouterr().out
    found = from_json(BacktestResult, out)
    assert [(one.partition, one.status.value) for one in found.partitions] == [
        ("day6", "pass"),
        ("day7", "pass"),
        ("day8", "fail"),
    ]
    assert found.targets == ()
    assert json.loads(out) == to_builtins(found)


def test_columns_are_chosen_before_profiling(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--files", f"{shop}/*.csv", "--columns", "city", "--min-history", "5", "--quick", "--until", "day8") == 0
    out = capsys.readouterr().out
    assert "ALARM" not in out
    assert "price" not in out


def test_too_short_a_history_is_exit_code_1(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--files", f"{shop}/*.csv", "--until", "day4", "--quick") == 1
    assert "Give it at least 8 partitions" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "Name a DATASET whose history is stored, or give --files"),
        (("--files", "SHOP/day1.csv"), "has no *"),
        (("--files", "SHOP/*.parquet"), "Nothing matches"),
        (
            ("--files", "SHOP/*.csv", "--since", "x"),
            "No partition lies from x to the last: there are 10, from day1 to day10",
        ),
        (("--files", "SHOP/*.csv", "--columns", "prise"), "No column is named 'prise'"),
        (("--files", "SHOP/*.csv", "--target-fpr", "2"), "SynthesisOptions(target_fpr=2.0) cannot be used"),
        (("--files", "SHOP/*.csv", "--columns", "city", "--html", "SHOP/day1.csv/x.html"), "cannot be written"),
    ],
)
def test_a_users_error_is_a_sentence(
    shop: Path, arguments: tuple[str, ...], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*(argument.replace("SHOP", str(shop)) for argument in arguments)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert sentence in err.splitlines()[-1]


def test_declared_checks_are_counted_in_the_files_and_judged(
    shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "shop.dq.yml"
    file.write_text("dataset: shop\nchecks:\n  - rule: {sql: 'price < 1000', id: cheap}\n")
    arguments = (
        "--files",
        f"{shop}/day*.csv",
        "--option",
        "inferSchema=true",
        "--quick",
        "--accept-after",
        "0",
        "--json",
    )
    assert run(*arguments, "--min-history", "5", "--checks", str(file)) == 0
    result = from_json(BacktestResult, capsys.readouterr().out)
    found = {one.partition: [alert for alert in one.alerts if alert.metric == "cheap"] for one in result.partitions}
    assert [key for key, alerts in found.items() if alerts] == ["8"]
    (alert,) = found["8"]
    assert alert.failing is not None
    assert alert.failing.columns == ("price", "city")


def test_a_check_of_all_partitions_is_judged_in_files(
    shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "shop.dq.yml"
    file.write_text("dataset: shop\nchecks:\n  - rows: {error: '<=840', scope: total, id: all_rows}\n")
    arguments = ("--files", f"{shop}/day*.csv", "--quick", "--accept-after", "0", "--json", "--min-history", "5")
    assert run(*arguments, "--checks", str(file)) == 0
    result = from_json(BacktestResult, capsys.readouterr().out)
    # The ninth cannot be read, and is in no total.
    assert [one.partition for one in result.partitions if any(alert.metric == "all_rows" for alert in one.alerts)] == [
        "8",
        "10",
    ]


def test_why_nothing_was_judged_stands_beside_the_partitions(
    shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "shop.dq.yml"
    file.write_text("dataset: shop\nchecks:\n  - min: {column: gone, error: '>=0'}\n")
    assert run("--files", f"{shop}/day*.csv", "--quick", "--min-history", "5", "--checks", str(file)) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "gone" in said
    assert "Mend what kept the partitions from being judged" in said
