"""The connections to the statistics database, which all that is done with it shares."""

from __future__ import annotations

from sqlalchemy import Engine

from airflow_dq.store.state_cache import StateCache


class Connected:
    """A database, and the states that were read from it lately."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._states = StateCache()
