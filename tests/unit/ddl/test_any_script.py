"""Any text is read: what of it cannot be is a sentence, and never an error of ours."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.ddl import Script, read_script, read_sql, tables_of_sql
from conformance.ddl.encoding import text_of
from conformance.ddl.script import Broken, Statement, statements
from tests.amounts import examples
from tests.unit.ddl.schemas import SCHEMAS

TEXTS = [text_of(path.read_bytes()) for path in SCHEMAS.values() if path.is_file()]
WORDS = """\
CREATE TABLE|ALTER TABLE|DROP TABLE|RENAME TABLE|CREATE UNIQUE INDEX|USE|INSERT INTO|DELIMITER|LIKE|SELECT|s|.|t|u|
`a`|`a``b`|"q"|(|)|,|;|;;|//|int|int(11)|decimal(65,30)|varchar|char(|enum('a','b')|enum(|bit(65)|point|uuid|NOT|NULL|
DEFAULT|'x'|"x"|b'1'|0x41|1e400|-1.5|CURRENT_TIMESTAMP|(uuid())|PRIMARY|UNIQUE|KEY|CONSTRAINT|CHECK|FOREIGN|REFERENCES|
CHARACTER|SET|CHARSET|COLLATE|=|latin1|COMMENT|GENERATED|ALWAYS|AS|STORED|VIRTUAL|SERIAL|AUTO_INCREMENT|ADD|DROP|MODIFY|
CHANGE|RENAME|COLUMN|TO|CONVERT|FIRST|AFTER|PARTITION BY|NATIONAL|VARYING|LONG|PERIOD|FOR|IF NOT EXISTS|ON|UPDATE|
TEMPORARY|OR REPLACE|/*|*/|/*!50100|/*T![ttl]|--|#|'|"|`|\\|é|\x00|𝄞"""
PIECES = WORDS.replace("\n", "").split("|")
SCRIPTS = st.lists(st.sampled_from(PIECES), max_size=40).map(" ".join)


def checked(script: Script, text: str) -> Script:
    for one in (*script.not_read, *script.passed_over):
        assert one.number >= 1
        assert 1 <= one.line <= text.count("\n") + 1
        assert one.why
    for table in script.tables:
        names = {column.name for column in table.columns}
        assert table.columns
        assert all({*key} <= names and key for key in (k.columns for k in (*table.unique_keys, *table.indexes)))
        assert {*table.primary_key} <= names
    return script


@settings(max_examples=examples(300), deadline=None)
@given(SCRIPTS)
def test_any_words_of_sql_are_read(text: str) -> None:
    checked(read_script(text), text)
    checked(read_script("CREATE TABLE s.t (" + text + ");", "s"), text)
    checked(read_script("CREATE TABLE s.t (a int); ALTER TABLE s.t " + text, "s"), text)


@settings(max_examples=examples(200), deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_a_text_that_is_read(content: bytes) -> None:
    text = text_of(content)
    checked(read_script(text), text)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A schema with a part of it gone, put elsewhere, or other words in it."""
    text = draw(st.sampled_from(TEXTS))
    for _ in range(draw(st.integers(1, 3))):
        begin = draw(st.integers(0, len(text)))
        end = min(len(text), begin + draw(st.integers(0, 60)))
        put: Sequence[str] = draw(st.lists(st.sampled_from([*PIECES, text[begin:end]]), max_size=3))
        text = text[:begin] + " ".join(put) + text[end:]
    return text


@settings(max_examples=examples(300), deadline=None)
@given(mutated())
def test_a_schema_with_faults_is_read(text: str) -> None:
    checked(read_script(text), text)


@settings(max_examples=examples(150), deadline=None)
@given(st.sampled_from(sorted(name for name, path in SCHEMAS.items() if path.is_file())), st.data())
def test_a_statement_that_cannot_be_read_leaves_the_other_tables_as_they_are(name: str, data: st.DataObject) -> None:
    text = text_of(SCHEMAS[name].read_bytes())
    cut = text.find(data.draw(st.sampled_from(["\nDROP TABLE", "\nCREATE TABLE", "\nINSERT INTO"])))
    broken = data.draw(
        st.sampled_from(["CREATE TABLE no.no (a strange);", "ALTER TABLE no.no ADD x;", "CREATE TABLE;"])
    )
    sound = read_sql(SCHEMAS[name], "--schema")
    given = read_script(text[: max(cut, 0)] + "\n" + broken + text[max(cut, 0) :]) if cut > 0 else sound
    assert given.tables == sound.tables


@settings(max_examples=examples(200), deadline=None)
@given(SCRIPTS)
def test_statements_stand_in_the_script_in_order(text: str) -> None:
    found: list[Statement] = []
    with suppress(Broken):
        found.extend(statements(text))
    at = 0
    for number, statement in enumerate(found, 1):
        begin = text.index(statement.text, at)
        assert (number, text.count("\n", 0, begin) + 1) == (statement.number, statement.line)
        at = begin + len(statement.text)


@pytest.mark.parametrize("action", ["MODIFY c{n} bigint", "CHANGE c{n} d{n} bigint", "ADD d{n} int AFTER c{n}"])
def test_the_work_of_an_alteration_grows_no_faster_than_its_actions(action: str) -> None:
    def calls(count: int) -> int:
        columns = ", ".join(f"c{n} int" for n in range(count))
        sql = f"CREATE TABLE s.t ({columns}); ALTER TABLE s.t {', '.join(action.format(n=n) for n in range(count))}"
        made: list[str] = []
        sys.setprofile(lambda frame, event, _: made.append(event))
        try:
            tables_of_sql(sql, "x")
        finally:
            sys.setprofile(None)
        return len(made)

    assert calls(400) < 3 * calls(200)
