"""What every target of an export is, and what one gives: files, and what could not be said in them."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from airflow_dq.check.bounds import Bounds
from airflow_dq.check.metric import PROVED
from airflow_dq.check.model import Check, Level
from airflow_dq.export.sql import ANSI, CannotSayError, Dialect, Query, query_of
from airflow_dq.states.base import Kind


@dataclass(frozen=True, slots=True)
class Rule:
    """A check with what is asked of it on one level."""

    check: Check
    bounds: Bounds
    level: Level = "error"
    learned: str | None = None
    """What it was learned from; None: it is declared."""
    number: int = 1
    """Of those that would be called the same."""

    @property
    def name(self) -> str:
        """What it is called: the check's id, with what keeps it apart from others of that id."""
        parts = [self.check.id]
        parts += [self.level] if self.level == "warn" else []
        parts += [str(self.number)] if self.number > 1 else []
        return ".".join(["learned", *parts] if self.learned else parts)

    def require_sayable(self) -> None:
        """Refuse what no other tool asks, though it may know the metric.

        :raises CannotSayError: naming it
        """
        if self.check.by is not None:
            raise CannotSayError(f"the rows of each value of {self.check.by!r} are looked at by themselves only here")
        if self.check.scope == "total":
            raise CannotSayError("a total over all partitions so far is kept only here")
        if self.check.format in PROVED:
            raise CannotSayError(f"{self.check.format} is more than a pattern says")

    @property
    def words(self) -> str:
        """What it asks, for a person."""
        columns = " and ".join(self.check.columns)
        of = f" of {columns}" if columns else ""
        return f"{self.check.words}{of} is {self.bounds.words}" + (f" ({self.learned})" if self.learned else "")

    @property
    def is_plain(self) -> bool:
        """Whether it is of all rows, and nulls are nothing that it speaks of."""
        return self.check.where is None and self.check.nulls == "skip"

    @property
    def wants_all(self) -> bool:
        """Whether it asks a share to be 1."""
        return (self.bounds.lower, self.bounds.upper) in ((1, 1), (1, None)) and not self.bounds.lower_open

    @property
    def least_share(self) -> float | None:
        """The least share that it asks for, where it asks nothing else of one."""
        low, high = self.bounds.lower, self.bounds.upper
        asks_more = self.bounds.lower_open or self.bounds.upper_open or (high is not None and high < 1)
        return None if asks_more or low is None or not 0 <= low <= 1 else float(low)


@dataclass(frozen=True, slots=True)
class Lost:
    """Something that could not be said."""

    name: str
    """The check's id, or what kind of constraint it is and of what."""
    reason: str


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of the dataset besides its rules."""

    dataset: str
    table: str
    """What queries call the table."""
    dialect: Dialect = ANSI
    """How SQL is written where the target leaves that open."""
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    """Kinds of the columns, as far as they are known."""
    source: str = "declared checks"
    """What the rules come from, in words."""

    @property
    def stem(self) -> str:
        """The dataset's name as a file may have it."""
        return re.sub(r"[^\w-]+", "_", self.dataset)


@dataclass(frozen=True, slots=True)
class Export:
    """One export: its files by name (a path below a folder, with ``/``), and what they do not hold."""

    files: Mapping[str, str]
    lost: tuple[Lost, ...]
    said: int
    """Number of rules in the files."""


class Target(ABC):
    """A tool that rules are written for."""

    name: ClassVar[str]
    """As ``--to`` has it."""
    title: ClassVar[str]
    """As people call it."""
    dialect: ClassVar[Dialect | None] = None
    """The only SQL that it takes; None: that of the engine it runs on."""
    knows_ours: ClassVar[bool] = False
    """Whether it can hold a check of this package as such."""

    def export(self, facts: Facts, rules: Sequence[Rule], lost: Sequence[Lost] = ()) -> Export:
        """Write all rules that can be said.

        :param lost: what could not be made a rule in the first place
        """
        said, left = list[tuple[Rule, Any]](), list(lost)
        for rule in _numbered(rules):
            try:
                if not self.knows_ours:
                    rule.require_sayable()
                said.append((rule, self.say(rule, facts)))
            except CannotSayError as error:
                left.append(Lost(rule.name, str(error)))
        return Export(self.write(facts, said, left), tuple(left), len(said))

    @abstractmethod
    def say(self, rule: Rule, facts: Facts) -> Any:
        """One rule, in whatever form :meth:`write` puts together.

        :raises CannotSayError: when there are no words for it
        """

    @abstractmethod
    def write(self, facts: Facts, said: Sequence[tuple[Rule, Any]], lost: Sequence[Lost]) -> Mapping[str, str]:
        """The files, by name."""

    def query(self, rule: Rule, facts: Facts) -> Query:
        """The rule's value in SQL.

        :raises CannotSayError: when SQL has none
        """
        found = query_of(rule.check, self.dialect or facts.dialect, facts.kinds)
        if isinstance(found, str):
            raise CannotSayError(found)
        return found


def _numbered(rules: Sequence[Rule]) -> Iterator[Rule]:
    seen = Counter[str]()
    for rule in rules:
        seen[rule.name] += 1
        yield replace(rule, number=seen[rule.name])


def heading(target: Target, facts: Facts, lost: Sequence[Lost], sign: str = "#") -> str:
    """Comment lines that say where a file comes from, and what it does not hold."""
    lines = [f"{target.title} rules of {facts.dataset}, from {facts.source}."]
    if lost:
        lines += ["Not said here:", *(f"  {one.name}: {one.reason}" for one in lost)]
    return "".join(f"{sign} {' '.join(line.split())}\n" for line in lines)


def yaml_text(document: Any) -> str:
    """A document as people read it: in the order given, nothing in it an alias, and no line folded."""
    import yaml

    class Plain(yaml.SafeDumper):
        def ignore_aliases(self, data: Any) -> bool:
            return True

    return yaml.dump(document, Dumper=Plain, sort_keys=False, allow_unicode=True, width=10**9)
