"""Bodies of records byte by byte: Avro allows numbers of more bytes than they need, and no more than that.

[AV-018, AV-019, AV-210]
"""

from __future__ import annotations

from typing import Any

import pytest

from reference_impl.avro import binary
from reference_impl.errors import Rejected


def schema(*kinds: Any) -> binary.RecordCoding:
    """A record of these fields, named a, b, c, …"""
    return binary.prepared(binary.record("d.t", [(chr(97 + i), kind) for i, kind in enumerate(kinds)]))


NULLABLE = ["null", "int"]
NESTED = {"type": "record", "name": "d.in", "fields": [{"name": "x", "type": "long"}, {"name": "y", "type": "string"}]}

# What each number is, in as many bytes as it needs and in more.
READ: list[tuple[tuple[Any, ...], str, str, dict[str, Any]]] = [
    (("int",), "02", "8200", {"a": 1}),
    (("int",), "01", "818000", {"a": -1}),
    (("int",), "8001", "80818000", {"a": 64}),
    (("int",), "feffffff0f", "feffffff8f00", {"a": 2**31 - 1}),
    (("int",), "ffffffff0f", "ffffffff8f8000", {"a": -(2**31)}),
    (("long",), "8002", "808280808000", {"a": 128}),
    (("long",), "00", "80808080808080808000", {"a": 0}),
    ((NULLABLE,), "00", "8000", {"a": None}),
    ((NULLABLE,), "0202", "820002", {"a": 1}),
    ((NULLABLE,), "0202", "028200", {"a": 1}),
    ((NULLABLE, "int"), "0004", "800004", {"a": None, "b": 2}),
    (("string", "int"), "0261" + "02", "820061" + "8200", {"a": "a", "b": 1}),
    (("bytes", "int"), "00" + "02", "8000" + "02", {"a": b"", "b": 1}),
    (("bytes", "int"), "04ffff" + "02", "8400ffff" + "02", {"a": b"\xff\xff", "b": 1}),
    (("float", "int"), "0000803f" + "02", "0000803f" + "8200", {"a": 1.0, "b": 1}),
    (("double", "int"), "000000000000f03f" + "02", "000000000000f03f" + "8200", {"a": 1.0, "b": 1}),
    (
        ("int", "double", "string"),
        "02" + "0000000000000140" + "0261",
        "8200" + "0000000000000140" + "0261",
        {"a": 1, "b": 2.125, "c": "a"},
    ),
    (
        ("int", "float", "string"),
        "02" + "00000180" + "0261",
        "8200" + "00000180" + "0261",
        {"a": 1, "b": -9.183549615799121e-41, "c": "a"},
    ),
    (("boolean", "int"), "01" + "02", "01" + "8200", {"a": True, "b": 1}),
    (
        ("bytes", "boolean", "boolean", "int"),
        "04ffff" + "01" + "00" + "02",
        "04ffff" + "01" + "00" + "8200",
        {"a": b"\xff\xff", "b": True, "c": False, "d": 1},
    ),
    (
        ("bytes", "double", "boolean", "int"),
        "04ffff" + "02" * 8 + "01" + "02",
        "04ffff" + "02" * 8 + "01" + "8200",
        {"a": b"\xff\xff", "b": 5.377940751268117e-299, "c": True, "d": 1},
    ),
    (
        ("bytes", "float", "boolean", "int"),
        "04ffff" + "02" * 4 + "01" + "02",
        "04ffff" + "02" * 4 + "01" + "8200",
        {"a": b"\xff\xff", "b": 9.551467814359616e-38, "c": True, "d": 1},
    ),
    (("null", "int"), "02", "8200", {"a": None, "b": 1}),
    ((NESTED, "int"), "02" + "0261" + "04", "02" + "820061" + "8400", {"a": {"x": 1, "y": "a"}, "b": 2}),
    (
        (["null", NESTED], "int"),
        "02" + "02" + "0261" + "04",
        "0202" + "0261" + "8400",
        {"a": {"x": 1, "y": "a"}, "b": 2},
    ),
]


@pytest.mark.parametrize(("kinds", "shortest", "longer", "datum"), READ)
def test_a_number_may_have_more_bytes_than_it_needs(
    kinds: tuple[Any, ...], shortest: str, longer: str, datum: dict[str, Any]
) -> None:
    coding = schema(*kinds)
    assert binary.read(coding, bytes.fromhex(shortest)) == datum
    assert binary.read(coding, bytes.fromhex(longer)) == datum


@pytest.mark.parametrize(
    ("kinds", "body"),
    [
        (("int",), ""), (("int",), "80"),
        (("int",), "0200"),  # a byte too many
        (("int",), "808080809000"),  # 33 bits; in no more bytes than it needs, the reader of the column sees it
        (("int",), "808080808080808080808000"),  # 12 bytes
        (("long",), "8080808080808080808002"),  # 11 bytes
        (("long",), "80808080808080808002"),  # 65 bits
        ((NULLABLE,), "04"),
        ((NULLABLE,), "01"),  # the branch before the first
        ((NULLABLE,), "0402"), (("boolean",), "02"), (("boolean", "int"), "02" + "8200"), (("bytes",), "0461"),
        (("bytes", "int"), "01" + "02"),  # a length of -1
        (("string",), "02ff"), (("float",), "000000"),
    ],
)  # fmt: skip
def test_what_is_no_record_of_the_schema_is_a_syntax_fault(kinds: tuple[Any, ...], body: str) -> None:
    with pytest.raises(Rejected) as refused:
        binary.read(schema(*kinds), bytes.fromhex(body))
    assert refused.value.reason == "syntax"
