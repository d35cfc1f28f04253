"""Encoders that send the right messages in the wrong order or to the wrong partition."""

from __future__ import annotations

import base64

from conformance.mutants.canal_json.edits import encoder
from conformance.mutants.model import Mutant
from conformance.mutants.record_lists import in_reverse, in_turn, sent_first, to_partition_0, value_of
from conformance.mutants.wrappers import Context, Json, edit_records
from reference_impl.partitions import every_partition

__all__ = ["MUTANTS"]


def _is_watermark(record: Json) -> bool:
    return b'"type":"TIDB_WATERMARK"' in value_of(record)


def _is_ddl(record: Json) -> bool:
    return b'"isDdl":true' in value_of(record)


def _is_row(record: Json) -> bool:
    return value_of(record)[:1] == b"{" and not _is_watermark(record) and not _is_ddl(record)


def _watermarks_always(records: list[Json], context: Context) -> list[Json]:
    if context.is_on("enable-tidb-extension"):
        return records
    count = sum(event["kind"] == "watermark" for event in context.request["events"])
    value = base64.b64encode(b'{"isDdl":false,"type":"TIDB_WATERMARK"}').decode()
    return [*records, *[{"key": None, "value": value}] * count]


def _ddl_everywhere(records: list[Json], context: Context) -> list[Json]:
    sent: list[Json] = []
    for record in records:
        is_copied = _is_ddl(record) and "partition" in record
        partitions = every_partition(context.partitions)
        sent += [{**record, "partition": partition} for partition in partitions] if is_copied else [record]
    return sent


def _by_table(records: list[Json], context: Context) -> list[Json]:
    def table(record: Json) -> bytes:
        return value_of(record).partition(b'"pkNames"')[0]

    return sorted(records, key=table) if all(map(_is_row, records)) else records


MUTANTS: tuple[Mutant, ...] = (
    encoder("watermark-always", "CJ-050", "watermarks are sent without the extension")(
        edit_records(_watermarks_always)
    ),
    encoder("watermark-once", "CJ-051", "a watermark is sent to the first partition only")(
        to_partition_0(_is_watermark)
    ),
    encoder("watermark-before-rows", "CJ-664", "watermarks overtake rows")(sent_first(_is_watermark)),
    encoder("watermark-falls", "CJ-664", "watermarks are sent in reverse order")(in_reverse(_is_watermark)),
    encoder("ddl-everywhere", "CJ-888", "DDL messages go to every partition")(edit_records(_ddl_everywhere)),
    encoder("ddl-before-rows", "CJ-629", "DDL messages overtake rows")(sent_first(_is_ddl)),
    encoder("rows-round-robin", "CJ-666", "rows go to the partitions in turn")(in_turn(_is_row)),
    encoder("rows-by-table", "CJ-666a", "the rows of a call are sent table by table")(edit_records(_by_table)),
)
