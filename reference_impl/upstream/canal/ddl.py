"""The `type` of the message that Canal sends for a statement, if it sends one.  [CJ-640 … CJ-654]"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["DDL_TYPES", "NO_NAMES", "StatementMessage", "is_unknown", "message_of"]

DDL_TYPES = frozenset({"CREATE", "ERASE", "TRUNCATE", "RENAME", "CINDEX", "DINDEX", "ALTER", "QUERY"})


@dataclass(frozen=True, slots=True)
class StatementMessage:
    """The message of a statement."""

    type: str
    named: bool = True  # whether `database` and `table` have the names of the statement; otherwise both are empty


# The message of a statement that Canal's parser cannot parse.  [CJ-652]
NO_NAMES = StatementMessage("QUERY", named=False)

_QUOTED = r"""'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|`(?:[^`]|``)*`"""
_COMMENT = r"/\*.*?\*/|(?:--\s|#)[^\n]*"
_QUOTED_OR_COMMENT = re.compile(f"({_QUOTED})|{_COMMENT}", re.DOTALL)
_NAME = r"(?:`(?:[^`]|``)+`|[^\s`.,;()=]+)"
_TABLE = rf"{_NAME}(?:\s*\.\s*{_NAME})?"

# Types of more than one word that Canal's parser does not know.  [DV-12]
_TYPES = (
    r"(?:(?:national\s+)?char\s+varying|national\s+(?:character|varcharacter)"
    r"|nchar\s+(?:varchar|varying)|long\s+(?:var)?(?:char|character|binary))\b"
)
_UNKNOWN_TYPE = re.compile(rf"\s*{_TYPES}", re.IGNORECASE)
_TABLES = rf"(?:{_TABLE}(?:\s+to\s+{_TABLE})?\s*,\s*)*{_TABLE}"
# An attribute stands behind its column. A word behind one of these, or before others than those, is a name.
_BEFORE_NAMES = r"\( , = add column change modify drop to after index key table row_format"
_NO_NAME = "".join(rf"(?<!{before} )" for before in _BEFORE_NAMES.split())
_NEXT = r"(?= ?(?:[,)=]|\Z)| (?:not|null|default|comment|unique|primary|key|check|constraint|references|first|after)\b)"
# An index with options: those words are known behind it.
_INDEX = re.compile(r"(\b(?:key|index|unique)\b[^(),]*\((?:[^()]|\([^()]*\))*\)[^(),]*?)\binvisible\b", re.IGNORECASE)
# Column attributes, types and forms of statements, most of them MariaDB's, that Canal's parser does not know.  [CJ-652]
_UNKNOWN = re.compile(
    rf"{_NO_NAME}(?<![(,=])\b(?:invisible|ignored|compressed)\b{_NEXT}|\bset (?:in)?visible\b"
    r"|(?:\)|\b(?:char|character|(?:tiny|medium|long)?text)) (?:ascii|byte|unicode)\b"
    r"|\b(?:with|without|drop) system versioning\b|\bperiod for\b|\bby system_time\b"
    r"|\b(?:page_compressed|sequence ?=|next value for)\b|\b(?:secondary_)?engine_attribute(?: ?=| `)"
    r"|\bautoextend_size ?=|\bsecondary_engine(?: ?=| null)|[ ,]secondary_(?:un)?load(?:\Z|,)"
    r"|\Aalter\b.*\bdrop check(?! *\()\b|\Aalter table \S+ rename ?="
    r"|\Acreate (?:database|schema) .*\b(?:encryption|comment)\b(?: ?=| `)"
    rf"|\bsrid\s+\d|\s{_TYPES}|\Acreate\s+or\s+replace\b|\Arename\s+tables\b|\bwait\s+\d"
    r"|\A(?:(?:alter(?:\s+(?:online|offline|ignore))*|rename|drop(?:\s+temporary)?)\s+tables?(?>\s+if\s+exists)?+"
    rf"|truncate(?>\s+table)?+)\s+{_TABLES}\s+nowait\b"
    rf"|\A(?:create|drop)\b[^(]*\bindex\b[^(]*\son\s+{_TABLE}\s+nowait\b"
    r"|\A(?:alter|rename)\b.*\bif\s+(?:not\s+)?exists\b|\bindex\s+if\s+not\s+exists\b",
    re.IGNORECASE | re.DOTALL,
)
# Statements without a type that it does not know either.
_OTHERS = re.compile(
    rf"(?:create vector|repair|alter (?:database|schema)(?! {_NAME} (?:(?:default )?character set|upgrade)))\b",
    re.IGNORECASE,
)


def _rules(*rules: tuple[str, str | None]) -> Sequence[tuple[re.Pattern[str], str | None]]:
    return [(re.compile(pattern, re.IGNORECASE), message_type) for pattern, message_type in rules]


_ADD = rf"add\s+(?:constraint\s+(?:{_NAME}\s+)?)?"

# The `type` of an ALTER TABLE by its first clause: the first rule that matches, None for no message.  [DV-86]
_CLAUSES = _rules(
    (rf"{_ADD}(?:foreign\s+key|check)\b", None),
    (rf"{_ADD}(?:unique|index|key|fulltext|spatial|primary\s+key)\b", "CINDEX"),
    (r"drop\s+(?:primary|foreign)\s+key\b", "ALTER"),
    (r"drop\s+(?:index|key|constraint)\b", "DINDEX"),
    (r"rename\s+(?:column|index|key)\b", "ALTER"),
    (r"rename\b", "RENAME"),
    (r"remove\s+partitioning\b|partition\s+by\b|\Z", None),
    (r"", "ALTER"),
)

_VIEW = r"(?:or\s+replace\s+)?(?:(?:algorithm|definer)\s*=\s*\S+\s+|sql\s+security\s+\w+\s+)*view\b"
_CREATE = r"create\s+(?:or\s+replace\s+)?"
_STATEMENTS = _rules(
    (rf"{_CREATE}(?:temporary\s+)?table\b", "CREATE"),
    (r"drop\s+(?:temporary\s+)?tables?\b", "ERASE"),
    (r"truncate\b", "TRUNCATE"),
    (r"rename\s+tables?\b", "RENAME"),
    (rf"{_CREATE}(?:(?:unique|fulltext|spatial|online|offline)\s+)*index\b", "CINDEX"),
    (r"drop\s+index\b", "DINDEX"),
    (rf"(?:{_CREATE}|drop\s+)(?:database|schema)\b", "QUERY"),
)
_ALTER = re.compile(rf"alter\s+(?:online\s+|offline\s+|ignore\s+)*table\s+{_TABLE}\s*(.*)", re.IGNORECASE | re.DOTALL)
_ALTER_VIEW = re.compile(rf"alter\s+{_VIEW}", re.IGNORECASE)


def is_unknown(type_text: str) -> bool:
    """Whether Canal's parser fails at a type, so that Canal queries the server for the table.  [DV-12]"""
    return _UNKNOWN_TYPE.match(type_text) is not None


def message_of(query: str) -> StatementMessage | None:
    """The message of a statement; None for a statement without a rule.

    Canal sends no message when a view is created or dropped, nor about routines, triggers, events and users.
    """
    text = _QUOTED_OR_COMMENT.sub(lambda match: match[1] or " ", query).strip()
    if _ALTER_VIEW.match(text):
        return NO_NAMES
    altered = _ALTER.match(text)
    message_type = _type_of(_CLAUSES, altered[1]) if altered else _type_of(_STATEMENTS, text)
    bare = " ".join(_QUOTED_OR_COMMENT.sub("`_`", text).split())
    if _OTHERS.match(bare) or ((altered or message_type) and _UNKNOWN.search(_INDEX.sub(r"\1", bare))):
        return NO_NAMES
    return StatementMessage(message_type) if message_type else None


def _type_of(rules: Sequence[tuple[re.Pattern[str], str | None]], text: str) -> str | None:
    """The `type` by the first rule that matches the beginning of a text, None for no message."""
    return next((message_type for pattern, message_type in rules if pattern.match(text)), None)
