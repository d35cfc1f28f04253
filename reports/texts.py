"""Values, differences and inputs as text that a person can read: one line each, nothing invisible left invisible."""

from __future__ import annotations

import base64
import binascii
import json
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

__all__ = [
    "case_count",
    "cut",
    "difference",
    "input_lines",
    "kind_of",
    "options_text",
    "oracle_text",
    "value_text",
    "visible",
]

_HIDDEN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"})
_HEX_BYTES = 48
_LONGEST_INPUT = 60


def visible(text: str) -> str:
    """Controls as their pictures, other invisible characters by number, blanks at either end as dots."""
    inner = text.strip(" ")
    left = len(text) - len(text.lstrip(" "))
    dots = "·" * left, "·" * (len(text) - left - len(inner))
    return dots[0] + "".join(map(_glyph, inner)) + dots[1]


def _glyph(character: str) -> str:
    code = ord(character)
    if character == " " or unicodedata.category(character) not in _HIDDEN:
        return character
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"<U+{code:04X}>"


def kind_of(value: Any) -> str:
    """What a value is, in a word: `text`, `number`, `list` …; empty where a word would say nothing."""
    if isinstance(value, dict):
        marked = {"$number": "number", "$text": "text", "$bytes": "", "$missing": "", "$any": ""}
        return next((marked[name] for name in value if name in marked), "object")
    if isinstance(value, bool):
        return "truth value"
    names: Mapping[type, str] = {str: "text", int: "number", float: "number", list: "list", type(None): "null"}
    return names.get(type(value), "")


def value_text(value: Any) -> str:
    """A value as a run record shows it, on one line."""
    if isinstance(value, str):
        return f'"{visible(value)}"'
    if isinstance(value, dict):
        return _object_text(value)
    if isinstance(value, list):
        return "[" + ", ".join(map(value_text, value)) + "]"
    return json.dumps(value)


def _object_text(value: dict[str, Any]) -> str:
    if "$missing" in value:
        return "(nothing there)"
    if "$number" in value:
        return str(value["$number"])
    if "$any" in value:
        return " or ".join(map(value_text, value["$any"]))
    if "$text" in value:
        return f'"{visible(value["$text"])}…" ({value.get("length", "?")} characters)'
    if "$bytes" in value:
        return f"{value['$bytes']} ({value.get('length', '?')} bytes)"
    more = ", … and more" if "$more" in value else ""
    parts = (f"{visible(name)}: {value_text(part)}" for name, part in value.items() if not name.startswith("$"))
    doubled = f" with {', '.join(map(str, value['$doubled']))} doubled" if "$doubled" in value else ""
    return "{" + ", ".join(parts) + more + "}" + doubled


def cut(text: str, width: int) -> str:
    """The text, or its beginning and an ellipsis where it is longer than `width`."""
    return text if len(text) <= width else text[: max(1, width - 1)] + "…"


def difference(expected: Any, got: Any, width: int) -> tuple[str, str, str]:
    """Expected and got on one line each, around the place where they begin to differ, and a line that points at it.

    The third line is empty where pointing says nothing.
    """
    want, have = value_text(expected), value_text(got)
    at = next((i for i, (w, h) in enumerate(zip(want, have, strict=False)) if w != h), min(len(want), len(have)))
    alike = kind_of(expected) == kind_of(got) != "" and at > 1
    start = max(0, at - width // 2) if max(len(want), len(have)) > width else 0
    lines = [cut(("…" if start else "") + text[start:], width) for text in (want, have)]
    column = at - start + (1 if start else 0)
    return lines[0], lines[1], " " * column + "^" if alike and column < width else ""


# -- inputs --------------------------------------------------------------------------------------------------------


def input_lines(case: Mapping[str, Any]) -> Iterator[str]:
    """The input of a case: its SQL and its rows, or the records for a decoder."""
    yield from case.get("sql", ())
    question = case.get("input", {})
    if case.get("role") == "decode":
        for record in question.get("records", ()):
            for part in ("key", "value"):
                if record.get(part) is not None:
                    yield f"{part}  {_bytes_text(record[part])}"
    else:
        for event in question.get("events", ()):
            yield _event_text(event)


def options_text(case: Mapping[str, Any]) -> str:
    """The options of a case that are not the defaults."""
    return ", ".join(f"{name}={value}" for name, value in case.get("options", {}).items())


def _event_text(event: Mapping[str, Any]) -> str:
    if event.get("kind") != "row":
        return f"{event.get('kind')}  {event.get('query') or event.get('commit_ts', '')}"
    images = [value_text(_shortened(event[image])) for image in ("before", "after") if event.get(image) is not None]
    return f"{event.get('op')}  {' → '.join(images)}"


def _shortened(row: Any) -> Any:
    """A row whose long texts are cut, with their length."""
    if not isinstance(row, dict):
        return row
    return {
        name: {"$text": part[: _LONGEST_INPUT - 20], "length": len(part)}
        if isinstance(part, str) and len(part) > _LONGEST_INPUT
        else part
        for name, part in row.items()
    }


def _bytes_text(encoded: str) -> str:
    try:
        data = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        return encoded
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = None
    if text is not None and text.isprintable():
        return f"{cut(text, 6 * _LONGEST_INPUT)} ({len(data)} bytes)"
    more = " …" if len(data) > _HEX_BYTES else ""
    return f"{data[:_HEX_BYTES].hex(' ')}{more} ({len(data)} bytes)"


_ORACLES: Mapping[str, str] = {
    "document": "the documentation",
    "recorded": "recorded producer",
    "second reader": "an independent reader",
    "reference only": "the reference implementation alone",
}


def oracle_text(finding: Mapping[str, Any]) -> str:
    """Which oracle says so."""
    oracle = finding.get("oracle", {})
    source = oracle.get("source", "")
    name = _ORACLES.get(oracle.get("anchor", ""), str(oracle.get("anchor", "")))
    return f"{name}: {source.removeprefix('recorded: ')}" if source else name


def case_count(number: int) -> str:
    """`1 case`, `1,830 cases`."""
    return f"{number:,} case{'' if number == 1 else 's'}"
