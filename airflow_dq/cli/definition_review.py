"""Names, arguments and help of the commands with which a person reviews alerts."""

from __future__ import annotations

from airflow_dq.cli.argument import DATASET, Command, arg, command, number, option, optional

BY = option("--by", "NAME", "who decides (default: the user of this machine)")
COMMENT = option("--comment", "TEXT", "why; it is kept with the decision")

ALERTS = command(
    "alerts",
    "List the partitions with alerts, the newest first, by the alert that speaks for each",
    "alerts",
    (
        *optional("dataset", "DATASET", "only this dataset (default: all)"),
        arg("--open", action="store_true", help="only those with an open alert"),
        option("--severity", "NAME", "only those that fail, or only warn: fail, warn", choices=("fail", "warn")),
        option("--since", "DATE", "judged on this day (UTC) or later"),
        option("--until", "DATE", "judged on this day (UTC) or earlier"),
        option("--limit", "N", "how many to show (default: 30, at most 200)", type=number, default=30),
    ),
    "alerts flights --open",
)

SHOW = command(
    "show",
    "Show an alert: its partition with all alerts, decisions and snoozes",
    "show",
    (arg("alert", metavar="ALERT", type=int, help="number of the alert, from `airflow dq alerts`"),),
    "show 17",
)


def _decision(name: str, help: str, function: str) -> Command:
    return command(
        name,
        help,
        function,
        (
            *optional("dataset", "ALERT/DATASET", "number of an alert of the partition, or name of its dataset"),
            *optional("partition", "PARTITION", "behind the name of a dataset: the partition's key"),
            COMMENT,
            BY,
            arg("--revise", action="store_true", help="replace an earlier decision"),
            option("--api-url", "URL", "Airflow's address, where the task may wait (default: api.base_url)"),
            option(
                "--token-file",
                "FILE",
                "file with a token for Airflow's API, to let the task go on; AIRFLOW_DQ_API_TOKEN wins",
            ),
        ),
        f'{name} 17 --comment "checked with the supplier"',
    )


ACCEPT = _decision("accept", "Accept a partition: its data is right and joins the history", "accept")
REJECT = _decision("reject", "Reject a partition: its data is bad and stays out of the history", "reject")
NEW_NORMAL = _decision("new-normal", "Accept a partition as the new normal: the history restarts with it", "new_normal")

PROBLEMS = command(
    "problems",
    "List the problems of a dataset over time, or say more of one: seen, owner, ticket, noise",
    "problems",
    (
        DATASET,
        arg("--open", action="store_true", help="only those that nobody has decided about"),
        option("--alert", "N", "the problem that this alert is evidence of; the list names one for each", type=int),
        arg("--acknowledge", action="store_true", help="with --alert: somebody has seen it"),
        option("--owner", "NAME", "with --alert: who sees to it ('': whoever does by default)"),
        option("--ticket", "URL", "with --alert: where its ticket is ('': it has none any more)"),
        arg("--noise", action="store_true", help="with --alert: a false alarm; later ranges are wider"),
        arg("--not-noise", action="store_true", help="with --alert: take back that it is noise"),
        COMMENT,
        BY,
    ),
    "problems flights --alert 17 --owner ann --ticket https://tickets.example/DQ-17",
)

SNOOZE = command(
    "snooze",
    "Let alerts of a dataset only warn for a while, list the snoozes, or end one",
    "snooze",
    (
        arg("dataset", metavar="DATASET", nargs="?", help="name of the dataset; alone it lists the active snoozes"),
        option("--column", "NAME", "only alerts of this column"),
        option("--metric", "NAME", "only alerts of this metric"),
        option("--days", "N", "for this many days from now", type=float),
        option("--until", "TIME", "until this moment, in ISO format (UTC unless it names another zone)"),
        option("--end", "ID", "end this snooze now", type=int),
        COMMENT,
        BY,
    ),
    'snooze flights --column price --days 3 --comment "known, ticket 4711"',
)

RULES = command(
    "rules",
    "List what was learned of a dataset's rows, patterns and relations; confirm, mute or delete one",
    "rules",
    (
        DATASET,
        option("--confirm", "ID", "write this relation as a declared check, and mute the learned one", type=int),
        option("--mute", "ID", "neither count nor judge this rule any more, nor learn it again", type=int),
        option("--delete", "ID", "forget this rule; it is learned again where it holds", type=int),
        BY,
    ),
    "rules orders --mute 17",
)
