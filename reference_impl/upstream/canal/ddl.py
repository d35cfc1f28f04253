"""The `type` of the message that Canal sends for a statement, if it sends one.  [CJ-640 … CJ-654]"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from reference_impl.sql_tokens import split, tokens

__all__ = ["DDL_TYPES", "NO_NAMES", "StatementMessage", "is_table_option", "is_unknown", "message_of"]

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
# The words of attributes may be names, too: behind one of these words, or where none of `_NEXT` follows.
_BEFORE_NAMES = (
    "add after as by change column constraint database drop exists from index key like modify on rename row_format "
    "schema table tables to truncate"
)
_NO_NAME = r"(?<![(,=.])(?<![(,=] )" + "".join(rf"(?<!\b{before} )" for before in _BEFORE_NAMES.split())
_NEXT = r"(?= ?(?:[,)=]|\Z)| (?:not|null|default|comment|unique|primary|key|check|constraint|references|first|after)\b)"
# Where the parser does know VISIBLE and INVISIBLE: among the options of an index, and in an ALTER INDEX that is last.
_INDEX = re.compile(
    r"(\b(?:key|index|unique)\b[^(),]*\((?:[^()]|\([^()]*\))*\)[^(),]*?)\b(?:in)?visible\b"
    rf"|(\balter index {_NAME}) visible\Z",
    re.IGNORECASE,
)
# What may stand before an option of a table. Behind `(`, `.`, AND and OR the same word is the name of a column.
_BEFORE_OPTION = r"(?<![(.])(?<!\band )(?<!\bor )\b"


def _any_of(*patterns: str) -> re.Pattern[str]:
    """The pattern of what one of the patterns matches."""
    return re.compile("|".join(patterns), re.IGNORECASE | re.DOTALL)


# What Canal's parser does not know in statements that would have a message, most of it MariaDB's. Blanks are single.
# [CJ-652]
_UNKNOWN = _any_of(
    # types and attributes of columns
    rf"\s{_TYPES}",
    rf"{_NO_NAME}\b(?:(?:in)?visible|ignored|compressed)\b{_NEXT}",
    r"(?:\)|\b(?:char|character|(?:tiny|medium|long)?text)) (?:ascii|byte|unicode)\b",
    r"\bsrid \d",
    r"\bset (?:in)?visible\b",
    r"\bnext value for\b",
    r"\bserial default value\b",
    r"\bas row (?:start|end)\b",
    r"(?<![(,])(?<![(,] )(?<!\badd )\bconstraint check\b",
    rf"\breferences (?>{_TABLE} ?)(?!\()",
    # options of tables and schemas
    rf"{_BEFORE_OPTION}(?:page_compressed|(?:secondary_)?engine_attribute|sequence|autoextend_size|secondary_engine"
    r"|encrypted|encryption_key_id|ietf_quotes|table_checksum)(?: ?=| \d| ')",
    r"\bsecondary_engine null\b",
    r"\Acreate (?:database|schema) .*\b(?:encryption|comment)\b(?: ?=| ')",
    # versions and periods
    r"\b(?:with|without|drop) system versioning\b",
    r"\bperiod for\b",
    r"\bby system_time\b",
    # forms of statements
    r"\Acreate or replace\b",
    r"\Arename tables\b",
    rf"\Aalter\b.*\bdrop (?:column )?{_NAME} (?:cascade|restrict)\b",
    r"\Aalter\b.*\bdrop check(?! *\()\b",
    r"\A(?:alter|rename)\b.*\bif (?:not )?exists\b",
    r"\bindex if not exists\b",
    r"\bwait \d",
    r"\A(?:(?:alter(?: (?:online|offline|ignore))*|rename|drop(?: temporary)?) tables?(?> if exists)?+"
    rf"|truncate(?> table)?+) {_TABLES} nowait\b",
    rf"\A(?:create|drop)\b[^(]*\bindex\b[^(]* on {_TABLE} nowait\b",
)
# Statements at which the parser fails, too. If it knew them, they would have no message.
_OTHERS = _any_of(
    r"create vector\b",
    r"repair\b",
    rf"alter (?:database|schema)(?! {_NAME} (?:(?:default )?character set|upgrade))\b",
    # accounts and roles
    r"(?:create user\b.*\b(?:comment|password)|alter user\b.*\bidentified with)\b",
    r"(?:create|alter) user\b.*\b(?:account|default role|require|with max\w+)\b",
    r"(?:create|drop) role (?:if\b|.*,)",
    r"set default role\b",
    r"grant (?!.*\bon\b)",
    r"revoke (?:if\b|(?!all\b|.*\bon\b))",
    # other objects
    r"drop sequence if\b",
    r"create (?:or replace sequence|sequence (?:if|.*\bengine))\b",
    r"analyze\b.*\bupdate histogram\b",
    r"alter tablespace\b",
    r"(?:un)?install plugin\b",
    r"create function\b.*\bsoname\b",
    r"create spatial reference\b",
)


def _rules(*rules: tuple[str, str | None]) -> Sequence[tuple[re.Pattern[str], str | None]]:
    return [(re.compile(pattern, re.IGNORECASE), message_type) for pattern, message_type in rules]


# Clauses of ALTER TABLE that it does not know. It knows ALTER INDEX … VISIBLE as the last one.  [CJ-652]
_UNKNOWN_CLAUSE = re.compile(
    r"(?:[^(),]* )?(?:default charset\b|charset ?=)|(?:convert to )?charset\b"
    rf"|alter index {_NAME} visible ?,|secondary_(?:un)?load\b|rename ?=",
    re.IGNORECASE,
)
# Clauses that are options of the table.
_TABLE_OPTION = re.compile(
    r"(?:auto_increment|avg_row_length|checksum|comment|compression|connection|data|delay_key_write|encryption|engine"
    r"|index|insert_method|key_block_size|max_rows|min_rows|pack_keys|password|row_format|stats_auto_recalc"
    r"|stats_persistent|stats_sample_pages|tablespace|union|(?:default )?(?:character set|collate))\b",
    re.IGNORECASE,
)
_ADD = rf"add\s+(?:constraint\s+(?:{_NAME}\s+)?)?"

# The `type` of a clause of ALTER TABLE: the first rule that matches, None if the clause gives no message.  [DV-86]
_CLAUSES = _rules(
    (rf"{_ADD}(?:foreign\s+key|check)\b", None),
    (rf"{_ADD}(?:unique|index|key|fulltext|spatial|primary\s+key)\b", "CINDEX"),
    (r"drop\s+(?:primary|foreign)\s+key\b", "ALTER"),
    (r"drop\s+(?:index|key|constraint)\b", "DINDEX"),
    (r"rename\s+(?:column|index|key)\b", "ALTER"),
    (r"rename\b", "RENAME"),
    (r"(?:remove|upgrade)\s+partitioning\b|partition\s+by\b|\Z", None),
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
_ALTER_VIEW = re.compile(rf"alter\s+(?!view\b){_VIEW}", re.IGNORECASE)  # as a server logs it, with its attributes


def is_unknown(type_text: str) -> bool:
    """Whether Canal's parser fails at a type, so that Canal queries the server for the table.  [DV-12]"""
    return _UNKNOWN_TYPE.match(type_text) is not None


def is_table_option(clause: str) -> bool:
    """Whether a clause of ALTER TABLE is an option of the table."""
    return _TABLE_OPTION.match(clause) is not None


@lru_cache(maxsize=1024)
def message_of(query: str) -> StatementMessage | None:
    """The message of a statement; None for a statement without a rule.

    Canal sends no message when a view is created or dropped, nor about routines, triggers, events and users.
    """
    text = _QUOTED_OR_COMMENT.sub(lambda match: match[1] or " ", query).strip()
    if _ALTER_VIEW.match(text):
        return NO_NAMES
    bare = " ".join(_QUOTED_OR_COMMENT.sub(_emptied, text).split())
    altered = _ALTER.match(bare)
    clauses = _clauses(altered[1]) if altered else []
    message_type = _type_of_clauses(clauses) if altered else _type_of(_STATEMENTS, bare)
    if _OTHERS.match(bare) or any(map(_UNKNOWN_CLAUSE.match, clauses)):
        return NO_NAMES
    if (altered or message_type) and _UNKNOWN.search(_INDEX.sub(r"\1\2", bare)):
        return NO_NAMES
    return StatementMessage(message_type) if message_type else None


def _emptied(quoted: re.Match[str]) -> str:
    """A name for a quoted name, a string for a string."""
    return "`_`" if quoted[0][0] == "`" else "'_'"


def _clauses(text: str) -> Sequence[str]:
    """The texts from the beginning of each clause of an ALTER TABLE to the end."""
    return [text[clause[0].start :] for clause in split(tokens(text), ",") if clause] or [""]


def _type_of_clauses(clauses: Sequence[str]) -> str | None:
    """The `type` of an ALTER TABLE: that of its first clause that has one, None if none has.

    Options of the table come before all other clauses; beside a lone RENAME, they have no message.
    """
    others = [clause for clause in clauses if not is_table_option(clause)]
    types = [_type_of(_CLAUSES, clause) for clause in others]
    if len(others) < len(clauses) and types != ["RENAME"]:
        return "ALTER"
    return next(filter(None, types), None)


def _type_of(rules: Sequence[tuple[re.Pattern[str], str | None]], text: str) -> str | None:
    """The `type` by the first rule that matches the beginning of a text, None for no message."""
    return next((message_type for pattern, message_type in rules if pattern.match(text)), None)
