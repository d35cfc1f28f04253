"""The entry of a cause on a run's page: rule, input, difference, consumers, and the command that runs it again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reports.causes import Cause, fails_gate, replay_command
from reports.frame.filters import anchor
from reports.gathering import Gathering, Iut
from reports.inputs import input_lines
from reports.run.facts import unit_of
from reports.run.heat import tags_of
from reports.run.issue import issue_text
from reports.run.side_by_side import bytes_side_by_side
from reports.shortening import middle_out, window, without_middle
from reports.texts import (
    capitalised,
    column_of,
    common_length,
    counted,
    kind_of,
    known_text,
    options_text,
    oracle_text,
    path_of,
    value_text,
)
from reports.vocabulary import FAILURE_NAMES, without_numbers

__all__ = ["Entries"]

_MOST_STATEMENTS = 20
_LONGEST_STATEMENT = 2000
_MOST_ROWS = 12
_LONGEST_VALUE = 1200
_MOST_STDERR_LINES = 30
_LONGEST_STDERR = 4000
_MOST_FOLLOWING = 10
_LONGEST_TITLE = 250  # no rule is longer

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


@dataclass(frozen=True, slots=True)
class Entries:
    """Makes the entries of one implementation's causes."""

    gathering: Gathering
    iut: Iut
    number: int
    """The number of the implementation in its run, from 1."""

    def short(self, cause: Cause) -> Json:
        """An entry on one line, with the words by which the filter finds it."""
        protocol, role = cause.verdict["protocol"], cause.verdict["role"]
        tags: dict[str, None] = {}  # each once, in order
        for axes, broken in cause.combinations.values():
            tags |= dict.fromkeys(tags_of(self.number, protocol, role, axes, broken))
        is_alone = len(self.gathering.iuts) == 1
        return {
            "id": anchor(cause.id) if is_alone else anchor(self.number, cause.id),
            "tags": " ".join([*tags, f"harm:{cause.harm or 'none'}"]),
            "word": _WORDS.get(cause.word, cause.word),
            "harm": cause.harm,
            "is_red": fails_gate(cause, self.gathering.run.get("gate", "")),
            "requirement": cause.requirement,
            "title": capitalised(middle_out(without_numbers(cause.title), _LONGEST_TITLE)),
            "protocol": protocol,
            "role": role,
            "cases": cause.cases,
            "count": counted(cause.cases, *unit_of(self.iut)),
        }

    def full(self, cause: Cause) -> Json:
        """An entry with everything that the record has on the cause, also as the text of an issue."""
        entry = self.short(cause)
        finding = cause.finding
        entry |= {
            "level": cause.level.upper(),
            "place": finding.get("place", "") if finding else "",
            "case": cause.verdict["case"],
            "more": [case for case in cause.first_cases if case != cause.verdict["case"]],
            "options": options_text(cause.case),
            "sql": _statements(cause.case),
            "rows": _rows(cause),
            "difference": _difference(finding) if finding else None,
            "oracle": oracle_text(finding) if finding and finding.get("oracle") else "",
            "affected": _affected(finding) if finding else [],
            "follows": _follows(cause),
            # Without a finding the message is the title.
            "message": middle_out(str(cause.verdict.get("message", "")), _LONGEST_VALUE) if finding else "",
            "stderr": _stderr(str(cause.verdict.get("stderr", ""))),
            "known": [known_text(known) for known in cause.verdict.get("known", ())],
            "replay": replay_command(self.gathering.run, self.iut.event, cause.verdict),
        }
        return entry | {"issue": issue_text(entry, self.gathering, self.iut)}


def _statements(case: Mapping[str, Any]) -> str:
    """The SQL of a case; for one without SQL, the CREATE TABLE statements of its tables."""
    tables = case.get("input", {}).get("tables", ())
    statements = case.get("sql") or [str(table.get("create_sql") or _create_table(table)) for table in tables]
    lines = [middle_out(statement.rstrip(";"), _LONGEST_STATEMENT) + ";" for statement in statements]
    return "\n".join(without_middle(lines, _MOST_STATEMENTS, "-- … {:,} more statements …".format))


def _create_table(table: Mapping[str, Any]) -> str:
    """The statement for a table of a case's input: with its columns and primary key, but no other keys."""
    parts = [
        f"{_quoted(column['name'])} {column['type']}{'' if column.get('nullable', True) else ' NOT NULL'}"
        for column in table.get("columns", ())
    ]
    if keys := table.get("primary_key"):
        parts.append(f"PRIMARY KEY ({', '.join(map(_quoted, keys))})")
    return f"CREATE TABLE {_quoted(table.get('schema', ''))}.{_quoted(table.get('name', ''))} ({', '.join(parts)})"


def _quoted(name: str) -> str:
    return "`" + str(name).replace("`", "``") + "`"


def _rows(cause: Cause) -> list[str]:
    """The row changes of a case, or the records for a decoder; `_statements` has its SQL."""
    column = column_of(cause.finding) if cause.finding else ""
    return without_middle(list(input_lines({**cause.case, "sql": ()}, column)), _MOST_ROWS, "… {:,} more …".format)


def _difference(finding: Mapping[str, Any]) -> Json:
    expected, got = value_text(finding["expected"]), value_text(finding["got"])
    at = common_length(expected, got)
    kinds = [kind_of(finding["expected"]), kind_of(finding["got"])]
    if kinds[0] == kinds[1] or "" in kinds:
        kinds = ["", ""]  # the values are enough
    return {
        "path": path_of(finding),
        "expected": window(expected, at, _LONGEST_VALUE),
        "got": window(got, at, _LONGEST_VALUE),
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
    """`CJ-388 at value.data[0].c`: the first of the cause's further findings, and the number of the others."""
    texts = [f"{finding['requirement']} at {path_of(finding)}" for finding, _ in cause.follows.values()]
    left_out = len(texts) - _MOST_FOLLOWING
    return [*texts[:_MOST_FOLLOWING], f"{left_out:,} more"] if left_out > 0 else texts


def _stderr(text: str) -> str:
    """The last lines of the text, after the number of those before them."""
    lines = text.strip("\n").splitlines()
    shown = lines[-_MOST_STDERR_LINES:]
    lead = [f"… {len(lines) - len(shown):,} lines before …"] if len(shown) < len(lines) else []
    return middle_out("\n".join([*lead, *shown]), _LONGEST_STDERR)
