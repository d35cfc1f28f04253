"""Cuts a script into statements as the client of the database does: by `;`, or by the word after DELIMITER.

A statement keeps its comments. Rows of a dump are skipped by a regular expression, and never parsed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from reference_impl.sql_tokens import unquoted_name

__all__ = ["Broken", "Statement", "database_of_header", "statements"]


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of a script: its text, its number from 1 on, the line on which it begins, and its first word."""

    text: str
    number: int
    line: int
    word: str


class Broken(Exception):
    """The rest of the script is unreadable: the statement where that begins, and the reason."""

    def __init__(self, statement: Statement, why: str) -> None:
        super().__init__(why)
        self.statement, self.why = statement, why


# Not a comment is what begins with `/*!` or TiDB's `/*T!`, unless it is for release 99999: see `sql_tokens`.
_COMMENT = r"/\*(?!T?!(?!99999))(?>[^*]++|\*(?!/))*+\*/"
_TO_END_OF_LINE = r"\#[^\n]*+ | --(?=\s|\Z)[^\n]*+"
# Between statements; an executable comment is opened there, and is part of the statement.
_BETWEEN = re.compile(rf"(?> \s++ | {_TO_END_OF_LINE} | {_COMMENT} )*+", re.VERBOSE)
_OPENED = re.compile(r"(?>/\*T?!(?!99999)(?>\[[^\]]*+\])?[0-9]*+\s*+)*+")
_WORD = re.compile(r"[A-Za-z_]++")
# Commands of the client end with their line.
_DELIMITER = re.compile(r"DELIMITER[ \t]++(\S++)[^\n]*+", re.IGNORECASE)
_USE = re.compile(r"(USE[ \t]++(?:`(?>[^`\n]++|``)++`|[^\s;`]++))[ \t]*+(?=\r?\n|\Z)", re.IGNORECASE)
_HEADER = re.compile(
    r"^--[ \t]+(?:Host:.*?[ \t])?Database:[ \t]*+(`(?>[^`\n]++|``)++`|[^\s`]++)[ \t]*\r?$", re.MULTILINE
)
_HEADER_SIZE = 4096


@cache
def _body(delimiter: str) -> re.Pattern[str]:
    """A statement up to its delimiter, or to a quote or comment that is never closed."""
    end, first = re.escape(delimiter), re.escape(delimiter[0])
    return re.compile(
        rf"""(?>
            [^'"`\#/\-{first}]++
          | (?!{end}) (?:
                '(?>[^'\\]++|''|\\.)*+' | "(?>[^"\\]++|""|\\.)*+" | `(?>[^`]++|``)*+`
              | {_TO_END_OF_LINE} | {_COMMENT}
              | -(?!-(?:\s|\Z)) | /(?!\*(?!T?!(?!99999))) | (?!['"`\#/\-]){first}
            )
        )*+""",
        re.VERBOSE | re.DOTALL,
    )


_OPENERS = {"'": "the quote ' is never closed", '"': 'the quote " is never closed', "`": "the quote ` is never closed"}


def statements(text: str) -> Iterator[Statement]:
    """The statements of a script in order. Raises `Broken` for a quote or a comment that is never closed."""
    delimiter, number, at, line, counted = ";", 0, 0, 1, 0
    while True:
        begin = _end(_BETWEEN, text, at)
        if begin >= len(text):
            return
        if text.startswith(delimiter, begin):
            at = begin + len(delimiter)
            continue
        line, counted = line + text.count("\n", counted, begin), begin
        if command := _DELIMITER.match(text, begin):
            delimiter, at = command[1], command.end()
            continue
        use = _USE.match(text, begin)
        end = use.end(1) if use else _end(_body(delimiter), text, begin)
        number += 1
        found = Statement(text[begin:end].rstrip(), number, line, _first_word(text, begin))
        if use is None and end < len(text) and not text.startswith(delimiter, end):
            opened = line + text.count("\n", begin, end)
            why = _OPENERS.get(text[end], "the comment /* is never closed")
            raise Broken(found, f"{why} (it opens on line {opened:,}): nothing behind it can be read")
        yield found
        at = end if use else end + len(delimiter)


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def _first_word(text: str, begin: int) -> str:
    at = begin
    while (then := _end(_BETWEEN, text, _end(_OPENED, text, at))) != at:
        at = then
    word = _WORD.match(text, at)
    return word[0].upper() if word else ""


def database_of_header(text: str) -> str | None:
    """The database in the comment at the head of a dump, or None."""
    found = _HEADER.search(text[:_HEADER_SIZE])
    return unquoted_name(found[1]) if found else None
