"""Messages with the text of a statement before its rows, where the binary log has it.  [CJ-655]

MariaDB logs the text of every statement that changes rows, MySQL that of a session that asked for it. What the text
should be is known only where the script is there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from conformance.cases.upstream.lenient import tree_of
from conformance.catalogue.statements import row_images, statements
from conformance.catalogue.workload import Change
from conformance.oracle.upstream.alignment import Mark, align
from conformance.oracle.upstream.reading import RecordKind, RecordSummary
from reference_impl.model import Record

__all__ = ["statement_texts_shown"]

_ON = ("1", "ON", "TRUE")


def statement_texts_shown(
    sql: str | None,
    server: str,
    changes: Sequence[Change],
    summaries: Sequence[RecordSummary],
    records: Sequence[Record | None],
) -> Iterator[tuple[int | None, int | None, str]]:
    """(recorded, number of the statement's first change, its text): one of the first two may be None.

    Empty where the texts are unknown, or where the server does not log them.
    """
    recorded = [n for n, summary in enumerate(summaries) if summary.kind is RecordKind.STATEMENT]
    if sql is None or not recorded:
        return
    script, first = statements(sql, comments=True), _firsts(changes)
    logged = {number: server == "mariadb" or _asked(settings) for number, settings in row_images(sql)}
    expected = [number for number in first if number < len(script) and logged[number]]
    texts = [_mark(script[number]) for number in expected]
    for there, got in align(texts, [_mark(_text(records[n])) for n in recorded]):
        text = texts[there].key if there is not None else None
        known = text is not None or server == "mariadb"
        if known:
            yield (
                recorded[got] if got is not None else None,
                first[expected[there]] if there is not None else None,
                text or "",
            )


def _asked(settings: Mapping[str, str]) -> bool:
    return settings.get("binlog_rows_query_log_events") in _ON


def _firsts(changes: Sequence[Change]) -> dict[int, int]:
    """The first change of each statement, by the number of the statement."""
    first: dict[int, int] = {}
    for number, change in enumerate(changes):
        first.setdefault(change.statement, number)
    return first


def _text(record: Record | None) -> str:
    tree = tree_of(record.value) if record is not None else None
    return str(tree.get("sql")) if isinstance(tree, dict) else ""


def _mark(text: str) -> Mark:
    return Mark("", "", "QUERY", text, text)
