"""Results of SARIF: one for each cause, with its message, its place, and further facts."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias
from urllib.parse import quote

from reports.causes import Cause, replay_command
from reports.gathering import Gathering, Iut
from reports.inputs import input_lines
from reports.plain import plain
from reports.sarif.rules import level_of
from reports.shortening import ends_of_stderr
from reports.texts import case_count, column_of, cut, difference_of, kind_of, known_texts, path_of
from reports.vocabulary import HARMS, without_numbers

__all__ = ["Results", "results_of"]

Results: TypeAlias = list[dict[str, Any]]
"""Results, the worst first. `rule` is the finding behind the rule of a result, and not for the log."""

_NO_RESULT = frozenset({"suite_error", "xpass", "may", "later"})
"""Words of causes that do not blame the implementation: no one has to act on them."""
_VALUE, _VALUE_LINES = 100, 3
_LONGEST = 300
_MOST_INPUT_LINES = 4
_MOST_STDERR_LINES = 8
_RANKS = {harm: 100 - 15 * place for place, harm in enumerate(HARMS)}
"""Harm → importance of a result, 100 for the worst."""


def results_of(gathering: Gathering, iut: Iut) -> Results:
    """The results of one implementation. A failure that is known in some cases alone is one result."""
    found: dict[str, dict[str, Any]] = {}
    for cause in iut.causes:
        if cause.word in _NO_RESULT:
            continue
        fingerprint = _fingerprint(cause)
        if fingerprint in found:
            found[fingerprint]["occurrenceCount"] += cause.cases
            found[fingerprint]["properties"]["cases"] += cause.cases
        else:
            found[fingerprint] = _result(gathering, iut, cause, fingerprint)
    return list(found.values())


def _failure(cause: Cause) -> str:
    """The failure in place of an answer, for known and flaky failures, too."""
    return cause.failure or cause.fingerprint.partition("@")[0] or cause.word


def _fingerprint(cause: Cause) -> str:
    """The fingerprint of the cause, the same in every run, whatever its cases, gate and baseline are."""
    protocol, role = str(cause.verdict["protocol"]), str(cause.verdict["role"])
    if cause.finding is not None:
        parts = [protocol, cause.requirement, cause.fingerprint]
    else:
        # Numbers of requests and lines vary from run to run.
        parts = [protocol, role, _failure(cause), without_numbers(str(cause.verdict.get("message", "")))]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "backslashreplace")).hexdigest()[:32]


def _result(gathering: Gathering, iut: Iut, cause: Cause, fingerprint: str) -> dict[str, Any]:
    verdict, finding = cause.verdict, cause.finding
    failure = _failure(cause)
    properties = {
        "harm": cause.harm,
        "protocol": verdict["protocol"],
        "role": verdict["role"],
        "profile": verdict.get("profile", ""),
        "level": cause.level,
        "place": str(finding.get("place", "")) if finding else "",
        "verdict": cause.word,
        "case": verdict["case"],
        "replay": replay_command(gathering.run, iut.event, verdict),
    }
    found = {
        "ruleId": cause.requirement or failure,
        "rule": finding,
        "kind": "fail",
        "level": level_of(cause.findings, failure),
        "message": {"text": "\n".join(_message(cause, properties["replay"]))},
        "locations": [_location(gathering, cause)],
        "partialFingerprints": {"ticdcConformance/v1": fingerprint},
        "occurrenceCount": cause.cases,
        **_baseline(gathering, cause),
        "properties": {name: value for name, value in properties.items() if value} | {"cases": cause.cases},
    }
    return found | ({"rank": _RANKS[cause.harm]} if cause.harm in _RANKS else {})


def _message(cause: Cause, replay: str) -> Iterator[str]:
    """The message; its first line is the difference, for viewers that show no more."""
    finding, verdict = cause.finding, cause.verdict
    harm = f"{cause.harm}: " if cause.harm else ""
    if finding is not None:
        expected, got, _ = difference_of(finding, _VALUE, _VALUE_LINES)
        kinds = [f" ({kind})" if (kind := kind_of(finding[side])) else "" for side in ("expected", "got")]
        yield f"{harm}{_short(path_of(finding))}: expected {expected}{kinds[0]}, got {got}{kinds[1]}."
        yield f"{case_count(cause.cases)}; rule {cause.requirement}: {_short(cause.title)}"
    else:
        yield f"{harm}{_failure(cause)}: {_short(str(verdict.get('message', '')))}"
        yield case_count(cause.cases)
        for line in ends_of_stderr(str(verdict.get("stderr", "")), _MOST_STDERR_LINES):
            yield f"stderr: {_short(line)}"
    yield f"Case: {_short(verdict['case'])} ({verdict['role']})"
    lines = [_short(line) for line in input_lines(cause.case, column_of(finding) if finding else "")]
    for line in lines[:_MOST_INPUT_LINES]:
        yield f"Input: {line}"
    if len(lines) > _MOST_INPUT_LINES:
        yield f"Input: and {len(lines) - _MOST_INPUT_LINES:,} more lines"
    yield f"Again: {_short(replay)}"


def _short(text: str) -> str:
    return plain(cut(text, _LONGEST))


def _location(gathering: Gathering, cause: Cause) -> dict[str, Any]:
    """The place in the source that the answer or the run names; and the path in the message."""
    verdict, finding = cause.verdict, cause.finding
    protocol, role = str(verdict["protocol"]), str(verdict["role"])
    if finding is not None:
        path = path_of(finding)
        logical = {"name": path, "fullyQualifiedName": f"{protocol}/{role}/{path}", "kind": "property"}
    else:
        logical = {"name": f"{protocol} {role}", "fullyQualifiedName": f"{protocol}/{role}", "kind": "module"}
    found: dict[str, Any] = {"logicalLocations": [logical]}
    origin: Mapping[str, Any] = verdict.get("origin") or gathering.run.get("origin") or {}
    if origin.get("file"):
        uri = quote(str(origin["file"]).encode("utf-8", "replace"), safe="/")
        # Without a region code scanning refuses the whole file.
        place = {"artifactLocation": {"uri": uri, "uriBaseId": "%SRCROOT%"}, "region": {"startLine": _line(origin)}}
        found = {"physicalLocation": place, **found}
    return found


def _line(origin: Mapping[str, Any]) -> int:
    line = origin.get("line", 1)
    return line if isinstance(line, int) and line > 0 else 1


def _baseline(gathering: Gathering, cause: Cause) -> dict[str, Any]:
    """Whether the cause is known to the baseline or the compared run; empty without either."""
    listed = (gathering.end or {}).get("baseline", {}).get("known") or cause.verdict.get("known")
    if not listed and gathering.run.get("gate") != "regress":
        return {}
    if cause.word == "xfail":
        why = known_texts(cause.verdict) or "a known failure"
        suppression = {"kind": "external", "status": "accepted", "justification": why}
        return {"baselineState": "unchanged", "suppressions": [suppression]}
    state = "updated" if cause.word == "xfail_changed" else "new" if cause.is_new else "unchanged"
    return {"baselineState": state, "suppressions": []}
