"""Profiles, named defects, options, and what contradicts itself."""

from __future__ import annotations

import pytest
from open_samples import AB, A, column, delete, insert, table, texts, update

from reference_impl.errors import Rejected
from reference_impl.model import DdlEvent, Key, RawText, Row, RowChange
from reference_impl.open_protocol import Options, decode, encode
from reference_impl.open_protocol.style import style_of
from reference_impl.profiles import CLASSIC, DOC, NEWARCH, Profile

ONE: Row = {"a": "1", "b": "2"}
B = '"b":{"t":3,"f":65,"v":2}'


@pytest.mark.parametrize(
    ("names", "newarch", "classic"),
    [
        ("zaA", ["z", "a", "A"], ["A", "a", "z"]),
        (("b", "aa", "a"), ["b", "aa", "a"], ["a", "aa", "b"]),
        (("\U00010000", "\uffff"), ["\U00010000", "\uffff"], ["\uffff", "\U00010000"]),
    ],
)
def test_classic_sorts_columns_by_the_bytes_of_their_names(
    names: tuple[str, ...], newarch: list[str], classic: list[str]
) -> None:
    made = table(*(column(name, "int") for name in names))
    for profile, expected in ((NEWARCH, newarch), (CLASSIC, classic)):
        encoded = encode([insert(dict.fromkeys(names), of=made)], [made], profile=profile)
        [event] = decode(encoded.records)
        assert isinstance(event, RowChange)
        assert list(event.after or ()) == expected  # OP-045


@pytest.mark.parametrize(
    ("profile", "key"),
    [
        (NEWARCH, '{"ts":1,"scm":"test","tbl":"","t":2}'),
        (CLASSIC, '{"ts":1,"scm":"test","t":2}'),
        (DOC, '{"ts":1,"scm":"test","tbl":"","t":2}'),
    ],
)
def test_classic_leaves_empty_names_out(profile: Profile, key: str) -> None:
    event = DdlEvent("test", "", "create database test", action_code=1, commit_ts=1)
    assert texts(event, profile=profile)[0][0] == key  # OP-024


def test_names_of_columns_and_tables_are_escaped_like_any_string() -> None:
    made = table(column('q"<', "int"), name="a\\b")
    assert texts(insert({'q"<': "1"}, of=made), tables=[made]) == [
        ('{"ts":1,"scm":"test","tbl":"a\\\\b","t":1}', '{"u":{"q\\"<":{"t":3,"f":65,"v":1}}}')
    ]
    [(_, value)] = texts(insert({'q"<': "1"}, of=made), tables=[made], profile=CLASSIC)
    assert value.startswith('{"u":{"q\\"\\u003c":')  # OP-083


GENERATED = table(
    *(column("a", "int", nullable=False), column("g", "int", nullable=False, generated="stored")),
    unique_keys=(Key("u", ("g", "a")),),
)


@pytest.mark.parametrize(("profile", "flags"), [(NEWARCH, ["51", "37"]), (CLASSIC, ["51", "55"]), (DOC, ["51", "55"])])
def test_newarch_keeps_the_flags_of_indexes_from_generated_columns(profile: Profile, flags: list[str]) -> None:
    [(_, value)] = texts(insert({"a": "1", "g": "2"}, of=GENERATED), tables=[GENERATED], profile=profile)
    assert [part.split(",")[0] for part in value.split('"f":')[1:]] == flags  # OP-252
    assert value.count('"h":true') == 2


@pytest.mark.parametrize(
    ("kind", "clustered", "flags"),
    [
        ("int", True, 0x01 | 0x02 | 0x04 | 0x08),  # the integer that TiDB stores the row by
        ("int", False, 0x01 | 0x04 | 0x08),
        ("varchar(9)", True, 0x04 | 0x08),
    ],
)
def test_a_generated_column_is_marked_as_handle_only_where_it_is_the_row_s_own_number(
    kind: str, clustered: bool, flags: int
) -> None:
    made = table(column("g", kind, nullable=False, generated="stored"), primary_key=("g",), clustered=clustered)
    [(_, value)] = texts(insert({"g": "2"}, of=made), tables=[made], profile=NEWARCH)
    assert f'"f":{flags},' in value  # OP-252


def test_classic_passes_over_a_unique_key_with_a_virtual_column() -> None:
    made = table(
        *(column("v", "int", nullable=False, generated="virtual"), column("a", "int", nullable=False)),
        *(column("b", "int", nullable=False),),
        unique_keys=(Key("one", ("v",)), Key("two", ("a", "b"))),
    )
    row = {"v": "1", "a": "2", "b": "3"}
    assert texts(insert(row, of=made), tables=[made], profile=CLASSIC)[0][1].count('"h":true') == 2
    assert texts(insert(row, of=made), tables=[made], profile=NEWARCH)[0][1].count('"h":true') == 0  # DV-OP-17


def test_a_delete_of_the_document_without_old_values_has_the_handle_key_alone() -> None:
    for profile, value in ((DOC, f'{{"d":{{{A}}}}}'), (NEWARCH, f'{{"d":{{{A},{B}}}}}')):
        assert texts(delete(ONE), profile=profile, open_output_old_value=False)[0][1] == value  # DV-OP-27
        assert texts(delete(ONE), profile=profile)[0][1] == f'{{"d":{{{A},{B}}}}}'


NULLED = update({"a": "1", "b": "2"}, {"a": "1", "b": None})


def test_the_nameless_null_is_written_only_on_request() -> None:
    named = f'{{"u":{{{A},"b":{{"t":3,"f":65,"v":null}}}},"p":{{{B}}}}}'
    assert texts(NULLED, only_output_updated_columns=True)[0][1] == named
    defect = frozenset({"open-protocol/nameless-null-in-p"})
    nameless = named.replace(B, '"t":3,"f":65,"v":2')
    assert texts(NULLED, defects=defect, only_output_updated_columns=True)[0][1] == nameless  # OP-058


def test_the_value_of_a_nameless_column_is_not_filled_from_the_new_image() -> None:
    options = Options(only_output_updated_columns=True)
    encoded = encode([NULLED], [AB], options, defects=frozenset({"open-protocol/nameless-null-in-p"}))
    [event] = decode(encoded.records, [AB])
    assert isinstance(event, RowChange)
    assert (event.op, event.before) == ("update", {})


def test_the_doubled_ohk_is_written_only_on_request() -> None:
    options = {
        "large_message_handle_option": "claim-check", "claim_check_storage_uri": "file:///c", "max_message_bytes": 230,
    }  # fmt: skip
    big = table(column("id", "int", nullable=False), column("v", "text"), primary_key=("id",))
    change = insert({"id": "1", "v": "v" * 200}, of=big)
    assert texts(change, tables=[big], **options)[0][0].count('"ohk"') == 1
    [(key, _)] = texts(change, tables=[big], defects=frozenset({"open-protocol/doubled-ohk"}), **options)
    assert '"t":1,"ohk":true,"ohk":false,"ccl":' in key  # OP-032


def test_bytes_that_are_not_utf_8_are_copied_only_on_request() -> None:
    made = table(column("c", "varchar(9)"))
    encoded = encode(
        [insert({"c": RawText(b"a\xffb")}, of=made)], [made], defects=frozenset({"open-protocol/raw-invalid-utf8"})
    )
    assert b'"v":"a\xffb"' in (encoded.records[0].value or b"")  # TV-OP-100
    with pytest.raises(Rejected) as refused:
        decode(encoded.records)
    assert refused.value.reason == "syntax"


@pytest.mark.parametrize("zero", ["[-0]", "[-0.0]"])
def test_a_vector_that_loses_the_sign_of_its_zero_has_changed_in_classic_alone(zero: str) -> None:
    made = table(column("id", "int", nullable=False), column("v", "vector(1)"), primary_key=("id",))
    change = update({"id": "1", "v": zero}, {"id": "1", "v": "[0]"}, of=made)
    found = {
        profile.name: '"p":{"v":{"t":225,"f":65,"v":"[-0]"}}'
        in texts(change, tables=[made], profile=profile, only_output_updated_columns=True)[0][1]
        for profile in (NEWARCH, CLASSIC, DOC)
    }
    assert found == {"newarch": False, "classic": True, "doc": False}  # OP-055


def test_defects_of_other_protocols_change_nothing() -> None:
    assert texts(NULLED, defects=frozenset({"canal-json/any"})) == texts(NULLED)


CHOICES: list[tuple[str, tuple[bool, bool, bool], str]] = [  # (choice; of newarch, classic, doc; requirement)
    ("empty_names", (True, False, True), "OP-024"),
    ("sorted_columns", (False, True, False), "OP-045"),
    ("empty_p", (True, False, True), "OP-057"),
    ("short_exponent", (False, True, False), "OP-079"),
    ("virtual_handle_key", (True, False, True), "OP-250"),
    ("index_flags_of_generated", (False, True, True), "OP-252"),
    ("delete_follows_old_value", (False, False, True), "DV-OP-27"),
    ("nameless_null", (False, False, False), "OP-058"),
    ("refuses_reduced_update", (False, False, False), "OP-160"),
    ("vectors_as_texts", (False, True, False), "OP-055"),
]


@pytest.mark.parametrize(("choice", "made", "why"), CHOICES)
def test_a_profile_makes_the_choices_of_its_producer(choice: str, made: tuple[bool, bool, bool], why: str) -> None:
    assert tuple(getattr(style_of(profile), choice) for profile in (NEWARCH, CLASSIC, DOC)) == made, why


@pytest.mark.parametrize("profile", [NEWARCH, CLASSIC, DOC])
def test_a_profile_escapes_control_characters_and_bytes_that_are_not_utf_8(profile: Profile) -> None:
    style = style_of(profile)
    escaped = [chr(code) for code in (*range(0x20), *range(0xDC80, 0xDD00))]
    assert not [char for char in escaped if char in style.string(char)]  # OP-070 … OP-078
    assert style.ohk_of_claim in ((), ("true",))
