"""Findings of TiCDC's recorded encoders, from judging both generations: an entry a fault."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from conformance.catalogue.defects import load_defects
from conformance.compatibility.encoders import EncodedCase
from reports import Event
from reports.causes import Cause
from reports.gathering import Gathering
from reports.texts import column_of, cut, difference_of, known_texts, path_of
from tools.findings_bytes import bytes_at, smallest
from tools.findings_entry import Finding
from tools.findings_status import OF_TICDC

__all__ = ["Affected", "ticdc_findings"]

PAGE, WHO = "ticdc", "TiCDC"
_WIDTH, _LINES, _LONGEST = 100, 2, 240
_WORDS = frozenset({"fail", "crash", "warn", "xfail", "timeout", "protocol_error"})
_DEFECT = re.compile(r"defect ([\w.-]+/[\w.-]+)")
_MOST_PLACES = 4


class Affected:
    """The consumers that any case of a cause harms; the smallest case may harm fewer."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, str], dict[str, str]] = {}

    def handle(self, event: Event) -> None:
        """Take the next event of a run."""
        if event["event"] != "verdict":
            return
        for finding in event["findings"]:
            effects = self._found.setdefault((event["iut"], finding["requirement"], finding["fingerprint"]), {})
            for affected in finding["affected"]:
                effects.setdefault(affected["consumer"], affected["effect"])

    def of(self, iut: str, cause: Cause) -> Mapping[str, str]:
        """Consumer → its reaction."""
        return self._found.get((iut, cause.requirement, cause.fingerprint), {})


@dataclass(slots=True)
class _Fault:
    """Causes of one fault: by the name of the defect if known, or by the finding."""

    causes: dict[str, list[Cause]] = field(default_factory=dict)
    """By implementation."""
    affected: dict[str, str] = field(default_factory=dict)

    @property
    def first(self) -> tuple[str, Cause]:
        name = next(iter(self.causes))
        return name, self.causes[name][0]

    @property
    def all(self) -> list[Cause]:
        return [cause for causes in self.causes.values() for cause in causes]


def ticdc_findings(
    gathering: Gathering,
    affected: Affected,
    versions: Mapping[str, str],
    encoded: Mapping[str, Sequence[EncodedCase]],
) -> Iterator[Finding]:
    """The findings of a run of the recorded encoders.

    `versions` say by label what was recorded, the older generation first; `encoded` are the records of each.
    """
    faults: dict[tuple[str, ...], _Fault] = {}
    for iut in gathering.iuts.values():
        for cause in iut.causes:
            if cause.word not in _WORDS:
                continue
            name = known_texts(cause.verdict)
            protocol = str(cause.verdict["protocol"])
            key = (protocol, name) if name else (protocol, cause.requirement, cause.fingerprint)
            fault = faults.setdefault(key, _Fault())
            fault.causes.setdefault(iut.label, []).append(cause)
            fault.affected |= affected.of(iut.label, cause)
    records = {name: {one.case.id: one for one in cases} for name, cases in encoded.items()}
    for fault in faults.values():
        yield _finding(fault, versions, records)


def _finding(fault: _Fault, versions: Mapping[str, str], records: Mapping[str, Mapping[str, EncodedCase]]) -> Finding:
    label, cause = fault.first
    case_id, finding = str(cause.verdict["case"]), cause.finding
    encoded = records[label].get(case_id)
    notes = [f"**consumers** {'; '.join(f'{who} {what}' for who, what in fault.affected.items())}"]
    records_shown = encoded.case.records if encoded and not encoded.reason else ()
    return Finding(
        id=_id(cause),
        page=PAGE,
        who=WHO,
        title=_title(cause),
        harm=cause.harm,
        versions="; ".join(versions[name] for name in fault.causes),
        cases=sum(one.cases for one in fault.all),
        rule=_rule(cause),
        status=_status(fault, versions),
        command=("ticdc-conformance", "replay", case_id),
        shows=cause.requirement or str(cause.verdict.get("message", "")),
        sql=_sql(cause, encoded),
        evidence=(*_compared(fault), *bytes_at(records_shown, path_of(finding) if finding else "")),
        notes=notes if fault.affected else (),
    )


def _id(cause: Cause) -> str:
    """A stable id: the name of the known defect, else the id of the cause."""
    defect = _DEFECT.search(known_texts(cause.verdict))
    return (defect[1].replace("/", "-") if defect else cause.id).lower()


def _title(cause: Cause) -> str:
    """A description of the fault."""
    known = known_texts(cause.verdict)
    if defect := _DEFECT.search(known):
        for listed in load_defects():
            if listed.id == defect[1]:
                return f"{cause.verdict['protocol']}: {listed.description.removesuffix('.')}"
    if known:
        return f"{cause.verdict['protocol']}: {known}"
    return f"{cause.verdict['protocol']}: not as the rule says: {cause.title.removesuffix('.')}"


def _rule(cause: Cause) -> str:
    finding = cause.finding
    if finding is None:
        return "an encoder answers every row that the database can hold: with a record, or with a refusal"
    place = f", {finding['place']}" if finding.get("place") else ""
    return f"{cause.requirement} ({finding['level'].upper()}{place}): {cause.title}"


def _status(fault: _Fault, versions: Mapping[str, str]) -> str:
    """Whether the later generation lacks the fault; both got the same rows."""
    last = list(versions)[-1]
    known = OF_TICDC.get(_id(fault.first[1]), "")
    before = f"{known}, " if known else ""
    if last not in fault.causes:
        return f"{before}fixed in {versions[last]} at the latest: it was given the same rows"
    if known:
        return known
    if len(fault.causes) < len(versions):
        return f"open: it came with {versions[last]}, the older encoder has the same rows right"
    return "open: in both generations"


def _sql(cause: Cause, encoded: EncodedCase | None) -> tuple[str, ...]:
    column = column_of(cause.finding) if cause.finding else ""
    if encoded is not None:
        return smallest(encoded.case, column)
    lines = [line for line in cause.case.get("sql", ()) if not line.startswith("CREATE DATABASE")]
    return tuple(cut(f"{line};", _LONGEST) for line in lines)


def _compared(fault: _Fault) -> Iterator[tuple[str, str]]:
    """The difference in the first case of a fault, and the other places where it shows."""
    _, cause = fault.first
    finding = cause.finding
    options = "&".join(f"{name}={value}" for name, value in cause.case.get("options", {}).items())
    yield "options", options or "none"
    if finding is None:
        yield "happened", str(cause.verdict.get("message", ""))
        return
    yield "at", path_of(finding)
    expected, got, _ = difference_of(finding, _WIDTH, _LINES)
    yield from (("expected", line) for line in expected.splitlines())
    yield from (("got", line) for line in got.splitlines())
    others = dict.fromkeys(path_of(cause.finding) for cause in fault.all if cause.finding)
    others.pop(path_of(finding), None)
    if others:
        more = f" and {len(others) - _MOST_PLACES} more" if len(others) > _MOST_PLACES else ""
        yield "also at", ", ".join([*others][:_MOST_PLACES]) + more
