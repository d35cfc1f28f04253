"""A folder of results for Allure: an entry for each case of a run, in the tree protocol → group → requirement.

Cases that were left out, or that the implementation does not declare, have none. Cases that were not run for one reason
share one. A run that proves nothing gets a result for itself.

Written with the model of allure-python-commons, an extra. A case keeps its history when a requirement is renamed, and
when its implementation gets another version, or, if it is the only one of the run, another name. Passed cases have no
attachments.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from allure_commons.model2 import Attachment, Label, Link, Parameter, StatusDetails, TestResult

from reports.allure.files import ResultFolder, identity
from reports.allure.labels import CATEGORIES, headline, labels_of, parameters_of, status_of
from reports.allure.texts import FirstOfACause, attachments_of, description_of
from reports.causes import replay_command
from reports.failure import failure_text
from reports.gathering import Gathering, GatheringRenderer, as_one_case
from reports.plain import plain
from reports.reasons import Unproven, cut_text, unproven_of
from reports.renderer import Event
from reports.unjudged import is_undeclared

__all__ = ["AllureRenderer"]

_LONGEST_TRACE = 20_000


@dataclass(slots=True)
class _Entry:
    """A case and its verdict, until the rules of the requirements are known; times in milliseconds, 0 if unknown."""

    verdict: Event
    details: StatusDetails | None
    description: str
    attachments: list[Attachment]
    start: int
    stop: int


class AllureRenderer(GatheringRenderer):
    """Writes attachments as they come, and the results once the rules of all requirements are known."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = ResultFolder(folder)
        self._entries: list[_Entry] = []
        self._rules: dict[tuple[str, str], tuple[str, str]] = {}
        self._has_attachments = FirstOfACause()
        self._clock: Decimal | None = None

    def handle(self, event: Event) -> None:
        """Take the next event."""
        super().handle(event)
        kind = event["event"]
        if kind == "run":
            self._clock = _milliseconds(str(event.get("started", "")))
        elif kind == "requirement":
            rule = str(event.get("group", "")), str(event.get("rule", ""))
            self._rules[event.get("protocol", ""), event["id"]] = rule
        elif kind == "verdict" and _has_entry(event):
            self._entries.append(self._entry(event))
        elif kind == "verdicts" and event["verdict"] == "not_run":
            self._entries.append(self._entry(as_one_case(event)))

    def close(self) -> None:
        """Write the results.

        An incomplete record gives those that it has; a run without proof gives a result for itself.
        """
        if (about := unproven_of(self._gathering)) is not None:
            self._folder.write(_of_the_run(about))
        for entry in self._entries:
            self._folder.write(self._result(entry))
        self._folder.write_environment(_environment(self._gathering))
        self._folder.write_categories(CATEGORIES)

    def _entry(self, verdict: Event) -> _Entry:
        case = self._gathering.case_of(verdict)
        begin = self._clock or Decimal(0)
        end = begin + Decimal(str(verdict.get("seconds", 0))) * 1000
        self._clock = end if self._clock is not None else None
        kept = {name: value for name, value in verdict.items() if name not in ("evaluated", "stderr")}
        if verdict["verdict"] == "pass":
            return _Entry(kept, None, "", [], int(begin), int(end))
        attachments = self._attachments(verdict, case)
        details = self._details(verdict, case, attached=bool(attachments))
        return _Entry(kept, details, self._description(verdict), attachments, int(begin), int(end))

    def _description(self, verdict: Event) -> str:
        iut = self._gathering.iuts.get(verdict["iut"])
        if iut is None or verdict.get("replay") == "":
            return description_of(verdict, "")
        return description_of(verdict, replay_command(self._gathering.run, iut.event, verdict))

    @staticmethod
    def _details(verdict: Event, case: Event, *, attached: bool) -> StatusDetails:
        word = verdict["verdict"]
        lines = [failure_text(verdict, case)] if verdict["findings"] or case else []
        if verdict["findings"] and not attached:
            first, in_all = FirstOfACause.most, FirstOfACause.most_in_all
            lines.append(f"attachments: only for the first {first} cases of a cause, and for {in_all:,} cases in all")
        return StatusDetails(
            known=True if word in ("xfail", "xfail_changed") else None,
            flaky=True if word == "flaky" else None,
            message=headline(verdict),
            trace=plain("\n".join(lines), _LONGEST_TRACE),
        )

    def _attachments(self, verdict: Event, case: Event) -> list[Attachment]:
        if not self._has_attachments(verdict):
            return []
        answer = self.answer_of(verdict) if self.answer_of is not None else None
        return [self._folder.attach(one) for one in attachments_of(verdict, case, answer)]

    def _result(self, entry: _Entry) -> TestResult:
        verdict = entry.verdict
        iut = self._gathering.iuts.get(verdict["iut"])
        about_iut = {} if iut is None else iut.event
        parts = [str(verdict[name]) for name in ("protocol", "role", "case")]
        several = len(self._gathering.iuts) > 1
        # The history of a single implementation does not depend on its name.
        whose = str(verdict["iut"]) if several else ""
        parameters = parameters_of(verdict, several=several)
        history = identity("history", whose, str(verdict.get("profile", "")), *parts)
        labels = [*labels_of(verdict, self._rules), ("framework", "ticdc-conformance")]
        labels += [("language", str(about_iut["language"]))] if about_iut.get("language") else []
        return TestResult(
            uuid=str(identity("result", history.hex)),
            historyId=history.hex,
            testCaseId=identity("case", *parts).hex,
            fullName=plain(f"{verdict['case']} [{verdict['role']}]"),
            name=plain(str(verdict["case"])),
            status=status_of(verdict, str(self._gathering.run.get("gate", ""))),
            statusDetails=entry.details,
            stage="finished",
            description=entry.description or None,
            attachments=entry.attachments,
            parameters=[Parameter(name=name, value=value) for name, value in parameters.items()],
            labels=[Label(name=name, value=plain(value)) for name, value in labels],
            links=list(_links(verdict)),
            start=entry.start or None,
            stop=entry.stop or None,
        )


def _of_the_run(about: Unproven) -> TestResult:
    """The result for the run itself."""
    history = identity("history of the run", about.name)
    labels = {"epic": "run", "parentSuite": "run", "severity": "blocker", "framework": "ticdc-conformance"}
    return TestResult(
        uuid=str(identity("result", history.hex)),
        historyId=history.hex,
        testCaseId=identity("the run", about.name).hex,
        fullName=about.name,
        name=about.name,
        status="broken" if about.is_error else "failed",
        statusDetails=StatusDetails(message=plain(about.text, _LONGEST_TRACE)),
        stage="finished",
        labels=[Label(name=name, value=value) for name, value in labels.items()],
    )


def _has_entry(verdict: Event) -> bool:
    if verdict["verdict"] == "unsupported":
        return not is_undeclared(verdict["protocol"], str(verdict.get("message", "")))
    return bool(verdict["verdict"] != "excluded")


def _links(verdict: Event) -> list[Link]:
    issues = dict.fromkeys(str(known.get("issue", "")) for known in verdict.get("known", ()))
    return [
        Link(type="issue", url=plain(url), name=plain(url)) for url in issues if url.startswith(("http://", "https://"))
    ]


def _milliseconds(started: str) -> Decimal | None:
    """The start of a run in milliseconds since 1970, in whole seconds; None for a text that is not a time."""
    try:
        at = datetime.fromisoformat(started)
        return Decimal(int((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp())) * 1000
    except (ValueError, OverflowError):
        return None


def _environment(gathering: Gathering) -> Mapping[str, str]:
    """The facts of the run for the overview."""
    run, end = gathering.run, gathering.end
    iuts = [iut.event for iut in gathering.iuts.values()]
    named = [" ".join(filter(None, (str(e.get("name") or e["iut"]), str(e.get("version", ""))))) for e in iuts]
    facts: dict[str, Any] = {
        "Implementation": ", ".join(named),
        "Profile": ", ".join(dict.fromkeys(str(e.get("profile", "")) for e in iuts)),
        "Suite": run.get("suite", ""),
        "Gate": f"{end['gate']['colour']} (exit {end['exit']})" if end else f"unknown: {cut_text(gathering)}",
        "Command": shlex.join(map(str, run.get("command", ()))),
        "Started": run.get("started", ""),
    }
    facts |= {f"Register.{name}": one["digest"] for name, one in run.get("registers", {}).items()}
    return {name: plain(str(value)) for name, value in facts.items()}
