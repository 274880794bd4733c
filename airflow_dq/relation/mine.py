"""From rows to the relations that hold in them, and do not by chance.

Equal columns first, and from then on one of them stands for all; then arithmetic, of two columns before three and
four, without what follows from what was found; then order and missing values, without what follows from those.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Collection, Iterable, Sequence

import numpy as np

from airflow_dq.relation import condition_search as conditions
from airflow_dq.relation.arithmetic import Arithmetic, Linear, Product, Sum
from airflow_dq.relation.arithmetic_search import ArithmeticSearch
from airflow_dq.relation.base import Columns
from airflow_dq.relation.basis import Basis, reduced
from airflow_dq.relation.chance import ACCEPTED, arithmetic_chance
from airflow_dq.relation.condition import MissingImplies, Order, ValueImplies
from airflow_dq.relation.found import Candidate, Mined, holds
from airflow_dq.relation.order_search import ordered_pairs
from airflow_dq.relation.sample import EVIDENCE, MOST_ROWS, Rows

log = logging.getLogger(__name__)

MOST = 100
"""Relations of a table, those with most evidence: each is counted in every scan."""
_NEARLY_AS_GOOD = 0.001
"""Share of rows by which a tighter rounding may be broken more often than the loosest one."""


def mine(
    columns: Columns, moments: Collection[str] = (), *, hidden: Collection[str] = (), dataset: str = ""
) -> list[Mined]:
    """The relations within the rows of a table, those with most evidence first.

    Time and memory are bounded whatever the table is; what is left out is said in the log.

    :param columns: canonical values, of the same rows
    :param moments: the columns whose numbers are seconds since 1970
    :param hidden: columns of which no relation may name a value
    :param dataset: for the log
    """
    rows = Rows(columns, frozenset(moments), frozenset(hidden)).drawn(MOST_ROWS)
    if len(columns) < 2 or not rows.size:
        return []
    with np.errstate(all="ignore"):  # what overflows, or is nothing, keeps no relation
        miner = _Miner(rows.drawn(EVIDENCE))
        candidates = [*miner.equal(), *miner.arithmetic(), *miner.ordered(), *miner.missing()]
    if rows.left_out:
        left_out = "; ".join(dict.fromkeys(rows.left_out))
        log.info("Dataset %r: relations are looked for among some columns only: %s.", dataset, left_out)
    believed = [one for one in (_confirmed(candidate, rows, miner.most) for candidate in candidates) if one is not None]
    return sorted(believed, key=lambda one: -one.surprise)[:MOST]


class _Miner:
    """One table on its way: what is found first decides what is looked for next."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._numbers, self._times = rows.numbers, rows.times
        self._basis = Basis([*rows.columns])
        self._accepted: list[Candidate] = []
        tried = ArithmeticSearch(rows, self._numbers, self._times).tried() + conditions.tried(rows)
        self.most = math.log(ACCEPTED) - math.log(tried)
        """Logarithm of the largest chance that is accepted of one relation."""

    def equal(self) -> list[Candidate]:
        """Equal columns; only one of them is looked at any further."""
        found = self._believed(conditions.equal_pairs(self._rows))
        # No equation will be looked for that has one of these, so that none could follow from them.
        twins = {one.relation.columns[1] for one in found}
        self._numbers = [name for name in self._numbers if name not in twins]
        self._times = [name for name in self._times if name not in twins]
        return found

    def _believed(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        return [one for one in candidates if one.chance <= self.most]

    def arithmetic(self) -> list[Candidate]:
        """Factors and offsets, then sums and products, none that follows from others."""
        search = ArithmeticSearch(self._rows, self._numbers, self._times)
        pairs = (*search.linear(), *search.offsets_in_time(), *search.durations())
        for found in (pairs, search.sums(), search.products()):
            self._accept(filter(None, map(self._tightest, found)))
        return self._accepted

    def _tightest(self, forms: Sequence[Arithmetic]) -> Candidate | None:
        """Of forms that differ in rounding the first that is hardly broken more often than the best one."""
        if not forms or self._basis.follows(forms[-1]):
            return None
        shares: list[float] = []
        for relation in forms:
            tested = holds(relation, self._rows)
            shares.append(math.inf if tested is None else tested.broken / tested.rows)
            if shares[-1] == 0.0:
                break
        place = next(place for place, share in enumerate(shares) if share <= min(shares) + _NEARLY_AS_GOOD)
        return None if math.isinf(shares[place]) else Candidate(forms[place], shares[place], 0.0)

    def _accept(self, candidates: Iterable[Candidate]) -> None:
        """Those that hold, the simplest and then the tightest ones first."""
        for one in sorted(candidates, key=self._looseness):
            relation = one.relation
            assert isinstance(relation, Arithmetic)
            if self._basis.follows(relation):
                continue
            tested = relation.test(self._rows.columns)
            chance = arithmetic_chance(relation, self._rows.columns, tested.speaks, tested.breaks)
            if chance <= self.most:
                self._basis.add(relation)
                self._accepted.append(Candidate(relation, one.broken, chance))

    def _looseness(self, one: Candidate) -> tuple[int, float]:
        """Columns, and how much room rounding and exceptions leave, relative to the result's own spread."""
        relation = one.relation
        assert isinstance(relation, Arithmetic)
        spread = float(np.nanstd(self._rows.columns[relation.result].numbers)) or 1.0
        return len(relation.columns), relation.tolerances()[0] / spread + one.broken

    def ordered(self) -> list[Candidate]:
        """Orders that follow neither from two others nor from arithmetic between the same columns."""
        found = self._believed(ordered_pairs(self._rows, self._numbers, self._times))
        by_pair = {(one.relation.columns[0], one.relation.columns[1]): one for one in found}
        said = [
            frozenset(one.relation.columns)
            for one in self._accepted
            if isinstance(one.relation, Sum | Linear | Product)
        ]
        kept = reduced({pair: -one.chance for pair, one in by_pair.items()})
        return [by_pair[pair] for pair in kept if not any(columns.issuperset(pair) for columns in said)]

    def missing(self) -> list[Candidate]:
        """What missing values say: of columns that are missing together, one stands for all."""
        together = self._believed(conditions.missing_together(self._rows))
        classes = {one.relation.columns[1]: one.relation.columns[0] for one in together}
        implied = self._believed(conditions.missing_implied(self._rows, classes))
        kept = set(reduced({(one.relation.columns[0], one.relation.columns[1]): -one.chance for one in implied}))
        values = self._believed(conditions.value_implied(self._rows, classes))
        known = [one.relation for one in implied if isinstance(one.relation, MissingImplies)]
        return [
            *together,
            *(one for one in implied if one.relation.columns in kept),
            *_without_followers(values, known),
        ]


def _without_followers(values: Sequence[Candidate], implied: Sequence[MissingImplies]) -> list[Candidate]:
    """Those of what values say that do not follow from another one, and from what missing values say.

    Where b is missing, c is: a value with which b is missing says it of c as well, and one with which c is there of b;
    and any value of c says that b is there.
    """
    said = {one.relation: one for one in values if isinstance(one.relation, ValueImplies)}
    pairs = {(one.column, one.other) for one in implied}

    def follows(one: ValueImplies) -> bool:
        if one.present and (one.other, one.column) in pairs:
            return True
        others = (pair[1] if one.present else pair[0] for pair in pairs if pair[0 if one.present else 1] == one.other)
        return any(ValueImplies(one.column, one.value, other, one.present) in said for other in others)

    return [candidate for relation, candidate in said.items() if not follows(relation)]


def _confirmed(candidate: Candidate, rows: Rows, most: float) -> Mined | None:
    """The candidate by all rows."""
    tested = holds(candidate.relation, rows)
    if tested is None or (isinstance(candidate.relation, Order) and tested.broken):
        return None
    surprise = min(most - candidate.chance, float(np.finfo(np.float32).max))
    return Mined(candidate.relation, tested.rows, tested.broken, round(surprise, 1))
