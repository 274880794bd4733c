"""The order that a profile job carries out: plain data, no secrets, one JSON argument of spark-submit."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from airflow_dq.check.model import Check, check_of
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.options.rule import LearnedRule, rule_of
from airflow_dq.options.time_travel import OWN_KEY, TimeTravel, moment_of, require_moment

NULL_KEY = "(null)"
"""The key of rows whose key column is null or empty.

It sorts before dates and letters, so these rows are never taken for the newest partition.
"""
EMPTY_KEY = "(empty)"
"""The key of a folder or file in whose name nothing stands in place of the key (``day=``), and which fails."""

PATH_FORMATS = ("parquet", "csv", "json", "orc", "text", "avro")
FILE_FORMATS = (*PATH_FORMATS, "arrow")
"""The same with what this process reads and Spark does not."""
LAKE_FORMATS = ("delta", "iceberg")
"""Table formats that this process reads as well as Spark."""
_OTHER_TRAVEL = {
    "delta": ("snapshot", "versions: give version=<number>, or as_of=<a moment>"),
    "iceberg": ("version", "snapshots: give snapshot=<id, branch or tag>, or as_of=<a moment>"),
}
"""Format -> what its tables do not have, and what they have instead."""
_QUERY = re.compile(
    r"(?>\s+|--[^\n]*|/\*(?>/\*.*?\*/|(?!\*/).)*+\*/|\()*+(?:select|with|values|table|from|map|reduce)(?![a-z0-9_])",
    re.I | re.S,
)
"""How a query begins, behind comments and brackets; the reader refuses the statements that begin so as well.

Nothing is given back: to try each end of each comment would take for ever.
"""


@dataclass(frozen=True, slots=True)
class JobSpec:
    """What to profile and under which names to store it.

    Exactly one of ``paths``, ``pattern``, ``table`` and ``sql`` names the source, or the reader's ``options`` alone
    where a ``format`` has no path (``jdbc``: ``url``, ``dbtable`` ...).  Partitions are either explicit (the keys of
    ``paths``; a single ``partition`` for a table or a query) or the values of the key column ``partition_by``; with
    both, the explicit one alone is profiled, and the column tells which rows are its own.

    :param dataset: name under which the profiles are stored
    :param paths: partition key -> path of its folder or file
    :param pattern: a path with one ``*`` whose match is the partition key (``lake/day=*``); the job lists it
    :param table: a table name that the Spark session can read
    :param sql: a query that the Spark session can run
    :param partition: the partition key when the source is one table, query or path
    :param partition_by: a column whose values are the partition keys
    :param where: a condition in Spark's SQL on the rows of a table, a query or a table format; ``true`` for all
    :param version: of a Delta table: the version that is read (None: the newest)
    :param snapshot: of an Iceberg table: the id of the snapshot that is read, or a branch or tag
    :param as_of: read the table as it was at this moment, see :func:`airflow_dq.options.time_travel.moment_of`
    :param format: Spark reader format of the paths or of ``options`` alone (default parquet)
    :param options: Spark reader options, passed on as they are
    :param since: with ``pattern`` or ``partition_by``: ignore partition keys below this one
    :param until: with ``pattern`` or ``partition_by``: ignore partition keys above this one
    :param limit: with ``pattern`` or ``partition_by``: at most this many of the newest partitions
    :param columns: profile only these columns (None: all)
    :param exclude: do not profile these columns
    :param sample_rows: number of rows to sample for the injected errors that programs are trained on; 0: none
    :param store_values: False stores no value of any column, only keyed hashes, counts and rounded bounds; this
        needs ``AIRFLOW_DQ_HASH_SECRET`` in the environment of the job and its executors.  The partition keys stay in
        clear: they name the partitions
    :param hidden: columns to which ``store_values=False`` applies although it is True for the others
    :param segments: columns of few values: the rows of each value are profiled and judged by themselves as well
    :param checks: declared checks; what they need of the rows is counted in the same scan
    :param key_folder: folder for how often keys occur in all partitions, where they are too many for the database: any
        that Spark writes to, or with pyarrow one of this machine
    :param metrics: users' own metrics, as :func:`airflow_dq.engine.spark.user_metric.pack_metrics` packs them: code,
        which the job runs
    :param rules: what has been learned of the dataset's rows, for a job that cannot ask the statistics database
    :param key_pass: which of how many passes this is, where keys are too many to be counted in one
    """

    dataset: str
    paths: Mapping[str, str] = field(default_factory=dict)
    pattern: str | None = None
    table: str | None = None
    sql: str | None = None
    partition: str | None = None
    partition_by: str | None = None
    where: str | None = None
    version: str | None = None
    snapshot: str | None = None
    as_of: str | None = None
    format: str = "parquet"
    options: Mapping[str, str] = field(default_factory=dict)
    since: str | None = None
    until: str | None = None
    limit: int | None = None
    columns: tuple[str, ...] | None = None
    exclude: tuple[str, ...] = ()
    sample_rows: int = 1000
    store_values: bool = True
    hidden: tuple[str, ...] = ()
    segments: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()
    key_folder: str | None = None
    metrics: str = ""
    rules: tuple[LearnedRule, ...] = ()
    key_pass: tuple[int, int] = (0, 1)

    def __post_init__(self) -> None:
        """Refuse an order that names no source, several, or no partition.

        :raises ConfigurationError: naming the dataset and what to give instead.
        """
        if not self.dataset:
            raise ConfigurationError("The dataset has no name: give dataset=<name>.")
        named = [name for name in ("paths", "pattern", "table", "sql") if getattr(self, name)]
        if len(named) > 1 or not (named or self.pathless):
            seen = " and ".join(named) if named else "none"
            raise ConfigurationError(
                f"Dataset {self.dataset!r}: exactly one source is needed (paths, pattern, table or sql, or for a "
                f"format without a path its options); given: {seen}."
            )
        if self.whole and self.partition is None and self.partition_by is None:
            raise ConfigurationError(
                f"Dataset {self.dataset!r}: a table or query needs partition (its key), partition_by (a key column), "
                "or both: then the partition is the rows in which the column has the key."
            )
        self._refuse_statement()
        self._refuse_odd_condition()
        self._refuse_odd_travel()
        for option in ("columns", "exclude", "hidden", "segments"):
            names_of(getattr(self, option) or (), option, self.dataset)
        if self.columns == ():
            raise ConfigurationError(
                f"Dataset {self.dataset!r}: columns names no column; leave it out (None) to profile all of them."
            )
        self._refuse_hidden_key()
        if self.limit is not None and not (isinstance(self.limit, int) and self.limit >= 1):
            raise ConfigurationError(
                f"Dataset {self.dataset!r}: limit is {self.limit!r}; give 1 or more, or leave it out for all."
            )
        try:
            self.profile_options  # noqa: B018  (it refuses checks of what is not profiled)
        except ConfigurationError as error:
            raise ConfigurationError(f"Dataset {self.dataset!r}: {error}") from None
        if self.sample_rows < 0:
            raise ConfigurationError(
                f"Dataset {self.dataset!r}: sample_rows is {self.sample_rows}; give 0 (no injected errors) or more."
            )
        if self.partition == "" or "" in self.paths:
            raise ConfigurationError(
                f"Dataset {self.dataset!r}: the partition key is empty; a templated key may have rendered to nothing."
            )
        if self.key_folder is not None and not self.key_folder.strip():
            raise ConfigurationError(
                f"Dataset {self.dataset!r}: key_folder is empty; a templated one may have rendered to nothing."
            )
        if self.pattern is not None and self.partition_by is None and self.pattern.count("*") != 1:
            raise ConfigurationError(
                f"Dataset {self.dataset!r}: the pattern {self.pattern!r} must contain exactly one '*', "
                "the partition key."
            )

    def _refuse_statement(self) -> None:
        """Refuse what does something instead of choosing rows: Spark would carry it out."""
        if self.sql and not _QUERY.match(self.sql):
            raise ConfigurationError(
                f"Dataset {self.dataset!r}: sql must choose rows, as SELECT, WITH, VALUES, TABLE and FROM do; it "
                f"begins with {self.sql.strip()[:20]!r}."
            )

    def _refuse_odd_condition(self) -> None:
        """Refuse a condition that says nothing, and one on files, which belong to a partition as a whole."""
        if self.where is None:
            return
        if not self.where.strip():
            raise ConfigurationError(
                f"Dataset {self.dataset!r}: where is empty; a template in it may have rendered to nothing. Give a "
                "condition, or where='true' for all rows."
            )
        if not self.whole and self.format.lower() in FILE_FORMATS:
            raise ConfigurationError(
                f"Dataset {self.dataset!r}: where chooses rows of a table or a query, and the files at "
                f"{self.pattern or ', '.join(self.paths.values())} belong to a partition as a whole: give sql= that "
                "reads them, or leave where out."
            )

    def _refuse_odd_travel(self) -> None:
        """Refuse a state of the past that the source cannot have kept, or that is said twice."""
        given = [name for name in ("version", "snapshot", "as_of") if getattr(self, name) is not None]
        if not given:
            return
        where, kind = f"Dataset {self.dataset!r}", self.format.lower()
        if len(given) > 1:
            raise ConfigurationError(f"{where}: {' and '.join(given)} each say which state is read; give one of them.")
        if not str(getattr(self, given[0])).strip():
            raise ConfigurationError(f"{where}: {given[0]} is empty; a template in it may have rendered to nothing.")
        if self.sql is not None or (self.table is None and kind not in LAKE_FORMATS):
            raise ConfigurationError(
                f"{where}: {given[0]} is for tables that keep their past: give source_format='delta' or 'iceberg', or "
                "table=; a query says it itself (VERSION AS OF)."
            )
        if kind in _OTHER_TRAVEL and given[0] == _OTHER_TRAVEL[kind][0]:
            raise ConfigurationError(f"{where}: a table of format {kind!r} has {_OTHER_TRAVEL[kind][1]}.")
        if self.version is not None and not (self.version.isascii() and self.version.isdigit()):
            raise ConfigurationError(f"{where}: version is {self.version!r}; give a whole number.")
        if self.as_of is not None:
            require_moment(self.as_of, where)

    def _refuse_hidden_key(self) -> None:
        """Partition keys are names, and stand in clear everywhere: no column whose values must not be stored is one.

        Spark finds columns whatever the case of their letters.
        """
        places = {"*": self.pattern} if self.pattern else self.paths
        parts = [(key, part) for key, path in places.items() for part in str(path).split("/")]
        folders = [part.partition("=")[0] for key, part in parts if key in part and "=" in part]
        hidden = {name.casefold() for name in self.hidden}
        for name in [self.partition_by] if self.partition_by else folders:
            if name.casefold() in hidden:
                raise ConfigurationError(
                    f"Dataset {self.dataset!r}: the partition keys are the values of column {name!r}, which hidden "
                    "names: they would be stored and shown in clear. Partition by another column, or take it out of "
                    "hidden if its values may be known."
                )

    @property
    def pathless(self) -> bool:
        """Whether the reader's options name the source, in a format that is no kind of file."""
        return self.format.lower() not in PATH_FORMATS and bool(self.options) and not (self.paths or self.pattern)

    @property
    def whole(self) -> bool:
        """Whether the source is one table, query or the like, whose partitions are not places of their own."""
        return bool(self.table or self.sql) or self.pathless

    @property
    def shared(self) -> bool:
        """Whether the source may hold the rows of other partitions than the one that the order names.

        A query says itself which rows it wants, and so does a table that lies in a folder of the key's name.
        """
        if self.key is None:
            return False
        if self.whole:
            return self.sql is None and not any(name.lower() == "query" for name in self.options)
        path = self.paths.get(self.key, "")
        return len(self.paths) == 1 and self.format.lower() not in FILE_FORMATS and not _is_named(path, self.key)

    @property
    def key(self) -> str | None:
        """The partition's key when the order is about one that it names; None when the source names its keys."""
        return self.partition or next(iter(self.paths), None)

    @property
    def travels_by_key(self) -> bool:
        """Whether each partition is read as of a moment of its own."""
        return self.as_of is not None and self.as_of.strip().startswith(OWN_KEY)

    def at(self, key: str) -> JobSpec:
        """The order with the moment of one of its partitions as its own.

        :raises ConfigurationError: as :meth:`travel` does
        """
        moment = self.travel(key).moment
        return replace(self, as_of=moment.isoformat()) if self.travels_by_key and moment is not None else self

    def travel(self, key: str | None) -> TimeTravel:
        """The state in which a partition is read.

        :param key: its key; None for the partitions' keys themselves, which the newest state tells where each has its
            own moment
        :raises ConfigurationError: when its moment is named by a key that is none
        """
        if self.as_of is not None:
            if key is None and self.travels_by_key:
                return TimeTravel()
            return TimeTravel(moment=moment_of(self.as_of, key, f"Dataset {self.dataset!r}"))
        return TimeTravel(None if self.version is None else int(self.version), self.snapshot)

    @property
    def profile_options(self) -> ProfileOptions:
        """How each partition is profiled, whichever engine does it."""
        return ProfileOptions(
            columns=self.columns,
            exclude=self.exclude,
            sample_rows=self.sample_rows,
            store_values=self.store_values,
            hidden=self.hidden,
            segments=self.segments,
            checks=self.checks,
            key_pass=self.key_pass,
        )

    def unhidden(self, columns: Iterable[str]) -> str | None:
        """Why a profile of these columns must not be stored: ``hidden`` has a name that they lack, perhaps misspelt."""
        known = set(columns)
        wanted = set(self.hidden) - set(self.exclude)
        missing = sorted(wanted - known if self.columns is None else wanted & set(self.columns) - known)
        if not missing:
            return None
        # What it has is not said: without a header, a text file's first values pass for names.
        return (
            f"hidden names {', '.join(map(repr, missing))}, which is none of the {len(known)} columns that the "
            "partition has. Nothing is stored, so that no value is kept that must not be: correct hidden, or see "
            "whether a text file has lost its header."
        )

    def to_json(self) -> str:
        """One line of strict JSON.

        Not by :mod:`airflow_dq.codec`: it is an argument from one process to the next, of the same version, that nobody
        stores; a mistake in it is one of the configuration, and ``format`` is a field of its own.
        """
        plain = {**asdict(self), "checks": [check.to_dict() for check in self.checks]}
        return json.dumps(plain, allow_nan=False, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> JobSpec:
        """The spec that :meth:`to_json` wrote.

        :raises ConfigurationError: when the text is not such a spec.
        """
        try:
            data: dict[str, Any] = dict(json.loads(text))
            for name in ("columns", "exclude", "hidden", "segments"):
                if data.get(name) is not None:
                    data[name] = tuple(data[name])
            data["key_pass"] = tuple(data.get("key_pass", (0, 1)))
            data["checks"] = tuple(check_of(one) for one in data.get("checks", ()))
            data["rules"] = tuple(rule_of(one) for one in data.get("rules", ()))
            return cls(**data)
        except (ValueError, TypeError) as error:
            raise ConfigurationError(f"The profile job's specification cannot be read: {error}") from error


def _is_named(path: str, key: str) -> bool:
    """Whether a folder of a path has a partition's key as its name or as what stands behind ``name=``; the last folder
    may have it beside other words. A ``1`` within the number of a version is nobody's key."""
    *above, last = path.rstrip("/").split("/")
    return any(part.rpartition("=")[2] == key for part in (*above, last)) or bool(
        re.search(rf"(?<![0-9A-Za-z]){re.escape(key)}(?![0-9A-Za-z])", last)
    )


def names_of(given: Iterable[str], option: str, dataset: str) -> tuple[str, ...]:
    """Column names as they were given in a DAG file.

    :raises ConfigurationError: when it is one text, whose letters would be taken for names
    """
    if isinstance(given, str):
        raise ConfigurationError(f"Dataset {dataset!r}: {option} is the text {given!r}; give a list: [{given!r}].")
    return tuple(given)
