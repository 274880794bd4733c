"""What a setting says of documented incidents: the wrong version of a partition, and the one that corrects it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from airflow_dq.learn.history.history import History
from airflow_dq.profile import Profile
from airflow_dq.program import Program, SynthesisOptions, evaluate, synthesize
from tests.benchmark.leave_out.source import Incident
from tests.benchmark.program.outcome import Outcome

INCIDENT = "incident"
"""Its name among the types of error."""


@dataclass
class Told:
    """The four counts of some incidents."""

    wrong: int = 0
    caught: int = 0
    right: int = 0
    """Caught in a column that the documentation names, or that the corrected version does not alarm in."""
    corrected: int = 0
    flagged: int = 0

    def __str__(self) -> str:
        """As ``14 of 17 caught, 12 right; 11 of 15 corrected ones flagged``; nothing where there were none."""
        if not self.wrong:
            return ""
        caught = f"{self.caught} of {self.wrong} caught, {self.right} right"
        return f"{caught}; {self.flagged} of {self.corrected} corrected ones flagged"


def judge(one: Incident, past: History, options: SynthesisOptions, outcome: Outcome, told: Told) -> None:
    """Add one incident, judged as a whole table, to the counts.

    A wrong version is one error more, caught where it is for the right reason.  What a corrected one shows is often
    news as well (cases that were taken back), so that it is told apart from false alarms on ordinary days.
    """
    program = synthesize(past, replace(options, scope="partition"))
    wrong, corrected = _alarms(program, one.bad, past), _alarms(program, one.fixed, past)
    right = bool(wrong & (one.columns | {""}) or wrong - corrected)
    told.wrong += 1
    told.caught += bool(wrong)
    told.right += right
    told.corrected += one.fixed is not None
    told.flagged += bool(corrected)
    outcome.injected[INCIDENT] += 1
    outcome.caught[INCIDENT] += right


def _alarms(program: Program, version: Profile | str | None, past: History) -> set[str]:
    """The columns that alarm; ``(table)`` for the table, the empty text for what every check notices."""
    if version is None:
        return set()
    if isinstance(version, str):
        return {""}
    findings = evaluate(program, version, past).findings
    return {name for one in findings for name in (one.scope.columns or ("(table)",))}
