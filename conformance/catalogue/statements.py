"""Reads the SQL of a workload, statement by statement, numbered as in its truth file.

The SQL has what the truth, a list of row changes, leaves out: the settings of a session, and the statements that
change tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from reference_impl.errors import Rejected
from reference_impl.sql_tokens import unquoted_name
from reference_impl.zones import zone_of

__all__ = ["binlog_settings", "definitions", "logged_statements", "session_zones", "statements"]

# A quoted text or name, a comment, the end of a statement, or anything else.
_PIECE = re.compile(
    r"""'(?:[^'\\]|\\.|'')*' | "(?:[^"\\]|\\.|"")*" | `(?:[^`]|``)*`"""
    r"""| (?P<comment> --(?=\s|\Z)[^\n]* | \#[^\n]* | /\*(?![!+]).*?\*/ ) | (?P<end>;) | .""",
    re.DOTALL | re.VERBOSE,
)


def statements(sql: str, *, comments: bool = False) -> list[str]:
    """The statements of a script in order; the first one is number 0.

    With `comments` a statement keeps its comments as a client sends them, which leaves out line comments before it.
    """
    return list(_statements(sql, comments))


@lru_cache(maxsize=32)
def _statements(sql: str, comments: bool) -> tuple[str, ...]:
    """Like `statements`, cached: many recordings have the same script."""
    found: list[str] = []
    plain = whole = ""
    for piece in (*_PIECE.finditer(sql), None):
        if piece is None or piece["end"]:
            if plain.strip():
                found.append((whole if comments else plain).strip())
            plain = whole = ""
        elif piece["comment"]:
            is_line_before = not whole.strip() and not piece[0].startswith("/")
            plain, whole = plain + " ", whole + (" " if is_line_before else piece[0])
        else:
            plain, whole = plain + piece[0], whole + piece[0]
    return tuple(found)


_USE = re.compile(r"use\s+(`(?:[^`]|``)+`|[^\s`]+)", re.IGNORECASE)
_DEFINES = re.compile(r"(?:create|alter|drop|rename)\b", re.IGNORECASE)
_OF_SCHEMA = re.compile(
    r"(?:create|alter|drop)\s+(?:database|schema)\s+(?:if\s+(?:not\s+)?exists\s+)?(`(?:[^`]|``)+`|[^\s`]+)",
    re.IGNORECASE,
)


def definitions(sql: str) -> Iterator[tuple[int, str, str]]:
    """(number, schema, statement) of the DDL statements of a script, with the schema that is in use or named."""
    return _matching_statements(sql, _DEFINES)


_CHANGES_TABLES = re.compile(r"(?:create|alter|drop|rename|truncate)\b", re.IGNORECASE)
_SETS_LOGGING = re.compile(r"set\b.*\bsql_log_bin\s*:?=\s*['\"]?([@\w]+)", re.IGNORECASE | re.DOTALL)


def logged_statements(sql: str) -> Iterator[tuple[int, str, str]]:
    """Like `definitions`, with TRUNCATE statements, and without statements that are not logged (`sql_log_bin`)."""
    settings = {n: found[1].upper() for n, text in enumerate(statements(sql)) if (found := _SETS_LOGGING.match(text))}
    for number, schema, statement in _matching_statements(sql, _CHANGES_TABLES):
        last = max((n for n in settings if n < number), default=None)
        if last is None or settings[last] not in ("0", "OFF", "FALSE"):
            yield number, schema, statement


def _matching_statements(sql: str, pattern: re.Pattern[str]) -> Iterator[tuple[int, str, str]]:
    """(number, schema, statement) of the statements that match, with the schema that is in use or named."""
    schema = ""
    for number, statement in enumerate(statements(sql)):
        if found := _USE.match(statement):
            schema = unquoted_name(found[1])
        elif pattern.match(statement):
            named = _OF_SCHEMA.match(statement)
            yield number, unquoted_name(named[1]) if named else schema, statement


_VARIABLE = r"(?:@@(?P<scope>\w+)\.)?(?<![^@]@)\b(?P<name>{names})\s*:?=\s*"  # not a variable of the user, as @a
_SCOPE = re.compile(r"(?:^set|,)\s*(global|persist|persist_only|session|local)\s", re.IGNORECASE)
_SETTINGS = "binlog_row_image|binlog_row_value_options|binlog_rows_query_log_events"
_SETTING = re.compile(_VARIABLE.format(names=_SETTINGS) + r"['\"]?(?P<value>\w*)", re.IGNORECASE)


def _set_in_session(statement: str, variable: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """What a statement sets in its session; GLOBAL holds until the next SESSION, as in `SET GLOBAL a = 1, b = 2`."""
    if statement[:4].lower().strip() != "set":
        return
    for found in variable.finditer(statement):
        scopes = _SCOPE.findall(statement[: found.start("name")])
        scope = found["scope"] or (scopes[-1] if scopes else "session")
        if scope.lower() in ("session", "local"):
            yield found


def binlog_settings(sql: str) -> Iterator[tuple[int, Mapping[str, str]]]:
    """(number, settings in force) of every statement of a script; settings that the session did not set are left out.

    The settings are `binlog_row_image`, `binlog_row_value_options` and `binlog_rows_query_log_events`; their values are
    in capitals.
    """
    settings: dict[str, str] = {}
    for number, statement in enumerate(statements(sql)):
        found = _set_in_session(statement, _SETTING)
        settings = {**settings, **{each["name"].lower(): each["value"].upper() for each in found}}
        yield number, settings


_ZONE = re.compile(_VARIABLE.format(names="time_zone") + r"(?:['\"](?P<zone>[^'\"]*)['\"])?", re.IGNORECASE)
_NO_ZONE = "UTC"
_SHORT_OFFSET = re.compile(r"([+-])(\d:\d\d)")


def session_zones(sql: str) -> list[str]:
    """The time zone of the session at every statement of a script: UTC if it set none, or last an unknown one."""
    zones, zone = [], _NO_ZONE
    for statement in statements(sql):
        for found in _set_in_session(statement, _ZONE):
            zone = _known_zone(_SHORT_OFFSET.sub(r"\g<1>0\2", found["zone"] or ""))
        zones.append(zone)
    return zones


def _known_zone(name: str) -> str:
    try:
        zone_of(name)
    except Rejected:
        return _NO_ZONE
    return name
