"""A page that only says something: what is not there, not allowed, or not working."""

from __future__ import annotations

from airflow_dq.report.pages.address import Addresses
from airflow_dq.report.render import render


def render_message(addresses: Addresses, title: str, text: str, *, login: str | None = None) -> str:
    """The page.

    :param title: the matter in a few words
    :param text: what happened, and what to do
    :param login: address of the login, offered instead of the list
    """
    return render("message.html", links=addresses, title=title, text=text, login=login)
