"""Statements that the connector's parser cannot parse: they change no table that it knows.  [DBZ-350]"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from itertools import pairwise

from reference_impl.sql_tokens import Kind, Token
from reference_impl.upstream.debezium.versions import Version

__all__ = ["is_unknown"]

_TABLE = r"\S+(?: \. \S+)?"
_TABLES = rf"{_TABLE}(?: , {_TABLE})*"
_IF = r"IF (?:NOT )?EXISTS\b"
_WAIT = r"(?:WAIT \d+|NOWAIT)\b"
_INDEX = r"(?:UNIQUE )?INDEX"
_NOW = r"(?:NOW|CURRENT_TIMESTAMP|LOCALTIME|LOCALTIMESTAMP)\b"

# No version knows these forms of MariaDB's.
_UNKNOWN = re.compile(
    rf"RENAME TABLES? {_IF}"
    rf"|ALTER .*\b(?:RENAME|ALTER)(?: COLUMN| KEY| INDEX)? {_IF}"
    rf"|ALTER .*\b(?:(?:UNIQUE|PRIMARY) (?:KEY|INDEX)|ADD CONSTRAINT) {_IF}"
    rf"|CREATE .*\b{_INDEX} .*\bON {_TABLE} {_WAIT}"
    r"|(?:CREATE|ALTER) .*\b(?:PERIOD FOR|WITHOUT OVERLAPS|BY SYSTEM_TIME|(?:ADD|DROP) SYSTEM VERSIONING)\b"
    r"|ALTER .*\bALTER (?:KEY|INDEX) \S+ (?:NOT )?IGNORED\b"
    r"|(?:CREATE|ALTER) .*(?:\bDEFAULT NEXT VALUE FOR\b|\) SEQUENCE (?:= )?\d)"
)
# Versions with the grammar of MySQL alone know none of these either.
_OF_MARIADB = re.compile(
    rf"CREATE OR REPLACE (?:(?:TEMPORARY )?TABLE|{_INDEX})\b"
    rf"|(?:ALTER|CREATE {_INDEX}|DROP INDEX)\b.* {_IF}"
    r"|ALTER (?:ONLINE )?IGNORE\b"
    rf"|ALTER (?:ONLINE )?TABLE {_TABLE} {_WAIT}"
    rf"|RENAME TABLES? {_TABLE} {_WAIT}"
    rf"|(?:DROP TABLES?(?: IF EXISTS)?|TRUNCATE(?: TABLE)?) {_TABLES} {_WAIT}"
    rf"|(?:CREATE {_INDEX}|DROP INDEX)\b.* {_WAIT}"
    r"|(?:CREATE|ALTER) .*(?:\bWITH SYSTEM VERSIONING|\) (?:NOT )?IGNORED)\b"
    r"|(?:CREATE|ALTER) .*\b(?:PAGE_COMPRESSED|PAGE_COMPRESSION_LEVEL|PAGE_CHECKSUM|ENCRYPTION_KEY_ID|TRANSACTIONAL)"
    r" (?:= )?\d"
    # The default of a column may be a call without parentheses around it.
    rf"|(?:CREATE|ALTER) .*\bDEFAULT (?:(?!{_NOW})[A-Z]\w* \(|CUR(?:RENT_?)?(?:DATE|TIME|USER)\b)"
    rf"|ALTER .*\bSET DEFAULT {_NOW}"
)
# What only the newer parser knows of MySQL, but for the definitions of columns.
_OF_NEWER_PARSER = re.compile(
    rf"ALTER TABLE {_TABLE} SECONDARY_(?:UN)?LOAD\b|(?:CREATE|ALTER) TABLE .*\bAUTOEXTEND_SIZE (?:= )?\d"
    r"|(?:CREATE|ALTER) TABLE .*\b(?:SECONDARY_ENGINE = NULL|ROW_FORMAT (?:= )?PAGE)\b"
    r"|(?:CREATE|ALTER) TABLE .*\b(?:PAGE_COMPRESSED|TRANSACTIONAL) = \D"
    r"|ALTER TABLE .*\b(?:CONVERT TO CHAR SET|ALTER CONSTRAINT|ADD PARTITION PARTITIONS)\b"
    r"|(?:CREATE|ALTER) TABLE .*\bTABLE_CHECKSUM (?:= )?\d"
)
_PLURAL = re.compile(r"(?:DROP(?: TEMPORARY)?|RENAME) TABLES\b")
_OPTION_OF_ENGINE = re.compile(
    r"(?:CREATE|ALTER) TABLE .*(?:\bSECONDARY_ENGINE =|\) SECONDARY_ENGINE [A-Z_])"
    rf"|ALTER TABLE {_TABLE} SECONDARY_ENGINE [A-Z_]"
)


def is_unknown(statement: Sequence[Token], version: Version) -> bool:
    """Whether the parser of the version fails at a statement.

    This concerns what MariaDB adds to MySQL, some newer words of MySQL, and names that should have been in quotes.
    """
    texts = ["_" if piece.kind in (Kind.NAME, Kind.STRING) else piece.text.upper() for piece in statement]
    words = " ".join(texts)
    of_version = (
        (version.mariadb_grammar, _OF_MARIADB),
        (version.newer_parser, _OF_NEWER_PARSER),
        (version.plural_tables, _PLURAL),
        (version.secondary_engines, _OPTION_OF_ENGINE),
    )
    return (
        bool(_UNKNOWN.match(words))
        or any(not known and pattern.match(words) for known, pattern in of_version)
        or (version.newer_parser and _has_distant_call(statement))
        or (not version.reserved.isdisjoint(texts) and _has_reserved_name(statement, version.reserved))
        or (version.newer_parser and _has_text_for_name(statement))
    )


# Behind one of these words a name may follow; within parentheses also behind `(` and `,`, unless it is called.
_BEFORE_NAMES = frozenset(
    {
        *("ADD", "AFTER", "ALTER", "CHANGE", "COLUMN", "CONSTRAINT", "DATABASE", "DROP", "EXISTS", "INDEX", "KEY"),
        *("MODIFY", "ON", "PARTITION", "REFERENCES", "RENAME", "SCHEMA", "TABLE", "TO"),
    }
)


def _has_reserved_name(statement: Sequence[Token], reserved: Set[str]) -> bool:
    """Whether a name without quotes is a word that the parser does not take for a name; behind a point it is one."""
    depth = 0
    for before, piece, after in zip(statement[1:], statement[2:], [*statement[3:], None], strict=False):
        depth += before.is_mark("(") - before.is_mark(")")
        if piece.word in reserved:
            is_called = after is not None and after.is_mark("(")
            if before.word in _BEFORE_NAMES or (depth and not is_called and before.text in ("(", ",")):
                return True
    return False


def _has_text_for_name(statement: Sequence[Token]) -> bool:
    """Whether a name is in double quotes, as ANSI_QUOTES allows: the newer parser makes a text of it."""
    pairs = pairwise(statement)
    return any(piece.kind is Kind.STRING and before.word in _BEFORE_NAMES for before, piece in pairs)


def _has_distant_call(statement: Sequence[Token]) -> bool:
    """Whether a blank stands before the parenthesis of `DEFAULT NOW ()`: servers take it with IGNORE_SPACE."""
    triples = zip(statement, statement[1:], statement[2:], strict=False)
    return any(
        before.word in ("DEFAULT", "UPDATE") and word.word == "NOW" and mark.is_mark("(") and word.end < mark.start
        for before, word, mark in triples
    )
