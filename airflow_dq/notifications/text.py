"""An alert in the spellings of the places it is sent to: a chat, a mail, another program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from airflow.sdk import Context

DONE = "done"
"""Outcome of a task that ended well and judged nothing, as a profile does: neither a pass nor a failure."""
TITLE = 150
"""Longest title, in characters: mail programs and chats cut longer ones."""


@dataclass(frozen=True, slots=True)
class AlertText:
    """What to say about one task, for templates: ``{{ dq_alert.text }}``."""

    title: str
    """One line: a mail's subject."""
    lines: tuple[str, ...]
    """What was found, a sentence each."""
    where: str
    """Dag, run and task."""
    url: str | None
    """The task's page in Airflow."""
    payload: Mapping[str, Any]
    """The same as plain data, for a webhook."""

    @property
    def text(self) -> str:
        """Plain text."""
        return "\n".join((self.title, *(f"- {line}" for line in self._rest), self.where, *self._link))

    @property
    def slack(self) -> str:
        """Slack's mrkdwn: its three control characters escaped, the title in bold."""
        lines = [f"*{_slack(self.title)}*", *(f"• {_slack(line)}" for line in self._rest), _slack(self.where)]
        return "\n".join((*lines, *(f"<{_slack(link)}|Open in Airflow>" for link in self._link)))

    @property
    def html(self) -> str:
        """A fragment of HTML: a mail's body."""
        items = "".join(f"<li>{escape(line)}</li>" for line in self._rest)
        listed = f"<ul>{items}</ul>" if items else ""
        link = "".join(f'<p><a href="{escape(link)}">Open in Airflow</a></p>' for link in self._link)
        return f"<h3>{escape(self.title)}</h3>{listed}<p>{escape(self.where)}</p>{link}"

    @property
    def _rest(self) -> tuple[str, ...]:
        """The sentences that the title does not say already, as it does of a single problem."""
        return tuple(line for line in self.lines if not self.title.endswith(f" {line}"))

    @property
    def _link(self) -> tuple[str, ...]:
        return () if self.url is None else (self.url,)


def alert_text(context: Context) -> AlertText:
    """What to say about the task that a callback was called for.

    A gate's own conclusion is used where there is one; any other task is told by how it ended, and by its exception.
    """
    ti: Any = context.get("ti") or context.get("task_instance")
    task: Any = context.get("task") or getattr(ti, "task", None)
    conclusion = getattr(task, "conclusion", None)
    found = {} if conclusion is None else conclusion.to_dict()
    dataset = found.get("dataset") or getattr(task, "dataset", None)
    partition = found.get("partition") or getattr(task, "partition", None)
    dag_id, run_id, task_id = (getattr(ti, name, None) for name in ("dag_id", "run_id", "task_id"))
    url = getattr(ti, "log_url", None)
    outcome = found.get("outcome") or _ended(ti, context.get("exception"))
    problems, headline = found.get("problems", ()), found.get("headline")
    lines = tuple(problem["headline"] for problem in problems)
    lines = lines or _sentences(found.get("reason") or context.get("exception"))
    hidden = found.get("problem_count", 0) - len(problems)
    if hidden > 0:
        lines = (*lines, f"and {hidden} more")
    what = f"{dataset} {partition}" if dataset else str(task_id)
    told = f", {headline}" if headline else ""
    title = f"Data quality: {what}: {outcome.replace('_', ' ')}{told}"
    payload = {
        **{"dataset": dataset, "partition": partition, "outcome": outcome, "status": None, "headline": None},
        **found,
        **{"lines": list(lines), "dag_id": dag_id, "run_id": run_id, "task_id": task_id, "url": url},
    }
    reliability = (found.get("record") or {}).get("words")
    said = (*lines, reliability) if reliability else lines
    return AlertText(_cut(title), said, f"dag {dag_id}, run {run_id}, task {task_id}", url, payload)


def _ended(ti: Any, error: object) -> str:
    """The outcome of a task that has concluded nothing: it judges nothing, or failed before it could.

    A killed task's callback knows neither a state nor an error, and is a failure.
    """
    state = getattr(ti, "state", None)
    if error is None and state in ("success", "skipped"):
        return DONE if state == "success" else "skip"
    return "fail"


def _sentences(said: object) -> tuple[str, ...]:
    return tuple(line.removeprefix("- ") for line in str(said or "").splitlines() if line.strip())


def _cut(title: str) -> str:
    line = " ".join(title.split())
    return line if len(line) <= TITLE else f"{line[: TITLE - 3]}..."


def _slack(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
