"""The checks that the benchmark declares on table P, and on a small table of the same columns."""

from __future__ import annotations

from airflow_dq.check import Checks

NUMBERS = ("id", "quantity", "price", "score", "store")
TEXTS = ("country", "customer", "comment", "coupon", "token")
COLUMNS = (
    "id",
    "quantity",
    "price",
    "score",
    "country",
    "created",
    "customer",
    "comment",
    "coupon",
    "paid",
    *("store", "token"),
)
ANY = [-1e18, 1e18]
SHARE = ">=0"


def stored() -> Checks:
    """Sixty that the profile answers by itself."""
    checks = Checks("t")
    for name in COLUMNS:
        checks.col(name).completeness(error=SHARE)
    for metric in ("min", "max", "range", "mean", "sum", "std", "variance", "skewness", "median"):
        for name in NUMBERS:
            checks.add(metric, (name,), error=ANY)
    checks.rows().between(1, 10**9)
    for name in ("customer", "token"):
        checks.add("mean_length", (name,), error=ANY)
    return checks


def by_rows() -> Checks:
    """Sixty as engineers declare them: some answered by the profile, most counted in its scan; some of them fail."""
    checks = Checks("t")
    for name in COLUMNS:
        checks.col(name).complete()
    for metric in ("min", "max", "mean", "std"):
        for name in NUMBERS:
            checks.add(metric, (name,), error=ANY)
    for name in NUMBERS:
        checks.col(name).between(0, 10_000)
    checks.col("country").isin([f"C{code:02d}" for code in range(30)])
    checks.col("coupon").isin([f"SAVE-{code:03d}" for code in range(300)], nulls="pass")
    checks.col("country").not_in(["N/A", ""])
    checks.col("customer").not_in(["N/A", ""])
    checks.col("customer").matches(r"^CUST-\d{8}$")
    checks.col("coupon").matches(r"^SAVE-\d{3}$")
    checks.col("token").matches("^[0-9a-f]{32}$")
    for name in TEXTS:
        checks.col(name).add("min_length", error=">=1")
    checks.rule("quantity >= 0 and price > 0")
    checks.rule("price * quantity < 1000", error=">=0.9")
    checks.rule("paid or quantity = 0", error=">=0.9")
    checks.rule("length(comment) < 80", error=">=0.9")
    checks.rule("created >= '2026-01-01'")
    checks.rule("coupon is null or price > 1", error=">=0.9")
    checks.rule("country = 'C01'", where="store < 10", error=SHARE)
    checks.correlation("quantity", "price", error=ANY)
    checks.metric("revenue", "sum(price * quantity)", error=ANY)
    checks.metric("average basket", "sum(price * quantity) / count(*)", error=ANY)
    checks.rows(where="paid", error=ANY)
    return checks


def keys() -> Checks:
    """The same, and uniqueness of twelve columns and entropy of eight."""
    checks = by_rows()
    for name in COLUMNS:
        checks.col(name).uniqueness(error=SHARE)
    for name in COLUMNS[:8]:
        checks.col(name).add("entropy", error=">=0")
    return checks


def many(number: int) -> Checks:
    """So many on one table: rules on single columns and on pairs of them."""
    checks = Checks("t")
    for place in range(number):
        name = NUMBERS[place % 4]
        match place % 4:
            case 0:
                checks.col(name).between(-place - 1, 10**9)
            case 1:
                checks.rule(f"{name} <= price + {place}", id=f"rule {place}", error=SHARE)
            case 2:
                checks.col("country").isin([f"C{place:03d}", "C01"], error=SHARE)
            case _:
                checks.col(name).mean(error=ANY, id=f"mean {place}")
    return checks


def many_as_yaml(number: int) -> str:
    """As many in a file."""
    kinds = (
        "between: {{column: c{n}, low: 0, high: 100}}",
        "rule: {{sql: 'c{n} <= c{n}b + {n}', id: rule {n}}}",
        "isin: {{column: c{n}, values: [a, b, c]}}",
        "complete: c{n}",
    )
    lines = ["dataset: t", "checks:", *(f"  - {kinds[place % 4].format(n=place)}" for place in range(number))]
    return "\n".join(lines) + "\n"
