"""The pages as files, from a real PostgreSQL: whatever they lead to is there, and nothing else is asked for."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

from airflow_dq.gate.pipeline import judge
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.report.export import write_site
from airflow_dq.store import Repository
from tests.integration.sample import days, make_profile

OPTIONS = SynthesisOptions(target_fpr=0.01, scope="column", min_history=7)
BROKEN = "2024-01-10"


def test_files_lead_to_files(store: Repository, tmp_path: Path) -> None:
    for dataset in ("orders", "a/../b <c>"):
        for profile in [*days(9), make_profile(BROKEN, mean=600.0)]:
            assert profile.partition is not None
            store.save_profile(store.begin_attempt(dataset, profile.partition), dataset, profile)
        judge(store, dataset, BROKEN, OPTIONS)
    written = write_site(store, tmp_path / "site", datetime.now(UTC), partitions=4)
    assert written[0] == tmp_path / "site" / "index.html"
    # For each dataset its own page, four partitions, and one of them with what was found.
    assert len(written) == 3 + 2 * 6
    assert {path.parent for path in written} == {tmp_path / "site"}
    for path in written:
        if path.suffix != ".html":
            continue
        text = path.read_text(encoding="utf-8")
        for link in re.findall(r'(?:href|src|action)="([^"#]+)"', text):
            assert (path.parent / link).is_file(), (path.name, link)
        assert "<form method" not in text
