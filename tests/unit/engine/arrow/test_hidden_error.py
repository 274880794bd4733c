"""No error quotes what was read when any column is hidden, however the input is damaged."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from airflow_dq.engine.arrow.engine import ArrowEngine
from airflow_dq.engine.base import ScanResult
from airflow_dq.exceptions import ProfileError, said_of
from airflow_dq.options.job import JobSpec
from airflow_dq.settings import HASH_KEY_VARIABLE

MARKER = "s3cret"
TABLE = pa.table({"id": [f"{MARKER}{row}" for row in range(6)], "card": [f"{MARKER},{row}" for row in range(6)]})
HEADER = '"id","card"\n'
PIECES = (b"", b",", b'"', b"\n", b"\\", b"\x00", b"\xff", b"\r\n;", b'"x"')
DAMAGE = st.lists(st.tuples(st.integers(0, 10_000), st.sampled_from(PIECES), st.booleans()), max_size=4)


@pytest.fixture(autouse=True)
def secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HASH_KEY_VARIABLE, "a secret of ours")


def content(file_format: str, header: bool) -> bytes:
    if file_format == "csv":
        rows = "".join(f'"{row["id"]}","{row["card"]}"\n' for row in TABLE.to_pylist())
        return ((HEADER if header else "") + rows).encode()
    sink = pa.BufferOutputStream()
    if file_format == "parquet":
        pq.write_table(TABLE, sink)
    else:
        with pa.ipc.new_file(sink, TABLE.schema) as writer:
            writer.write_table(TABLE)
    return bytes(sink.getvalue())


def shown(result: ScanResult, order: JobSpec) -> str:
    refused = None if result.profile is None else order.unhidden(result.profile.columns)
    return f"{result.error} {result.traceback} {refused}"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(["csv", "csv", "parquet", "arrow"]),
    st.booleans(),
    DAMAGE,
    st.integers(0, 400),
    st.sampled_from([{"hidden": ("card",)}, {"hidden": ("nobody",)}, {"store_values": False, "columns": ("id",)}]),
    st.sampled_from([{}, {}, {"escape": "\\"}, {"sep": ";"}]),
)
def test_no_error_quotes_what_was_read(
    file_format: str,
    header: bool,
    damage: list[tuple[int, bytes, bool]],
    cut: int,
    hiding: dict[str, object],
    options: dict[str, str],
) -> None:
    raw = content(file_format, header)
    for place, what, over in damage:
        place %= len(raw) + 1
        raw = raw[:place] + what + raw[place + (len(what) if over else 0) :]
    raw = raw[: len(raw) - cut % (len(raw) // 2)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"part.{file_format}"
        path.write_bytes(raw)
        read = options if file_format == "csv" else {}
        order = JobSpec("t", {"p": str(path)}, format=file_format, options=read, sample_rows=5, **hiding)  # type: ignore[arg-type]
        engine = ArrowEngine(order)
        engine.partitions()
        (result,) = engine.scan(1)
        assert MARKER not in shown(result, order)


@pytest.mark.parametrize(
    ("text", "options", "kind"),
    [
        (f"id,card\n1,2\n{MARKER},2,3\n", {}, "Expected 2 columns, got 3"),
        (f'id,card\n1,"{MARKER}\n', {}, "line 2"),
        (f'id,card\n1,"a \\"b {MARKER} \\n"\n', {"escape": "\\"}, "line 2"),
        (f"{MARKER},{MARKER}x\n1,2\n", {}, "No column is named 'card'; the table has 2 columns of other names"),
    ],
)
def test_file_line_and_kind_of_an_error_are_kept(text: str, options: dict[str, str], kind: str, tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text(text)
    paths, names = {"p": str(tmp_path / "f.csv")}, ("card",)
    order = JobSpec("t", paths, format="csv", options=options, columns=names, hidden=names)
    engine = ArrowEngine(order)
    engine.partitions()
    (result,) = engine.scan(1)
    assert kind in str(result.error)
    assert MARKER not in shown(result, order)


def test_what_an_error_says_is_shown_when_nothing_is_hidden() -> None:
    assert said_of(ValueError(MARKER), discreet=False) == f"ValueError: {MARKER}"
    assert said_of(ValueError(MARKER), discreet=True) == "ValueError"
    assert said_of(ProfileError(MARKER, discreet="kind"), discreet=False) == MARKER
