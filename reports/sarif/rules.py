"""Rules of SARIF: one for each requirement, or failure in place of an answer, with the help that a viewer shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from reports.plain import plain
from reports.texts import cut
from reports.vocabulary import DATA

__all__ = ["level_of", "rules_of"]

_WORST_FIRST = ("error", "warning", "note", "none")
_LEVELS = {"must": "error", "should": "warning", "may": "note"}
"""Level of the requirement → level of the rule, and of its results."""
_LEVELS_OF_SHOULD = {**dict.fromkeys(DATA, "error"), "form": "note"}
"""Harm → level of the results of a SHOULD, if it is another one. An error is what fails the default gate."""

_FAILURES: Mapping[str, tuple[str, str, str]] = {
    "crash": ("error", "The implementation crashed", "It ended, or its harness broke, in place of an answer."),
    "timeout": ("error", "The implementation did not answer in time", "No answer came within the limit of --timeout."),
    "protocol_error": ("error", "The harness protocol was broken", "A line of output is not what a harness may write."),
    "false_claim": (
        "error",
        "Something declared is not supported",
        "hello declares it, or does not exclude it, and the answer was unsupported.",
    ),
    "flaky": ("warning", "A case fails and passes", "It failed at first, and passed when it was run again."),
}
"""Failure in place of an answer → level of the result, name, and meaning."""


def level_of(findings: Sequence[Mapping[str, Any]], failure: str) -> str:
    """The level of a result: the worst of its findings, or that of its failure."""
    if not findings:
        return _FAILURES[failure][0] if failure in _FAILURES else "error"
    return min(map(_level, findings), key=_WORST_FIRST.index)


def _level(finding: Mapping[str, Any]) -> str:
    level = str(finding["level"])
    usual = _LEVELS.get(level, "warning")
    return _LEVELS_OF_SHOULD.get(str(finding.get("harm", "")), usual) if level == "should" else usual


def rules_of(results: Iterable[Mapping[str, Any]]) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """The rules of these results, each once, and the index of each by its id."""
    rules: list[dict[str, Any]] = []
    numbers: dict[str, int] = {}
    for result in results:
        if result["ruleId"] not in numbers:
            numbers[result["ruleId"]] = len(rules)
            finding = result["rule"]
            protocol = result["properties"]["protocol"]
            rules.append(_requirement(finding, protocol) if finding else _failure(result["ruleId"]))
    return rules, numbers


def _requirement(finding: Mapping[str, Any], protocol: str) -> dict[str, Any]:
    number, rule = str(finding["requirement"]), str(finding.get("rule") or finding["requirement"])
    level, place = str(finding["level"]), str(finding.get("place", ""))
    lines = [rule, f"Level: {level.upper()}"]
    lines += [f"Place: {place}"] if place else []
    lines.append(f"All there is about it: ticdc-conformance explain {number}")
    return {
        "id": number,
        "shortDescription": {"text": plain(cut(rule, 200))},
        "fullDescription": {"text": plain(rule)},
        "help": {"text": "\n".join(lines), "markdown": "\n\n".join(map(_escaped, lines))},
        "defaultConfiguration": {"level": _LEVELS.get(level, "warning")},
        "properties": {"tags": list(dict.fromkeys(filter(None, (protocol, finding.get("group", ""), level))))},
    }


def _failure(word: str) -> dict[str, Any]:
    level, short, long = _FAILURES.get(word, ("error", word, word))
    return {
        "id": word,
        "shortDescription": {"text": short},
        "fullDescription": {"text": long},
        "help": {"text": long, "markdown": _escaped(long)},
        "defaultConfiguration": {"level": level},
        "properties": {"tags": ["harness"]},
    }


def _escaped(text: str) -> str:
    """Markdown that shows the text unchanged."""
    for mark in "\\`*_{}[]<>()#|!~&":
        text = text.replace(mark, "\\" + mark)
    return text
