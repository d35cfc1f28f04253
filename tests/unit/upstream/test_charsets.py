"""The charsets that Python's codecs do not have as the server has them."""

from __future__ import annotations

import pytest

from reference_impl.errors import Rejected
from reference_impl.upstream.charsets import decoded, encoded, misread, read_by_java


@pytest.mark.parametrize("charset", ["latin1", "greek", "hebrew", "koi8u", "cp866"])
def test_a_charset_with_own_characters_lacks_those_that_stand_for_none(charset: str) -> None:
    for character in "\ufffd\ufffe":
        with pytest.raises(Rejected, match=f"U\\+{ord(character):04X} does not exist in {charset}") as e:
            encoded(character, charset)
        assert e.value.reason == "range"
    assert all(
        encoded(text, charset) == bytes([code])
        for code in range(0x100)
        if (text := decoded(bytes([code]), charset)) is not None
    )


def test_euckr_has_the_hangul_beyond_ksx_1001_too() -> None:
    assert encoded("똠", "euckr") == b"\x8c\x63"


def test_a_code_without_a_character_is_invalid() -> None:
    assert decoded(b"\xae", "greek") is None
    assert decoded(b"\xa1", "greek") == "\u02bd"


@pytest.mark.parametrize(("charset", "character"), [("ascii", "é"), ("utf8mb3", "😀"), ("utf8", "😀"), ("ucs2", "😀")])
def test_a_charset_that_is_narrower_than_its_codec_lacks_what_lies_beyond(charset: str, character: str) -> None:
    with pytest.raises(Rejected, match=f"does not exist in {charset}") as e:
        encoded(character, charset)
    assert e.value.reason == "range"


# Printed by Java 17: new String(bytes, UTF_8).
@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("eda080", "\ufffd"), ("edbf", "\ufffd"), ("eda07f", "\ufffd\x7f"), ("eda0e1", "\ufffd\ufffd"),
        ("e180eda08041", "\ufffd\ufffdA"), ("ed9fbf", "\ud7ff"), ("f0908041", "\ufffdA"), ("c0af", "\ufffd\ufffd"),
    ],
)  # fmt: skip
def test_invalid_bytes_are_as_many_replacements_as_java_makes_of_them(data: str, text: str) -> None:
    assert read_by_java(bytes.fromhex(data)) == text


def test_a_charset_taken_for_utf8_is_read_as_java_reads_it() -> None:
    assert misread("\u00ed\u00bb!", "latin1", taken_for="utf8mb4") == "\ufffd!"
