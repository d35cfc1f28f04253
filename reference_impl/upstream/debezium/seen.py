"""Statements as the connector's parsers see them, which decides the text in their records.  [DBZ-350]"""

from __future__ import annotations

import re
from collections.abc import Sequence

from reference_impl.sql_tokens import Token, tokens
from reference_impl.upstream.debezium.versions import Version

__all__ = ["in_single_quotes", "seen"]

_PIECE = re.compile(
    r"""
      `(?:[^`]|``)*` | '(?:[^'\\]|''|\\.)*' | (?:--(?=\s)|\#)[^\n]*
    | (?P<double> "(?:[^"\\]|""|\\.)*" )
    | /\*!(?P<release> \d*) .*? \*/ | (?P<comment> /\*.*?\*/ )
    """,
    re.VERBOSE | re.DOTALL,
)


def in_single_quotes(sql: str) -> str:
    """The text with single quotes in place of double ones, as the newer parser reads it."""

    def requoted(match: re.Match[str]) -> str:
        return match[0] if match["double"] is None else "'" + match[0][1:-1].replace("'", "''") + "'"

    return _PIECE.sub(requoted, sql)


def seen(sql: str, version: Version) -> tuple[str, Sequence[Token]]:
    """The text of a statement from its first to its last token, and the tokens.

    The older parser takes executable comments for comments, the newer one those of later releases.
    """

    def blanked(match: re.Match[str]) -> str:
        is_hidden = match["comment"] is not None or (
            match["release"] is not None and int(match["release"] or 0) > version.executed_release
        )
        return " " * len(match[0]) if is_hidden else match[0]

    text = in_single_quotes(sql) if version.newer_parser else sql
    visible = _PIECE.sub(blanked, text)
    pieces = tokens(visible)
    while pieces and pieces[-1].is_mark(";"):
        pieces.pop()
    if not pieces:
        return "", pieces
    start, end = pieces[0].start, pieces[-1].end
    if start:  # the places of the tokens are those in the returned text
        pieces = tokens(visible[start:end])
    return text[start:end], pieces
