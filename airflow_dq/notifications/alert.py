"""The notifier that puts an alert into words, for any other notifier to send."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING, Any

from airflow.sdk import BaseNotifier

from airflow_dq.notifications.text import DONE, alert_text

if TYPE_CHECKING:
    from airflow.sdk import Context

GOING_ON = ("pass", "accepted", "new_normal", DONE)
"""Outcomes that are only reported with ``passes``."""


class DQAlertNotifier(BaseNotifier):
    """A callback of a ``DQGateSensor``, or of a profile's task, that reports what happened through other notifiers.

    The templated arguments of those notifiers may name ``dq_alert``: its ``title`` (one line), ``text`` (plain),
    ``slack`` (mrkdwn), ``html`` and ``payload`` (plain data, for ``tojson``)::

        tell = DQAlertNotifier(
            SlackNotifier(text="{{ dq_alert.slack }}"),
            SmtpNotifier(to="data@example.com", subject="{{ dq_alert.title }}", html_content="{{ dq_alert.html }}"),
        )
        DQGateSensor(..., on_failure_callback=tell, on_skipped_callback=tell, on_success_callback=tell)

    A gate that passed is not reported, nor is a profile that was made; a gate that passed with a warning is.  Without
    notifiers the text goes to the log.  One notifier that fails does not keep the others from being called; the last
    error is raised at the end.

    :param notifiers: the notifiers that send the text
    :param passes: report gates that passed and profiles that were made, too
    """

    template_fields: Sequence[str] = ()

    def __init__(self, *notifiers: BaseNotifier, passes: bool = False) -> None:
        super().__init__()
        self.notifiers = notifiers
        self.passes = passes

    def notify(self, context: Context) -> None:
        """Send the alert of the task that the callback was called for."""
        alert = alert_text(context)
        if alert.payload["outcome"] in GOING_ON and not self.passes:
            return
        if not self.notifiers:
            self.log.warning("%s", alert.text)
        enriched: Any = {**context, "dq_alert": alert}
        failure: Exception | None = None
        for notifier in self.notifiers:
            try:
                # A copy: rendering changes the notifier, which another task of this process may share.
                copy(notifier)(enriched)
            except Exception as error:
                self.log.error("%s could not send the alert: %s", type(notifier).__name__, error)
                failure = error
        if failure is not None:
            raise failure
