"""Makes airflow_dq/pattern/prior.bin from generated values: `python tests/benchmark/pattern/make_prior.py`.

Every family is a way of writing one kind of machine-made string.  A family stands for several tables of each several
columns, so that the least coverage can be met when a table is left out.  Nothing is read: the values are made here.
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from airflow_dq.pattern.index import PatternIndex

OUT = Path(__file__).parents[3] / "airflow_dq" / "pattern" / "prior.bin"
TABLES, COLUMNS, VALUES = 4, 3, 60
Make = Callable[[random.Random], str]

DATES = (
    *("%Y-%m-%d", "%Y/%m/%d", "%Y%m%d", "%d.%m.%Y", "%m/%d/%Y", "%d-%b-%Y", "%b %d, %Y", "%Y-%m", "%b-%y", "%Y W%W"),
    *("%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S.000Z", "%Y-%m-%dT%H:%M:%S+00:00"),
    *("%Y-%m-%d %H:%M:%S.%f", "%d/%b/%Y:%H:%M:%S +0000", "%m/%d/%Y %I:%M:%S %p", "%H:%M:%S", "%H:%M", "%I:%M %p"),
    "%a, %d %b %Y %H:%M:%S GMT",
)
WORDS = ("alpha", "beta", "delta", "orders", "users", "items", "north", "south", "east", "west", "core", "data", "main")


def dated(form: str) -> Make:
    """Moments of ten years, written one way."""
    start = datetime(2015, 1, 1, tzinfo=UTC)
    return lambda r: (start + timedelta(seconds=r.randrange(315_000_000))).strftime(form)


def unpadded(r: random.Random) -> str:
    """A date without leading zeros."""
    return f"{r.randint(1, 12)}/{r.randint(1, 28)}/{r.randint(2000, 2030)}"


def digits(r: random.Random, count: int) -> str:
    """So many random digits."""
    return "".join(r.choices("0123456789", k=count))


def letters(r: random.Random, count: int, of: str = "ABCDEFGHJKLMNPQRSTUVWXYZ") -> str:
    """So many random letters."""
    return "".join(r.choices(of, k=count))


FAMILIES: dict[str, Make] = {
    **{f"date {form}": dated(form) for form in DATES},
    "date unpadded": unpadded,
    "uuid": lambda r: str(uuid.UUID(int=r.getrandbits(128), version=4)),
    "UUID": lambda r: str(uuid.UUID(int=r.getrandbits(128), version=4)).upper(),
    "ipv4": lambda r: ".".join(str(r.randrange(256)) for _ in range(4)),
    "ipv4 and port": lambda r: ".".join(str(r.randrange(256)) for _ in range(4)) + f":{r.randrange(1024, 65536)}",
    "ipv6": lambda r: ":".join(f"{r.randrange(65536):04x}" for _ in range(8)),
    "mac": lambda r: ":".join(f"{r.randrange(256):02x}" for _ in range(6)),
    "md5": lambda r: f"{r.getrandbits(128):032x}",
    "sha1": lambda r: f"{r.getrandbits(160):040x}",
    "short hash": lambda r: f"{r.getrandbits(28):07x}",
    "version": lambda r: f"{r.randrange(20)}.{r.randrange(30)}.{r.randrange(40)}",
    "short version": lambda r: f"{r.randrange(20)}.{r.randrange(30)}",
    "tag": lambda r: f"v{r.randrange(20)}.{r.randrange(30)}.{r.randrange(40)}",
    "url": lambda r: f"https://{r.choice(WORDS)}.example.com/{r.choice(WORDS)}/{r.randrange(100_000)}",
    "page": lambda r: f"http://www.{r.choice(WORDS)}.org/{r.choice(WORDS)}/{r.choice(WORDS)}.html",
    "doi": lambda r: f"10.{r.randrange(1000, 9999)}/{r.choice(WORDS)}.{r.randrange(2000, 2030)}.{r.randrange(100_000)}",
    "e-mail": lambda r: f"{r.choice(WORDS)}.{r.choice(WORDS)}{r.choice(['', str(r.randrange(100))])}@example.org",
    "host": lambda r: f"{r.choice(WORDS)}-{r.randrange(100):02d}.example.net",
    "path": lambda r: f"/{r.choice(WORDS)}/{r.choice(WORDS)}/{r.choice(WORDS)}.{r.choice(['csv', 'json', 'log'])}",
    "file": lambda r: f"{r.choice(WORDS)}_{r.randrange(2000, 2030)}.csv",
    "phone": lambda r: f"+{r.randrange(1, 99)} {digits(r, 3)} {digits(r, 7)}",
    "us phone": lambda r: f"({r.randrange(200, 999)}) {digits(r, 3)}-{digits(r, 4)}",
    "dashed phone": lambda r: f"{r.randrange(200, 999)}-{digits(r, 3)}-{digits(r, 4)}",
    "issn": lambda r: f"{digits(r, 4)}-{digits(r, 3)}{r.choice('0123456789X')}",
    "isbn": lambda r: f"978-{r.randrange(10)}-{digits(r, 4)}-{digits(r, 4)}-{r.randrange(10)}",
    "zip": lambda r: digits(r, 5),
    "zip+4": lambda r: f"{digits(r, 5)}-{digits(r, 4)}",
    "postcode": lambda r: f"{letters(r, 2)}{r.randrange(1, 20)} {r.randrange(1, 10)}{letters(r, 2)}",
    "currency": lambda r: r.choice(["EUR", "USD", "GBP", "JPY", "CHF", "SEK", "NOK", "PLN"]),
    "country": lambda r: r.choice(["DE", "US", "GB", "FR", "JP", "SE", "PL", "IT"]),
    "locale": lambda r: r.choice(["en-US", "de-DE", "fr-FR", "en-GB", "sv-SE", "pl-PL"]),
    "iban": lambda r: f"{letters(r, 2)}{digits(r, 20)}",
    "order": lambda r: f"ORD-{digits(r, 7)}",
    "invoice": lambda r: f"INV{r.randrange(2000, 2030)}-{digits(r, 5)}",
    "sku": lambda r: f"{letters(r, 3)}-{digits(r, 4)}",
    "letter and number": lambda r: f"{letters(r, 1)}{r.randrange(1, 1000)}",
    "plate": lambda r: f"{letters(r, 2)} {digits(r, 4)}",
    "flight": lambda r: f"{letters(r, 2)}{r.randrange(1, 9999)}",
    "integer": lambda r: str(int(r.lognormvariate(5, 3))),
    "signed": lambda r: str(r.randrange(-1000, 1000)),
    "decimal": lambda r: f"{r.lognormvariate(2, 2):.2f}",
    "float": lambda r: repr(r.gauss(0, 50)),
    "grouped": lambda r: f"{int(r.lognormvariate(9, 3)):,}",
    "dollars": lambda r: f"${r.lognormvariate(5, 2):,.2f}",
    "percent": lambda r: f"{r.uniform(0, 100):.1f}%",
    "year": lambda r: str(r.randrange(1950, 2030)),
    "range": lambda r: (lambda low: f"{low}-{low + r.randrange(1, 50)}")(r.randrange(100)),
    "coordinates": lambda r: f"{r.uniform(-90, 90):.4f}, {r.uniform(-180, 180):.4f}",
    "duration": lambda r: f"{r.randrange(100)}:{r.randrange(60):02d}",
    "size": lambda r: f"{r.randrange(1, 1000)} {r.choice(['KB', 'MB', 'GB'])}",
    "resolution": lambda r: f"{r.randrange(100, 4000)}x{r.randrange(100, 3000)}",
    "bracketed": lambda r: f"[{r.randrange(100)}, {r.randrange(100)})",
    "code": lambda r: f"{letters(r, 1)}{digits(r, 2)}.{r.randrange(10)}",
    "flag": lambda r: r.choice(["true", "false"]),
    "sentence": lambda r: " ".join(r.choices(WORDS, k=r.randrange(2, 9))).capitalize(),
    "name": lambda r: f"{r.choice(WORDS).title()} {r.choice(WORDS).title()}",
}


def columns() -> Iterator[tuple[str, list[str]]]:
    """Every family's columns by table."""
    for family, make in FAMILIES.items():
        for table in range(TABLES):
            for column in range(COLUMNS):
                r = random.Random(f"{family} {table} {column}")
                yield f"{family} {table}", [make(r) for _ in range(VALUES)]


if __name__ == "__main__":
    index = PatternIndex.build(columns())
    index.save(OUT)
    print(f"{len(index)} patterns of {index.columns} columns, {OUT.stat().st_size} bytes: {OUT}")
