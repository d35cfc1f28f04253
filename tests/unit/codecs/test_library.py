"""The codecs as a library: one face for all protocols, and inputs that are none are refused with a sentence."""

from __future__ import annotations

import contextlib
import inspect
import io
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import reference_impl
from reference_impl import Column, Rejected, RowChange, Table, canal_json, open_protocol, parse_column_type
from reference_impl.model import Index, RawText
from reference_impl.protocols import DIALECTS

PAGE = Path(__file__).resolve().parents[3] / "docs" / "library.md"
TYPES = ("int unsigned", "decimal(4,1)", "blob", "enum('a','b')", "text", "datetime(3)")
TABLE = Table("s", "t", tuple(Column(text.partition("(")[0].split()[0], parse_column_type(text)) for text in TYPES))


def test_what_the_page_shows_is_what_the_library_does() -> None:
    code, printed, more = re.findall(r"^```(?:python)?\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.M)
    names: dict[str, Any] = {}
    for text, expected in ((code, printed), (more, "0000000002 {'id': '1', 'amount': '9.90'}\n")):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(text, names)  # our own page
        assert out.getvalue() == expected


@pytest.mark.parametrize("name", reference_impl.__all__)
def test_every_name_of_the_library_is_there(name: str) -> None:
    assert getattr(reference_impl, name) is not None


def test_a_name_that_is_not_there_is_told_as_python_does() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'kafka'"):
        getattr(reference_impl, "kafka")  # noqa: B009


@pytest.mark.parametrize("codec", DIALECTS.values(), ids=DIALECTS)
def test_every_protocol_offers_the_same_five_names_with_the_same_parameters(codec: Any) -> None:
    package = import_module(codec.module)
    assert package.__all__ == ["Decoder", "Encoder", "Options", "decode", "encode"]
    for name in ("encode", "decode"):
        assert inspect.signature(getattr(package, name)) == inspect.signature(getattr(canal_json, name))
    for name in ("Encoder", "Decoder"):
        taken = list(inspect.signature(getattr(package, name)).parameters)
        assert taken == list(inspect.signature(getattr(canal_json, name)).parameters)


def test_a_column_whose_type_is_a_text_is_refused_with_what_reads_it() -> None:
    with pytest.raises(TypeError, match=r"type of column 'id' is a ColumnType, not 'int': parse_column_type\('int'\)"):
        Column("id", "int")  # type: ignore[arg-type]


def test_a_table_whose_columns_are_names_is_refused() -> None:
    with pytest.raises(TypeError, match=r"columns of table s\.t are each a Column, not 'id'"):
        Table("s", "t", ("id",))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("row", "reason", "words"),
    [
        ({"int": 1}, "type", "event 2: after: column 'int': a value of int unsigned is a text, not 1"),
        ({"int": "x"}, "type", "event 2: after: column 'int': 'x' is not an integer"),
        ({"int": "-1"}, "range", "event 2: after: column 'int': -1 is outside int unsigned"),
        ({"decimal": "1.25"}, "type", "event 2: after: column 'decimal': 1.25 has 2 fractional digits"),
        ({"blob": "text"}, "type", "event 2: after: column 'blob': a value of blob is bytes, not 'text'"),
        ({"text": b"bytes"}, "type", "event 2: after: column 'text': a value of text is a text, not b'bytes'"),
        ({"enum": "c"}, "range", "event 2: after: column 'enum': 'c' is not a member"),
        ({"datetime": "2024-02-30"}, "type", "event 2: after: column 'datetime': '2024-02-30' is not a date and time"),
        ({"more": "1"}, "schema", "event 2: after: table s.t has no column 'more'"),
    ],
)
def test_a_value_that_is_none_of_its_column_is_refused_with_its_event(row: Any, reason: str, words: str) -> None:
    right = RowChange("insert", "s", "t", 1 << 18, after={"int": "1"})
    with pytest.raises(Rejected, match=re.escape(words)) as refused:
        open_protocol.encode([right, RowChange("insert", "s", "t", 2 << 18, after=row)], [TABLE])
    assert refused.value.reason == reason


def test_a_time_stamp_that_is_no_whole_number_is_refused() -> None:
    with pytest.raises(Rejected, match=r"event 1: commit_ts is a TSO, which is a whole number: .* not 1\.5"):
        open_protocol.encode([RowChange("insert", "s", "t", 1.5, after={"int": "1"})], [TABLE])  # type: ignore[arg-type]


def test_every_form_of_a_value_is_taken() -> None:
    row = {"int": None, "blob": b"\0", "enum": Index(1), "text": RawText(b"\xff"), "decimal": "-9.5"}
    assert open_protocol.encode([RowChange("insert", "s", "t", 1 << 18, after=row)], [TABLE]).records
