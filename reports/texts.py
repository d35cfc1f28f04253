"""Values, differences and facts of a run as readable text, with invisible characters made visible."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from typing import Any, NamedTuple

from reports.shortening import window
from reports.vocabulary import RED

__all__ = [
    "ORACLES",
    "Difference",
    "baseline_text",
    "capitalised",
    "case_count",
    "column_of",
    "common_length",
    "counted",
    "cut",
    "difference",
    "difference_of",
    "explained_suite_text",
    "inconclusive_red_text",
    "kind_of",
    "known_text",
    "known_texts",
    "marker_of",
    "options_text",
    "oracle_text",
    "path_of",
    "printable",
    "printable_line",
    "sentence",
    "suite_text",
    "value_text",
    "visible",
    "weight_text",
    "when_text",
]

_HIDDEN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"})  # categories of Unicode
_MOST_STALE = 8
_LONGEST = 20_000


def _glyph(character: str) -> str:
    code = ord(character)
    if character == " " or unicodedata.category(character) not in _HIDDEN:
        return character
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"<U+{code:04X}>"


class _Glyphs(dict[int, str]):
    """Code point → its shown form; each is looked up once, since texts of megabytes occur."""

    def __missing__(self, code: int) -> str:
        self[code] = glyph = _glyph(chr(code))
        return glyph


_GLYPHS = _Glyphs()
_GLYPHS_OF_LINES = _Glyphs({ord("\n"): "\n"})


def visible(text: str) -> str:
    """Controls as their pictures, other invisible characters by number, blanks at either end as dots."""
    inner = text.strip(" ")
    left = len(text) - len(text.lstrip(" "))
    right = len(text) - left - len(inner)
    return "·" * left + (inner if inner.isprintable() else inner.translate(_GLYPHS)) + "·" * right


def printable(text: str) -> str:
    """The text in a safe form: lines and blanks unchanged, controls and marks of direction as signs.

    A very long text is cut to its beginning, with its length.
    """
    if len(text) > _LONGEST:
        text = f"{text[:_LONGEST]}… ({len(text):,} characters)"
    return text if text.isprintable() else text.translate(_GLYPHS_OF_LINES)


def printable_line(text: str) -> str:
    """The text in a safe form, on one line."""
    return printable(text).replace("\n", "␊")


_MARKERS: Mapping[str, tuple[type, str]] = {
    "$number": (str, "number"),
    "$text": (str, "text"),
    "$bytes": (str, ""),
    "$missing": (bool, ""),
    "$any": (list, ""),
    "$more": (int, "object"),
}
"""The type of a marker's content, and the kind of the value that it stands for; see `marker_of` and `kind_of`."""


def marker_of(value: Mapping[str, Any]) -> str:
    """The first member of an object that stands for what JSON has no word for, such as `$bytes`; empty for any other.

    Members of these names with other content stand for themselves.
    """
    name = next(iter(value), "")
    is_marked = name in _MARKERS and isinstance(value[name], _MARKERS[name][0])
    return name if is_marked and all(isinstance(value.get(member, 0), int) for member in ("length", "from")) else ""


def kind_of(value: Any) -> str:
    """The kind of a value, in a word: `text`, `number`, `list` …; empty where a word would not help."""
    if isinstance(value, dict):
        return _MARKERS[marker][1] if (marker := marker_of(value)) else "object"
    if isinstance(value, bool):
        return "truth value"
    names: Mapping[type, str] = {str: "text", int: "number", float: "number", list: "list", type(None): "null"}
    return names.get(type(value), "")


def value_text(value: Any) -> str:
    """A value in the form of a run record, on one line."""
    if isinstance(value, str):
        return f'"{visible(value)}"'
    if isinstance(value, dict):
        return _object_text(value)
    if isinstance(value, list):
        return "[" + ", ".join(map(value_text, value)) + "]"
    return json.dumps(value)


def _object_text(value: dict[str, Any]) -> str:
    marker = marker_of(value)
    if marker == "$missing":
        return "(nothing there)"
    if marker == "$number":
        return str(value["$number"])
    if marker == "$any":
        return " or ".join(map(value_text, value["$any"]))
    if marker == "$text":
        return _cut_text(value)
    if marker == "$bytes":
        shown = len(value["$bytes"].split())
        length, start = value.get("length", "?"), value.get("from", 0)
        lead = f"from byte {start:,} on: " if start else ""
        more = " …" if length != "?" and start + shown < length else ""
        return f"{lead}{value['$bytes']}{more} ({length} bytes)"
    if marker == "$more":
        return f"… and {value['$more']:,} more"
    doubled = value.get("$doubled")
    remarks = {"$more", "$doubled"} if isinstance(doubled, list) else {"$more"}
    parts = [f"{visible(name)}: {value_text(part)}" for name, part in value.items() if name not in remarks]
    parts += ["… and more"] if "$more" in value else []
    names = f" with {', '.join(map(str, doubled))} doubled" if isinstance(doubled, list) else ""
    return "{" + ", ".join(parts) + "}" + names


def _cut_text(value: Mapping[str, Any]) -> str:
    """A text of which the record holds a part, with the missing lengths on either side."""
    text, length, start = value["$text"], value.get("length", "?"), value.get("from", 0)
    before = f"… {start:,} characters …" if start else ""
    missing = length - start - len(text) if isinstance(length, int) else 0
    after = f"… {missing:,} characters …" if missing > 0 else ""
    return f'"{before}{visible(text)}{after}"'


def capitalised(text: str) -> str:
    """The text with its first letter as a capital; the other letters stay."""
    return text[:1].upper() + text[1:]


def sentence(text: str) -> str:
    """The text with a capital and a full stop, unless it ends as a sentence does."""
    whole = capitalised(text)
    return whole if whole.endswith((".", "?", "!", "…")) else f"{whole}."


def cut(text: str, width: int) -> str:
    """The text, or its beginning and an ellipsis where it is longer than `width`."""
    return text if len(text) <= width else text[: max(1, width - 1)] + "…"


class Difference(NamedTuple):
    """Two values as texts, and a text for the line below: `   ^` where they begin to differ, or that place in words."""

    expected: str
    got: str
    pointer: str
    """Empty where pointing does not help."""


def difference(expected: Any, got: Any, width: int, lines: int = 1) -> Difference:
    """Expected and got, each on a line of its own where they fit, else in `lines` lines around the first difference."""
    expected_text, got_text = value_text(expected), value_text(got)
    at = common_length(expected_text, got_text)
    is_pointed_at = kind_of(expected) == kind_of(got) != "" and at > 1  # one letter in common may be a quote
    if len(expected_text) <= width and len(got_text) <= width:
        return Difference(expected_text, got_text, " " * at + "^" if is_pointed_at and at < width else "")
    if lines == 1:
        start = max(0, at - width // 2)
        lead = "…" if start else ""
        column = len(lead) + at - start
        pointer = " " * column + "^" if is_pointed_at and column < width else ""
        return Difference(cut(lead + expected_text[start:], width), cut(lead + got_text[start:], width), pointer)
    room = lines * width
    place = _place_of_difference(expected, got)
    return Difference(window(expected_text, at, room), window(got_text, at, room), place)


def difference_of(finding: Mapping[str, Any], width: int, lines: int = 1) -> Difference:
    """The `difference` of a finding."""
    return difference(finding["expected"], finding["got"], width, lines)


def _place_of_difference(expected: Any, got: Any) -> str:
    """Says which character of two texts is the first to differ; empty for other values."""
    (one, start_of_one), (other, start_of_other) = _part_of_text(expected), _part_of_text(got)
    if one is None or other is None:
        return ""
    # Of texts of different lengths, the shown parts may begin at different places.
    start = max(start_of_one, start_of_other)
    at = common_length(one[start - start_of_one :], other[start - start_of_other :])
    return f"they first differ at character {start + at + 1:,}"


def _part_of_text(value: Any) -> tuple[str | None, int]:
    """The shown part of a text, and where it begins; None for another value."""
    if isinstance(value, dict) and marker_of(value) == "$text":
        return value["$text"], value.get("from", 0)
    return (value if isinstance(value, str) else None), 0


def common_length(one: str | bytes, other: str | bytes) -> int:
    """The length of the common beginning of two texts or byte strings, by binary search: fast for megabytes."""
    same, most = 0, min(len(one), len(other))
    while same < most:
        middle = (same + most + 1) // 2
        if one[same:middle] == other[same:middle]:
            same = middle
        else:
            most = middle - 1
    return same


def path_of(finding: Mapping[str, Any]) -> str:
    """The path of a finding: `records[1].value.data[0].c`."""
    return ".".join(filter(None, (finding.get("where"), finding["path"])))


def column_of(finding: Mapping[str, Any]) -> str:
    """The last name of a finding's path: the column, for a finding about one."""
    return str(finding["path"].rpartition(".")[2])


_USUAL = {"timezone": "UTC", "partitions": 1, "topic": "{schema}_{table}"}


def options_text(case: Mapping[str, Any]) -> str:
    """What `configure` holds for a case besides the usual: options, time zone, partitions, topic."""
    unusual = {name: value for name, value in case.get("settings", {}).items() if value != _USUAL.get(name)}
    return ", ".join(f"{name}={value}" for name, value in {**case.get("options", {}), **unusual}.items())


ORACLES: Mapping[str, str] = {
    "document": "the documentation",
    "recorded": "recorded producer",
    "second reader": "an independent reader",
    "reference only": "the reference implementation alone",
}


def oracle_text(finding: Mapping[str, Any]) -> str:
    """The oracle that the expectation of a finding rests on, with its source."""
    oracle = finding.get("oracle", {})
    source = oracle.get("source", "")
    name = ORACLES.get(oracle.get("anchor", ""), str(oracle.get("anchor", "")))
    return f"{name}: {source.removeprefix('recorded: ')}" if source else name


def case_count(number: int) -> str:
    """`1 case`, `1,830 cases`."""
    return counted(number, "case", "cases")


def counted(number: int, one: str, many: str) -> str:
    """`1 entry`, `1,830 entries`."""
    return f"{number:,} {one if number == 1 else many}"


def baseline_text(baseline: Mapping[str, Any], counts: Mapping[str, int]) -> str:
    """The effect of the baseline on a run: its entries, the known failures, and the stale entries."""
    if not baseline.get("known"):
        return "none"
    stale = [f"{entry} ({why})" for why in ("unmatched", "expired") for entry in baseline.get(why, ())]
    for passing in baseline.get("passing", ()):
        cases = passing["cases"]
        stale.append(f"{passing['entry']} ({case_count(cases)} {'passes' if cases == 1 else 'pass'} now)")
    stale += [
        f"{gone['entry']} (no case shows {', '.join(gone['fingerprints'])} any more)"
        for gone in baseline.get("gone", ())
    ]
    shown = stale[:_MOST_STALE]
    if len(stale) > _MOST_STALE:
        shown.append(f"{len(stale) - _MOST_STALE} more")
    details = f": {'; '.join(shown)}" if stale else ""
    entries = f"{counted(baseline['known'], 'entry', 'entries')}, {case_count(counts.get('xfail', 0))} known to fail"
    return f"{entries}, {len(stale)} stale{details}"


def inconclusive_red_text(end: Mapping[str, Any]) -> str:
    """The red verdicts of an inconclusive run, as ` (and red: 1 fail + 2 crash)`; empty where there are none."""
    counts, policy = end.get("accounting", {}).get("counts", {}), end["gate"].get("policy", "")
    if end["gate"]["colour"] != "inconclusive":
        return ""
    words = (*RED, "warn") if policy == "should" else RED
    found = " + ".join(f"{counts[word]:,} {word}" for word in words if counts.get(word))
    # Against an earlier run, failures that it had are not red.
    return f" (and {'failing' if policy == 'regress' else 'red'}: {found})" if found else ""


def known_text(known: Mapping[str, Any]) -> str:
    """Why a failure is known, from the entry of the baseline."""
    expires = f"until {known['expires']}" if known.get("expires") else ""
    parts = (known.get("reason"), known.get("issue"), known.get("owner"), expires)
    return ", ".join(filter(None, parts)) or f"entry {known.get('entry', '')}"


def known_texts(verdict: Mapping[str, Any]) -> str:
    """Why the failures of a case are known; empty for one that is not in the baseline."""
    return "; ".join(map(known_text, verdict.get("known", ())))


def suite_text(run: Mapping[str, Any]) -> str:
    """The version of the suite, as `0.2.0 scored as 0.1.0` where an older one scores; empty where it is unknown."""
    suite, version = str(run.get("suite", "")), run.get("suite_version")
    return suite if version is None else f"{suite} scored as {version}"


def explained_suite_text(run: Mapping[str, Any], suite: str) -> str:
    """The `suite_text` of a version, and what it means that an older one scores."""
    version = run.get("suite_version")
    return suite if version is None else f"{suite}   scored as {version}: later requirements are shown, never scored"


def weight_text(finding: Mapping[str, Any]) -> str:
    """The level and the harm of a finding, as `SHOULD lost`; old records have no harm."""
    return f"{finding['level'].upper()} {finding.get('harm', '')}".rstrip()


def when_text(time: object) -> str:
    """A time in ISO 8601 as a person reads it: `2026-11-22 17:16:47 UTC`; empty where there is none."""
    text = str(time or "").replace("T", " ")
    return text.removesuffix("+00:00") + " UTC" if text.endswith("+00:00") else text
