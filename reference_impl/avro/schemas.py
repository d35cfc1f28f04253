"""Writes the text of a schema in the style of a profile.  [AV-025 … AV-031, AV-045 … AV-071]"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence

from reference_impl.avro.extension import BEFORE, TYPES
from reference_impl.avro.style import Style
from reference_impl.avro.types import AvroType
from reference_impl.column_types import BINARY, INTEGERS, ColumnType, Family
from reference_impl.decimals import minimal_bytes
from reference_impl.errors import Rejected
from reference_impl.exact_json import CONTROL_ESCAPES, HTML_ESCAPES, string_writer
from reference_impl.floats import json_number, nearest_float32

__all__ = ["before_field", "column_field", "extension_field", "literal", "record_text"]

# Writes a JSON string with the escapes of Go's encoding/json.  [AV-029]
literal: Callable[[str], str] = string_writer(CONTROL_ESCAPES | HTML_ESCAPES | {8: "\\b", 12: "\\f"})

# The default of a field of the extension, by its type.  [AV-116 … AV-118]
_EMPTY: Mapping[str, str] = {"string": '""', "long": "0"}


def _base64(data: bytes) -> str:
    return f'"{b64encode(data).decode("ascii")}"'


def _integer(column_type: ColumnType, avro: AvroType, text: str) -> str:
    number = int(text)
    if avro.avro == "string":
        return literal(str(number))
    return str(number if number < 2**63 else number - 2**64)  # [AV-057]


def _float(column_type: ColumnType, avro: AvroType, text: str) -> str:
    widened = nearest_float32(text) if column_type.family is Family.FLOAT else float(text)
    return json_number(repr(widened), 64, short_exponent=True)  # [AV-059]


def _string(column_type: ColumnType, avro: AvroType, text: str) -> str:
    return literal(text)


# The JSON text of a default. TiCDC writes bytes in base64, so Avro reads other bytes.  [AV-055 … AV-067, DV-AV-19]
_DEFAULTS: Mapping[Family, Callable[[ColumnType, AvroType, str], str]] = {
    **dict.fromkeys((*INTEGERS, Family.YEAR), _integer),
    Family.FLOAT: _float,
    Family.DOUBLE: _float,
    Family.BIT: lambda column_type, avro, text: _base64(minimal_bytes(int(text))),
    **dict.fromkeys(BINARY, lambda column_type, avro, text: _base64(text.encode("utf-8", "surrogatepass"))),
}


def _default(column_type: ColumnType, avro: AvroType, text: str) -> str:
    try:
        return _DEFAULTS.get(column_type.family, _string)(column_type, avro, text)
    except (ValueError, OverflowError):
        raise Rejected(
            "type", f"the default {text!r} is not a value of a {column_type.text} column"
        ) from None  # [AV-071]


def _type(avro: AvroType, style: Style) -> str:
    parameters = ",".join(f'"{name}":{literal(text)}' for name, text in sorted(avro.parameters.items()))
    members = [f'"type":"{avro.avro}"', f'"connect.parameters":{{{parameters}}}']
    if style.parameters_first:
        members.reverse()
    if avro.decimal is not None:
        precision, scale = avro.decimal
        members.append(f'"logicalType":"decimal","precision":{precision},"scale":{scale}')
    return "{" + ",".join(members) + "}"


def column_field(
    name: str, column_type: ColumnType, avro: AvroType, *, nullable: bool, default: str | None, style: Style
) -> tuple[str, bool]:
    """The JSON of a column's field, and whether null is the first branch of its type.

    `default` is the text of `stored_default`. Raises `Rejected` (class `type`) for a text that does not fit the column.
    """
    text = _type(avro, style)
    # TiCDC writes no default for a logical type.  [AV-049, AV-050]
    value = None if default is None or avro.decimal is not None else _default(column_type, avro, default)
    if nullable:
        text = f'["null",{text}]' if value is None else f'[{text},"null"]'
        return f'{{"default":{value or "null"},"name":"{name}","type":{text}}}', value is None
    head = "" if value is None else f'"default":{value},'
    return f'{{{head}"name":"{name}","type":{text}}}', False


def extension_field(name: str, style: Style) -> str:
    """The JSON of a field of the extension."""
    avro = TYPES[name]
    head = f'"default":{_EMPTY[avro]},' if style.extension_defaults else ""
    return f'{{{head}"name":"{name}","type":"{avro}"}}'


def before_field(record: str) -> str:
    """The JSON of the field for the row before a change, whose type is the record or null.  [AV-120]"""
    return f'{{"default":null,"name":"{BEFORE}","type":["null",{record}]}}'


def record_text(name: str, namespace: str, fields: Sequence[str], style: Style) -> str:
    """The JSON of a record with these fields."""
    members = {"type": '"record"', "name": f'"{name}"', "namespace": f'"{namespace}"'}
    head = ",".join(f'"{member}":{members[member]}' for member in style.record_members)
    return f'{{{head},"fields":[{",".join(fields)}]}}'
