"""One cause as an entry of the page: rule, evidence, affected consumers, and the command that runs the case again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reports.causes import Cause, fails_gate, replay_command
from reports.frame.filters import anchor
from reports.gathering import Gathering, Iut
from reports.inputs import input_lines
from reports.run.facts import unit_of
from reports.run.heat import tags_of
from reports.run.issue import issue_text
from reports.run.side_by_side import bytes_side_by_side
from reports.shortening import middle_out, window
from reports.texts import column_of, counted, kind_of, known_text, options_text, oracle_text, path_of, value_text
from reports.vocabulary import FAILURE_NAMES, without_numbers

__all__ = ["entry_of", "line_of"]

_MOST_STATEMENTS = 20
_LONGEST_STATEMENT = 2000
_MOST_ROWS = 12
_LONGEST_VALUE = 1200
_MOST_STDERR_LINES = 30
_LONGEST_STDERR = 4000
_MOST_FOLLOWING = 10
_LONGEST_TITLE = 240

_COLOURS: Mapping[str, str] = {
    "lost": "bad",
    "changed": "bad",
    "schema": "idle",
    "metadata": "idle",
    "strictness": "idle",
    "form": "good",
}
_WORDS: Mapping[str, str] = {
    "fail": "fails",
    "warn": "warning",
    **{word: one for word, (one, _) in FAILURE_NAMES.items()},
    "suite_error": "the suite is at fault",
    "xfail": "known",
    "xfail_changed": "fails in another way than known",
    "xpass": "passes now",
    "flaky": "flaky",
    "may": "allowed",
    "later": "later, not scored",
}
"""Word of a cause → its name on the page."""


Json = dict[str, Any]


def line_of(cause: Cause, number: int, gathering: Gathering, iut: Iut, *, several: bool) -> Json:
    """The line of a cause, and the words for the filter; `number` is that of its implementation."""
    is_red = fails_gate(cause, gathering.run.get("gate", ""))
    protocol, role = cause.verdict["protocol"], cause.verdict["role"]
    every = cause.group.places.values()
    tags = dict.fromkeys(tag for axes, broken in every for tag in tags_of(number, protocol, role, axes, broken))
    return {
        "id": anchor(str(number), cause.id) if several else anchor(cause.id),
        "tags": " ".join([*tags, f"harm:{cause.harm or 'none'}"]),
        "word": _WORDS.get(cause.word, cause.word),
        "harm": cause.harm,
        "colour": _COLOURS.get(cause.harm, "bad" if is_red else "idle"),
        "is_red": is_red,
        "requirement": cause.requirement,
        "title": _title(cause),
        "protocol": protocol,
        "role": role,
        "cases": cause.cases,
        "count": counted(cause.cases, *unit_of(iut)),
    }


def _title(cause: Cause) -> str:
    text = middle_out(without_numbers(cause.title), _LONGEST_TITLE)
    return text[:1].upper() + text[1:]


def entry_of(cause: Cause, number: int, gathering: Gathering, iut: Iut, *, several: bool) -> Json:
    """The full text of a cause."""
    finding = cause.finding
    entry = line_of(cause, number, gathering, iut, several=several)
    entry |= {
        "level": cause.level.upper(),
        "place": finding.get("place", "") if finding else "",
        "case": cause.verdict["case"],
        "more": [case for case in cause.group.first_cases if case != cause.verdict["case"]],
        "options": options_text(cause.case),
        "sql": _statements(_sql(cause.case)),
        "rows": _rows(cause),
        "difference": _difference(finding) if finding else None,
        "oracle": oracle_text(finding) if finding and finding.get("oracle") else "",
        "affected": _affected(finding) if finding else [],
        "follows": _follows(cause),
        "message": middle_out(str(cause.verdict.get("message", "")), _LONGEST_VALUE) if finding else "",
        "stderr": _stderr(str(cause.verdict.get("stderr", ""))),
        "known": [known_text(known) for known in cause.verdict.get("known", ())],
        "replay": replay_command(gathering, iut, cause.verdict),
    }
    return entry | {"issue": issue_text(entry, gathering, iut)}


def _sql(case: Mapping[str, Any]) -> Sequence[str]:
    """The statements of a case; for one without any, those that make its tables."""
    tables = case.get("input", {}).get("tables", ())
    return case.get("sql") or [str(table.get("create_sql") or _created(table)) for table in tables]


def _created(table: Mapping[str, Any]) -> str:
    """A statement that makes such a table, with its columns and primary key, but no other keys."""
    parts = [
        f"{_quoted(column['name'])} {column['type']}{'' if column.get('nullable', True) else ' NOT NULL'}"
        for column in table.get("columns", ())
    ]
    if keys := table.get("primary_key"):
        parts.append(f"PRIMARY KEY ({', '.join(map(_quoted, keys))})")
    return f"CREATE TABLE {_quoted(table.get('schema', ''))}.{_quoted(table.get('name', ''))} ({', '.join(parts)})"


def _quoted(name: str) -> str:
    return "`" + str(name).replace("`", "``") + "`"


def _statements(given: Sequence[str]) -> str:
    shown = [middle_out(one.rstrip(";"), _LONGEST_STATEMENT) + ";" for one in given]
    if len(shown) > _MOST_STATEMENTS:
        left_out = len(shown) - _MOST_STATEMENTS
        shown = [*shown[:3], f"-- … {left_out:,} more statements …", *shown[3 - _MOST_STATEMENTS :]]
    return "\n".join(shown)


def _rows(cause: Cause) -> list[str]:
    """The row changes, or the records for a decoder."""
    column = column_of(cause.finding) if cause.finding else ""
    lines = list(input_lines({**cause.case, "sql": ()}, column))
    if len(lines) <= _MOST_ROWS:
        return lines
    return [*lines[:3], f"… {len(lines) - _MOST_ROWS:,} more …", *lines[3 - _MOST_ROWS :]]


def _difference(finding: Mapping[str, Any]) -> Json:
    want, have = (value_text(finding[side]) for side in ("expected", "got"))
    at = next((i for i, (w, h) in enumerate(zip(want, have, strict=False)) if w != h), min(len(want), len(have)))
    kinds = [kind_of(finding[side]) for side in ("expected", "got")]
    if kinds[0] == kinds[1] or "" in kinds:
        kinds = ["", ""]  # the values are enough
    return {
        "path": path_of(finding),
        "expected": window(want, at, _LONGEST_VALUE),
        "got": window(have, at, _LONGEST_VALUE),
        "kinds": kinds,
        "bytes": bytes_side_by_side(finding["expected"], finding["got"]),
        "times": finding.get("times", 1),
    }


def _affected(finding: Mapping[str, Any]) -> list[str]:
    """`flink@2.3.0, paimon@1.3.1: reads another value`: the affected consumers, grouped by effect."""
    effects: dict[str, list[str]] = {}
    for one in finding.get("affected", ()):
        effects.setdefault(str(one.get("effect")), []).append(str(one.get("consumer")))
    return [f"{', '.join(consumers)}: {effect}" for effect, consumers in effects.items()]


def _follows(cause: Cause) -> list[str]:
    following = list(cause.group.follows.values())
    shown = [f"{finding['requirement']} at {path_of(finding)}" for finding, _ in following[:_MOST_FOLLOWING]]
    left_out = len(following) - len(shown)
    return [*shown, f"{left_out:,} more"] if left_out else shown


def _stderr(text: str) -> str:
    lines = text.strip("\n").splitlines()
    shown = lines[-_MOST_STDERR_LINES:]
    lead = [f"… {len(lines) - len(shown):,} lines before …"] if len(shown) < len(lines) else []
    return middle_out("\n".join([*lead, *shown]), _LONGEST_STDERR)
