"""Applies the actions of an ALTER TABLE to a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from conformance.ddl.create import Charset, charset_in
from conformance.ddl.defaults import default_of
from conformance.ddl.draft import Draft, column_of
from conformance.ddl.keys import is_key, is_nonclustered, read_key
from conformance.errors import UsageError
from reference_impl.column_types import TEXT
from reference_impl.model import ABSENT
from reference_impl.sql_tokens import TableName, Token, inside, skip, split, table_name, tokens
from reference_impl.upstream.debezium.definitions import read_column

__all__ = ["alter"]

_Action: TypeAlias = Callable[[Draft, Sequence[Token]], TableName | None]

_ANY_TYPE = tokens("int")[0]  # only definitions can be read: a default is read as that of a column with this type
# First words of parts of a table that no message shows.
_UNSEEN = ("PARTITION", "FOREIGN", "CHECK", "STATS_EXTENDED")
_UNSEEN_PAIRS = (("SYSTEM", "VERSIONING"), ("PERIOD", "FOR"))  # the first words are names of columns, too
# Actions followed by names with commas between them.
_LIST_WORDS = "ORDER TRUNCATE REORGANIZE COALESCE ANALYZE CHECK OPTIMIZE REBUILD REPAIR DISCARD IMPORT SPLIT MERGE"
_OPTION_WORDS = (
    "AFFINITY ALGORITHM ATTRIBUTES AUTOEXTEND_SIZE AUTO_ID_CACHE AUTO_INCREMENT AUTO_RANDOM_BASE AVG_ROW_LENGTH CACHE "
    "CHARACTER CHARSET CHECKSUM COLLATE COMMENT COMPACT COMPRESSION CONNECTION DATA DEFAULT DELAY_KEY_WRITE DISABLE "
    "ENABLE ENCRYPTED ENCRYPTION ENGINE ENGINE_ATTRIBUTE EXCHANGE FIRST FORCE INDEX INSERT_METHOD KEY_BLOCK_SIZE LAST "
    "LOCK MAX_ROWS MIN_ROWS NOCACHE PACK_KEYS PAGE_CHECKSUM PAGE_COMPRESSED PARTITION PASSWORD PLACEMENT "
    "PRE_SPLIT_REGIONS READ REMOVE ROW_FORMAT SECONDARY_ENGINE SECONDARY_ENGINE_ATTRIBUTE SECONDARY_LOAD "
    "SECONDARY_UNLOAD SET SHARD_ROW_ID_BITS STATS_AUTO_RECALC STATS_BUCKETS STATS_COL_CHOICE STATS_COL_LIST "
    "STATS_OPTIONS STATS_PERSISTENT STATS_SAMPLE_PAGES STATS_SAMPLE_RATE STATS_TOPN STORAGE TABLESPACE TRANSACTIONAL "
    "TTL TTL_ENABLE TTL_JOB_INTERVAL UNION UPGRADE VALIDATION WITH WITHOUT"
)
_LISTS, _OPTIONS = frozenset(_LIST_WORDS.split()), frozenset(_OPTION_WORDS.split())


def alter(draft: Draft, actions: Sequence[Token], default: Charset = (None, None)) -> TableName | None:
    """Apply the actions of an ALTER TABLE. Returns the new name where one of them renames the table.

    DROP comes first, as in MySQL: it means the columns and keys before the statement, and so does IF NOT EXISTS.
    `default` is that of the schema: its charset and collation.

    Raises `UsageError` for an unknown action and for one that the table does not allow, and `Rejected` for an unknown
    type.
    """
    renamed = None
    needed = [action for action in split(actions, ",") if action and not _adds_present_column(draft, action)]
    needed.sort(key=lambda action: not _begins(action, "DROP"))
    for action in _with_free_names(draft, needed):
        word, rest = action[0].word, action[1:]
        if word in _LISTS or _begins(action, "DROP", "PARTITION"):
            break  # names follow its commas, not actions
        if word in _OPTIONS:
            _options(draft, action)
        elif word == "CONVERT":
            _convert(draft, rest, default)
        elif word not in _ACTIONS:
            raise UsageError(f"ALTER TABLE … {action[0].text}: this action is unknown")
        elif not rest:
            raise UsageError(f"ALTER TABLE … {word}: nothing follows")
        else:
            renamed = _ACTIONS[word](draft, rest) or renamed
    return renamed


def _begins(action: Sequence[Token], *words: str) -> bool:
    return [piece.word for piece in action[: len(words)]] == list(words)


def _adds_present_column(draft: Draft, action: Sequence[Token]) -> bool:
    """The action is ADD COLUMN IF NOT EXISTS, and the table has the column."""
    named = skip(action[1:], "COLUMN")
    added = skip(named, "IF", "NOT", "EXISTS")
    return _begins(action, "ADD") and len(added) < len(named) and bool(added) and draft.has_column(added[0].text)


def _with_free_names(draft: Draft, actions: Iterable[Sequence[Token]]) -> Sequence[Sequence[Token]]:
    """The actions, changed so that columns can exchange their names.

    RENAME COLUMN a TO b, RENAME COLUMN b TO a: `b` is called `b` with a zero byte until its action renames it.
    """
    taken: set[str] = set()  # the new names of earlier actions, in lower case
    changed = []
    for action in actions:
        if names := _renamed_column(action):
            old, new = names
            if old.text.lower() in taken and draft.has_column(old.text):
                free = f"{old.text}\0"
                draft.rename_column(old.text, free)
                action = [replace(piece, text=free) if piece is old else piece for piece in action]
            if new.text.lower() != old.text.lower():
                taken.add(new.text.lower())
        changed.append(action)
    return changed


def _renamed_column(action: Sequence[Token]) -> tuple[Token, Token] | None:
    """The old and the new name of a column in an action RENAME COLUMN or CHANGE; None for another action."""
    names = skip(action[1:], "COLUMN", "IF", "EXISTS")
    if _begins(action, "RENAME", "COLUMN") and len(names) > 2:
        return names[0], names[2]
    return (names[0], names[1]) if _begins(action, "CHANGE") and len(names) > 1 else None


def _add(draft: Draft, rest: Sequence[Token]) -> None:
    rest = skip(rest, "COLUMN")
    added = skip(rest, "IF", "NOT", "EXISTS")
    if not added:
        raise UsageError("ALTER TABLE … ADD: nothing follows")
    if _is_unseen(added):
        return
    for part in split(inside(added), ",") if added[0].is_mark("(") else [added]:
        if is_key(part):
            draft.add_key(read_key(part))
            draft.clustered = draft.clustered and not is_nonclustered(part)
        elif part and (added is rest or not draft.has_column(part[0].text)):
            draft.put(column_of(draft.sql, part, draft.charset))


def _is_unseen(part: Sequence[Token]) -> bool:
    return part[0].word in _UNSEEN or any(_begins(part, *pair) for pair in _UNSEEN_PAIRS)


def _from_column(draft: Draft, rest: Sequence[Token]) -> Sequence[Token] | None:
    """The tokens from the name of a column on; None for IF EXISTS and a column that the table does not have."""
    rest = skip(rest, "COLUMN")
    named = skip(rest, "IF", "EXISTS")
    is_conditional = len(named) < len(rest)
    return None if is_conditional and named and not draft.has_column(named[0].text) else named


def _drop(draft: Draft, rest: Sequence[Token]) -> None:
    if _is_unseen(rest):
        return
    if rest[0].word == "PRIMARY":
        draft.primary = ()
        return
    is_about_key = rest[0].word in ("INDEX", "KEY", "CONSTRAINT")
    named = skip(rest[1:], "IF", "EXISTS") if is_about_key else _from_column(draft, rest)
    if named is None:
        return
    if not named:
        raise UsageError("ALTER TABLE … DROP: nothing follows")
    drop = draft.drop_key if is_about_key else draft.drop_column
    drop(named[0].text)


def _modify(draft: Draft, rest: Sequence[Token]) -> None:
    definition = _from_column(draft, rest)
    if definition is not None:
        _redefine(draft, definition, definition)


def _change(draft: Draft, rest: Sequence[Token]) -> None:
    names = _from_column(draft, rest)
    if names is not None:
        _redefine(draft, names, names[1:])


def _redefine(draft: Draft, old: Sequence[Token], definition: Sequence[Token]) -> None:
    """Give the column whose name begins `old` the name and the type in `definition`."""
    if not old or not definition:
        raise UsageError("ALTER TABLE … MODIFY or CHANGE: there is no definition of a column")
    defined = column_of(draft.sql, definition, draft.charset)
    at = draft.place_of(old[0].text)
    draft.rename_column(old[0].text, defined.column.name)
    if defined.column.name in draft.primary:
        defined = replace(defined, column=replace(defined.column, nullable=False))
    del draft.columns[at]
    draft.put(defined, at)


def _rename(draft: Draft, rest: Sequence[Token]) -> TableName | None:
    word = rest[0].word
    if word in ("COLUMN", "INDEX", "KEY") and len(rest) > 1:
        names = _from_column(draft, rest) if word == "COLUMN" else skip(rest[1:], "IF", "EXISTS")
        if names is None:
            return None
        if len(names) < 3 or names[1].word != "TO":
            raise UsageError(f"ALTER TABLE … RENAME {word}: it is not OLD TO NEW")
        rename = draft.rename_column if word == "COLUMN" else draft.rename_key
        rename(names[0].text, names[2].text)
        return None
    name, _ = table_name(rest[1:] if word in ("TO", "AS") and len(rest) > 1 else rest)
    if name is None:
        raise UsageError("ALTER TABLE … RENAME: there is no name")
    return name


def _alter(draft: Draft, rest: Sequence[Token]) -> None:
    if rest[0].word in ("INDEX", "CHECK", "CONSTRAINT"):
        return
    rest = skip(rest, "COLUMN")
    words = [piece.word for piece in rest[1:3]]
    if not rest or not words:
        raise UsageError("ALTER TABLE … ALTER: there is no column with a default")
    at = draft.place_of(rest[0].text)
    if words == ["SET", "DEFAULT"]:
        default = read_column(draft.sql, [rest[0], _ANY_TYPE, *rest[2:]], None).column.default
        column = replace(draft.columns[at], default=default)
        draft.columns[at] = replace(column, default=default_of(column))
    elif words == ["DROP", "DEFAULT"]:
        draft.columns[at] = replace(draft.columns[at], default=ABSENT)
    elif words[0] != "SET":
        raise UsageError(f"ALTER TABLE … ALTER {rest[0].text!r} {words[0]}: this action is unknown")


def _convert(draft: Draft, rest: Sequence[Token], default: Charset) -> None:
    names_default = any(piece.word == "DEFAULT" for piece in rest)
    charset, collation = charset_in(rest, default if names_default else (None, None))
    if charset is None and not names_default:
        raise UsageError("ALTER TABLE … CONVERT TO: there is no name of a charset")
    draft.columns = [
        replace(c, charset=charset, collation=collation) if c.type.family in TEXT else c for c in draft.columns
    ]
    draft.charset, draft.collation = charset, collation


def _options(draft: Draft, rest: Sequence[Token]) -> None:
    before = draft.charset
    draft.charset, draft.collation = charset_in(rest, (draft.charset, draft.collation))
    if draft.charset != before:  # the columns that are there keep theirs
        draft.columns = [
            replace(c, charset=before) if c.type.family in TEXT and c.charset is None else c for c in draft.columns
        ]


_ACTIONS: Mapping[str, _Action] = {
    "ADD": _add,
    "DROP": _drop,
    "MODIFY": _modify,
    "CHANGE": _change,
    "RENAME": _rename,
    "ALTER": _alter,
}
