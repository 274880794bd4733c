"""Promises of the repository itself: its metadata, its README, its set-up files, and what must not be in it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

import pyarrow as pa
import pytest
import yaml
from airflow.cli.cli_config import GroupCommand

from airflow_dq import ProfileOptions, SynthesisOptions, evaluate, exceptions, profile_table, synthesize
from airflow_dq.cli.definition import get_dq_cli_commands
from airflow_dq.corruption.variant import variants_of
from airflow_dq.metrics.descriptor import Reason
from airflow_dq.program import Status

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
README = (ROOT / "README.md").read_text()
COMPOSE = ROOT / "docker-compose.yml"

# Written in pieces, so that this file does not find itself.
FOREIGN = [
    r"/wor[k]/",
    r"/roo[t]/",
    r"/hom[e]/[a-z]",
    r"/User[s]/",
    r"pyp[i]\.org",
    r"pythonhoste[d]",
    r"deb\.debia[n]",
    r"npmj[s]\.",
    r"index-ur[l]",
]


def source_files() -> list[Path]:
    """The files of the repository: those git knows or would add, or everything where there is no git."""
    if (ROOT / ".git").exists() and shutil.which("git"):
        listed = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        names = [Path(name) for name in listed.stdout.split("\0") if name]
    else:
        made = {".venv", ".demo", "dist", "build", "__pycache__", ".git"}
        names = [path.relative_to(ROOT) for path in ROOT.rglob("*")]
        names = [name for name in names if not any(part in made or part.endswith("_cache") for part in name.parts)]
    return [ROOT / name for name in names if (ROOT / name).is_file()]


def commands(found: Iterable[object], prefix: str = "airflow") -> Iterator[str]:
    for command in found:
        words = f"{prefix} {command.name}"
        if isinstance(command, GroupCommand):
            yield from commands(command.subcommands, words)
        else:
            yield words


def test_the_wheel_says_what_it_is():
    project = PROJECT["project"]
    assert project["name"] == "airflow-provider-dq"
    assert project["requires-python"] == ">=3.11"
    assert project["license"] == "Apache-2.0"
    assert any(requirement.startswith("apache-airflow>=3.1") for requirement in project["dependencies"])
    assert not any(requirement.startswith("pyspark") for requirement in project["dependencies"])
    assert "apache_airflow_provider" in project["entry-points"]
    assert "airflow.plugins" in project["entry-points"]


def test_the_extra_spark_is_a_matching_pair():
    pinned = dict(requirement.split("==") for requirement in PROJECT["project"]["optional-dependencies"]["spark"])
    assert set(pinned) == {"pyspark", "pyspark-client"}
    assert len(set(pinned.values())) == 1


def test_the_license_is_the_whole_text():
    text = (ROOT / "LICENSE").read_text()
    assert "Apache License" in text
    assert "END OF TERMS AND CONDITIONS" in text


def test_constraints_pin_every_direct_requirement_exactly():
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pins = {re.split(r"[=\[ ;]", line)[0].lower() for line in lines}
    assert all(re.match(r"^[a-zA-Z0-9._-]+(\[[a-z,_-]+\])?==[^ ]+( ; .+)?$", line) for line in lines)
    wanted = chain(PROJECT["project"]["dependencies"], *PROJECT["project"]["optional-dependencies"].values())
    names = {re.split(r"[\[<>=! ]", requirement)[0].lower() for requirement in wanted} - {"airflow-provider-dq"}
    assert names <= pins


@pytest.mark.parametrize("command", list(commands(get_dq_cli_commands())))
def test_readme_names_the_command(command: str):
    assert f"`{command}" in README


def test_readme_links_lead_somewhere():
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", README)
    assert targets
    assert [target for target in targets if not (ROOT / target).exists()] == []


ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text()
PACKAGES = tuple(path.name for path in (ROOT / "airflow_dq").iterdir() if path.is_dir() and path.name != "__pycache__")


def _named_places(page: str) -> set[str]:
    """The paths that a page names: in the package, or from the root."""
    first = "|".join((*PACKAGES, "migrations", "spark_jobs", "tests", "docs", ".ci"))
    return set(re.findall(rf"(?<![\w./-])(?:{first})/[\w./-]*[\w/]", page)) | set(re.findall(r"`(\w+\.py)`", page))


def test_architecture_names_places_that_exist():
    named = _named_places(ARCHITECTURE)
    assert len(named) > 40
    homes = (ROOT, ROOT / "airflow_dq")
    assert [place for place in sorted(named) if not any((home / place).exists() for home in homes)] == []


def test_architecture_names_every_package_and_every_part_of_learning():
    assert [name for name in PACKAGES if f"{name}/" not in ARCHITECTURE and name != "demo"] == []
    parts = [path for path in (ROOT / "airflow_dq" / "learn").iterdir() if (path / "__init__.py").exists()]
    assert [path.name for path in parts if f"learn/{path.name}" not in ARCHITECTURE] == []


def test_architecture_names_code_that_exists():
    source = "\n".join(path.read_text() for path in (ROOT / "airflow_dq").rglob("*.py"))
    words = {name for name in re.findall(r"`([A-Za-z_]+)`", ARCHITECTURE) if "_" in name or name[0].isupper()}
    assert {"DETECTORS", "Engine", "Finding", "NotEvaluated", "ProfileJob", "build_app"} <= words
    assert [name for name in sorted(words) if not re.search(rf"(class|def) {name}\b|^{name}\b", source, re.M)] == []


def test_architecture_is_linked_from_the_readme():
    assert "](docs/architecture.md)" in README


def test_readme_targets_are_in_the_makefile():
    makefile = (ROOT / "Makefile").read_text()
    named = set(re.findall(r"\bmake ([a-z]+)", README))
    assert {"demo", "test", "clean", "check"} <= named
    assert [name for name in named if not re.search(rf"^{name}:", makefile, re.MULTILINE)] == []


def test_readme_python_compiles():
    blocks = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len(blocks) == 3
    for block in blocks:
        compile(block, "README.md", "exec")


def test_definitions_list_the_metrics_as_they_are():
    done = subprocess.run([sys.executable, str(ROOT / ".ci" / "definitions"), "--check"], check=False)
    assert done.returncode == 0


def test_definitions_name_every_reason_and_verdict():
    page = (ROOT / "docs" / "definitions.md").read_text()
    assert [word for word in (*Reason, *Status) if f"| `{word}` |" not in page] == []


def test_files_know_no_machine_and_no_registry():
    pattern = re.compile("|".join(FOREIGN))
    found = []
    for file in source_files():
        text = file.read_bytes().decode("utf-8", errors="ignore")
        found += [f"{file.relative_to(ROOT)}: {match}" for match in pattern.findall(text)]
    assert found == []


def test_compose_file_has_the_whole_cluster():
    services = yaml.safe_load(COMPOSE.read_text())["services"]
    assert {"postgres", "airflow", "spark-master", "spark-worker", "history"} <= set(services)
    for name, service in services.items():
        assert set(service.get("depends_on", {})) <= set(services), name
        assert "image" in service, name


def test_compose_file_is_accepted_by_docker_compose():
    command = compose_command()
    if command is None:
        pytest.skip("docker-compose is not installed; the file was parsed as YAML only")
    done = subprocess.run(
        [*command, "-f", str(COMPOSE), "config", "--quiet"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def compose_command() -> list[str] | None:
    for command in (["docker", "compose"], ["docker-compose"]):
        if shutil.which(command[0]):
            known = subprocess.run([*command, "version"], capture_output=True, check=False)
            if known.returncode == 0:
                return command
    return None


@pytest.mark.parametrize("script", [".ci/run", ".ci/setup", ".ci/spark-versions", ".ci/airflow-versions"])
def test_shell_scripts_are_executable_and_parse(script: str):
    file = ROOT / script
    assert file.stat().st_mode & 0o111
    assert subprocess.run(["bash", "-n", str(file)], check=False).returncode == 0


def test_the_family_of_errors_is_drawn_as_it_is():
    """One class for a kind of mistake, and each says by itself whether trying again can help."""
    kinds = {
        kind for kind in vars(exceptions).values() if isinstance(kind, type) and issubclass(kind, exceptions.DQError)
    }
    drawn: dict[str, list[str]] = {}
    above: dict[int, str] = {}
    for line in (exceptions.__doc__ or "").splitlines():
        if (found := re.match(r"    ([│├└─ ]*)(DQError|\w+Error)\b", line)) is not None:
            depth = len(found[1]) // 4
            above[depth] = found[2]
            drawn[found[2]] = [above[depth - 1]] if depth else ["Exception"]
    assert {kind.__name__: [base.__name__ for base in kind.__bases__] for kind in kinds} == drawn
    again = {kind.__name__ for kind in kinds if kind.retryable}
    # A name, an option or stored bytes that are wrong are as wrong the next time.
    assert again & {"ConfigurationError", "UnknownColumnError", "CodecError", "SynthesisError"} == set()
    assert {"StoreUnreachableError", "ProfileError", "SourceMissingError", "StaleAttemptError"} <= again


UNKNOWN = "nowhere"


ASKED = {
    "profile": lambda days, table: profile_table(table, options=ProfileOptions(columns=(UNKNOWN,))),
    "options": lambda days, table: synthesize(days, SynthesisOptions(columns=(UNKNOWN,))),
    "judge": lambda days, table: evaluate(synthesize(days), days[-1], days, columns=[UNKNOWN]),
    "inject": lambda days, table: variants_of(days[-1], UNKNOWN),
}


@pytest.mark.parametrize("ask", ASKED)
def test_an_unknown_column_is_one_mistake_wherever_it_is_named(ask: str):
    table = pa.table({"amount": [1.0, 2.0, 3.0]})
    days = [profile_table(table, f"2026-01-{day:02d}") for day in range(1, 9)]
    with pytest.raises(exceptions.UnknownColumnError, match=rf"'{UNKNOWN}'.*'amount'"):
        ASKED[ask](days, table)
