"""A page that only says something: what is not there, not allowed, or not working."""

from __future__ import annotations

from airflow_dq.report.markup import element
from airflow_dq.report.review.address import Addresses
from airflow_dq.report.review.shell import render


def render_message(addresses: Addresses, title: str, text: str, *, login: str | None = None) -> str:
    """The page.

    :param title: the matter in a few words
    :param text: what happened, and what to do
    :param login: address of the login, offered instead of the list
    """
    if login is None:
        link = element("a", "All judged partitions", href=addresses.listing(), class_="button")
    else:
        link = element("a", "Log in to Airflow", href=login, class_="button", data_top="1")
    return render(addresses, title, element("section", element("p", text, class_="message"), link))
