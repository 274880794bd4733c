"""Profiles in a real database: round trip, replacement, fencing, interruption, retention."""

from __future__ import annotations

import numpy as np
import pytest
from sqlalchemy import event, text

from airflow_dq.exceptions import StaleAttemptError, StoreError, StoreUnreachableError
from airflow_dq.metrics.descriptor import Reason
from airflow_dq.profile.model import ColumnProfile, Profile
from airflow_dq.states.base import Kind
from airflow_dq.store import Repository, transaction
from airflow_dq.store.patience import TASK
from tests.integration.sample import ODD_NAME, days, make_profile


def put(store: Repository, profile: Profile, dataset: str = "t") -> bool:
    assert profile.partition is not None
    return store.save_profile(store.begin_attempt(dataset, profile.partition), dataset, profile)


def rows_of(store: Repository, table: str) -> int:
    with store._engine.begin() as connection:
        return int(connection.execute(text(f"SELECT count(*) FROM airflow_dq.{table}")).scalar_one())


def test_profile_round_trip(store: Repository) -> None:
    profile = make_profile("2024-01-01", mean=1e22)
    assert put(store, profile)
    loaded = store.load_profile("t", "2024-01-01")
    assert loaded is not None
    assert loaded == profile
    assert loaded.fingerprint == profile.fingerprint
    assert loaded.options == profile.options
    assert loaded.variants == profile.variants
    assert list(loaded.columns) == ["price", ODD_NAME]
    assert loaded.columns[ODD_NAME].metrics["digit_len"] is Reason.NO_VALUES
    assert type(loaded.columns["price"].metrics["mean"]) is float


def test_unknown_partition_has_no_profile(store: Repository) -> None:
    assert store.load_profile("t", "2024-01-01") is None
    assert store.load_history("t", "2024-01-01", 30) == []
    assert store.attempt_status("t", "2024-01-01") is None


def test_numpy_scalars_come_back_plain(store: Repository) -> None:
    metrics = {
        "f64": np.float64(1.5),
        "f32": np.float32(0.1),
        "f16": np.float16(2.5),
        "i64": np.int64(2**62),
        "u8": np.uint8(255),
        "b": np.bool_(True),
        "nan": np.float64("nan"),
        "inf": np.float32("inf"),
        "minus_zero": np.float64(-0.0),
    }
    column = ColumnProfile("x", Kind.NUMERIC, "double", metrics)  # type: ignore[arg-type]
    put(store, Profile("p", np.int64(3), {"x": column}))  # type: ignore[arg-type]
    loaded = store.load_profile("t", "p")
    assert loaded is not None
    assert loaded.row_count == 3
    got = loaded.columns["x"].metrics
    assert got == {
        "f64": 1.5,
        "f32": 0.10000000149011612,
        "f16": 2.5,
        "i64": 4611686018427387904.0,
        "u8": 255.0,
        "b": 1.0,
        "nan": Reason.NOT_APPLICABLE,
        "inf": Reason.OVERFLOW,
        "minus_zero": 0.0,
    }
    assert {type(value) for value in got.values()} == {float, Reason}
    assert put(store, Profile("p", 3, {"x": column})) is False


def test_same_content_changes_only_times_and_attempt(store: Repository) -> None:
    profile = make_profile("p")
    put(store, profile)
    query = text("SELECT id, attempt_id, updated_at, created_at FROM airflow_dq.profile")
    with store._engine.begin() as connection:
        before = connection.execute(query).one()
        columns = connection.execute(text("SELECT id, xmin FROM airflow_dq.column_profile ORDER BY id")).all()
    assert put(store, make_profile("p")) is False
    with store._engine.begin() as connection:
        after = connection.execute(query).one()
        assert connection.execute(text("SELECT id, xmin FROM airflow_dq.column_profile ORDER BY id")).all() == columns
    assert (after.id, after.created_at) == (before.id, before.created_at)
    assert after.attempt_id > before.attempt_id
    assert after.updated_at > before.updated_at
    assert store.load_profile("t", "p") == profile


def test_replacement_leaves_one_profile(store: Repository) -> None:
    put(store, make_profile("p", rows=10))
    put(store, make_profile("q", rows=20))
    assert put(store, make_profile("p", rows=11)) is True
    loaded = store.load_profile("t", "p")
    assert loaded is not None
    assert loaded.row_count == 11
    counts = {table: rows_of(store, table) for table in ("profile", "column_profile", "column_state")}
    assert counts == {"profile": 2, "column_profile": 4, "column_state": 4}


def test_stale_attempt_cannot_write(store: Repository) -> None:
    first = store.begin_attempt("t", "p")
    second = store.begin_attempt("t", "p")
    assert second > first
    with pytest.raises(StaleAttemptError, match=f"'t', partition 'p': attempt {first} .* attempt {second}"):
        store.save_profile(first, "t", make_profile("p", rows=1))
    store.save_profile(second, "t", make_profile("p", rows=2))
    with pytest.raises(StaleAttemptError):
        store.save_profile(first, "t", make_profile("p", rows=1))
    loaded = store.load_profile("t", "p")
    assert loaded is not None
    assert loaded.row_count == 2


def test_attempt_must_fit_the_profile(store: Repository) -> None:
    attempt = store.begin_attempt("t", "p")
    with pytest.raises(StoreError, match="begun for dataset 't', partition 'p'"):
        store.save_profile(attempt, "t", make_profile("q"))
    with pytest.raises(StoreError, match="does not exist"):
        store.save_profile(attempt + 1, "t", make_profile("p"))
    store.fail_attempt(attempt, "disk full")
    with pytest.raises(StoreError, match="reported as failed"):
        store.save_profile(attempt, "t", make_profile("p"))


def test_attempt_status_follows_the_newest(store: Repository) -> None:
    first = store.begin_attempt("t", "p", source="lake/p", read_options={"header": "true"}, engine="spark 4.2.0")
    status = store.attempt_status("t", "p")
    assert status is not None
    assert (status.attempt, status.state, status.has_profile, status.is_current) == (first, "running", False, False)
    store.save_profile(first, "t", make_profile("p"))
    status = store.attempt_status("t", "p")
    assert status is not None
    assert (status.state, status.has_profile, status.is_current) == ("succeeded", True, True)
    assert status.finished_at is not None
    assert status.finished_at >= status.started_at
    second = store.begin_attempt("t", "p")
    store.fail_attempt(second, "no such\x00file")
    status = store.attempt_status("t", "p")
    assert status is not None
    assert (status.attempt, status.state, status.error) == (second, "failed", "no such\u2400file")
    assert (status.has_profile, status.is_current) == (True, False)
    store.fail_attempt(first, "too late")
    third = store.begin_attempts("t", ["q", "p"])
    assert set(third) == {"p", "q"}
    status = store.attempt_status("t", "p")
    assert status is not None
    assert (status.state, status.attempt) == ("running", third["p"])


@pytest.mark.parametrize("bad", ["", "a\x00b", "half \ud800"])
def test_keys_that_cannot_be_stored(store: Repository, bad: str) -> None:
    with pytest.raises(StoreError, match="partition of dataset 't'"):
        store.begin_attempt("t", bad)
    with pytest.raises(StoreError, match="dataset"):
        store.begin_attempt(bad, "p")


def test_failure_in_the_middle_leaves_the_old_profile(store: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    old = make_profile("p", rows=10)
    put(store, old)
    attempt = store.begin_attempt("t", "p")
    new = make_profile("p", rows=99)

    def broken(self: object) -> bytes:
        raise RuntimeError("cannot encode")

    with monkeypatch.context() as patch:
        patch.setattr("airflow_dq.states.count.Counts.encode", broken)
        with pytest.raises(RuntimeError, match="cannot encode"):
            store.save_profile(attempt, "t", new)
    assert store.load_profile("t", "p") == old
    status = store.attempt_status("t", "p")
    assert status is not None
    assert (status.state, status.is_current) == ("running", False)
    assert store.save_profile(attempt, "t", new)
    assert store.load_profile("t", "p") == new


class Killer:
    """Ends the server's side of a connection when it is about to insert states."""

    def __init__(self, store: Repository, dsn: str, times: int) -> None:
        self.left = times
        self.kills = 0
        self.dsn = dsn
        event.listen(store._engine, "before_cursor_execute", self)

    def __call__(self, connection: object, cursor: object, statement: str, *rest: object) -> None:
        if not self.left or "INSERT INTO airflow_dq.column_state" not in statement:
            return
        self.left -= 1
        self.kills += 1
        import psycopg2

        victim = cursor.connection.get_backend_pid()  # type: ignore[attr-defined]
        killer = psycopg2.connect(self.dsn)
        killer.autocommit = True
        # With a timeout the call waits until the process is gone.
        killer.cursor().execute("SELECT pg_terminate_backend(%s, 5000)", (victim,))
        killer.close()


@pytest.mark.parametrize("times", [1, 2])
def test_dead_connection_is_retried_as_a_whole(
    store: Repository, clean_dsn: str, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    monkeypatch.setattr(transaction, "PAUSE_SECONDS", 0)
    attempt = store.begin_attempt("t", "p")
    killer = Killer(store, clean_dsn, times)
    profile = make_profile("p")
    assert store.save_profile(attempt, "t", profile)
    assert killer.kills == times
    assert store.load_profile("t", "p") == profile
    assert rows_of(store, "column_profile") == 2


def test_several_profiles_are_stored_together_or_not_at_all(
    store: Repository, clean_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transaction, "PAUSE_SECONDS", 0)
    old = make_profile("2024-01-02", rows=10)
    put(store, old)
    profiles = days(4)
    attempts = store.begin_attempts("t", [str(one.partition) for one in profiles])
    given = {attempts[str(one.partition)]: one for one in profiles}

    def require_untouched() -> None:
        assert [store.load_profile("t", str(one.partition)) for one in profiles] == [None, old, None, None]
        assert {store.attempt_status("t", str(one.partition)).state for one in profiles} == {"running"}  # type: ignore[union-attr]
        assert (rows_of(store, "profile"), rows_of(store, "column_profile")) == (1, 2)

    later = store.begin_attempt("t", "2024-01-03")
    with pytest.raises(StaleAttemptError, match=rf"'2024-01-03': attempt \d+ must not write: attempt {later}"):
        store.save_profiles("t", given)
    require_untouched()
    given = {later if one.partition == "2024-01-03" else attempt: one for attempt, one in given.items()}
    with pytest.raises(StoreError, match="was begun for dataset 't'"):
        store.save_profiles("other", given)
    with pytest.raises(StoreError, match="does not exist"):
        store.save_profiles("t", {**given, 4711: make_profile("2024-01-05")})
    killer = Killer(store, clean_dsn, TASK.attempts)
    with pytest.raises(StoreUnreachableError, match="cannot be reached"):
        store.save_profiles("t", given)
    require_untouched()
    killer.left = 1
    store.save_profiles("t", given)
    assert killer.kills == TASK.attempts + 1
    assert [store.load_profile("t", str(one.partition)) for one in profiles] == profiles
    assert (rows_of(store, "profile"), rows_of(store, "column_profile")) == (4, 8)
    assert store.attempt_status("t", "2024-01-03").state == "succeeded"  # type: ignore[union-attr]


def test_connection_that_dies_every_time_is_one_clear_error(
    store: Repository, clean_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transaction, "PAUSE_SECONDS", 0)
    attempt = store.begin_attempt("t", "p")
    killer = Killer(store, clean_dsn, 99)
    with pytest.raises(StoreUnreachableError, match="cannot be reached"):
        store.save_profile(attempt, "t", make_profile("p"))
    assert killer.kills == TASK.attempts
    assert rows_of(store, "profile") == 0
    assert rows_of(store, "column_profile") == 0


def test_variants_are_kept_for_what_may_be_learned_from_next(store: Repository) -> None:
    for profile in days(6):
        put(store, profile)
    kept = text(
        "SELECT DISTINCT partition_key FROM airflow_dq.column_variant v JOIN airflow_dq.column_profile c "
        "ON c.id = v.column_profile_id JOIN airflow_dq.profile p ON p.id = c.profile_id ORDER BY 1"
    )
    with store._engine.begin() as connection:
        assert connection.execute(kept).scalars().all() == ["2024-01-04", "2024-01-05", "2024-01-06"]
    # Going through the past again: the partition profiled last can be learned from by the next.
    put(store, days(1)[0])
    with store._engine.begin() as connection:
        assert connection.execute(kept).scalars().all()[0] == "2024-01-01"
    history = store.load_history("t", "2024-01-02", 30)
    assert [variant.label for variant in history[-1].variants["price"]] == [
        "unit_change x10",
        "unit_change x100",
        "unit_change x1000",
    ]


def test_empty_table_and_nameless_column(store: Repository) -> None:
    put(store, Profile("p", 0, {}))
    assert store.load_profile("t", "p") == Profile("p", 0, {})
    nameless = Profile("q", 0, {"": ColumnProfile("", Kind.STRING, "string", {"mean": Reason.EMPTY_BATCH})})
    put(store, nameless)
    assert store.load_profile("t", "q") == nameless
    with pytest.raises(StoreError, match="column is named"):
        put(store, Profile("r", 0, {"a\x00": ColumnProfile("a\x00", Kind.STRING, "string", {})}))
