"""Names, arguments and help of the commands with which a person keeps the calendar of events."""

from __future__ import annotations

from airflow_dq.cli.argument import Group, arg, command, option, optional
from airflow_dq.cli.definition_review import BY, COMMENT

EVENTS = Group(
    "events",
    "The calendar: days that are expected to be unusual, or left out of the history",
    (
        command(
            "list",
            "List the events of the calendar: days of which something out of the ordinary is known",
            "events_list",
            optional("dataset", "DATASET", "only what holds for this dataset"),
            "events list orders",
        ),
        command(
            "add",
            "Add an event: days that are expected to be unusual, or that are left out of the history",
            "events_add",
            (
                arg("name", metavar="NAME", help="what it is called; one of the same name in another year is told"),
                option("--dataset", "DATASET", "the dataset; without it, all datasets"),
                option("--on", "KEY", "its (first) partition's key, or a day whose hours are partitions"),
                option("--until", "KEY", "its last partition's key (default: the first one)"),
                option(
                    "--kind",
                    "KIND",
                    "promotion, holiday, migration or other (default: other)",
                    choices=("promotion", "holiday", "migration", "other"),
                    default="other",
                ),
                arg("--expected", action="store_true", help="on these days ranges only warn"),
                arg("--left-out", action="store_true", help="these days are not learned from"),
                COMMENT,
                BY,
            ),
            "events add 'Black Friday' --dataset orders --on 2026-11-27 --until 2026-11-30 --kind promotion --expected",
        ),
        command(
            "delete",
            "Take an event from the calendar; from the next judgement on it does nothing any more",
            "events_delete",
            (
                arg("event", metavar="EVENT", type=int, help="its number, from `airflow dq events list`"),
                BY,
            ),
            "events delete 3",
        ),
    ),
)
