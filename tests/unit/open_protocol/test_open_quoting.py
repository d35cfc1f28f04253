"""The text form of binary values, both ways."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from open_samples import column_text

from reference_impl.errors import Rejected
from reference_impl.open_protocol.quoting import _NEW_IN_15_0, _NEW_IN_15_1_AND_16_0, is_printable, quote, unquote

SHORT = {0x07: r"\a", 0x08: r"\b", 0x09: r"\t", 0x0A: r"\n", 0x0B: r"\v", 0x0C: r"\f", 0x0D: r"\r"}


def _of_one_byte(byte: int) -> str:
    """What OP-130 … OP-136 say of a value of one byte."""
    if byte in SHORT:
        return SHORT[byte]
    if byte in (0x22, 0x5C):
        return "\\" + chr(byte)
    return chr(byte) if 0x20 <= byte < 0x7F else f"\\x{byte:02x}"


def test_every_byte_alone_has_its_escape_and_comes_back() -> None:
    for byte in range(256):
        assert quote(bytes([byte])) == _of_one_byte(byte)
        assert unquote(_of_one_byte(byte)) == bytes([byte])


VECTORS = [  # TV-OP-088 … TV-OP-096: hexadecimal bytes, JSON text
    ("89504e470d0a1a0a", r'"\\x89PNG\\r\\n\\x1a\\n"'), ("0708090a0b0c0d", r'"\\a\\b\\t\\n\\v\\f\\r"'),
    ("1f7f", r'"\\x1f\\x7f"'), ("27225c", r'''"'\\\"\\\\"'''), ("e6b5", r'"\\xe6\\xb5"'), ("e6b58b", '"测"'),
    ("fffe", r'"\\xff\\xfe"'), ("c280", r'"\\u0080"'), ("c285", r'"\\u0085"'), ("efbfbf", r'"\\uffff"'),
    ("f09fbfbf", r'"\\U0001ffff"'), ("f48fbfbf", r'"\\U0010ffff"'), ("c2a0", r'"\\u00a0"'), ("e2808b", r'"\\u200b"'),
    ("efbbbf", r'"\\ufeff"'), ("cdb8", r'"\\u0378"'), ("c3a9", '"é"'), ("f09f9880", '"😀"'), ("efbfbd", '"�"'),
    ("f3a08081", r'"\\U000e0001"'), ("eda080", r'"\\xed\\xa0\\x80"'),
]  # fmt: skip


@pytest.mark.parametrize(("data", "text"), VECTORS)
def test_bytes_have_the_wire_text_of_the_vectors(data: str, text: str) -> None:
    assert column_text("varbinary(20)", bytes.fromhex(data)) == f'{{"t":15,"f":65,"v":{text}}}'
    assert unquote(quote(bytes.fromhex(data))) == bytes.fromhex(data)


@pytest.mark.parametrize(
    ("text", "data"),
    [
        (r"\ud7ff", "\ud7ff".encode()), (r"\ue000", "\ue000".encode()), (r"\uffff", "\uffff".encode()),
        (r"\U0010ffff", "\U0010ffff".encode()), (r"\U0000e000", "\ue000".encode()), (r"\u0000", b"\0"),
        (r"a\x01b\tc", b"a\x01b\tc"), (r"\\\"", b'\\"'),
        (r"\101", b"A"), (r"\000", b"\0"), (r"\377", b"\xff"), (r"\u00e9", "é".encode()),
        (r"\U0001f600", "😀".encode()), (r"\xE6\xB5\x8B", "测".encode()), ("'", b"'"), ("é\t", "é\t".encode()),
    ],
)  # fmt: skip
def test_every_escape_that_go_reads_is_read(text: str, data: bytes) -> None:
    assert unquote(text) == data  # OP-140


@pytest.mark.parametrize(
    "text",
    [
        r"\q", "\\", r"\'", r"\x1", r"\xg0", r"\u12", r"\ud800", r"\udfff", r"\U0000d800", r"\U00110000",
        r"\12", r"\400", r"\8", 'a"b', "a\nb",
        r"\0", r"\ ", r"\X41",
    ],
)  # fmt: skip
def test_a_text_that_go_would_not_read_is_refused(text: str) -> None:
    with pytest.raises(Rejected) as refused:
        unquote(text)
    assert refused.value.reason == "type"


@pytest.mark.parametrize(
    ("char", "printable"),
    [
        ("\u0cf3", True), ("\U000323af", True), ("\U0001fae8", True),  # new in Unicode 15.0
        ("\u0ecd", True), ("\u0ece", True), ("\U0001f6dc", True), ("\U0001faf8", True), ("\U00031350", True),
        ("\U0001f6dd", True), ("\U000323b0", False), ("\U00010efc", False), ("\U00010efd", True),
        ("\u2ffc", False), ("\U0002ebf0", False), ("\u1c89", False),  # newer
        (" ", True), ("\u3000", False), ("\u00ad", False), ("\ue000", False), ("\U000e0100", True),
    ],
)  # fmt: skip
def test_printability_is_that_of_unicode_15_whatever_the_interpreter_knows(char: str, printable: bool) -> None:
    assert is_printable(char) is printable


@given(st.binary(max_size=40) | st.text(max_size=20).map(str.encode))
def test_quoting_loses_nothing(data: bytes) -> None:
    text = quote(data)
    assert unquote(text) == data
    assert all(is_printable(char) for char in text)


def test_as_many_characters_are_printable_as_unicode_15_0_has_without_spaces():
    """149,014 graphic characters, of which 17 are spaces and one of these stays; planes without any are left out."""
    planes = [*range(0x40000), *range(0xE0000, 0xE1000)]
    assert sum(is_printable(chr(code)) for code in planes) == 149_014 - 17 + 1  # OP-136


def test_the_characters_of_later_versions_are_as_many_as_these_added_in_each_plane():
    """Unicode 15.1 added 627, 622 of them ideographs of plane 2; 16.0 added 5,185. Go prints none of them."""
    added = [chr(code) for first, last in _NEW_IN_15_1_AND_16_0 for code in range(first, last + 1)]
    assert Counter(ord(char) >> 16 for char in added) == {0: 22, 1: 627 + 5_185 - 622 - 22, 2: 622}
    assert len(set(added)) == len(added)
    assert not any(map(is_printable, added))


def test_the_characters_of_unicode_15_0_are_as_many_as_it_added_in_each_plane():
    """It added 4,489: 4,192 ideographs of plane 3, one of plane 2; Go prints all but 7 format controls of plane 1."""
    added = [chr(code) for first, last in _NEW_IN_15_0 for code in range(first, last + 1)]
    assert Counter(ord(char) >> 16 for char in added) == {0: 2, 1: 4_489 - 4_192 - 1 - 2 - 7, 2: 1, 3: 4_192}
    assert len(set(added)) == len(added)
    assert all(map(is_printable, added))
    assert not any(is_printable(chr(code)) for code in range(0x13439, 0x13440))
