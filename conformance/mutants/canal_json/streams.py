"""Encoders that send the right messages in the wrong order or to the wrong partition."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

from conformance.mutants.canal_json.edits import Wrap, encoder
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import Context, edit_answer

__all__ = ["MUTANTS"]

Json = dict[str, Any]
Record = dict[str, Any]


def _value(record: Record) -> bytes:
    return base64.b64decode(record["value"] or "")


def _is_watermark(record: Record) -> bool:
    return b'"type":"TIDB_WATERMARK"' in _value(record)


def _is_ddl(record: Record) -> bool:
    return b'"isDdl":true' in _value(record)


def _is_row(record: Record) -> bool:
    return _value(record)[:1] == b"{" and not _is_watermark(record) and not _is_ddl(record)


def _records(change: Callable[[list[Record], Context], list[Record]]) -> Wrap:
    """Replaces the list of records in an answer."""

    def edit(ok: Json, context: Context) -> None:
        ok["records"] = change(ok["records"], context)

    return edit_answer("encode", edit)


def _watermarks_always(records: list[Record], context: Context) -> list[Record]:
    if context.options.get("enable-tidb-extension") == "true":
        return records
    count = sum(event["kind"] == "watermark" for event in context.request["events"])
    value = base64.b64encode(b'{"isDdl":false,"type":"TIDB_WATERMARK"}').decode()
    return [*records, *[{"key": None, "value": value}] * count]


def _ddl_everywhere(records: list[Record], context: Context) -> list[Record]:
    partitions = range(int(context.configuration.get("partitions", 1)))
    sent: list[Record] = []
    for record in records:
        is_copied = _is_ddl(record) and "partition" in record
        sent += [{**record, "partition": p} for p in partitions] if is_copied else [record]
    return sent


def _round_robin(records: list[Record], context: Context) -> list[Record]:
    partitions = int(context.configuration.get("partitions", 1))
    return [
        {**record, "partition": number % partitions} if "partition" in record and _is_row(record) else record
        for number, record in enumerate(records)
    ]


def _before_others(is_meant: Callable[[Record], bool]) -> Callable[[list[Record], Context], list[Record]]:
    return lambda records, context: sorted(records, key=lambda record: not is_meant(record))


def _watermarks_reversed(records: list[Record], context: Context) -> list[Record]:
    watermarks = [record for record in records if _is_watermark(record)]
    return [watermarks.pop() if _is_watermark(record) else record for record in records]


def _by_table(records: list[Record], context: Context) -> list[Record]:
    def table(record: Record) -> bytes:
        return _value(record).partition(b'"pkNames"')[0]

    return sorted(records, key=table) if all(map(_is_row, records)) else records


MUTANTS: tuple[Mutant, ...] = (
    encoder("watermark-always", "CJ-050", "watermarks are sent without the extension", _records(_watermarks_always)),
    encoder(
        "watermark-once",
        "CJ-051",
        "a watermark is sent to the first partition only",
        _records(lambda records, context: [r for r in records if not (_is_watermark(r) and r.get("partition"))]),
    ),
    encoder("ddl-everywhere", "CJ-888", "DDL messages go to every partition", _records(_ddl_everywhere)),
    encoder("ddl-before-rows", "CJ-629", "DDL messages overtake rows", _records(_before_others(_is_ddl))),
    encoder("watermark-before-rows", "CJ-664", "watermarks overtake rows", _records(_before_others(_is_watermark))),
    encoder("watermark-falls", "CJ-664", "watermarks are sent in reverse order", _records(_watermarks_reversed)),
    encoder("rows-round-robin", "CJ-666", "rows go to the partitions in turn", _records(_round_robin)),
    encoder("rows-by-table", "CJ-666a", "the rows of a call are sent table by table", _records(_by_table)),
)
