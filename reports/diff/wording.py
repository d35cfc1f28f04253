"""The words of all reports of a diff: its sections in order, and sentences about the record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from reports.diff.model import Record
from reports.diff.verdicts import GONE
from reports.texts import case_count, difference
from reports.vocabulary import DATA, FAILURE_NAMES

__all__ = [
    "SECTIONS",
    "Section",
    "alone_lines",
    "answers_text",
    "cases_text",
    "colour_of",
    "filled_sections",
    "gate_word",
    "harms_text",
    "name_of",
    "sentence_of",
    "side_text",
    "sides_text",
    "values_of",
]


class Section(NamedTuple):
    """A section of the record."""

    name: str
    """The member of the record with its entries."""
    title: str
    about: str
    """A sentence about it."""
    form: str
    """The form of its entries: `failures`, `meaning`, `bytes` or `cases`."""
    called: str = ""
    """What the sentence of the result calls its entries; empty if that sentence leaves the section out."""

    @property
    def side(self) -> str:
        """The run that shows its failures or has its cases: `old` or `new`."""
        return "old" if self.name in (*GONE, "no_longer_judged", "only_left") else "new"


SECTIONS = (
    Section("newly_broken", "Newly broken", "The new run breaks these rules, and the old run did not, in cases that "
            "both ran.", "failures", "newly broken"),
    Section("more_cases", "Broken in more cases", "The old run had these failures, and more cases have them now.",
            "failures", "broken in more cases"),
    Section("changed_failures", "Failing in another way", "These cases failed before, and break the same rule in "
            "another way now.", "failures", "failing in another way"),
    Section("meaning", "Changed meaning", "The verdict is the same, and the answer has another meaning for a reader.",
            "meaning", "of changed meaning"),
    Section("fixed", "Fixed", "The old run had these failures, and the same cases no longer have them.", "failures",
            "fixed"),
    Section("bytes", "Other bytes, same meaning", "The meaning is the same, in other bytes.", "bytes",
            "of other bytes alone"),
    Section("hidden", "No longer seen", "The old run had these failures; the new one gave no answer to these cases in "
            "which they could be seen.", "failures", "no longer seen"),
    Section("no_longer_judged", "No longer judged", "The old run was judged by these cases, and the new one was not: "
            "none of their failures counts as fixed.", "cases"),
    Section("newly_judged", "Newly judged", "The new run was judged by these cases, and the old one was not: none of "
            "their failures counts as new.", "cases"),
    Section("only_left", "Only in the old run", "Cases that the new run did not have.", "cases"),
    Section("only_right", "Only in the new run", "Cases that the old run did not have.", "cases"),
)  # fmt: skip

_MOST_BROKEN = 8
_GATE_WORDS = {0: "green", 1: "red", 5: "nothing judged in both", 6: "inconclusive"}
_ANSWER_WORDS = {
    "same": "the same",
    "bytes": "in other bytes",
    "meaning": "of another meaning",
    "unknown": "differ in an unknown way",
}


def sentence_of(record: Record) -> str:
    """The result: `3 newly broken (2 lost, 1 schema); 1 fixed (1 lost)`; empty sections are left out."""
    counts = record["counts"]
    if not counts["common"]:
        return "the two runs have no case in common"
    parts = []
    for section, entries in filled_sections(record):
        if section.called:
            harms = record["harms"].get(section.name)
            parts.append(f"{len(entries):,} {section.called}" + (f" ({harms_text(harms)})" if harms else ""))
    if parts:
        return "; ".join(parts)
    if not counts["judged"]:
        return "no case was judged in both runs"
    judged = case_count(counts["judged"])
    if record["no_longer_judged"]:
        return f"nothing differs in the {judged} judged in both runs"
    if counts["unkept"] or counts["unknown"]:
        return f"no difference of a verdict in {judged}"
    return f"no difference in {judged}"


def harms_text(harms: Mapping[str, int]) -> str:
    """`2 lost, 1 schema`, the worst first."""
    return ", ".join(f"{number:,} {harm}" for harm, number in harms.items())


def gate_word(record: Record) -> str:
    """The gate of `--fail-on` in words."""
    return _GATE_WORDS[record["exit"]]


def colour_of(record: Record) -> str:
    """`bad` where a MUST or SHOULD got worse or data change, `good` where nothing got worse, else `idle`."""
    worse = [entry for name in ("newly_broken", "more_cases", "changed_failures") for entry in record[name]]
    changed_harms = {entry["harm"] for entry in record["meaning"]}
    if any(entry["level"] != "may" for entry in worse) or changed_harms & DATA:
        return "bad"
    is_doubtful = worse or record["meaning"] or record["hidden"] or record["no_longer_judged"]
    return "good" if not is_doubtful and record["counts"]["judged"] and record["exit"] == 0 else "idle"


def sides_text(record: Record) -> str:
    """All pairs of sides, each as `classic 8.5.7 → newarch 9.0`."""
    return ", ".join(f"{_named(pair['left'])} → {_named(pair['right'])}" for pair in record["sides"])


def _named(side: Mapping[str, Any]) -> str:
    version = "" if side["version"] == "recorded" else side["version"]
    return f"{side['implementation']} {version}".rstrip()


def side_text(side: Mapping[str, Any]) -> str:
    """One side with its profile, its suite and where it was read from."""
    profile = f", profile {side['profile']}" if side["profile"] else ""
    return f"{_named(side)}{profile}, suite {side['suite'] or 'unknown'}, {case_count(side['cases'])}: {side['name']}"


def answers_text(counts: Mapping[str, int]) -> str:
    """The comparison of answers: `900 the same, 40 in other bytes, 3 of another meaning`."""
    return ", ".join(f"{counts[name]:,} {text}" for name, text in _ANSWER_WORDS.items() if counts[name])


def filled_sections(record: Record) -> Iterator[tuple[Section, Sequence[Mapping[str, Any]]]]:
    """The sections that have entries."""
    for section in SECTIONS:
        if record[section.name]:
            yield section, record[section.name]


def values_of(entry: Mapping[str, Any], width: int) -> list[tuple[str, str]]:
    """The two values of an entry: (label, value on one line); none for a failure in place of an answer."""
    if "left" in entry:
        old, new, _ = difference(entry["left"], entry["right"], width)
        return [("old", old), ("new", new)]
    if not entry["judged"]:
        return []
    expected, got, _ = difference(entry["expected"], entry["got"], width)
    return [("expected", expected), ("got", got)]


def alone_lines(section: Section, entry: Mapping[str, Any]) -> list[str]:
    """An entry of cases that only one run had or judged, in lines."""
    failing = ""
    if entry["failing"]:
        broken = ", ".join(entry["broken"][:_MOST_BROKEN]) + (" …" if len(entry["broken"]) > _MOST_BROKEN else "")
        failing = f", {entry['failing']:,} failing in the {section.side} run: {broken}"
    lines = [f"{case_count(entry['cases'])}{failing}"]
    if entry.get("verdict"):
        lines.append(f"{entry['verdict']}: {entry['reason']}" if entry["reason"] else str(entry["verdict"]))
    lines += entry["examples"]
    if more := entry["cases"] - len(entry["examples"]):
        lines.append(f"and {more:,} more")
    return lines


def name_of(entry: Mapping[str, Any]) -> str:
    """The broken requirement, or the failure in place of an answer."""
    return str(entry["requirement"]) or FAILURE_NAMES.get(entry["word"], ("no answer",))[0]


def cases_text(section: Section, entry: Mapping[str, Any]) -> str:
    """The number of cases of an entry, with those of the old and the new run where these say more."""
    if section.name == "more_cases":
        return f"{case_count(entry['cases'])} more: {entry['before']:,} before, {entry['after']:,} now"
    if section.name == "fixed" and entry["after"]:
        return f"{case_count(entry['cases'])}, {entry['after']:,} still broken"
    return case_count(entry["cases"])
