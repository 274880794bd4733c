"""The decision on a partition: what stands, and the buttons for whoever may decide."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from xml.etree.ElementTree import Element

from airflow_dq.report.markup import element
from airflow_dq.report.review.badge import DECISIONS
from airflow_dq.report.review.timestamp import moment
from airflow_dq.store.review_model import Decision, Origin, VerdictDetail, VerdictSummary

CHOICES: dict[Decision, tuple[str, str]] = {
    "accepted": ("Accept", "The data is right: it joins the history."),
    "rejected": ("Reject", "The data is bad: it stays out of the history, and the gate fails."),
    "new_normal": ("New normal", "The data is right, and from here on it looks like this: history restarts here."),
}
"""The button and the meaning of each decision; the button's words are also those of Airflow's Required Action."""
_OUTCOMES: dict[Decision, str] = {
    "accepted": "The data is right: the partition joined the history.",
    "rejected": "The data is bad: the partition stays out of the history.",
    "new_normal": "The history restarts at this partition.",
}


@dataclass(frozen=True, slots=True)
class Rights:
    """What the reader may do, and where it is sent.

    :param decide: address of the decision's form; None for a reader who may not decide
    :param waiting: Airflow's address that says whether the gate waits; None when no task judged
    """

    decide: str | None
    waiting: str | None


def verdict_card(detail: VerdictDetail, rights: Rights, now: datetime) -> Element:
    """The card."""
    partition = detail.partition
    parts: list[Element | None] = []
    if partition.decision is None:
        parts.append(element("h2", "Your decision" if rights.decide else "Decision"))
        parts.append(_waiting(rights, partition.origin))
        parts.append(_form(rights, partition) if rights.decide else _reader(partition.origin))
    else:
        parts.append(element("h2", "Decision"))
        parts.append(_standing(detail, partition.decision, now))
        if rights.decide:
            change = element("details", element("summary", "Change this decision"), _form(rights, partition))
            parts.append(change)
    return element("section", *parts, class_="decision", id="decision", aria_label="Decision")


def _waiting(rights: Rights, origin: Origin | None) -> Element | None:
    """Shown by the script when Airflow says that the task waits for a person."""
    if rights.waiting is None or origin is None:
        return None
    text = f"{origin.dag_id} · {origin.task_id} is parked and waits for this decision."
    return element("p", text, class_="parked", hidden="hidden", data_waiting=rights.waiting)


def _standing(detail: VerdictDetail, decision: Decision, now: datetime) -> Element:
    partition = detail.partition
    words, colour = DECISIONS[decision]
    by = element("span", f"by {partition.decided_by} ", class_="by")
    when = moment(partition.decided_at, now) if partition.decided_at else None
    return element(
        "div",
        element("p", element("span", words, class_=f"badge {colour}"), " ", by, when),
        element("blockquote", detail.comment) if detail.comment else None,
        element("p", _OUTCOMES[decision], class_="hint"),
        class_="standing",
    )


def _form(rights: Rights, partition: VerdictSummary) -> Element:
    choices = [(value, *words) for value, words in CHOICES.items() if value != partition.decision]
    buttons = (
        element(
            "li",
            element(
                "button",
                words,
                type="submit",
                name="decision",
                value=value,
                class_=f"button {value}",
                aria_describedby=f"about-{value}",
            ),
            element("span", meaning, id=f"about-{value}"),
        )
        for value, words, meaning in choices
    )
    return element(
        "form",
        # The decision is about what is on the page, also when the partition is profiled anew while somebody reads it.
        element("input", type="hidden", name="fingerprint", value=partition.fingerprint),
        element("input", type="hidden", name="revise", value="1") if partition.decision is not None else None,
        element("label", "Comment", element("span", " for whoever looks next", class_="hint"), for_="comment"),
        element("textarea", id="comment", name="comment", rows="2", maxlength="2000"),
        element("ul", *buttons, class_="choices"),
        method="post",
        action=rights.decide,
        class_="act",
    )


def _reader(origin: Origin | None) -> Element:
    where = f" of DAG {origin.dag_id}" if origin else ""
    return element("p", f"You may read this, not decide it: that takes the right to edit required actions{where}.")
