"""What a decoder refuses, fault by fault, with its class; and what it must not refuse."""

from __future__ import annotations

import pytest
from open_samples import column, insert, record, table

from reference_impl.errors import Rejected
from reference_impl.model import DdlEvent, Index, Mask, RawText, RowChange, Value, Watermark
from reference_impl.open_protocol import decode

KEY = '{"ts":1,"scm":"test","tbl":"t","t":1}'
DDL = '{"ts":1,"scm":"test","tbl":"t","t":2}'
RESOLVED = '{"ts":1,"t":3}'
VALUE = '{"u":{"c":{"t":3,"f":65,"v":1}}}'


def _refusal(key: str, value: str | bytes, *columns: object) -> tuple[str, str]:
    """Class and words of the refusal of an event."""
    tables = [table(*columns)] if columns else []  # type: ignore[arg-type]
    with pytest.raises(Rejected) as refused:
        decode([record(key, value)], tables)
    return str(refused.value.reason), refused.value.message


def _reason(key: str, value: str | bytes, *columns: object) -> str:
    return _refusal(key, value, *columns)[0]


NAMES = '"scm":"test","tbl":"t"'
OPTIONAL = {
    '"ptn":"6"': "'ptn' is not an integer",
    '"rid":"6"': "'rid' is not an integer",
    '"ohk":1': "'ohk' is not true or false",
    '"ccl":1': "'ccl' is not a string",
}
KEYS = [  # (key, class, words: all of them or how they begin)
    *((key, "syntax", "not JSON") for key in ("", "{", "nonsense", f'{{"ts":NaN,{NAMES},"t":1}}', f"{KEY}{{}}")),
    ('{"ts":1,"scm":"te\\ud800st","tbl":"t","t":1}', "syntax", ""),
    ('{"ts":1,"scm":"test","tbl":"\\udc00\\ud800","t":1}', "syntax", ""),
    *((key, "schema", "event key is not an object") for key in ("[]", "null")),
    (f'{{{NAMES},"t":1}}', "schema", "event key has no member 'ts'"),
    (f'{{"ts":1,{NAMES}}}', "schema", "event key has no member 't'"),
    ('{"ts":1,"schema":"test","table":"t","type":1}', "schema", "event key has no member 't'"),  # OP-013
    *((key, "schema", "") for key in ('{"ts":1,"tbl":"t","t":1}', '{"ts":1,"scm":"test","t":1}')),
    *(
        (f'{{"ts":{ts},{NAMES},"t":1}}', "schema", "event key: 'ts' is not an integer")
        for ts in ('"1"', "1.5", "true", "null")
    ),
    (f'{{"ts":1,{NAMES},"t":"1"}}', "schema", "event key: 't' is not an integer"),
    ('{"ts":1,"scm":1,"tbl":"t","t":1}', "schema", "event key: 'scm' is not a string"),
    *(
        (f'{{"ts":1,"scm":"test","tbl":{name},"t":1}}', "schema", "event key: 'tbl' is not a string")
        for name in ("null", "2")
    ),
    *(
        (f'{{{members},{NAMES},"t":1}}', "schema", f"event key: doubled member {name!r}")
        for name, members in (("ts", '"ts":1,"ts":1'), ("scm", '"ts":1,"scm":"test"'), ("t", '"ts":1,"t":1'))
    ),
    (f'{{"ts":1,{NAMES},"t":1,"ptn":6,"ptn":6}}', "schema", "event key: doubled member 'ptn'"),
    *(
        (f'{{"ts":1,{start}{member}}}', "schema", f"event key: {words}")
        for start in (f'{NAMES},"t":1,', '"t":3,', '"scm":"a","t":3,', '"tbl":"a","t":3,')
        for member, words in OPTIONAL.items()
    ),
    *((f'{{"ts":1,{NAMES},"t":{kind}}}', "type", f"unknown event type {kind}") for kind in (0, 4)),
    *(
        (f'{{"ts":{ts},{NAMES},"t":1}}', "range", f"time stamp {ts} is outside 0 to 18446744073709551615")
        for ts in (-1, 2**64)
    ),
    (f'{{"ts":1,{NAMES},"t":1,"ccl":"file:///x/y.json"}}', "semantics", ""),
]


@pytest.mark.parametrize(("key", "reason", "words"), KEYS)
def test_a_faulty_key_is_refused_with_its_class_and_its_words(key: str, reason: str, words: str) -> None:
    found, message = _refusal(key, VALUE)
    assert (found, message[: len(words)]) == (reason, words)


VALUES = [
    (KEY, "", "framing"),
    (DDL, "", "framing"),
    (KEY, "{", "syntax"),
    (KEY, b'{"u":{"c":{"t":15,"v":"\xff"}}}', "syntax"),
    (KEY, '{"u":{"c":{"t":5,"v":Infinity}}}', "syntax"),
    (KEY, '{"u":{"c":{"t":15,"v":"\\ud83d"}}}', "syntax"),
    (KEY, "[]", "schema", "the value is not an object"),
    (KEY, "{}", "schema"),
    (KEY, '{"u":{}}', "schema"),
    (KEY, '{"d":{}}', "schema"),
    (KEY, '{"p":{"c":{"t":3,"v":1}}}', "schema"),
    (KEY, '{"u":null}', "schema", "'u' is not an object"),
    (KEY, '{"u":[]}', "schema", "'u' is not an object"),
    (KEY, '{"u":{"c":{"t":3,"v":1}},"p":null}', "schema", "'p' is not an object"),
    (KEY, '{"u":{"c":{"t":3,"v":1}},"u":{"c":{"t":3,"v":1}}}', "schema"),
    (KEY, '{"u":{"c":{"t":3,"v":1},"c":{"t":3,"v":1}}}', "schema"),
    *(
        (KEY, f'{{"{image}":{{"{name}":{{"t":3,"v":1}},"{name}":{{"t":3,"v":1}}}}}}', "schema")
        for image in "ud"
        for name in "thfv"
    ),
    (KEY, '{"u":{"c":{"t":3,"v":1}},"p":{"c":{"t":3,"v":1},"c":{"t":3,"v":1}}}', "schema"),
    (KEY, '{"u":{"c":{"t":3,"v":1}},"p":{"x":3}}', "schema"),
    (KEY, '{"u":{"c":{"t":3,"v":1,"v":2}}}', "schema"),
    (KEY, '{"u":{"c":1}}', "schema", "u.c: the column is not an object"),
    (KEY, '{"u":{"t":3,"v":1}}', "schema"),
    (KEY, '{"d":{"t":3,"v":1}}', "schema"),
    (KEY, '{"u":{"c":{"v":1}}}', "schema", "u.c: the column has no member 't'"),
    (KEY, '{"u":{"c":{"t":3}}}', "schema", "u.c: the column has no member 'v'"),
    (KEY, '{"u":{"c":{"t":"3","v":1}}}', "schema", "u.c: the column: 't' is not an integer"),
    (KEY, '{"u":{"c":{"t":3.5,"v":1}}}', "schema", "u.c: the column: 't' is not an integer"),
    (KEY, '{"u":{"c":{"t":3,"h":1,"v":1}}}', "schema"),
    (KEY, '{"u":{"c":{"t":3,"f":"65","v":1}}}', "schema", "u.c: the column: 'f' is not an integer"),
    (KEY, '{"u":{"c":{"t":3,"f":null,"v":1}}}', "schema", "u.c: the column: 'f' is not an integer"),
    (KEY, '{"u":{"c":{"t":3,"f":256,"v":1}}}', "range", "u.c: flag 256 is outside 0 to 255"),
    (KEY, '{"u":{"c":{"t":3,"v":1}},"d":{"c":{"t":3,"v":1}}}', "semantics"),
    (KEY, '{"d":{"c":{"t":3,"v":1}},"p":{"c":{"t":3,"v":1}}}', "semantics"),
    (KEY, '{"d":{"c":1}}', "schema", "d.c: the column is not an object"),
    *(
        (KEY, f'{{"u":{{"c":{{"t":{code},"f":{flags},"v":{value}}}}}}}', "range", f"u.c: {value} is outside {kind}")
        for code, flags, value, kind in ((3, 193, -1, "int unsigned"), (16, 193, -1, "bit"), (3, 65, 2**31, "int"))
    ),
    (DDL, "{}", "schema", "DDL value has no member 'q'"),
    (DDL, '{"q":"x"}', "schema", "DDL value has no member 't'"),
    (DDL, '{"t":3}', "schema", "DDL value has no member 'q'"),
    (DDL, '{"q":1,"t":3}', "schema", "DDL value: 'q' is not a string"),
    (DDL, '{"q":"x","t":"3"}', "schema", "DDL value: 't' is not an integer"),
    (DDL, '{"q":"x","q":"x","t":3}', "schema"),
    (DDL, '{"q":"x","t":-1}', "range", "DDL type -1 is outside 0 to 255"),
    (DDL, '{"q":"x","t":256}', "range", "DDL type 256 is outside 0 to 255"),
    (RESOLVED, "{}", "semantics"),
]


@pytest.mark.parametrize(("key", "value", "reason", "words"), [(*row, "")[:4] for row in VALUES])
def test_a_faulty_value_is_refused_with_its_class_and_its_words(
    key: str, value: str | bytes, reason: str, words: str
) -> None:
    found, message = _refusal(key, value)
    assert (found, words or message) == (reason, message)


COLUMNS = [
    *((f'"t":{code},"v":1', "type") for code in (0, 17, 128, 224, 226, 244, 255, 256, -1)),
    ('"t":6,"v":1', "type"),
    *((f'"t":{code},"f":65,"v":"1"', "type") for code in (1, 2, 3, 4, 5, 8, 9, 13, 16, 247, 248)),
    *((f'"t":{code},"f":65,"v":1.5', "type") for code in (1, 2, 3, 8, 9, 13, 16, 247, 248)),
    *((f'"t":{code},"f":65,"v":true', "type") for code in (1, 4, 15, 247)),
    *(
        (f'"t":{code},"f":65,"v":1', "type")
        for code in (7, 10, 11, 12, 14, 15, 225, 245, 246, 249, 250, 251, 252, 253, 254)
    ),
    ('"t":1,"f":64,"v":128', "range"),
    ('"t":1,"f":192,"v":-1', "range"),
    ('"t":1,"f":192,"v":256', "range"),
    ('"t":2,"f":64,"v":-32769', "range"),
    ('"t":9,"f":64,"v":8388608', "range"),
    ('"t":3,"f":64,"v":2147483648', "range"),
    ('"t":8,"f":64,"v":9223372036854775808', "range"),
    ('"t":8,"f":192,"v":18446744073709551616', "range"),
    ('"t":4,"f":65,"v":3.5e38', "range"),
    ('"t":5,"f":65,"v":1e309', "range"),
    ('"t":13,"f":193,"v":1900', "range"),
    ('"t":13,"f":193,"v":2156', "range"),
    ('"t":16,"f":193,"v":-1', "range"),
    ('"t":16,"f":193,"v":18446744073709551616', "range"),
    ('"t":247,"f":64,"v":65536', "range"),
    ('"t":248,"f":64,"v":18446744073709551616', "range"),
    ('"t":7,"f":65,"v":"2024-01-01"', "type"),
    ('"t":7,"f":65,"v":"2024-01-01 00:00:00.1234567"', "type"),
    ('"t":12,"f":65,"v":"2024-13-01 00:00:00"', "range"),
    ('"t":12,"f":65,"v":"2024-01-01 24:00:00"', "range"),
    ('"t":10,"f":65,"v":"01/02/2024"', "type"),
    ('"t":10,"f":65,"v":"2024-01-32"', "range"),
    ('"t":11,"f":65,"v":"1:2:3"', "type"),
    ('"t":11,"f":65,"v":"839:00:00"', "range"),
    ('"t":15,"f":65,"v":"\\\\q"', "type"),
    ('"t":254,"f":65,"v":"\\\\x1"', "type"),
    ('"t":245,"f":65,"v":"{"', "type"),
    ('"t":246,"f":65,"v":"1,5"', "type"),
    ('"t":246,"f":65,"v":"0.0000000000000000000000000000001"', "range"),
    (f'"t":246,"f":65,"v":"{"9" * 66}"', "range"),
    ('"t":225,"f":65,"v":"1,2"', "type"),
    ('"t":249,"f":64,"v":"YQ="', "type"),
    ('"t":252,"f":65,"v":"YQ"', "type"),
    ('"t":252,"f":65,"v":"Y!=="', "type"),
    ('"t":252,"f":65,"v":"é"', "type"),
    (f'"t":246,"f":65,"v":"x.{"1" * 31}"', "type"),
    ('"t":225,"f":65,"v":"[1e9999999999999999999]"', "type"),
    ('"t":252,"f":65,"v":"YQ==YQ=="', "type"),
    ('"t":252,"f":65,"v":"YQ==\\n"', "type"),
    ('"t":252,"f":65,"v":"=YQ="', "type"),
]


@pytest.mark.parametrize(("members", "reason"), COLUMNS)
def test_a_faulty_column_is_refused_with_its_class(members: str, reason: str) -> None:
    assert _reason(KEY, f'{{"u":{{"c":{{{members}}}}}}}') == reason


AGAINST_THE_TABLE = [
    ("int", '"t":8,"f":65,"v":1', "type"),
    ("varchar(9)", '"t":254,"f":64,"v":"x"', "type"),
    ("varchar(9)", '"t":15,"f":65,"v":"x"', "type"),
    ("text", '"t":252,"f":65,"v":""', "type"),
    ("enum('a','b')", '"t":247,"f":64,"v":3', "range"),
    ("set('a','b')", '"t":248,"f":64,"v":4', "range"),
    ("bit(7)", '"t":16,"f":193,"v":128', "range"),
    ("decimal(4,2)", '"t":246,"f":65,"v":"1.5"', "type"),
    ("decimal(4,2)", '"t":246,"f":65,"v":"100.00"', "range"),
    ("datetime(3)", '"t":12,"f":65,"v":"2024-01-01 00:00:00"', "type"),
    ("int unsigned", '"t":3,"f":193,"v":-1', "range"),
    ("vector(2)", '"t":225,"f":65,"v":"[1]"', "range"),
]


@pytest.mark.parametrize(("kind", "members", "reason"), AGAINST_THE_TABLE)
def test_a_value_must_fit_the_declared_column(kind: str, members: str, reason: str) -> None:
    assert _reason(KEY, f'{{"u":{{"c":{{{members}}}}}}}', column("c", kind)) == reason


def _read(members: str, kind: str | None = None) -> Value:
    tables = [table(column("c", kind))] if kind else []
    [event] = decode([record(KEY, f'{{"u":{{"c":{{{members}}}}}}}')], tables)
    assert isinstance(event, RowChange)
    assert event.after is not None
    return event.after["c"]


@pytest.mark.parametrize(
    ("members", "kind", "value"),
    [
        ('"t":16,"f":193,"v":18446744073709551615', None, "18446744073709551615"),
        ('"t":247,"f":64,"v":3', None, Index(3)),
        ('"t":247,"f":64,"v":2', "enum('a','b')", "b"),
        ('"t":247,"f":64,"v":0', "enum('a','b')", Index(0)),
        ('"t":248,"f":64,"v":18446744073709551615', None, Mask(2**64 - 1)),
        ('"t":248,"f":64,"v":5', "set('a','b','c')", "a,c"),
        ('"t":248,"f":64,"v":0', "set('a','b','c')", ""),
        ('"t":13,"f":65,"v":1970', None, "1970"),  # OP-240
        ('"t":13,"f":193,"v":0', None, "0"),
        ('"t":6,"v":null', None, None),
        ('"t":14,"f":65,"v":"0000-00-00"', None, "0000-00-00"),
        ('"t":253,"f":64,"v":"x"', None, "x"),
        ('"t":253,"f":65,"v":"\\\\x00"', None, b"\0"),
        ('"t":15,"v":"YWE="', None, "YWE="),  # DD-OP-01: type 15 is never base64
        ('"t":15,"f":64,"v":"\\\\x01"', None, "\\x01"),  # OP-142
        ('"t":15,"f":65,"v":"\\\\x01"', None, b"\1"),
        ('"t":15,"v":"\\\\x01"', "varbinary(9)", b"\1"),  # without `f` the table decides
        ('"t":3,"f":65,"v":-1', None, "-1"),
        ('"t":246,"f":65,"v":"0.000000000000000000000000000001"', None, "0.000000000000000000000000000001"),
        ('"t":252,"f":64,"v":"5Litw6k="', None, "中é"),
        ('"t":252,"f":65,"v":"5Litw6k="', None, "中é".encode()),
        ('"t":252,"f":64,"v":"/w=="', None, RawText(b"\xff")),
        ('"t":5,"f":65,"v":-0', None, "-0"),
        ('"t":8,"f":193,"v":18446744073709551615', None, "18446744073709551615"),
        ('"t":8,"f":65,"v":9007199254740993', None, "9007199254740993"),
        ('"t":12,"f":65,"v":"2024-01-01 00:00:00.12"', None, "2024-01-01 00:00:00.12"),
        ('"t":7,"f":65,"v":"2024-01-01 00:00:00.123456"', None, "2024-01-01 00:00:00.123456"),
        ('"t":7,"f":65,"v":"2024-01-01 00:00:00"', None, "2024-01-01 00:00:00"),
        ('"t":11,"f":65,"v":"-12:00:00.1"', None, "-12:00:00.1"),
        ('"t":246,"f":65,"v":"-1.50"', None, "-1.50"),
        ('"t":246,"f":65,"v":"7"', None, "7"),
        (f'"t":246,"f":65,"v":"{"9" * 65}"', None, "9" * 65),
        ('"t":225,"f":65,"v":"[1,2.5]"', None, "[1,2.5]"),
        ('"t":245,"f":65,"v":"[1, 2]"', None, "[1, 2]"),
        ('"t":254,"f":255,"v":"xy"', None, b"xy"),
    ],
)
def test_a_value_is_read_by_the_table_or_by_its_own_type(members: str, kind: str | None, value: Value) -> None:
    assert _read(members, kind) == value


ROW = insert({"c": "1"})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ('{"t":1,"tbl":"t","scm":"test","ts":1}', VALUE),
        (' {\n"ts" : 1 , "scm":"test","tbl":"t","t":1 } ', ' {"u" : {"c":{"t":3, "f":65, "v":1}}}\n'),
        ('{"ts":1,"scm":"test","tbl":"t","t":1,"new":{"a":[1,1]}}', '{"u":{"c":{"t":3,"f":65,"v":1,"x":1}},"z":0}'),
        ('{"ts":1,"scm":"test","tbl":"t","t":1,"ohk":true,"ohk":false}', VALUE),
        (KEY, '{"u":{"c":{"t":3,"v":1}}}'),
        (KEY, '{"u":{"c":{"v":1,"f":11,"h":true,"t":3}}}'),
        ('{"ts":1,"scm":"\\u0074est","tbl":"\\u0074","t":1}', '{"u":{"\\u0063":{"t":3,"v":1}}}'),
    ],
)
def test_the_forms_that_json_and_the_document_allow_are_taken(key: str, value: str) -> None:
    assert decode([record(key, value)]) == [ROW]


@pytest.mark.parametrize("names", ["", ',"scm":"","tbl":""', ',"tbl":""', ',"scm":""'])
def test_a_name_of_a_ddl_event_that_is_not_there_counts_as_empty(names: str) -> None:
    [event] = decode([record(f'{{"ts":1{names},"t":2}}', '{"q":"x","t":1}')])
    assert isinstance(event, DdlEvent)
    assert (event.schema, event.table) == ("", "")  # OP-024


def test_a_resolved_event_with_names_is_still_one() -> None:
    assert decode([record('{"ts":1,"scm":"","tbl":"","t":3}', "")]) == [Watermark(1)]


def test_optional_members_of_a_key_are_reported() -> None:
    [event] = decode([record('{"ts":4,"scm":"a","tbl":"c","rid":9,"ptn":6,"t":1}', VALUE)])  # TV-OP-078
    assert isinstance(event, RowChange)
    assert (event.partition_id, event.row_id) == (6, "9")


NEW = '"u":{"c":{"t":3,"v":1}}'


@pytest.mark.parametrize(
    ("previous", "op", "before"),
    [
        ("", "insert", None),  # OP-243
        (',"p":{}', "update", {}),
        (',"p":{"c":{"t":3,"v":2}}', "update", {"c": "2"}),
        (',"p":{"t":3,"f":65,"v":2}', "update", {}),  # OP-058
        (',"p":{"t":3,"h":true,"f":11,"v":2}', "update", {}),
        (',"p":{"t":3,"h":true,"f":11,"v":2,"h":true}', "update", {}),
        (',"p":{"t":252,"f":65,"v":"AA==","c":{"t":3,"v":2}}', "update", {"c": "2"}),
        (',"p":{"c":{"t":3,"v":2},"t":252,"f":65,"v":"AA=="}', "update", {"c": "2"}),
        (',"p":{"t":3,"f":65,"v":2,"t":252,"f":65,"v":"AA=="}', "update", {}),
        (',"p":{"t":{"t":3,"v":2}}', "update", {"t": "2"}),  # a column may be named like a member
    ],
)
def test_the_before_image_has_what_p_names_and_nothing_else(
    previous: str, op: str, before: dict[str, Value] | None
) -> None:
    [event] = decode([record(KEY, f"{{{NEW}{previous}}}")])
    assert isinstance(event, RowChange)
    assert (event.op, event.before, event.after) == (op, before, {"c": "1"})


FORGOTTEN = [  # (names in the DDL event's key, type of the statement, whether the given table is still believed)
    ('"scm":"test","tbl":"t"', 12, False), ('"scm":"test","tbl":""', 12, False), ('"scm":"test"', 12, False),
    ('"scm":"","tbl":""', 12, False), ('"tbl":"t"', 12, False), ('"scm":"test","tbl":"u"', 12, True),
    ('"scm":"other","tbl":"t"', 12, True), ('"scm":"other","tbl":""', 12, True),
    ('"scm":"test","tbl":"t"', 7, True),  # an index has no columns of its own
]  # fmt: skip


@pytest.mark.parametrize(("names", "code", "believed"), FORGOTTEN)
def test_after_a_ddl_that_may_change_columns_the_given_table_is_no_longer_believed(
    names: str, code: int, believed: bool
) -> None:
    ddl = record(f'{{"ts":1,{names},"t":2}}', f'{{"q":"alter table t modify c bigint","t":{code}}}')
    row = record(KEY, '{"u":{"c":{"t":8,"f":65,"v":1}}}')
    given = [table(column("c", "int"))]
    if believed:
        with pytest.raises(Rejected, match="column type code 8 with flags 65 for a int column"):
            decode([ddl, row], given)
    else:
        assert decode([ddl, row], given)[1] == ROW
