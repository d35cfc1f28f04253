"""Literal defaults as the connector's parsers of statements read them.  [DBZ-240, DBZ-241]

The default of a column is an `Expression` with the text of the statement, or a value of the column.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple

from reference_impl.model import Absent, Column, Expression
from reference_impl.upstream.debezium.seen import in_single_quotes
from reference_impl.upstream.debezium.versions import Version

__all__ = ["EPOCH", "Literal", "LiteralKind", "expression_of", "literal_of"]


class LiteralKind(Enum):
    """The kind of literal in which a default was written."""

    QUOTED = auto()
    NUMBER = auto()
    BITS = auto()
    HEX = auto()
    NOW = auto()


@dataclass(frozen=True, slots=True)
class Literal:
    """A literal default: its kind, and its text in the statement without quotes."""

    kind: LiteralKind
    text: str


EPOCH = "1970-01-01 00:00:00"  # the connector's value of CURRENT_TIMESTAMP

_ARGUMENT = r"\s*(?:\(\s*\d*\s*\))?"
_OF_DAY = "curdate|curtime"  # defaults of MariaDB
# Possessive: two quotes are one in a text, and never the end of one text and the beginning of the next.
_STRINGS = r"'(?>[^'\\]|''|\\.)*+'(?>\s*'(?>[^'\\]|''|\\.)*+')*+"
_STRING = re.compile(r"'((?>[^'\\]|''|\\.)*+)'", re.DOTALL)
_TEXT = r"""(?>'(?>[^'\\]|''|\\.)*+'|"(?>[^"\\]|""|\\.)*+")"""
_TEXT_OR_WORD = re.compile(rf"{_TEXT}|\w+", re.DOTALL)
_NUMBER = re.compile(r"[+-]?\s*(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?", re.IGNORECASE)


def _joined(match: re.Match[str]) -> str:
    """The texts of strings one after the other, as if they were one text with quotes in it."""
    return "''".join(_STRING.findall(match[1]))


def _side_by_side(match: re.Match[str]) -> str:
    """Texts in quotes of both kinds: as they are, but without the blanks between them, and quotes around the whole."""
    text = "".join(_TEXT_OR_WORD.findall(match[0]))
    return text[1:-1] if text[0] == text[-1] else text


def _without_blanks(match: re.Match[str]) -> str:
    return match[0].replace(" ", "")


def _verbatim(match: re.Match[str]) -> str:
    """The literal as it is, without the blank before its text."""
    return re.sub(r"\s+(?=['\"])", "", match[0], count=1)


def _hexadecimal(match: re.Match[str]) -> str:
    """The digits. The prefix and one more character are cut off, as if there were quotes.  [DBZ-240]"""
    return match[3] if match[3] is not None else (match[1] or match[2])[:-1]


class _Form(NamedTuple):
    """A form of literals, and how the connector's parser of statements reads it."""

    pattern: re.Pattern[str]
    kind: LiteralKind
    text: Callable[[re.Match[str]], str]
    newer: bool | None  # whether the newer or the older parser reads it so; None: both


def _form(pattern: str, kind: LiteralKind, text: Callable[[re.Match[str]], str], *, newer: bool | None = None) -> _Form:
    return _Form(re.compile(pattern, re.DOTALL | re.IGNORECASE), kind, text, newer)


# The first form of a literal counts.
_FORMS: Sequence[_Form] = (
    _form(rf"(?:current_timestamp|now){_ARGUMENT}", LiteralKind.NOW, lambda _: EPOCH),
    _form(rf"(?:localtime|localtimestamp){_ARGUMENT}", LiteralKind.NOW, lambda _: EPOCH, newer=True),
    _form(rf"(?:localtime|localtimestamp|{_OF_DAY}){_ARGUMENT}", LiteralKind.QUOTED, _without_blanks, newer=False),
    _form(rf"(?:_\w+\s*)?({_STRINGS})", LiteralKind.QUOTED, _joined),
    _form(rf"(?:_\w+\s*|n)?{_TEXT}(?>\s*{_TEXT})++", LiteralKind.QUOTED, _side_by_side, newer=False),
    _form(r'"(.*)"', LiteralKind.QUOTED, lambda match: match[1]),
    _form(r'_\w+\s*".*"', LiteralKind.QUOTED, _verbatim, newer=False),
    _form(rf"n{_STRINGS}", LiteralKind.QUOTED, _verbatim),
    _form(rf"(?:date|time|timestamp)\s*{_STRINGS}", LiteralKind.QUOTED, _verbatim, newer=True),
    _form(r"b'([01]*)'", LiteralKind.BITS, lambda match: match[1]),
    _form(r"_\w+\s*b'([01]*)'", LiteralKind.BITS, lambda match: match[1], newer=True),
    _form(r"(?:_\w+\s*)?(?:0x([0-9a-f]+)|0b([01]+)|x'([0-9a-f]*)')", LiteralKind.HEX, _hexadecimal),
    _form(rf"{_NUMBER.pattern}|true|false", LiteralKind.NUMBER, _without_blanks),
)


def literal_of(column: Column, *, newer_parser: bool = False) -> Literal | None:
    """The literal default of a column, as a parser of statements reads it.

    None without one, for NULL and for an expression.
    """
    default = column.default
    if default is None or isinstance(default, Absent):
        return None
    if not isinstance(default, Expression):
        text = str(default).replace("\\", "\\\\").replace("'", "''")
        return Literal(LiteralKind.QUOTED, text)
    given = in_single_quotes(default.text.strip()) if newer_parser else default.text.strip()
    for form in _FORMS:
        if form.newer in (None, newer_parser) and (match := form.pattern.fullmatch(given)):
            return Literal(form.kind, form.text(match))
    return None


_CHARSET_OF_STRING = re.compile(rf"(_\w+)\s*{_STRINGS}", re.DOTALL)


def expression_of(column: Column, version: Version) -> str | None:
    """`defaultValueExpression` of a column: the literal, where the older parser leaves the charset before a text."""
    default = literal_of(column, newer_parser=version.newer_parser)
    if default is None or (default.kind is LiteralKind.HEX and not version.literal_defaults):
        return None
    given = column.default.text if isinstance(column.default, Expression) else ""
    charset = None if version.newer_parser else _CHARSET_OF_STRING.fullmatch(given.strip())
    return f"{charset[1]}'{default.text}'" if charset else default.text
