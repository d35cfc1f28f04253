"""What is read of SQL without its grammar."""

from __future__ import annotations

import pytest

from reference_impl.sql_tokens import Kind, TableName, inside, skip, split, statements, table_name, tokens

WORD, NAME, STRING, MARK = Kind


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("drop table a; drop table b;", ["drop table a", "drop table b"]),
        (
            "create table a (x decimal(5,2), y int); drop table a",
            ["create table a (x decimal(5,2), y int)", "drop table a"],
        ),
        ("insert into a values (';', ((1)));select 1", ["insert into a values (';', ((1)))", "select 1"]),
        (" ; ;", []),
        ("/* ; */ a -- ; b\n c # ; d\n;e", ["a -- ; b\n c", "e"]),
        ("(a;b);c", ["(a;b)", "c"]),
        ("`;`; \";\"; ';'", ["`;`", '";"', "';'"]),
    ],
)
def test_statements_end_at_semicolons_outside_parentheses_and_texts(text: str, found: list[str]) -> None:
    assert statements(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("a1 _b $c é", [(WORD, "a1"), (WORD, "_b"), (WORD, "$c"), (WORD, "é")]),
        ("a.b,(c)", [(WORD, "a"), (MARK, "."), (WORD, "b"), (MARK, ","), (MARK, "("), (WORD, "c"), (MARK, ")")]),
        ("`a b`", [(NAME, "a b")]),
        ("`a``b`", [(NAME, "a`b")]),
        (r"`a\n`", [(NAME, r"a\n")]),
        ("``", [(NAME, "")]),
        ("'it''s'", [(STRING, "it's")]),
        ('"a""b"', [(STRING, 'a"b')]),
        ("'a\"b' \"c'd\"", [(STRING, 'a"b'), (STRING, "c'd")]),
        (r"'a\'b' c", [(STRING, "a'b"), (WORD, "c")]),
        (r'"a\"b" c', [(STRING, 'a"b'), (WORD, "c")]),
        # The escapes of MySQL's manual; a backslash before anything else is left out.
        (r"'\0\b\n\r\t\Z'", [(STRING, "\0\b\n\r\t\x1a")]),
        (r"'\\\q\'\"'", [(STRING, "\\q'\"")]),
        (r"'a\%b\_'", [(STRING, r"a\%b\_")]),
        ("'\\\n'", [(STRING, "\n")]),
        ("'a\nb'", [(STRING, "a\nb")]),
        ("'open", [(MARK, "'"), (WORD, "open")]),
        # Comments go to the end of a line, or to their end; two dashes alone begin one only before a blank.
        ("a -- b\nc", [(WORD, "a"), (WORD, "c")]),
        ("a --", [(WORD, "a")]),
        ("1--2", [(WORD, "1"), (MARK, "-"), (MARK, "-"), (WORD, "2")]),
        ("a # b\nc", [(WORD, "a"), (WORD, "c")]),
        ("a /* b\n */ c /* d */", [(WORD, "a"), (WORD, "c")]),
        ("a /*! b */ c", [(WORD, "a"), (WORD, "b"), (WORD, "c")]),
        ("a /*!50100 b */ c", [(WORD, "a"), (WORD, "b"), (WORD, "c")]),
        ("a /*T! b */ c", [(WORD, "a"), (WORD, "b"), (WORD, "c")]),
        ("a /*T![auto_rand] b */ c", [(WORD, "a"), (WORD, "b"), (WORD, "c")]),
        ("a /*+ b */ c", [(WORD, "a"), (WORD, "c")]),
    ],
)
def test_a_statement_consists_of_words_names_texts_and_marks(text: str, found: list[tuple[Kind, str]]) -> None:
    assert [(piece.kind, piece.text) for piece in tokens(text)] == found


def test_a_token_says_where_it_stands() -> None:
    text = "drop `a``b` , 'x'"
    assert [text[piece.start : piece.end] for piece in tokens(text)] == ["drop", "`a``b`", ",", "'x'"]


def test_only_a_bare_word_is_a_word_and_only_a_mark_marks() -> None:
    assert [piece.word for piece in tokens("Drop `Drop` 'Drop' ,")] == ["DROP", "", "", ""]
    assert [piece.is_mark(",") for piece in tokens(", . ',' `,` a")] == [True, False, False, False, False]


def texts(pieces: object) -> list[str]:
    return [piece.text for piece in pieces]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", [[]]), ("a", [["a"]]), ("a, b c, d", [["a"], ["b", "c"], ["d"]]), (",", [[], []]),
        ("a (b, c), d", [["a", "(", "b", ",", "c", ")"], ["d"]]),
        ("((a, b), c), d", [["(", "(", "a", ",", "b", ")", ",", "c", ")"], ["d"]]),
        ("a ',' b; c", [["a", ",", "b", ";", "c"]]),
    ],
)  # fmt: skip
def test_a_mark_parts_what_is_outside_of_parentheses(text: str, parts: list[list[str]]) -> None:
    assert [texts(part) for part in split(tokens(text), ",")] == parts


@pytest.mark.parametrize(
    ("text", "words", "left"),
    [
        ("if not exists t", ("IF", "NOT", "EXISTS"), ["t"]),
        ("if exists t", ("IF", "NOT", "EXISTS"), ["t"]),
        ("exists if t", ("IF", "EXISTS"), ["if", "t"]),
        ("`if` t", ("IF",), ["if", "t"]),
        ("t", ("IF",), ["t"]),
        ("if if", ("IF",), ["if"]),
        ("if", ("IF", "NOT"), []),
        ("", ("IF",), []),
    ],
)
def test_leading_words_are_optional_and_in_their_order(text: str, words: tuple[str, ...], left: list[str]) -> None:
    assert texts(skip(tokens(text), *words)) == left


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("(a, b) c", ["a", ",", "b"]),
        ("(a (b) (c)) d (e)", ["a", "(", "b", ")", "(", "c", ")"]),
        ("() a", []),
        ("(a", ["a"]),
        ("(a (b)", ["a", "(", "b", ")"]),
        ("(')') b", [")"]),
    ],
)
def test_what_is_inside_of_the_leading_parentheses(text: str, left: list[str]) -> None:
    assert texts(inside(tokens(text))) == left


@pytest.mark.parametrize(
    ("text", "name", "left"),
    [
        ("t", TableName(None, "t"), []),
        ("t add c", TableName(None, "t"), ["add", "c"]),
        ("s.t", TableName("s", "t"), []),
        ("s.t add c", TableName("s", "t"), ["add", "c"]),
        ("`s`.`t` (c)", TableName("s", "t"), ["(", "c", ")"]),
        ("t.", TableName(None, "t"), ["."]),
        ("t, s.u", TableName(None, "t"), [",", "s", ".", "u"]),
        ("", None, []),
        ("(t)", None, ["(", "t", ")"]),
    ],
)
def test_a_table_has_the_name_of_its_schema_or_none(text: str, name: TableName | None, left: list[str]) -> None:
    found, rest = table_name(tokens(text))
    assert (found, texts(rest)) == (name, left)
