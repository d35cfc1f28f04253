"""The bits of the member `f`, and which columns get them.  [OP-122 … OP-129, OP-250 … OP-255]"""

from __future__ import annotations

import pytest
from open_samples import column, table

from reference_impl.keys import handle_key
from reference_impl.model import Column, Key
from reference_impl.open_protocol.flags import Flag, column_flags


def test_a_flag_is_the_bit_that_the_document_numbers() -> None:
    names = ("BINARY", "HANDLE_KEY", "GENERATED", "PRIMARY_KEY", "UNIQUE_KEY", "MULTIPLE_KEY", "NULLABLE", "UNSIGNED")
    assert {flag.name: flag.value for flag in Flag} == {name: 1 << bit for bit, name in enumerate(names)}


def labels(charset: str | None) -> Column:
    return Column("c", column("c", "enum('a')").type, charset=charset)


COLUMNS = [  # (column, flags in a table without keys)
    (column("c", "int", nullable=False), 0x01),
    (column("c", "int"), 0x41),
    (column("c", "int unsigned"), 0xC1),
    (column("c", "year"), 0xC1),
    (column("c", "bit(1)"), 0xC1),
    (column("c", "json"), 0x41),
    (column("c", "vector"), 0x41),
    (column("c", "datetime"), 0x41),
    (column("c", "varbinary(9)"), 0x41),
    (column("c", "longblob"), 0x41),
    (column("c", "char(9)"), 0x40),
    (column("c", "longtext"), 0x40),
    (column("c", "text", nullable=False), 0x00),
    (column("c", "set('a')"), 0x40),
    (labels("utf8mb4"), 0x40),
    (labels("binary"), 0x41),
    (column("c", "int", generated="stored"), 0x45),
    (column("c", "varchar(9)", nullable=False, generated="stored"), 0x04),
]


@pytest.mark.parametrize(("one", "flags"), COLUMNS)
def test_a_column_without_keys_has_the_flags_of_its_declaration(one: Column, flags: int) -> None:
    assert column_flags(table(one), (), index_flags_of_generated=True) == {"c": flags}


def test_an_enum_without_a_charset_has_that_of_its_table() -> None:
    made = table(labels(None), charset="binary")
    assert column_flags(made, (), index_flags_of_generated=True) == {"c": 0x41}


A, B, C = (column(name, "int", nullable=False) for name in "abc")
NULLABLE = column("b", "int")
KEYED = [  # (columns, keys of the table, flags)
    ((A, B), {"primary_key": ("a",)}, [0x0B, 0x01]),
    ((column("a", "varchar(9)", nullable=False),), {"primary_key": ("a",)}, [0x0A]),
    ((A, B), {"primary_key": ("a",), "clustered": False}, [0x0B, 0x01]),
    ((A, B), {"primary_key": ("a", "b")}, [0x2B, 0x2B]),
    ((A, B), {"unique_keys": (Key("u", ("b",)),)}, [0x01, 0x13]),
    ((A, NULLABLE), {"unique_keys": (Key("u", ("b",)),)}, [0x01, 0x51]),
    ((A, B), {"unique_keys": (Key("u", ("a", "b")),)}, [0x33, 0x33]),
    ((A, NULLABLE), {"unique_keys": (Key("u", ("a", "b")),)}, [0x31, 0x71]),
    ((A, B), {"primary_key": ("a",), "unique_keys": (Key("u", ("b",)),)}, [0x0B, 0x11]),
    ((A, B), {"indexes": (Key("i", ("b",)),)}, [0x01, 0x21]),
    ((A, B), {"indexes": (Key("i", ("a", "b")),)}, [0x21, 0x21]),
    ((A, B, C), {"unique_keys": (Key("u", ("a", "b")), Key("v", ("c",)))}, [0x31, 0x31, 0x13]),
    # the worked examples of the document  [OP-254, OP-255], and TV-OP-106
    ((column("c", "int", generated="stored"),), {"unique_keys": (Key("u", ("c",)),)}, [85]),
    ((A, column("c", "varchar(9)", nullable=False, generated="stored")), {"primary_key": ("a", "c")}, [0x2B, 46]),
    (
        (A, B, column("c", "int"), column("d", "int unsigned"), column("e", "blob")),
        {"primary_key": ("a",), "unique_keys": (Key("i", ("b", "c")),), "indexes": (Key("j", ("c", "d")),)},
        [11, 49, 113, 225, 65],
    ),
]


@pytest.mark.parametrize(("columns", "keys", "flags"), KEYED)
def test_a_key_marks_its_columns(columns: tuple[Column, ...], keys: dict[str, object], flags: list[int]) -> None:
    made = table(*columns, **keys)  # type: ignore[arg-type]
    found = column_flags(made, handle_key(made, virtual_counts=True), index_flags_of_generated=True)
    assert list(found.values()) == flags


GENERATED = column("g", "int", nullable=False, generated="stored")
OF_GENERATED = [  # (keys of the table, flags with those of its indexes, flags of the column itself)
    ({"primary_key": ("a", "g")}, 0x2F, 0x0D),
    ({"unique_keys": (Key("u", ("g",)),)}, 0x17, 0x15),
    ({"unique_keys": (Key("u", ("g", "a")),)}, 0x37, 0x25),
    ({"unique_keys": (Key("u", ("a", "g")),)}, 0x37, 0x05),
    ({"indexes": (Key("i", ("g",)),)}, 0x25, 0x25),
    ({"indexes": (Key("i", ("a", "g")),)}, 0x25, 0x05),
    ({"indexes": (Key("i", ("g", "a")),)}, 0x25, 0x25),
]


@pytest.mark.parametrize(("keys", "with_indexes", "own"), OF_GENERATED)
def test_a_generated_column_has_the_flags_of_its_indexes_or_its_own_alone(
    keys: dict[str, object], with_indexes: int, own: int
) -> None:
    made = table(A, GENERATED, **keys)  # type: ignore[arg-type]
    handle = handle_key(made, virtual_counts=True)
    assert column_flags(made, handle, index_flags_of_generated=True)["g"] == with_indexes
    assert column_flags(made, handle, index_flags_of_generated=False)["g"] == own  # OP-252
