"""Messages with the text of a statement before its rows, where the binary log has it.  [CJ-655]

MariaDB logs the text of every statement that changes rows, MySQL that of a session with `binlog_rows_query_log_events`.
Only a script says what the text should be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from conformance.cases.upstream.lenient import tree_of
from conformance.catalogue.statements import binlog_settings, statements
from conformance.catalogue.workload import Change
from conformance.oracle.upstream.alignment import Identity, align
from conformance.oracle.upstream.reading import RecordKind, RecordSummary
from reference_impl.model import Record

__all__ = ["StatementText", "statement_text_matches"]

_ON = ("1", "ON", "TRUE")


class StatementText(NamedTuple):
    """The text of a statement that should be recorded, or was."""

    got: int | None
    """The number of the recorded record; None if there is none."""
    first_change: int | None
    """The number of the first row change of the statement; None if no text is expected."""
    text: str
    """The expected text; "" if none is expected."""


def statement_text_matches(
    sql: str | None,
    server: str,
    changes: Sequence[Change],
    summaries: Sequence[RecordSummary],
    records: Sequence[Record | None],
) -> Iterator[StatementText]:
    """Each message with the text of a statement, recorded or expected.

    Empty if the texts are unknown, or if the server does not log them.
    """
    recorded = [n for n, summary in enumerate(summaries) if summary.kind is RecordKind.STATEMENT]
    if sql is None or not recorded:
        return
    script, first_changes = statements(sql, comments=True), _first_changes(changes)
    logged = {number: server == "mariadb" or _logs_texts(settings) for number, settings in binlog_settings(sql)}
    expected = [number for number in first_changes if number < len(script) and logged[number]]
    identities = [_identity(script[number]) for number in expected]
    for expected_index, got_index in align(identities, [_identity(_text(records[n])) for n in recorded]):
        got = recorded[got_index] if got_index is not None else None
        if expected_index is not None:
            statement = expected[expected_index]
            yield StatementText(got, first_changes[statement], script[statement])
        elif server == "mariadb":
            yield StatementText(got, None, "")


def _logs_texts(settings: Mapping[str, str]) -> bool:
    return settings.get("binlog_rows_query_log_events") in _ON


def _first_changes(changes: Sequence[Change]) -> dict[int, int]:
    """The first change of each statement, by the number of the statement."""
    first: dict[int, int] = {}
    for number, change in enumerate(changes):
        first.setdefault(change.statement, number)
    return first


def _text(record: Record | None) -> str:
    tree = tree_of(record.value) if record is not None else None
    return str(tree.get("sql")) if isinstance(tree, dict) else ""


def _identity(text: str) -> Identity:
    return Identity("", "", "QUERY", text, text)
