"""Patterns with history: `python -m tests.benchmark.pattern.history LAKE [--queries N]`.

A query column's values are cut, in their order, into 40 batches.

- *spread*: as many training values as a tenth of the column, taken from the first 1, 5 or 30 batches; precision is the
  share of the rules that accept the last ten batches as one set.  Mixtures are this set with 10, 20 or 50 % of its
  values replaced by five other columns'; 0 for a rule that refuses its own.
- *walk*: the gate's own constraint from the second batch on, every alarm accepted as right by a person; false alarms a
  batch by how many were accepted before, over batches 31 to 40.
- *caught*: after 5 and 30 batches, the next one with 10, 20 or 50 % of its values replaced by another column's.
  Foreign are columns that the rule refuses as a whole: others cannot be told apart by what they look like.

- *could be caught*: if every past value were inside the rule and every foreign one outside: in how many batches so many
  values outside are rarer than the rate, by what the gate knows of rules in general; and in how many they are whatever
  the column's own share of exceptions is.

Walk and caught at two false-positive rates: a rule's own (.003 a tier), and a gate's for a table of one column.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from scipy.stats import binom

from airflow_dq.learn.constraint.base import Finding, Scope
from airflow_dq.learn.constraint.pattern import METRIC, Conforming
from airflow_dq.learn.constraint.range_detector import OF_PATTERNS
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.learn.history.answer import Answered
from airflow_dq.learn.history.history import History
from airflow_dq.learn.rule import learn_rule, newest_texts, reason_to_learn
from airflow_dq.options.rule import LearnedRule
from airflow_dq.pattern import learn_pattern
from airflow_dq.pattern.significance import predictive
from airflow_dq.profile import Profile, ProfileOptions, profile_table
from tests.benchmark.pattern.compare import Query, lake

BATCHES, LATE = 40, 10
SPREADS, SEEN, SHARES, FOREIGN, OTHERS = (1, 5, 30), (5, 30), (0.1, 0.2, 0.5), 2, 5
RATES = {"rule": 0.006, "gate": OF_PATTERNS * 1e-3}
"""Of both tiers together."""
WINDOW, MIN_HISTORY = 30, 7
COLUMN = "c"


def batches_of(query: Query) -> list[list[str]]:
    """The column's values, cut; none of a column that is too short."""
    values = [*query.train, *query.future]
    size = len(values)
    if size < 3 * BATCHES:
        return []
    return [values[n * size // BATCHES : (n + 1) * size // BATCHES] for n in range(BATCHES)]


def spread(columns: Sequence[list[list[str]]]) -> Iterator[str]:
    """Precision by how many batches the training values come from."""
    late = [[value for batch in batches[-LATE:] for value in batch] for batches in columns]
    for count in SPREADS:
        good: list[bool] = []
        caught: defaultdict[float, list[bool]] = defaultdict(list)
        refused: list[bool] = []
        for place, batches in enumerate(columns):
            wanted = max(1, sum(map(len, batches)) // 10)
            train = [value for n, batch in enumerate(batches[:count]) for value in batch[: share_of(wanted, n, count)]]
            # One batch has too few: the training goes on where it ends.
            train = train if count > 1 else [value for batch in batches for value in batch][:wanted]
            rule = learn_pattern(train)
            if rule is not None:
                good.append(rule.test(late[place]).accepted)
            rng = np.random.default_rng([2, place])
            for other in [one for one in rng.permutation(len(columns)) if one != place][:OTHERS]:
                judge = rule if rule is not None and good[-1] else None
                refused.append(judge is not None and not judge.test(late[other]).accepted)
                for share in SHARES:
                    mixture = mixed(late[place], late[other], share, rng)
                    caught[share].append(judge is not None and not judge.test(mixture).accepted)
        yield f"spread over {count}: precision {np.mean(good):.3f} of {len(good)} rules"
        yield f"spread over {count}: {np.mean(refused):.3f} of {len(refused)} other columns refused"
        for share, found in caught.items():
            told = np.array(found)
            yield (
                f"spread over {count}: {share:.0%} foreign caught {told.mean():.3f} of {len(told)}, "
                f"{told[np.array(refused)].mean():.3f} of columns that are refused as a whole"
            )


def share_of(wanted: int, place: int, count: int) -> int:
    """How many of the wanted values come from a place: as equally as it goes."""
    return (place + 1) * wanted // count - place * wanted // count


class Gate:
    """One column's rule, learned and judged as the store and the gate do it."""

    def __init__(self, rate: float) -> None:
        """Start without history."""
        self._rate = rate
        self._past: list[Profile] = []
        self._rule: LearnedRule | None = None
        self._learned_at = 0
        self._alarms: list[int] = []

    @property
    def accepted(self) -> int:
        """Alarms that were accepted so far."""
        return len(self._alarms)

    def learn(self) -> None:
        """What a profile job does before it reads a row."""
        since = sum(at >= self._learned_at for at in self._alarms)
        profiles = self._past[-4:]
        if reason_to_learn(self._rule, profiles, COLUMN, (), Answered(COLUMN, METRIC, since)):
            found = learn_rule(newest_texts(profiles, COLUMN), COLUMN)
            self._rule = found if isinstance(found, LearnedRule) else None
            self._learned_at = len(self._past)

    def alarms(self, profile: Profile) -> bool | None:
        """Whether the next partition alarms; None without a rule."""
        if self._rule is None:
            return None
        constraint = Conforming(Scope((COLUMN,)), self._rule, self._rate, MIN_HISTORY)
        history = History.of(self._past[-WINDOW:], dated=False)
        return isinstance(constraint.check(PartitionView(profile, history)), Finding)

    def take(self, profile: Profile) -> bool | None:
        """Judge the next partition, accept it whatever comes of it, and go on."""
        self.learn()
        found = self.alarms(profile)
        if found:
            self._alarms.append(len(self._past))
        self._past.append(profile)
        return found


def profile_of(values: Sequence[str], number: int) -> Profile:
    """A partition of one column."""
    table = pa.table({COLUMN: pa.array(values, pa.string())})
    return profile_table(table, partition=f"{number:03d}", options=ProfileOptions(sample_rows=0))


def mixed(own: Sequence[str], foreign: Sequence[str], share: float, rng: np.random.Generator) -> list[str]:
    """A batch with a share of its values replaced."""
    found = list(own)
    for place in rng.choice(len(own), max(1, round(share * len(own))), replace=False):
        found[place] = foreign[rng.integers(len(foreign))]
    return found


def walk(columns: Sequence[list[list[str]]], rate: float) -> Iterator[str]:
    """False alarms a batch by the alarms that were accepted before, and what is caught of mixtures."""
    alarms: defaultdict[str, list[bool]] = defaultdict(list)
    caught: defaultdict[tuple[int, float], list[bool]] = defaultdict(list)
    for place, batches in enumerate(columns):
        gate, rng = Gate(rate), np.random.default_rng([1, place])
        for number, batch in enumerate(batches):
            if number in SEEN:
                gate.learn()
                for foreign in _foreign(columns, place, gate, number, rng):
                    for share in SHARES:
                        found = gate.alarms(profile_of(mixed(batch, foreign, share, rng), number))
                        caught[number, share].append(bool(found))
            before = gate.accepted
            found = gate.take(profile_of(batch, number))
            if found is not None:
                alarms[f"after {min(before, 2)}{' or more' * (before > 1)} accepted"].append(found)
                if number >= BATCHES - LATE:
                    alarms["batches 31-40"].append(found)
    for name, found in sorted(alarms.items()):
        yield f"false alarms a batch, {name}: {np.mean(found):.4f} of {len(found)}"
    for (number, share), told in sorted(caught.items()):
        yield f"caught after {number} batches, {share:.0%} foreign: {np.mean(told):.3f} of {len(told)}"


def _foreign(
    columns: Sequence[list[list[str]]], place: int, gate: Gate, number: int, rng: np.random.Generator
) -> Iterator[list[str]]:
    """Other columns' batches that the rule refuses as a whole."""
    found = 0
    for other in rng.permutation(len(columns))[:20]:
        values = columns[other][number]
        if other != place and found < FOREIGN and gate.alarms(profile_of(values, number)):
            found += 1
            yield values


def bounds(columns: Sequence[list[list[str]]], rate: float) -> Iterator[str]:
    """What could be caught if all past values fitted, and no foreign one did."""
    for number, share in ((number, share) for number in SEEN for share in SHARES):
        tried = [(sum(map(len, batches[:number])), len(batches[number])) for batches in columns]
        odd = [(before, max(1, round(share * size)), size) for before, size in tried]
        told = np.mean([predictive(0, before, bad, size) <= rate / 2 for before, bad, size in odd])
        sure = np.mean([at_most(before, bad, size) <= rate for before, bad, size in odd])
        of = f"after {number} batches, {share:.0%} foreign"
        yield f"could be caught {of}: {told:.3f} of {len(odd)}, surely {sure:.3f}"


def at_most(before: int, bad: int, size: int) -> float:
    """The probability of no exception in ``before`` values and at least ``bad`` in the next ``size``, at the share of
    exceptions that makes it greatest: no test of an alarm at so many has a lower rate for every column."""
    shares = np.linspace(0.0, 1.0, 2_001)
    return float(np.max((1 - shares) ** before * binom.sf(bad - 1, size, shares)))


def main() -> None:
    """Tell every figure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("lake", type=Path)
    parser.add_argument("--queries", type=int, default=0, help="walk only so many columns")
    given = parser.parse_args()
    columns = [batches for query in lake(given.lake, 0)[1] if (batches := batches_of(query))]
    sizes = Counter(len(batches[0]) for batches in columns)
    print(f"{len(columns)} columns of {BATCHES} batches of {min(sizes)} to {max(sizes)} values", flush=True)
    for line in spread(columns):
        print(line, flush=True)
    for name, rate in RATES.items():
        for line in bounds(columns[: given.queries or None], rate):
            print(f"{name}, {rate:g}: {line}", flush=True)
        for line in walk(columns[: given.queries or None], rate):
            print(f"{name}, {rate:g}: {line}", flush=True)


if __name__ == "__main__":
    main()
