"""Rows as JSON text: row ids, images that are not whole, and what an update leaves out."""

from __future__ import annotations

import re

import pytest
from open_samples import AB, A, column, table

from reference_impl.errors import Rejected
from reference_impl.model import Index, Mask, RawText, Row, RowChange, Value
from reference_impl.open_protocol import Options
from reference_impl.open_protocol.layout import Layout, names_json
from reference_impl.open_protocol.style import style_of
from reference_impl.profiles import CLASSIC, NEWARCH, Profile

B1, B2 = '"b":{"t":3,"f":65,"v":1}', '"b":{"t":3,"f":65,"v":2}'
BN = B1.replace('"v":1', '"v":null')
A2 = A.replace('"v":1', '"v":2')
CHANGED_ONLY = Options(only_output_updated_columns=True)


@pytest.mark.parametrize(
    ("profile", "names", "text"),
    [
        (NEWARCH, ("a", "b"), ',"scm":"a","tbl":"b"'),
        (NEWARCH, ("", ""), ',"scm":"","tbl":""'),
        (CLASSIC, ("a", "b"), ',"scm":"a","tbl":"b"'),
        (CLASSIC, ("a", ""), ',"scm":"a"'),
        (CLASSIC, ("", "b"), ',"tbl":"b"'),
        (CLASSIC, ("", ""), ""),
        (CLASSIC, ("<", ">"), r',"scm":"\u003c","tbl":"\u003e"'),
    ],
)
def test_names_are_members_of_the_key(profile: Profile, names: tuple[str, str], text: str) -> None:
    assert names_json(*names, style_of(profile)) == text  # OP-024, OP-034


def change(op: str, before: Row | None, after: Row | None) -> RowChange:
    return RowChange(op, "test", "t", 1, before=before, after=after)  # type: ignore[arg-type]


def value(op: str, before: Row | None, after: Row | None, options: Options, profile: Profile = NEWARCH) -> str:
    return Layout(AB, options, style_of(profile)).value(change(op, before, after))


BOTH, OTHER = {"a": "1", "b": "1"}, {"a": "1", "b": "2"}
UPDATES: list[tuple[Options, Row, Row, str]] = [
    (Options(), BOTH, OTHER, f'{{"u":{{{A},{B2}}},"p":{{{A},{B1}}}}}'),
    (Options(), {"b": "1"}, {"b": "2"}, f'{{"u":{{{B2}}},"p":{{{B1}}}}}'),
    (CHANGED_ONLY, BOTH, OTHER, f'{{"u":{{{A},{B2}}},"p":{{{B1}}}}}'),
    (CHANGED_ONLY, OTHER, {"a": "2", "b": "2"}, f'{{"u":{{{A2},{B2}}},"p":{{{A}}}}}'),
    (CHANGED_ONLY, {"b": "1"}, OTHER, f'{{"u":{{{A},{B2}}},"p":{{{B1}}}}}'),
    (CHANGED_ONLY, {"a": "1"}, OTHER, f'{{"u":{{{A},{B2}}},"p":{{}}}}'),
    (CHANGED_ONLY, {"a": "1", "b": None}, OTHER, f'{{"u":{{{A},{B2}}},"p":{{{BN}}}}}'),  # from NULL  [OP-058]
    (CHANGED_ONLY, OTHER, {"a": "1", "b": None}, f'{{"u":{{{A},{BN}}},"p":{{{B2}}}}}'),
    (CHANGED_ONLY, BOTH, {"b": "1"}, f'{{"u":{{{B1}}},"p":{{{A}}}}}'),
]


@pytest.mark.parametrize(("options", "before", "after", "text"), UPDATES)
def test_an_update_has_the_columns_that_its_images_have(options: Options, before: Row, after: Row, text: str) -> None:
    assert value("update", before, after, options) == text  # OP-055, OP-057


SAME = [
    ("float", "0", "-0"),
    ("double", "1e2", "100"),
    ("vector", "[0,1]", "[-0,1]"),
    ("enum('a')", "a", Index(1)),
    ("set('a','b')", "a,b", Mask(3)),
    ("varchar(9)", RawText(b"a\xff"), RawText(b"a\xff")),
]
CHANGED = [
    ("varchar(9)", RawText(b"a\xff"), RawText(b"a\xfe")),  # the same text on the wire  [OP-077]
    ("text", "a", "A"),
    ("blob", b"", None),
    ("time(1)", "00:00:00.0", "00:00:00.1"),
]


@pytest.mark.parametrize(
    ("kind", "before", "after", "is_sent"), [*((*row, False) for row in SAME), *((*row, True) for row in CHANGED)]
)
def test_a_column_has_changed_if_its_value_has(kind: str, before: Value, after: Value, is_sent: bool) -> None:
    one = table(column("c", kind))
    text = Layout(one, CHANGED_ONLY, style_of(NEWARCH)).value(change("update", {"c": before}, {"c": after}))
    assert text.endswith(',"p":{}}') is not is_sent  # OP-058


@pytest.mark.parametrize(("op", "before", "after"), [("insert", None, {}), ("delete", {}, None), ("update", {}, OTHER)])
def test_an_image_without_a_column_is_refused(op: str, before: Row | None, after: Row | None) -> None:
    with pytest.raises(Rejected) as refused:
        value(op, before, after, Options())
    assert refused.value.reason == "semantics"  # OP-049


@pytest.mark.parametrize("wrong", [b"1", "x", "1.0", " 1", "1_0", "+1", "٣", "01"])
def test_a_value_of_another_form_is_refused(wrong: str | bytes) -> None:
    with pytest.raises(Rejected, match=rf"^column b: {re.escape(repr(wrong))} is no value of its type$") as refused:
        value("insert", None, {"a": "1", "b": wrong}, Options())
    assert refused.value.reason == "type"


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        ("vector", "[1e39]"), ("vector", "1"), ("vector", '["1"]'), ("vector", "[true]"), ("vector", "[" * 100_000),
        ("float", "1e39"), ("double", "x"), ("blob", "x"), ("text", 1), ("varchar(9)", b"x"),
        ("enum('a')", "b"), ("set('a')", "b"), ("decimal(3,1)", 1), ("date", b"2024-01-01"), ("binary(9)", "x"),
    ],
)  # fmt: skip
def test_a_value_that_is_not_of_its_column_is_refused(kind: str, wrong: Value) -> None:
    layout = Layout(table(column("c", kind)), Options(), style_of(NEWARCH))
    with pytest.raises(Rejected):
        layout.value(change("insert", None, {"c": wrong}))


KEYS = [
    (NEWARCH, {}, ""),
    (NEWARCH, {"handle_only": True}, ',"ohk":true'),
    (NEWARCH, {"location": "a/b"}, ',"ohk":true,"ccl":"a/b"'),
    (NEWARCH, {"location": "<\n"}, ',"ohk":true,"ccl":"<\\n"'),
    (CLASSIC, {"handle_only": True}, ',"ohk":true'),
    (CLASSIC, {"location": "a/b"}, ',"ccl":"a/b"'),
    (CLASSIC, {"location": "<\n"}, ',"ccl":"\\u003c\\n"'),
]


@pytest.mark.parametrize(("profile", "more", "members"), KEYS)
def test_a_key_says_what_became_of_a_large_row(profile: Profile, more: dict[str, object], members: str) -> None:
    layout = Layout(AB, Options(), style_of(profile))
    key = layout.key(change("insert", None, BOTH), **more)  # type: ignore[arg-type]
    assert key == f'{{"ts":1,"scm":"test","tbl":"t","t":1{members}}}'  # OP-030 … OP-032


@pytest.mark.parametrize(
    ("row_id", "member"),
    [
        *(("7", ',"rid":7'), ("-7", ',"rid":-7'), ("0", ""), ("x", ""), ("", ""), ("1_0", ""), (" 7", ""), ("٣", "")),
        (None, ""),
    ],
)
def test_classic_names_a_row_by_its_number(row_id: str | None, member: str) -> None:
    one = RowChange("insert", "test", "t", 1, after=BOTH, row_id=row_id)
    assert Layout(AB, Options(), style_of(CLASSIC)).key(one) == f'{{"ts":1,"scm":"test","tbl":"t"{member},"t":1}}'
    assert Layout(AB, Options(), style_of(NEWARCH)).key(one) == '{"ts":1,"scm":"test","tbl":"t","t":1}'  # OP-029


def test_the_partition_of_a_change_goes_before_that_of_its_table() -> None:
    made = table(column("a", "int"), partition_id=113)
    layout = Layout(made, Options(), style_of(NEWARCH))
    one = RowChange("insert", "test", "t", 1, after={"a": "1"}, partition_id=6)
    assert layout.key(one).endswith(',"ptn":6}')  # OP-028
    assert layout.key(change("insert", None, {"a": "1"})).endswith(',"ptn":113}')


@pytest.mark.parametrize(
    ("profile", "tail"),
    [(NEWARCH, ',"t":1,"ohk":true,"ccl":"x","ptn":6}'), (CLASSIC, ',"rid":9,"ptn":6,"t":1,"ccl":"x"}')],
)
def test_the_members_of_a_key_have_the_order_of_the_profile(profile: Profile, tail: str) -> None:
    one = RowChange("insert", "test", "t", 1, after=BOTH, partition_id=6, row_id="9")
    key = Layout(AB, Options(), style_of(profile)).key(one, location="x")
    assert key == f'{{"ts":1,"scm":"test","tbl":"t"{tail}'  # OP-022, OP-023


@pytest.mark.parametrize("handle_only", [False, True])
@pytest.mark.parametrize("keys_only", [False, True])
def test_a_delete_holds_the_handle_key_alone_where_either_asks_for_it(handle_only: bool, keys_only: bool) -> None:
    layout = Layout(AB, Options(delete_only_output_handle_key_columns=keys_only), style_of(NEWARCH))
    rest = "" if handle_only or keys_only else f",{B1}"
    assert layout.value(change("delete", BOTH, None), handle_only=handle_only) == f'{{"d":{{{A}{rest}}}}}'
