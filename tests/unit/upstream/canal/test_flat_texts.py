"""How Canal's flat message prints what the server stores: escaped strings, JSON, JSON by difference.

The expectations are those of the rules and of what Canal 1.1.7 was recorded to write.
"""

from __future__ import annotations

import pytest

from reference_impl.column_types import parse_column_type
from reference_impl.model import Column, RowChange, Table
from reference_impl.stored_json import stored_tree
from reference_impl.upstream.canal.encoder import Encoder
from reference_impl.upstream.canal.json_text import literal, stored_text
from reference_impl.upstream.canal.partial_json import partial_text
from tests.unit.upstream.canal.flat_messages import POSITION, shown, tree_of


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a<b>&c\"\\/'", '"a<b>&c\\"\\\\/\'"'),
        ("\0\x01\x07\x08\t\n\x0b\x0c\r\x1b\x1f\x7f", '"\\u0000\\u0001\\u0007\\b\\t\\n\\u000b\\f\\r\\u001b\\u001f\x7f"'),
        ("\x80\x9f\xa0\xff\u2028\u2029😀", '"\x80\x9f\xa0\xff\u2028\u2029😀"'),
        ("\ud800", '"?"'),
    ],
)
def test_a_string_is_escaped_as_fastjson_does(text: str, written: str) -> None:
    assert literal(text) == written


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("[1, 1.0, 1e7, 1e-4, 18446744073709551615, 18446744073709551616]",
         "[1, 1.0, 1.0E7, 1.0E-4, 18446744073709551615, 1.8446744073709552E19]"),
        ('{"k": "b\\b f\\f n\\n d\\u007f \\u00a0 <>& é"}', '{"k": "b\\u0008 f\\u000c n\\n d\\u007f \\u00a0 <>& é"}'),
        ('{"k": "cut \\u0000 here", "l": []}', '{"k": "cut ", "l": []}'),
        ('{"a\\"b": {}}', '{"a"b": {}}'),
        ('{"a": 1, "a": 2}', '{"a": 2}'),
        ('{"$opaque": ["T", ["date", "2024-02-29"]]}', '"2024-02-29 00:00:00.000000"'),
        ('{"$opaque": ["T", ["datetime", "2024-02-29 12:34:56.789"]]}', '"2024-02-29 12:34:56.789000"'),
        ('{"$opaque": ["T", ["time", "12:34:56.5"]]}', '"12:34:56.500000"'),
        ('{"$opaque": ["T", ["dec", "1.50"]]}', "1.50"),
        ('{"$opaque": ["T", ["bin", "b\'\\\\x05\'"]]}', '"\\u0005"'),
    ],
)  # fmt: skip
def test_a_json_value_is_printed_from_what_the_database_stores(text: str, written: str) -> None:
    assert stored_text(stored_tree(text), 17) == written


def test_json_by_difference_is_the_calls_that_make_it() -> None:
    before, after = stored_tree('{"k": "v", "e7": 1e7}'), stored_tree('{"k": "v", "e7": 1}')
    assert partial_text("j", before, after, 17) == "JSON_REPLACE(j, '$.e7', 1)"
    after = stored_tree('{"k": ["w"], "n n": 1.5}')
    assert (
        partial_text("j", before, after, 17)
        == "JSON_REMOVE(JSON_INSERT(JSON_REPLACE(j, '$.k', [\"w\"]), '$.\"n n\"', 1.5), '$.e7')"
    )


def test_quotes_that_are_a_part_of_a_name_count_as_quotes_around_it() -> None:
    columns = tuple(Column(name, parse_column_type("int")) for name in ('"dq"', "c'1"))
    change = RowChange("insert", "d", "t", None, None, {'"dq"': "2", "c'1": "1"}, source=POSITION)
    [record] = Encoder().encode([change], [Table("d", "t", columns, ('"dq"',))]).records
    message = tree_of(record.value or b"")
    assert list(message["data"][0]) == list(message["mysqlType"]) == ["dq", "c'1"]
    assert message["pkNames"] == ["dq"]


def test_the_server_prints_labels_without_the_blanks_behind_them() -> None:
    assert shown("enum('t ','u  ')") == "enum('t ','u  ')"
    assert shown("enum('t ','u  ')", tsdb="false") == "enum('t','u')"
