"""The pieces that the definitions of commands are made of.

They are this package's own: to import Airflow takes seconds, which nobody waits for to read a page of help.
"""

from __future__ import annotations

from argparse import SUPPRESS, Action, ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.settings import DEFAULT_CONN_ID

EXIT_CODES = "Exit codes: 0 done,{one} 2 a problem that is explained in one sentence."


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a command."""

    flags: tuple[str, ...]
    options: Mapping[str, Any]
    """What ``argparse`` is told of it."""


@dataclass(frozen=True, slots=True)
class Command:
    """One command: what it is called, takes and does."""

    name: str
    help: str
    func: Callable[..., None]
    args: tuple[Argument, ...]
    epilog: str


@dataclass(frozen=True, slots=True)
class Group:
    """Commands below a name of their own, such as ``db``."""

    name: str
    help: str
    commands: tuple[Command, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """Commands that serve one purpose: a heading of the help."""

    title: str
    commands: tuple[Command | Group, ...]


def number(text: str) -> int:
    """A whole number of at least 1."""
    try:
        found = int(text)
    except ValueError:
        found = 0
    if found < 1:
        raise ArgumentTypeError(f"{text!r} is not a whole number of 1 or more")
    return found


def arg(*flags: str, **options: Any) -> Argument:
    """One argument, as ``argparse`` wants it."""
    return Argument(flags, options)


class _Once(Action):
    """Keeps a value that is given in front or by its older option, and not twice."""

    def __call__(self, parser: ArgumentParser, namespace: Namespace, values: Any, flag: str | None = None) -> None:
        """Keep it; the parser ends where there is one already, of which either could be meant."""
        if getattr(namespace, self.dest, None) is not None:
            parser.error(f"{self.dest} is given twice: {getattr(namespace, self.dest)!r} and {values!r}")
        setattr(namespace, self.dest, values)


def optional(name: str, metavar: str, help: str) -> tuple[Argument, Argument]:
    """A name that may be left out, in front as in every other command; ``--name``, as it once was, still does."""
    # Without a default of its own, what is not given in front leaves the option's value alone.
    front = arg(name, metavar=metavar, nargs="?", default=SUPPRESS, action=_Once, help=help)
    return front, arg(f"--{name}", dest=name, action=_Once, help=SUPPRESS)


DATASET = arg("dataset", metavar="DATASET", help="name of the dataset, as given to the operators")
PARTITION = arg("partition", metavar="PARTITION", help="the partition's key")
CONN_ID = arg(
    "--dq-conn-id",
    metavar="ID",
    default=DEFAULT_CONN_ID,
    help=f"connection to the statistics database (default: {DEFAULT_CONN_ID}); AIRFLOW_DQ_DSN wins over it",
)
# Airflow moves log lines from stdout to stderr for commands whose arguments have a member "output".
JSON = arg("--json", action="store_true", dest="output", help="print one JSON document instead of text")


def names(text: str | None) -> tuple[str, ...] | None:
    """The names of a list ``A,B``; None when it was not given."""
    return None if text is None else tuple(name.strip() for name in text.split(",") if name.strip())


def pairs(flag: str, given: Iterable[str]) -> dict[str, str]:
    """The values of an option ``KEY=VALUE`` that may be repeated.

    :raises ConfigurationError: when one is not of this form
    """
    found = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise ConfigurationError(f"{flag} {text!r} is not of the form KEY=VALUE.")
        found[name] = value
    return found


def run(name: str) -> Callable[..., None]:
    """The function of a command, which is imported when it is called."""

    def act(arguments: Any) -> None:
        from airflow_dq.cli.run import run as run_command

        run_command(name, arguments)

    act.__name__ = name
    return act


def command(
    name: str, help: str, function: str, args: tuple[Argument, ...], example: str, one: str | None = None
) -> Command:
    """One command: it takes a connection, prints JSON when asked to, and tells an example and its exit codes."""
    return Command(
        name=name,
        help=help,
        func=run(function),
        args=(*args, CONN_ID, JSON),
        epilog=f"Example:\n  airflow dq {example}\n\n{EXIT_CODES.format(one=f' 1 {one},' if one else '')}",
    )


def option(flag: str, metavar: str, help: str, **more: Any) -> Argument:
    """An option with a value."""
    return arg(flag, metavar=metavar, help=help, **more)
