"""Reading a rule: a part of SQL that means the same in this process and on a cluster; all else is for DuckDB.

Precedence, from loose to tight: ``or``, ``and``, ``not``, comparisons (with ``is null``, ``in``, ``between``, ``like``,
``rlike``), ``+ - ||``, ``* / %``, a sign.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from airflow_dq.check.bounds import number_of
from airflow_dq.check.expression import (
    AGGREGATES,
    FUNCTIONS,
    Aggregate,
    Arithmetic,
    Call,
    Column,
    Comparison,
    Logic,
    Match,
    Membership,
    Negation,
    Node,
    NullTest,
    Scalar,
    Value,
)
from airflow_dq.check.foreign import foreign_aggregate, foreign_predicate
from airflow_dq.check.token import Token, WrongSQLError, problem, tokens
from airflow_dq.exceptions import ConfigurationError

_COMPARISONS = {"=": "=", "==": "=", "!=": "!=", "<>": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">=", "<=>": "<=>"}
_RESERVED = frozenset({"and", "or", "not", "is", "in", "between", "like", "rlike", "null", "true", "false"})
_DEEPEST = 30
"""Parentheses and signs within each other; a rule that a person reads has fewer than ten."""
_LONGEST = 200
"""Terms that ``and``, ``or`` and arithmetic join: each lies within the next, and Python follows 1,000 at most."""
_UNLIKE_RE2 = re.compile(r"\(\?(?:[=!]|<[=!]|P=|\()|\\[1-9]")
"""What Python's patterns have and RE2's have not: looking around, and going back to what was matched."""


@cache
def predicate(sql: str) -> Node:
    """A rule that is true or false of a row.

    :raises ConfigurationError: when it cannot be read, or is of another type
    """
    try:
        found = _Parser(sql).whole()
    except WrongSQLError:
        raise
    except ConfigurationError as error:
        return foreign_predicate(sql, error)
    if not found.columns and '"' in sql:
        raise ConfigurationError(f"The SQL {sql!r} names no column: in double quotes is a text, in backquotes a name.")
    if found.is_boolean is False:
        raise ConfigurationError(f"The SQL {sql!r} is neither true nor false of a row: compare it with something.")
    if found.aggregates:
        raise ConfigurationError(
            f"The SQL {sql!r} is of all rows ({found.aggregates[0].name}), not of one: give it to metric(...)."
        )
    return found


@cache
def aggregate(sql: str) -> Node:
    """A number of all rows, made of aggregates.

    :raises ConfigurationError: when it cannot be read, or names a column outside of an aggregate
    """
    try:
        found = _Parser(sql).whole()
    except WrongSQLError:
        raise
    except ConfigurationError as error:
        found = foreign_aggregate(sql, error)
    _require_aggregated(found, sql)
    if not found.aggregates:
        raise ConfigurationError(f"The SQL {sql!r} has no aggregate; give one of {', '.join(AGGREGATES)}.")
    return found


def _require_aggregated(node: Node, sql: str) -> None:
    if isinstance(node, Aggregate):
        if node.of is not None and node.of.aggregates:
            raise ConfigurationError(f"The SQL {sql!r} has an aggregate within an aggregate.")
        return
    if isinstance(node, Column):
        raise ConfigurationError(f"The SQL {sql!r} names {node.name!r} outside of an aggregate such as sum(...).")
    if isinstance(node, Value) and (isinstance(node.value, str | bool) or node.value is None):
        raise ConfigurationError(f"The SQL {sql!r} computes with {node.value!r}, which is no number.")
    if not isinstance(node, Value | Arithmetic) or (isinstance(node, Arithmetic) and node.sign == "||"):
        raise ConfigurationError(f"The SQL {sql!r} may join its aggregates by + - * / only.")
    for part in node.parts():
        _require_aggregated(part, sql)


def check_pattern(pattern: str) -> str:
    """The pattern, if RE2 takes it.

    :raises ConfigurationError: when it is none
    """
    try:
        re.compile(pattern)
    except re.error as error:
        raise ConfigurationError(f"The pattern {pattern!r} is no regular expression: {error}.") from None
    if found := _UNLIKE_RE2.search(pattern):
        raise ConfigurationError(f"The pattern {pattern!r} has {found[0]!r}, which RE2 does not know.")
    return pattern


class _Parser:
    """Reads one rule, a word at a time."""

    def __init__(self, sql: str) -> None:
        if not isinstance(sql, str) or not sql.strip():
            raise ConfigurationError(f"{sql!r} is no SQL; give an expression such as 'discount <= price'.")
        self._sql = sql
        self._tokens = tokens(sql)
        self._next = 0
        self._depth = 0
        self._joined = 0

    def whole(self) -> Node:
        """All of the rule."""
        found = self._or()
        if self._token.sort != "end":
            raise self._unexpected("and, or, a comparison, or the end")
        return found

    @property
    def _token(self) -> Token:
        return self._tokens[self._next]

    def _word(self) -> str:
        """The next word in lower case; empty where there is none."""
        return self._token.text.lower() if self._token.sort == "word" else ""

    def _take(self) -> Token:
        token = self._token
        self._next += 1
        return token

    def _takes(self, *wanted: str) -> str | None:
        """The next word or sign, taken, if it is one of these."""
        text = self._token.text.lower()
        if self._token.sort in ("word", "sign") and text in wanted:
            self._next += 1
            return text
        return None

    def _require(self, wanted: str) -> None:
        if self._takes(wanted) is None:
            raise self._unexpected(repr(wanted))

    def _unexpected(self, wanted: str) -> ConfigurationError:
        return problem(self._sql, self._token.place, f"{self._token.text!r} stands where {wanted} was expected")

    def _wrong(self, place: int, what: str) -> ConfigurationError:
        return problem(self._sql, place, what, WrongSQLError)

    def _or(self) -> Node:
        return self._logic("or", lambda: self._logic("and", self._not))

    def _logic(self, word: str, below: Callable[[], Node]) -> Node:
        found = below()
        while True:
            place = self._token.place
            if self._takes(word) is None:
                return found
            right = below()
            for side in (found, right):
                self._require_boolean(side, place, word)
            found = Logic(word, found, right)
            self._longer()

    def _require_boolean(self, node: Node, place: int, word: str) -> None:
        if node.is_boolean is False:
            raise self._wrong(place, f"one side of {word!r} is neither true nor false")

    def _not(self) -> Node:
        place = self._token.place
        if not self._takes("not"):
            return self._comparison()
        found = self._deeper(self._not)
        self._require_boolean(found, place, "not")
        return Negation(found)

    def _deeper(self, read: Callable[[], Node]) -> Node:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._wrong(self._token.place, f"more than {_DEEPEST} expressions lie within each other")
        found = read()
        self._depth -= 1
        return found

    def _longer(self) -> None:
        self._joined += 1
        if self._joined > _LONGEST:
            raise self._wrong(self._token.place, f"more than {_LONGEST} terms are joined; make several rules of it")

    def _comparison(self) -> Node:
        left = self._sum()
        place = self._token.place
        if sign := self._takes(*_COMPARISONS):
            right = self._sum()
            if sign != "<=>" and any(side == Value(None) for side in (left, right)):
                raise self._wrong(place, f"nothing is {sign} null, nor is it not: ask 'is null' or 'is not null'")
            return Comparison(_COMPARISONS[sign], left, right)
        if self._takes("is"):
            negated = self._takes("not")
            self._require("null")
            return _maybe_not(NullTest(left), negated)
        negated = self._takes("not")
        if self._takes("in"):
            return _maybe_not(Membership(left, self._values()), negated)
        if self._takes("between"):
            low = self._sum()
            self._require("and")
            both = Logic("and", Comparison(">=", left, low), Comparison("<=", left, self._sum()))
            return _maybe_not(both, negated)
        if word := self._takes("like", "rlike"):
            return _maybe_not(Match(left, self._pattern(word), word == "rlike"), negated)
        if negated:
            raise self._unexpected("in, between, like or rlike")
        return left

    def _pattern(self, word: str) -> str:
        if self._token.sort != "text":
            raise self._unexpected(f"a text in quotes for {word}")
        place, text = self._token.place, self._take().text
        if word == "rlike":
            try:
                check_pattern(text)
            except ConfigurationError as error:
                raise self._wrong(place, str(error).rstrip(".")) from None
        return text

    def _values(self) -> tuple[Value, ...]:
        self._require("(")
        found = [self._literal()]
        while self._takes(","):
            found.append(self._literal())
        self._require(")")
        return tuple(found)

    def _literal(self) -> Value:
        found = self._sign()
        if isinstance(found, Value) and found.value is not None:
            return found
        raise self._unexpected("a list of texts, numbers, or true and false")

    def _sum(self) -> Node:
        found = self._product()
        while sign := self._takes("+", "-", "||"):
            found = Arithmetic(sign, found, self._product())
            self._longer()
        return found

    def _product(self) -> Node:
        found = self._sign()
        while sign := self._takes("*", "/", "%"):
            found = Arithmetic(sign, found, self._sign())
            self._longer()
        return found

    def _sign(self) -> Node:
        sign = self._takes("-", "+")
        if sign is None:
            return self._atom()
        found = self._deeper(self._sign)
        if sign == "+":
            return found
        if isinstance(found, Value) and isinstance(found.value, int | float) and not isinstance(found.value, bool):
            return Value(-found.value)
        return Arithmetic("-", Value(0), found)

    def _atom(self) -> Node:
        if self._takes("("):
            found = self._deeper(self._or)
            self._require(")")
            return found
        token = self._token
        if token.sort in ("number", "text", "name"):
            return _plain(self._take())
        word = self._word()
        if not word or (word in _RESERVED and word not in ("null", "true", "false")):
            raise self._unexpected("a column, a value or a function")
        self._take()
        if word in ("null", "true", "false"):
            return Value(None if word == "null" else word == "true")
        return self._call(word, token) if self._takes("(") else Column(token.text)

    def _call(self, name: str, token: Token) -> Node:
        if name in AGGREGATES:
            whole = name == "count" and self._takes("*") is not None
            found = Aggregate(name, None if whole else self._deeper(self._or))
            self._require(")")
            return found
        if name not in FUNCTIONS:
            known = ", ".join(sorted((*FUNCTIONS, *AGGREGATES)))
            raise problem(self._sql, token.place, f"there is no function {token.text!r}; there are {known}")
        arguments = [self._deeper(self._or)]
        while self._takes(","):
            arguments.append(self._deeper(self._or))
        self._require(")")
        fewest, most = FUNCTIONS[name]
        if not fewest <= len(arguments) <= most:
            raise self._wrong(token.place, f"{name} takes {fewest} to {most} arguments, not {len(arguments)}")
        return Call(name, tuple(arguments))


def _plain(token: Token) -> Node:
    if token.sort == "name":
        return Column(token.text)
    value: Scalar = number_of(token.text) if token.sort == "number" else token.text
    return Value(value)


def _maybe_not(node: Node, negated: str | None) -> Node:
    return node if negated is None else Negation(node)
