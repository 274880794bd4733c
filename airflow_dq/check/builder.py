"""Declaring checks in Python: ``Checks("orders").col("email").complete()``; YAML builds the same objects by it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, replace
from datetime import timedelta
from typing import Any, Unpack

from airflow_dq.check.asked import Asked, Beside, Common, Rule, asked_of, naming, within
from airflow_dq.check.beyond import split
from airflow_dq.check.bounds import Bounds
from airflow_dq.check.column import ColumnChecks
from airflow_dq.check.duration import seconds_of
from airflow_dq.check.metric import ALIASES
from airflow_dq.check.model import Check, Level, closest, require_own_ids
from airflow_dq.exceptions import ConfigurationError

_LISTED = ("values", "to_columns", "key")
"""Arguments of which one may be given, or several."""


class Checks:
    """What must hold of each partition of a dataset.

    ::

        checks = Checks("orders", key="order_id", owner="sales")
        checks.rows().between(1_000, 50_000)
        checks.col("email").completeness(error=">=0.90", warn=">=0.98")
        checks.rule("discount <= price", error=">=0.999")

    :param dataset: name of the dataset, for messages
    :param key: column or columns that are complete and together unique; None: nothing is asked of that
    :param owner: whom alerts concern, of checks that name nobody else
    :param tags: words to find every check by
    """

    def __init__(
        self,
        dataset: str,
        *,
        key: str | Sequence[str] | None = None,
        owner: str | None = None,
        tags: Iterable[str] = (),
    ) -> None:
        """Declare nothing but the key.

        :raises ConfigurationError: when the dataset has no name
        """
        if not isinstance(dataset, str) or not dataset.strip():
            raise ConfigurationError(f"Checks({dataset!r}): the dataset has no name.")
        self.dataset = dataset
        self._owner = owner
        self._tags = _words(tags)
        self._declared: list[Check] = []
        self._unasked: set[int] = set()
        self.not_judged: list[str] = []
        """What a contract asks for that no check is, each with its place."""
        self._key = () if key is None else _listed(key)
        if self._key:
            self.key(*self._key)

    @property
    def checks(self) -> tuple[Check, ...]:
        """All that was declared, in its order; of a metric of which nothing is asked, what is learned of it.

        :raises ConfigurationError: when two checks have one id
        """
        require_own_ids(tuple(self._declared), f"Checks({self.dataset!r})")
        return tuple(self._declared)

    def __iter__(self) -> Iterator[Check]:
        """The checks."""
        return iter(self.checks)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._declared)

    def add(self, metric: str, columns: Sequence[str] = (), **given: Any) -> Asked:
        """Declare a check by the name of its metric, as YAML does.

        :param metric: a name of the table in ``docs/checks.md``
        :param given: its arguments, and those of :class:`Common`
        :raises ConfigurationError: when it can never be measured, or asks for what cannot be
        """
        columns = _listed(columns)
        with naming(repr(".".join(map(str, (metric, *columns))))):
            check, unasked = self._read(metric, columns, {k: v for k, v in given.items() if v is not None})
        if unasked:
            self._unasked.add(len(self._declared))
        self._declared.append(check)
        return Asked(self, len(self._declared) - 1)

    def _read(self, metric: str, columns: Sequence[str], values: dict[str, Any]) -> tuple[Check, bool]:
        """A check, and whether nothing is asked of it."""
        alias = ALIASES.get(metric)
        name, metric = metric, metric if alias is None else alias.metric
        if alias is not None and alias.low is not None:
            values.setdefault("low", alias.low)
        asked = asked_of(name, values)
        values |= {"owner": values.get("owner", self._owner), "tags": (*self._tags, *_words(values.get("tags", ())))}
        for one in _LISTED:
            if one in values:
                values[one] = _listed(values[one])
        if metric == "predictable":
            values.setdefault("key", self._key)
        if "every" in values:
            values["every"] = seconds_of(values["every"])
        if metric in ("refers", "sum_difference") and "to_columns" not in values:
            values |= split(values.get("to"), len(columns))
        known = tuple(one.name for one in fields(Check))
        if unknown := [one for one in values if one not in known]:
            said = closest(unknown[0], tuple(one for one in known if one != "place"))
            raise ConfigurationError(f"there is no argument {unknown[0]!r}; {said}.")
        return Check(metric, tuple(columns), **values, **asked), not asked

    def place(self, place: str) -> None:
        """Remember where what has been declared so far is: ``orders.dq.yml:2``."""
        self._declared = [replace(check, place=place) for check in self._declared]

    def take(self, check: Check) -> None:
        """Declare a check that is whole already."""
        self._declared.append(check)

    def _ask(self, place: int, bounds: Bounds, level: Level) -> None:
        check = self._declared[place]
        own = check.id if check.id != replace(check, id="").id else ""
        unasked = place in self._unasked
        asked: dict[str, Any] = {"anomaly": None if unasked else check.anomaly, level: bounds}
        self._declared[place] = replace(check, id=own, **asked)
        self._unasked.discard(place)

    def col(self, name: str) -> ColumnChecks:
        """Checks of one column."""
        return ColumnChecks(self, name)

    def rows(self, **given: Unpack[Common]) -> Asked:
        """The number of rows (of those for which ``where`` is true)."""
        return self.add("rows", **given)

    def rule(self, sql: str, **given: Unpack[Rule]) -> Asked:
        """The share of rows for which an expression is true; by default of all of them."""
        return self.add("rule", sql=sql, **given)

    def metric(self, name: str, sql: str, **given: Unpack[Common]) -> Asked:
        """A number of one's own, of aggregates: ``sum(price * quantity)``."""
        return self.add("metric", name=name, sql=sql, **given)

    def has_columns(
        self, *columns: str, exactly: bool = False, ordered: bool = False, **given: Unpack[Common]
    ) -> Asked:
        """These columns are there.

        :param exactly: and no others
        :param ordered: in this order
        """
        return self.add("has_columns", columns, exactly=exactly, ordered=ordered, **given)

    def unique(self, *columns: str, **given: Unpack[Common]) -> Asked:
        """No value, or tuple of values, occurs twice; rows without any of them are not counted."""
        return self.add("unique", columns, **given)

    def key(self, *columns: str, **given: Unpack[Common]) -> Asked:
        """As :meth:`unique`, and none of the columns is ever without a value."""
        return self.add("key", columns, **given)

    def uniqueness(self, *columns: str, **given: Unpack[Common]) -> Asked:
        """The share of rows whose value, or tuple of values, occurs once."""
        return self.add("uniqueness", columns, **given)

    def distinct(self, *columns: str, **given: Unpack[Common]) -> Asked:
        """The number of distinct values, or tuples of values."""
        return self.add("distinct", columns, **given)

    def column_count(self, **given: Unpack[Common]) -> Asked:
        """The number of columns."""
        return self.add("column_count", **given)

    def column_names(self, pattern: str, **given: Unpack[Common]) -> Asked:
        """The name of every column has the pattern in it."""
        return self.add("column_names", pattern=pattern, **given)

    def distinctness(self, *columns: str, **given: Unpack[Common]) -> Asked:
        """The number of distinct values, or tuples of values, per row."""
        return self.add("distinctness", columns, **given)

    def unique_value_ratio(self, *columns: str, **given: Unpack[Common]) -> Asked:
        """The share of the distinct values, or tuples of values, that occur once."""
        return self.add("unique_value_ratio", columns, **given)

    def largest_share(self, *columns: str, **given: Unpack[Common]) -> Asked:
        """The share of the rows that have the most frequent value, or tuple of values."""
        return self.add("largest_share", columns, **given)

    def duplicate_values(self, *columns: str, **given: Unpack[Common]) -> Asked:
        """The number of values, or tuples of values, that occur more than once; by default none."""
        return self.add("duplicate_values", columns, **given)

    def surplus_rows(self, *columns: str, **given: Unpack[Common]) -> Asked:
        """The number of rows that repeat an earlier one in these columns; by default none."""
        return self.add("surplus_rows", columns, **given)

    def duplicate_rows(self, *columns: str, **given: Unpack[Common]) -> Asked:
        """The number of rows whose value, or tuple of values, occurs more than once; by default none."""
        return self.add("duplicate_rows", columns, **given)

    def correlation(self, first: str, second: str, **given: Unpack[Common]) -> Asked:
        """Pearson's correlation of two columns, over the rows that have both."""
        return self.add("correlation", (first, second), **given)

    def mutual_information(self, first: str, second: str, **given: Unpack[Common]) -> Asked:
        """How much one column tells of another, in nats, over the rows that have both."""
        return self.add("mutual_information", (first, second), **given)

    def refers(self, *columns: str, to: str, **given: Unpack[Beside]) -> Asked:
        """Every value, or tuple of values, is in another table: ``checks.refers("customer_id", to="customers.id")``.

        :param to: ``table.column``, or a path or table whose columns ``to_columns`` names where they are called
            otherwise; ``{partition}`` in it is the partition's key
        """
        return self.add("refers", columns, to=to, **given)

    def agrees(self, *columns: str, to: str, **given: Unpack[Beside]) -> Asked:
        """Every row is in another table, too, as far as these columns tell; null agrees with null."""
        return self.add("agrees", columns, to=to, **given)

    def reconciles(self, to: str, *, tolerance: float = 0.0, **given: Unpack[Beside]) -> Asked:
        """There are as many rows as in another table.

        :param tolerance: by how much they may differ, as a share of the larger number
        """
        return self.add("row_difference", to=to, **within(tolerance, given))

    def overlaps(self, low: str, high: str, *group: str, **given: Unpack[Common]) -> Asked:
        """No range begins before an earlier one of the same group has ended; by default in all rows."""
        return self.add("overlaps", (low, high, *group), **given)

    def any_complete(self, *columns: str, **given: Unpack[Common]) -> Asked:
        """Every row has a value in one of the columns at least."""
        return self.add("any_complete", columns, **given)

    def all_complete(self, *columns: str, **given: Unpack[Common]) -> Asked:
        """Every row has a value in each of the columns."""
        return self.add("all_complete", columns, **given)

    def fresh(self, column: str, within: str | float | timedelta, **given: Unpack[Common]) -> Asked:
        """The newest timestamp of a column is no older than ``within`` when the partition is profiled."""
        return self.col(column).fresh(within, **given)


def _listed(given: Any) -> tuple[Any, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _words(given: Iterable[str]) -> tuple[str, ...]:
    if isinstance(given, str):
        raise ConfigurationError(f"tags is the text {given!r}; give a list: [{given!r}].")
    return tuple(given)
