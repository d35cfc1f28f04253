"""The shared view of every report of a move: findings as labelled lines, columns, and the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from reports.links import divergence_link, web_link
from reports.renderer import Json
from reports.texts import counted, cut

__all__ = ["SECTIONS", "Entry", "Line", "View", "view_of"]

_NOUNS = {
    "blocker": ("blocker", "blockers"),
    "silent": ("silent change", "silent changes"),
    "cosmetic": ("cosmetic difference", "cosmetic differences"),
}
_SEVERITIES = tuple(_NOUNS)
SECTIONS: Mapping[str, str] = {
    "blocker": "Blockers",
    "silent": "Silent changes",
    "cosmetic": "Cosmetic",
    "columns": "Column by column",
    "configuration": "Configuration",
    "placement": "Placement",
    "left": "Not assessed",
}
_SHOWN, _SHOWN_OF_A_FINDING = 3, 6
_LONGEST = 160


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a finding. `is_code` is set for a literal row or path; `link` is the target of the text."""

    label: str
    text: str
    is_code: bool = False
    link: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """A finding."""

    number: int
    severity: str
    harm: str
    title: str
    id: str
    """The first divergence, or the rule of the consumer's model."""
    where: str
    names: Sequence[tuple[str, str]]
    """(divergence, its link)."""
    lines: Sequence[Line]
    evidence: Sequence[tuple[str, str]]
    """(kind, text), the strongest first."""
    statements: Sequence[str]
    """SQL that shows it."""
    tags: Sequence[str]
    """All places, for a filter."""


@dataclass(frozen=True, slots=True)
class View:
    """The report of a move. The last four members are those of the record, each entry with more for its readers."""

    title: str
    sentence: str
    tried: str
    worst: str
    groups: Sequence[tuple[str, str, Sequence[Entry]]]
    """The severities that occur, each with its heading and findings."""
    columns: Sequence[Json]
    """Each with `where`, its place, and `word`, its worst effect in words."""
    configuration: Sequence[Json]
    """Each with `changes`, its lines: (sign, line), where "-" goes, "+" comes, and " " stays."""
    placement: Sequence[Json]
    """An aspect whose keys are the same has no `examples`; in an example a missing key is `none`."""
    not_assessed: Sequence[Json]
    """Each with `where`, its places."""


def view_of(record: Json) -> View:
    """The view of an assessment's record."""
    found = {name: [_entry(one) for one in record["findings"] if one["severity"] == name] for name in _SEVERITIES}
    tried = record["tried"]
    return View(
        title=f"{record['from']} → {record['to']}, read by {record['consumer'] or 'the documents'}",
        sentence=_sentence(record),
        tried=f"{tried['columns']:,} columns of {tried['tables']:,} tables, {tried['changes']:,} changes",
        worst=next((name for name in _SEVERITIES if record["counts"][name]), "same"),
        groups=[(name, SECTIONS[name], entries) for name, entries in found.items() if entries],
        columns=[_column(one) for one in record["columns"]],
        configuration=[_snippet(one) for one in record["configuration"]],
        placement=[_aspect(one) for one in record["placement"]],
        not_assessed=[{**one, "where": _places(one["places"])} for one in record["not_assessed"]],
    )


def _sentence(record: Json) -> str:
    """The outcome: the number of findings of each severity."""
    parts = ", ".join(counted(record["counts"][name], *nouns) for name, nouns in _NOUNS.items())
    return f"{parts}; {counted(len(record['not_assessed']), 'matter', 'matters')} not assessed"


def _place(place: Json) -> str:
    """`schema.table.column`."""
    return ".".join(part for part in (place["schema"], place["table"], place["column"]) if part)


def _places(places: Sequence[Json], most: int = _SHOWN) -> str:
    """The first of the places, and the number of others."""
    return _first([_place(one) for one in places], most, ", ")


def _first(texts: Sequence[str], most: int, separator: str) -> str:
    """The first of the texts, and the number of others."""
    more = f" and {len(texts) - most:,} more" if len(texts) > most else ""
    return separator.join(texts[:most]) + more


# -- findings


def _entry(one: Json) -> Entry:
    names = one["divergences"] or ([one["rule"]["id"]] if one["rule"] else [""])
    return Entry(
        number=one["number"],
        severity=one["severity"],
        harm=one["harm"],
        title=one["title"],
        id=str(names[0]),
        where=_places(one["places"]),
        names=[(name, divergence_link(name)) for name in one["divergences"]],
        lines=[line for line in _lines(one) if line.text],
        evidence=[(proof["step"], proof["what"]) for proof in one["evidence"]],
        statements=one["sql"],
        tags=sorted({_place(place) for place in one["places"]}),
    )


def _lines(one: Json) -> Iterator[Line]:
    yield Line("where", _places(one["places"], _SHOWN_OF_A_FINDING), is_code=True)
    for label, reading, behaviour in (("before", "was", "upstream_does"), ("after", "now", "ticdc_does")):
        row = _row_read(one[reading])
        yield Line(label, row or one[behaviour], is_code=bool(row))
    for number, removal in enumerate(one["removals"]):
        yield Line("or" if number else "removed by", _removal(removal))
    if not one["removals"]:
        yield Line("removed by", "nothing known")
    yield Line("a reader can", one["reader"])
    if document := one["document"]:
        text = f"{document['document']}, {document['heading']}"
        yield Line("document", text, link=web_link(document["url"]))


def _row_read(reading: Json | None) -> str:
    """The rows as the consumer reads them, in one line; "" where nothing is shown."""
    if reading is None:
        return ""
    rows = "; ".join(f"{one['change']} {_row_text(one['row'])}".strip() for one in reading["rows"])
    if reading["outcome"] == "read" or not rows:
        return cut(rows or reading["outcome"], _LONGEST)
    return cut(f"{reading['outcome']} (before that: {rows})", _LONGEST)


def _row_text(row: Mapping[str, str | None]) -> str:
    return ", ".join(f"{name} = {'NULL' if value is None else value}" for name, value in row.items())


def _removal(one: Json) -> str:
    """What removes a finding, what remains of it, what that breaks, and the new harmful effects in these tables."""
    tried = " (tried on the model)" if one["tried"] else ""
    but = f"; but {one['but']}" if one["but"] else ""
    if one["brings"]:
        here = f"; here it causes: {_first(one['brings'], _SHOWN, '; ')}"
    else:
        here = "; here it causes nothing else" if one["tried"] else ""
    return f"{one['what']}{tried}{but}; what it breaks: {one['breaks']}{here}"


# -- columns, places and configuration


def _column(one: Json) -> Json:
    # A column that could not be assessed may have an effect in a finding all the same.
    partly = one["assessed"] == "partly" or (one["assessed"] == "not" and one["verdict"] in _SEVERITIES)
    word = f"{one['verdict']}, in part" if partly else str(one["verdict"])
    return {**one, "where": _place(one), "word": word}


def _aspect(one: Json) -> Json:
    examples = () if one["same"] else one["examples"]
    shown = [{**key, "before": key["before"] or "none", "after": key["after"] or "none"} for key in examples]
    return {**one, "examples": shown}


def _snippet(one: Json) -> Json:
    return {**one, "changes": list(_changed_lines(one["before"].splitlines(), one["after"].splitlines()))}


def _changed_lines(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[str, str]]:
    for tag, i, j, k, n in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from ((" ", line) for line in before[i:j])
        else:
            yield from (("-", line) for line in before[i:j])
            yield from (("+", line) for line in after[k:n])
