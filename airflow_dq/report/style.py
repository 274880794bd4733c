"""The style sheets and the script of the pages, kept as files beside this module."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files


@cache
def css(*names: str) -> str:
    """The named style sheets (``theme``, ``chart``, ``page``, ...) one after the other."""
    folder = files("airflow_dq.report")
    return "\n".join(folder.joinpath(f"{name}.css").read_text(encoding="utf-8") for name in names)


@cache
def script() -> str:
    """The script of the review pages."""
    return files("airflow_dq.report").joinpath("review.js").read_text(encoding="utf-8")


def review_css() -> str:
    """The one style sheet of the review pages."""
    return css("theme", "chart", "page", "backtest", "review")


@cache
def version() -> str:
    """Changes with the content of the review pages' style sheet and script."""
    return hashlib.blake2b((review_css() + script()).encode(), digest_size=6).hexdigest()


@cache
def icon(dark: bool) -> str:
    """The icon in Airflow's navigation, for a light or a dark page."""
    text = files("airflow_dq.report").joinpath("icon.svg").read_text(encoding="utf-8")
    return text.replace("currentColor", "#e8eaef" if dark else "#1d2330")
