"""Statements at which Canal's parser fails: what it does not know, most of it MariaDB's.  [CJ-652]

The patterns read statements without comments, in which blanks are single, quoted names are `_` in back quotes, and
strings are '_'. So a word in a pattern may be a name only where that name has no quotes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["NAME", "TABLE", "is_unknown_type", "is_unparsed"]

NAME = r"(?:`(?:[^`]|``)+`|[^\s`.,;()=]+)"
TABLE = rf"{NAME}(?:\s*\.\s*{NAME})?"
_TABLES = rf"(?:{TABLE}(?:\s+to\s+{TABLE})?\s*,\s*)*{TABLE}"  # also those of RENAME: `a TO b, c TO d`


def _any_of(*patterns: str) -> re.Pattern[str]:
    """The pattern of what one of the patterns matches."""
    return re.compile("|".join(patterns), re.IGNORECASE | re.DOTALL)


# -- types and attributes of columns -----------------------------------------------------------------------------------

# Types of more than one word that Canal's parser does not know.  [DV-12]
_TYPES = (
    r"(?:(?:national\s+)?char\s+varying|national\s+(?:character|varcharacter)"
    r"|nchar\s+(?:varchar|varying)|long\s+(?:var)?(?:char|character|binary))\b"
)
_UNKNOWN_TYPE = re.compile(rf"\s*{_TYPES}", re.IGNORECASE)
# VISIBLE, IGNORED and COMPRESSED are attributes of a column or names, as in `ADD visible INT` and `(ignored INT)`. A
# name stands behind one of these words or marks, or before something else than `_NEXT`.
_BEFORE_NAMES = (
    "add after as by change column constraint database drop exists from index key like modify on rename row_format "
    "schema table tables to truncate"
)
_NO_NAME = r"(?<![(,=.])(?<![(,=] )" + "".join(rf"(?<!\b{before} )" for before in _BEFORE_NAMES.split())
_NEXT = r"(?= ?(?:[,)=]|\Z)| (?:not|null|default|comment|unique|primary|key|check|constraint|references|first|after)\b)"
# Where the parser does know VISIBLE and INVISIBLE: `KEY k (a) VISIBLE`, and an `ALTER INDEX k VISIBLE` that is last.
_INDEX = re.compile(
    r"(\b(?:key|index|unique)\b[^(),]*\((?:[^()]|\([^()]*\))*\)[^(),]*?)\b(?:in)?visible\b"
    rf"|(\balter index {NAME}) visible\Z",
    re.IGNORECASE,
)
# Before the word of a table's option; behind `(`, `.`, AND and OR, as in `CHECK (sequence = 1)`, it is a column's name.
_BEFORE_OPTION = r"(?<![(.])(?<!\band )(?<!\bor )\b"


# -- whole statements --------------------------------------------------------------------------------------------------

# In statements about tables, schemas and indexes, which would have a message if the parser knew them.
_IN_DEFINITIONS = _any_of(
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
    rf"\breferences (?>{TABLE} ?)(?!\()",
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
    rf"\Aalter\b.*\bdrop (?:column )?{NAME} (?:cascade|restrict)\b",
    r"\Aalter\b.*\bdrop check(?! *\()\b",
    r"\A(?:alter|rename)\b.*\bif (?:not )?exists\b",
    r"\bindex if not exists\b",
    r"\bwait \d",
    r"\A(?:(?:alter(?: (?:online|offline|ignore))*|rename|drop(?: temporary)?) tables?(?> if exists)?+"
    rf"|truncate(?> table)?+) {_TABLES} nowait\b",
    rf"\A(?:create|drop)\b[^(]*\bindex\b[^(]* on {TABLE} nowait\b",
)
# The beginnings of statements that would have no message if the parser knew them.
_OTHER_STATEMENTS = _any_of(
    r"create vector\b",
    r"repair\b",
    rf"alter (?:database|schema)(?! {NAME} (?:(?:default )?character set|upgrade))\b",
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
# Clauses of ALTER TABLE, each with all that follows it: ALTER INDEX … VISIBLE is known as the last one.
_UNKNOWN_CLAUSE = re.compile(
    r"(?:[^(),]* )?(?:default charset\b|charset ?=)|(?:convert to )?charset\b"
    rf"|alter index {NAME} visible ?,|secondary_(?:un)?load\b|rename ?=",
    re.IGNORECASE,
)


def is_unknown_type(type_text: str) -> bool:
    """Whether Canal's parser fails at a type, so that Canal queries the server for the table.  [DV-12]"""
    return _UNKNOWN_TYPE.match(type_text) is not None


def is_unparsed(bare: str, clauses: Sequence[str], *, is_definition: bool) -> bool:
    """Whether the parser fails at a statement, whose message then has no names.

    `clauses` are those of an ALTER TABLE, each with all that follows it. `is_definition` says that the statement would
    have a message if the parser knew it.
    """
    if _OTHER_STATEMENTS.match(bare) or any(map(_UNKNOWN_CLAUSE.match, clauses)):
        return True
    return is_definition and _IN_DEFINITIONS.search(_INDEX.sub(r"\1\2", bare)) is not None
