"""from_avro with the schema of the registry, after the five bytes before a record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.consumers.avro_rows import fields_of, has_header, is_decimal, non_null, record_of, text_of
from conformance.consumers.json_tree import Tree
from conformance.consumers.model import Basis, Message, Refused, Row, Rule, in_column

__all__ = ["avro_rows"]

_HEADER = Rule("spark.avro-header", "What has no header of a registry names no schema: the job fails.", Basis.READ)
_PRECISION = Rule(
    "spark.avro-precision", "A decimal of more than 38 digits has no type in Spark: the job does not begin.", Basis.RUN
)
_MISSING = Rule("spark.avro-missing", "A column that the schema lacks fails the job.", Basis.READ)
_UNREADABLE = Rule(
    "spark.avro-bytes",
    "Bytes that are no record of the schema are a row of NULLs; with FAILFAST the job fails.",
    Basis.READ,
)

_MOST_DIGITS = 38


def avro_rows(message: Message) -> Iterator[Row]:
    """The row of a record, every column as in the schema, or the key of a deleted row. Raises `Refused`."""
    if message.value is None:
        yield "-D", _row(message, message.key or b"", message.key_schema)
    else:
        yield "+I", _row(message, message.value, message.schema)


def _row(message: Message, part: bytes, schema: Tree) -> dict[str, str | None]:
    if not has_header(part) or not isinstance(schema, dict):
        raise Refused(_HEADER)
    try:
        fields = fields_of(schema)
    except ValueError:
        raise Refused(_MISSING) from None
    for name, avro_type in fields.items():
        in_column(name, _declared, avro_type)
    names = [str(column["name"]) for column in message.columns if message.value is not None or column["name"] in fields]
    if any(name not in fields for name in names):
        raise Refused(_MISSING)
    record: Mapping[str, Any] = {}
    try:
        record = record_of(part, schema)
    except ValueError:
        if message.options.get("parse-mode") == "FAILFAST":
            raise Refused(_UNREADABLE) from None
    return {name: text_of(record.get(name), fields[name]) for name in names}


def _declared(avro_type: Any) -> None:
    kind = non_null(avro_type)
    if is_decimal(kind) and kind["precision"] > _MOST_DIGITS:
        raise Refused(_PRECISION)
