"""The `type` of the message that Canal sends for a statement, if it sends one.  [CJ-640 … CJ-654]"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from reference_impl.sql_tokens import split, tokens
from reference_impl.upstream.canal.unparsed import NAME, TABLE, is_unparsed

__all__ = ["DDL_TYPES", "NO_NAMES", "StatementMessage", "is_table_option", "message_of"]

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


def _rules(*rules: tuple[str, str | None]) -> Sequence[tuple[re.Pattern[str], str | None]]:
    return [(re.compile(pattern, re.IGNORECASE), message_type) for pattern, message_type in rules]


# Clauses that are options of the table.
_TABLE_OPTION = re.compile(
    r"(?:auto_increment|avg_row_length|checksum|comment|compression|connection|data|delay_key_write|encryption|engine"
    r"|index|insert_method|key_block_size|max_rows|min_rows|pack_keys|password|row_format|stats_auto_recalc"
    r"|stats_persistent|stats_sample_pages|tablespace|union|(?:default )?(?:character set|collate))\b",
    re.IGNORECASE,
)
_ADD = rf"add\s+(?:constraint\s+(?:{NAME}\s+)?)?"

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
_ALTER = re.compile(rf"alter\s+(?:online\s+|offline\s+|ignore\s+)*table\s+{TABLE}\s*(.*)", re.IGNORECASE | re.DOTALL)
_ALTER_VIEW = re.compile(rf"alter\s+(?!view\b){_VIEW}", re.IGNORECASE)  # as a server logs it, with its attributes


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
    if is_unparsed(bare, clauses, is_definition=altered is not None or message_type is not None):
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
