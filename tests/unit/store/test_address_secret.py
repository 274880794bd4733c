"""Whatever way a password stands in an address: nothing that is printed, raised or logged has a part of it."""

from __future__ import annotations

import logging
import traceback
from urllib.parse import quote

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from psycopg2 import OperationalError as DriverError
from sqlalchemy.exc import OperationalError

from airflow_dq.exceptions import DQError
from airflow_dq.store.address import describe, parse_dsn, password_of
from airflow_dq.store.engine import make_engine
from airflow_dq.store.repository import Repository
from airflow_dq.store.transaction import explain

# No letters that sentences are made of: a part of the password is then nobody else's text.
LETTERS = "QXZJ7905"
passwords = st.text(alphabet=LETTERS + "@:/?#[]&=%+ \\'\"é\x00\n", min_size=6, max_size=24).filter(
    lambda text: any(sum(letter in LETTERS for letter in text[i : i + 3]) == 3 for i in range(len(text)))
)
SHAPES = [
    "postgresql://ann:{}@h/d",
    "postgres://:{}@h/d",
    "postgresql://a/nn:{}@h/d",
    "postgresql://ann:{}@/d",
    "postgresql://ann@h/d?password={}",
    "postgresql://ann:{}@h/d?password=ZZ@ZZ",
    "postgresql://ann@h/d?sslmode=require&passwd={}",
    "postgresql://ann@h/d?sslpassword={}",
    "postgresql://ann@h:{}/d",
    "postgresql://h/d?__extra__={}",
    "host=h password={}",
    "mysql://ann:{}@h/d",
    "{}",
]


def parts(password: str) -> set[str]:
    """What of it would tell something: three characters in a row that no sentence of ours has."""
    threes = {password[i : i + 3] for i in range(len(password) - 2)}
    return {three for three in threes if all(letter in LETTERS for letter in three)}


def shown(dsn: str, log: _Log) -> str:
    """Everything that anybody gets to see of this address, used as far as that goes without a server."""
    said: list[str] = []
    try:
        url = parse_dsn(dsn)
        engine = make_engine(url)
        said += [repr(url), str(url), describe(url), repr(engine), repr(Repository(engine))]
        # What a driver might say: all that it was given.
        told = " ".join(map(str, engine.dialect.create_connect_args(engine.url)[1].values()))
        error = DriverError(f"connection failed: {told} {password_of(dsn)}")
        said.append(str(explain(OperationalError("", None, error), engine.url)))
        engine.dispose()
    except DQError as error:
        said += traceback.format_exception(error)
    return "\n".join([*said, log.text])


@settings(max_examples=80, deadline=None)
@given(password=passwords, shape=st.sampled_from(SHAPES), encoded=st.booleans())
@example("QXZ@J790", SHAPES[0], False)
@example("QXZ@J790/5", SHAPES[0], False)
@example("QXZ@J790?5Q", SHAPES[0], False)
@example("QXZJ790", SHAPES[4], True)
@example("QXZ&J790=5", SHAPES[4], False)
def test_no_part_of_a_password_is_shown(password: str, shape: str, encoded: bool) -> None:
    log = _Log()
    dsn = shape.format(quote(password, safe="") if encoded else password)
    with log:
        said = shown(dsn, log)
    assert not {part for part in parts(password) if part in said}, said


class _Log(logging.Handler):
    """What is logged meanwhile: a fixture would be one for all examples."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.text += record.getMessage()

    def __enter__(self) -> None:
        logging.getLogger().addHandler(self)

    def __exit__(self, *_: object) -> None:
        logging.getLogger().removeHandler(self)


def test_a_password_among_the_settings_is_the_password() -> None:
    url = parse_dsn("postgresql://ann@h/d?password=p%40ss&sslmode=require")
    assert url.password == "p@ss"
    assert dict(url.query) == {"sslmode": "require"}


@pytest.mark.parametrize(
    ("dsn", "message"),
    [
        ("postgresql://ann:p@ss@h/d", "write %40 for each @"),
        ("postgresql://ann@h/d?password=p@ss", "write %40 for each @"),
        ("postgresql://ann@h/d?password=a&password=b", "more than one password"),
        ("postgresql://ann@h/d?paswd=QXZJ", "a setting after its [?] that libpq does not know"),
        ("postgresql://ann:a%00b@h/d", "control character"),
    ],
)
def test_an_address_that_can_be_read_in_two_ways_is_refused(dsn: str, message: str) -> None:
    with pytest.raises(DQError, match=message):
        parse_dsn(dsn)


def test_names_with_an_at_sign_are_no_mistake() -> None:
    assert parse_dsn("postgresql://ann@corp:pw@h/d").username == "ann@corp"
    assert parse_dsn("postgresql://ann%40corp:p%40w@h/d%40x?application_name=a%40b").password == "p@w"
