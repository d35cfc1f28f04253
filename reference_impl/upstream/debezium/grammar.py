"""Statements that the connector's parser cannot parse: they change no table that it knows.  [DBZ-350]"""

from __future__ import annotations

import re
from collections.abc import Sequence

from reference_impl.sql_tokens import Kind, Token
from reference_impl.upstream.debezium.versions import Version

__all__ = ["is_unknown"]

_TABLE = r"\S+(?: \. \S+)?"
_TABLES = rf"{_TABLE}(?: , {_TABLE})*"
_IF = r"IF (?:NOT )?EXISTS\b"
_WAIT = r"(?:WAIT \d+|NOWAIT)\b"
_INDEX = r"(?:UNIQUE )?INDEX"

# No version knows these forms of MariaDB's.
_UNKNOWN = re.compile(
    rf"RENAME TABLES? {_IF}"
    rf"|ALTER .*\b(?:RENAME|ALTER)(?: COLUMN| KEY| INDEX)? {_IF}"
    rf"|ALTER .*\b(?:(?:UNIQUE|PRIMARY) (?:KEY|INDEX)|ADD CONSTRAINT) {_IF}"
    rf"|CREATE .*\b{_INDEX} .*\bON {_TABLE} {_WAIT}"
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
)
# What only the newer parser knows of MySQL, but for the definitions of columns.
_OF_NEWER_PARSER = re.compile(
    rf"ALTER TABLE {_TABLE} SECONDARY_(?:UN)?LOAD\b|(?:CREATE|ALTER) TABLE .*\bAUTOEXTEND_SIZE (?:= )?\d"
)


def is_unknown(statement: Sequence[Token], version: Version) -> bool:
    """Whether the parser of the version fails at a statement.

    This concerns what MariaDB adds to MySQL, and some newer words of MySQL.
    """
    words = " ".join("_" if piece.kind in (Kind.NAME, Kind.STRING) else piece.text.upper() for piece in statement)
    of_version = ((version.mariadb_grammar, _OF_MARIADB), (version.newer_parser, _OF_NEWER_PARSER))
    return bool(_UNKNOWN.match(words)) or any(not known and pattern.match(words) for known, pattern in of_version)
