"""Encoders that send the right messages in the wrong order or to the wrong partition."""

from __future__ import annotations

import base64
from collections.abc import Callable

from conformance.mutants.canal_json.edits import encoder
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import Context, Json, edit_records
from reference_impl.partitions import every_partition

__all__ = ["MUTANTS"]


def _value(record: Json) -> bytes:
    return base64.b64decode(record["value"] or "")


def _is_watermark(record: Json) -> bool:
    return b'"type":"TIDB_WATERMARK"' in _value(record)


def _is_ddl(record: Json) -> bool:
    return b'"isDdl":true' in _value(record)


def _is_row(record: Json) -> bool:
    return _value(record)[:1] == b"{" and not _is_watermark(record) and not _is_ddl(record)


def _watermarks_always(records: list[Json], context: Context) -> list[Json]:
    if context.is_on("enable-tidb-extension"):
        return records
    count = sum(event["kind"] == "watermark" for event in context.request["events"])
    value = base64.b64encode(b'{"isDdl":false,"type":"TIDB_WATERMARK"}').decode()
    return [*records, *[{"key": None, "value": value}] * count]


def _watermarks_once(records: list[Json], context: Context) -> list[Json]:
    return [record for record in records if not (_is_watermark(record) and record.get("partition"))]


def _ddl_everywhere(records: list[Json], context: Context) -> list[Json]:
    sent: list[Json] = []
    for record in records:
        is_copied = _is_ddl(record) and "partition" in record
        partitions = every_partition(context.partitions)
        sent += [{**record, "partition": partition} for partition in partitions] if is_copied else [record]
    return sent


def _round_robin(records: list[Json], context: Context) -> list[Json]:
    return [
        {**record, "partition": number % context.partitions} if "partition" in record and _is_row(record) else record
        for number, record in enumerate(records)
    ]


def _before_others(is_meant: Callable[[Json], bool]) -> Callable[[list[Json], Context], list[Json]]:
    return lambda records, context: sorted(records, key=lambda record: not is_meant(record))


def _watermarks_reversed(records: list[Json], context: Context) -> list[Json]:
    watermarks = [record for record in records if _is_watermark(record)]
    return [watermarks.pop() if _is_watermark(record) else record for record in records]


def _by_table(records: list[Json], context: Context) -> list[Json]:
    def table(record: Json) -> bytes:
        return _value(record).partition(b'"pkNames"')[0]

    return sorted(records, key=table) if all(map(_is_row, records)) else records


MUTANTS: tuple[Mutant, ...] = tuple(
    encoder(name, requirement, description, edit_records(edit))
    for name, requirement, description, edit in (
        ("watermark-always", "CJ-050", "watermarks are sent without the extension", _watermarks_always),
        ("watermark-once", "CJ-051", "a watermark is sent to the first partition only", _watermarks_once),
        ("watermark-before-rows", "CJ-664", "watermarks overtake rows", _before_others(_is_watermark)),
        ("watermark-falls", "CJ-664", "watermarks are sent in reverse order", _watermarks_reversed),
        ("ddl-everywhere", "CJ-888", "DDL messages go to every partition", _ddl_everywhere),
        ("ddl-before-rows", "CJ-629", "DDL messages overtake rows", _before_others(_is_ddl)),
        ("rows-round-robin", "CJ-666", "rows go to the partitions in turn", _round_robin),
        ("rows-by-table", "CJ-666a", "the rows of a call are sent table by table", _by_table),
    )
)
