"""Rules in Spark's SQL beyond our own, which DuckDB computes: read and translated by sqlglot, tried without any row.

Both are optional (``airflow-provider-dq[duckdb]``), here as where the rows are counted.
"""

from __future__ import annotations

import re
from typing import Any

from airflow_dq.check.expression import AGGREGATES, Aggregate, Arithmetic, Column, Foreign, Node, Value
from airflow_dq.check.like_spark import require_same, said_alike
from airflow_dq.check.spark_words import in_other_words, inside_out, instead_of, meant
from airflow_dq.exceptions import ConfigurationError

EXTRA = "pip install 'airflow-provider-dq[duckdb]'"
_UNTYPED = ("Case", "If", "Coalesce", "Anonymous", "Paren", "Column", "Null", "Bracket")
"""What may be true and false although DuckDB, which is not told the types of columns, says another type."""


def foreign_predicate(sql: str, own: ConfigurationError) -> Node:
    """A rule on a row.

    :param own: why it is none of our own SQL
    :raises ConfigurationError: that one, when it is no SQL at all; or what DuckDB cannot compute of it
    """
    found = _read(sql, own)
    _refuse_rows(sql, found)
    return _translated(sql, found, boolean=True)


def foreign_aggregate(sql: str, own: ConfigurationError) -> Node:
    """A number of all rows: our own aggregates of what DuckDB computes of each row.

    :raises ConfigurationError: as :func:`foreign_predicate`
    """
    return _aggregated(sql, _read(sql, own))


def _read(sql: str, own: ConfigurationError) -> Any:
    """The SQL as sqlglot's tree."""
    if not isinstance(sql, str):
        raise own
    try:
        import duckdb  # noqa: F401  (is asked for later)
        import sqlglot
        from sqlglot import exp
    except ImportError:
        raise ConfigurationError(f"{own} Other SQL of Spark is computed where DuckDB is: {EXTRA}.") from None
    try:
        found = sqlglot.parse_one(sql, read="spark")
    except (sqlglot.errors.SqlglotError, RecursionError):
        raise own from None
    if not isinstance(found, exp.Condition) or isinstance(found, exp.Query):
        raise own
    return found


def _refuse_rows(sql: str, tree: Any) -> None:
    """Refuse what is of other rows than the one it is asked of."""
    from sqlglot import exp

    for kind, what in (
        (exp.Query, "a query"),
        (exp.Window, "a window of rows"),
        (exp.AggFunc, "an aggregate, of all rows: give it to metric(...)"),
        (exp.Star, "*"),
        (exp.Explode, "a row for each of several values"),
    ):
        if tree.find(kind) is not None:
            raise ConfigurationError(f"The SQL {sql!r} has {what}; a rule is of the values of one row.")


def _aggregated(sql: str, tree: Any) -> Node:
    from sqlglot import exp

    signs = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/"}
    if isinstance(tree, exp.Paren):
        return _aggregated(sql, tree.this)
    if isinstance(tree, exp.Neg):
        return Arithmetic("-", Value(0), _aggregated(sql, tree.this))
    if type(tree) in signs:
        return Arithmetic(signs[type(tree)], _aggregated(sql, tree.this), _aggregated(sql, tree.expression))
    if isinstance(tree, exp.Literal) and not tree.is_string:
        return Value(float(tree.this) if "." in tree.this or "e" in tree.this.lower() else int(tree.this))
    name = tree.key.lower() if isinstance(tree, exp.AggFunc) else ""
    if name not in AGGREGATES or isinstance(tree.this, exp.Distinct) or tree.expressions:
        raise ConfigurationError(
            f"The SQL {sql!r} has {tree.sql('spark')!r} outside of its aggregates; join {', '.join(AGGREGATES)} "
            "(without distinct) by + - * / only."
        )
    if isinstance(tree.this, exp.Star):
        return Aggregate(name, None)
    _refuse_rows(sql, tree.this)
    return Aggregate(name, _translated(sql, tree.this, boolean=False))


def _translated(sql: str, tree: Any, *, boolean: bool) -> Node:
    """The tree for DuckDB, whose columns have the names of their places: those of data may be none for SQL."""
    import sqlglot
    from sqlglot import exp

    written = tree.sql("spark")
    tree = inside_out(tree.copy(), in_other_words)
    names: dict[str, None] = {}
    for column in list(tree.find_all(exp.Column)):
        names[".".join(part.name for part in column.parts)] = None
    if isinstance(tree, exp.Column):
        return Column(next(iter(names)))
    places = {name: f"c{place}" for place, name in enumerate(names)}
    renamed = tree.transform(
        lambda node: (
            exp.column(places[".".join(part.name for part in node.parts)]) if isinstance(node, exp.Column) else node
        )
    )
    try:
        said = inside_out(renamed, said_alike).sql("duckdb", unsupported_level=sqlglot.ErrorLevel.RAISE, comments=False)
    except sqlglot.errors.UnsupportedError as error:
        raise ConfigurationError(f"The SQL {sql!r} cannot be said to DuckDB: {error}.") from None
    for node in tree.find_all(exp.Anonymous):
        if (hint := instead_of(node)) is not None:
            raise ConfigurationError(
                f"The SQL {sql!r} has {node.sql('spark')!r}, which is computed nowhere here; {hint}."
            )
    _try(sql, said, len(names), None if type(tree).__name__ in _UNTYPED or not boolean else written)
    require_same(sql, tree)
    return Foreign(written, said, tuple(map(Column, names)))


def _try(sql: str, said: str, columns: int, boolean: str | None) -> None:
    """Let DuckDB say whether it knows all functions.

    :param boolean: what must be true or false, in words; None: it may be anything
    """
    import duckdb

    rows = ", ".join([f"null as c{place}" for place in range(columns)]) or "null as c0"
    try:
        with duckdb.connect() as connection:
            ((_, kind, *_),) = connection.execute(f"describe select {said} as v from (select {rows})").fetchall()
    except duckdb.CatalogException as error:
        said = _first_line(error)
        named = re.search(r"with name (\w+)", said)
        hint = meant(named[1]) if named else ""
        raise ConfigurationError(f"The SQL {sql!r} cannot be computed by DuckDB: {said}{hint or '.'}") from None
    except duckdb.Error:
        # Without the types of the columns it may not know which of several functions is meant.
        return
    if boolean is not None and kind not in ("BOOLEAN", '"NULL"'):
        raise ConfigurationError(f"The SQL {sql!r} is neither true nor false of a row: {boolean} is {kind}.")


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0].removeprefix("Catalog Error: ").rstrip("!.")
