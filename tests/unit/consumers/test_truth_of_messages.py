"""The truth of a message: whatever a message holds, it is read or left open, and nothing is raised."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.compatibility.faultless import Faultless
from conformance.consumers.model import Message
from conformance.consumers.truth import PROTOCOLS, misread_columns

TYPES = (
    *("bigint unsigned", "binary(4)", "bit(1)", "bit(9)", "date", "datetime(3)", "datetime(6)", "decimal(10,2)"),
    *("double", "enum('a','b')", "float", "set('a','b')", "text", "time", "timestamp", "tinyint(1)"),
)
ODD_TEXTS = (
    "",
    "1_0",
    "٣",
    "NaN",
    "sNaN",
    "-",
    "1e999999999",
    "1E99999999999999999999",
    "9" * 5000,
    "A" * 5000,
    "\ud800",
)
ODD_NUMBERS = ("1e400", "-1e400", "1e99999999999999999999", "-0.0", "9" * 5000, "-" + "9" * 300, str(-(2**63) - 1))

json_texts = st.one_of(
    st.sampled_from(ODD_NUMBERS),
    st.sampled_from(ODD_TEXTS).map(json.dumps),
    st.text(max_size=6).map(json.dumps),
    st.integers().map(str),
    st.sampled_from(["null", "true", "[1]", '{"a":1}']),
)
rows = st.fixed_dictionaries(dict.fromkeys("ab", json_texts)).map(
    lambda row: "{" + ",".join(f'"{name}":{text}' for name, text in row.items()) + "}"
)
parts = st.one_of(rows, json_texts)
read_texts = st.one_of(st.none(), st.sampled_from((*ODD_TEXTS, *ODD_NUMBERS, "1", "true", "AAE=")), st.text(max_size=6))


@st.composite
def values(draw: st.DrawFn) -> bytes:
    """The value of a message of Canal or Debezium, with anything in the place of a row."""
    kind = draw(st.sampled_from(["INSERT", "UPDATE", "DELETE"]))
    op = draw(st.sampled_from("crud"))
    one, other = draw(parts), draw(parts)
    canal = f'"type":"{kind}","table":"t","data":[{one}],"old":[{other}]'
    return f'{{{canal},"op":"{op}","before":{one},"after":{other}}}'.encode()


@pytest.mark.parametrize("protocol", PROTOCOLS)
@given(
    value=values(),
    types=st.tuples(st.sampled_from(TYPES), st.sampled_from(TYPES)),
    read=st.fixed_dictionaries(dict.fromkeys("ab", read_texts)),
)
def test_no_value_of_a_message_or_a_row_ends_its_reading(
    protocol: str, value: bytes, types: tuple[str, str], read: dict[str, str | None]
) -> None:
    columns: list[dict[str, Any]] = [{"name": name, "type": text} for name, text in zip("ab", types, strict=True)]
    message = Message(protocol, None, value, {"schema": "s", "name": "t", "columns": columns, "primary_key": ["a"]})
    prediction = Faultless().predict(message)
    assert prediction.outcome in ("rows", "skipped", "abstained")
    assert prediction.outcome == "abstained" or misread_columns(message, prediction.rows) is not None
    assert (misread_columns(message, [("+I", read)]) or set()) <= {"", "a", "b"}
