"""Applies the actions of an ALTER TABLE to a table."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from itertools import takewhile
from typing import TypeAlias

from conformance.ddl.create import Charset, charset_in
from conformance.ddl.defaults import default_of
from conformance.ddl.draft import Draft, column_of
from conformance.ddl.keys import KeyKind, KeyPart, is_key, is_nonclustered, read_key
from conformance.errors import UsageError
from reference_impl.column_types import TEXT
from reference_impl.model import ABSENT
from reference_impl.sql_tokens import Kind, TableName, Token, inside, skip, split, table_name, tokens
from reference_impl.upstream.debezium.definitions import read_column

__all__ = ["alter"]

_Action: TypeAlias = Callable[[Draft, Sequence[Token]], TableName | None]

_ANY_TYPE = tokens("int")[0]  # only definitions can be read: a default is read as that of a column with this type
# First words of parts of a table that no message shows.
_UNSEEN = ("PARTITION", "CHECK", "STATS_EXTENDED")
_UNSEEN_PAIRS = (("SYSTEM", "VERSIONING"), ("PERIOD", "FOR"))  # the first words are names of columns, too
# Actions ALTER of these change no column.
_ALTERED_OTHERS = ("INDEX", "CHECK", "CONSTRAINT")
# Actions followed by names with commas between them.
_LIST_WORDS = "ORDER TRUNCATE REORGANIZE COALESCE ANALYZE CHECK OPTIMIZE REBUILD REPAIR DISCARD IMPORT SPLIT MERGE"
_OPTION_WORDS = (
    "AFFINITY ALGORITHM ATTRIBUTES AUTOEXTEND_SIZE AUTO_ID_CACHE AUTO_INCREMENT AUTO_RANDOM_BASE AVG_ROW_LENGTH CACHE "
    "CHAR CHARACTER CHARSET CHECKSUM COLLATE COMMENT COMPACT COMPRESSION CONNECTION DATA DEFAULT DELAY_KEY_WRITE "
    "DISABLE ENABLE ENCRYPTED ENCRYPTION ENGINE ENGINE_ATTRIBUTE EXCHANGE FIRST FORCE INDEX INSERT_METHOD "
    "KEY_BLOCK_SIZE LAST LOCK MAX_ROWS MIN_ROWS NOCACHE PACK_KEYS PAGE_CHECKSUM PAGE_COMPRESSED PARTITION PASSWORD "
    "PLACEMENT PRE_SPLIT_REGIONS READ REMOVE ROW_FORMAT SECONDARY_ENGINE SECONDARY_ENGINE_ATTRIBUTE SECONDARY_LOAD "
    "SECONDARY_UNLOAD SET SHARD_ROW_ID_BITS STATS_AUTO_RECALC STATS_BUCKETS STATS_COL_CHOICE STATS_COL_LIST "
    "STATS_OPTIONS STATS_PERSISTENT STATS_SAMPLE_PAGES STATS_SAMPLE_RATE STATS_TOPN STORAGE TABLESPACE TRANSACTIONAL "
    "TTL TTL_ENABLE TTL_JOB_INTERVAL UNION UPGRADE VALIDATION WITH WITHOUT"
)
_LISTS, _OPTIONS = frozenset(_LIST_WORDS.split()), frozenset(_OPTION_WORDS.split())


def alter(draft: Draft, actions: Sequence[Token], default: Charset) -> TableName | None:
    """Apply the actions of an ALTER TABLE. Returns the new name where one of them renames the table.

    As in MySQL, the names in DROP, RENAME, CHANGE and conditions are those before the statement; the names of columns
    in an added key and in AFTER are those after it. A column that is dropped and added again stays in its keys.
    `default` is that of the schema: its charset and collation.

    Raises `UsageError` for an unknown action and for one that the table does not allow, and `Rejected` for an unknown
    type.
    """
    renamed = None
    parts = takewhile(lambda part: not _is_list(part), split(actions, ","))
    actions_only = (part for part in parts if part and part[0].kind is not Kind.STRING)  # TIFLASH … LABELS 'a', 'b'
    needed = [part for part in actions_only if not _is_needless(draft, part)]
    needed.sort(key=lambda action: _begins(action, "ADD") and is_key(action[1:]))
    columns = [names for action in needed if (names := _renamed_column(action))]
    keys = [names for action in needed if (names := _renamed_key(action))]
    added = {name.lower(): name for action in needed for name in _added_columns(action)}
    _check_names(draft, needed, {old.lower() for old, _ in columns}, added)
    for old, _ in columns:  # so that two of them can exchange their names
        draft.rename_column(old, f"{old}\0")
    for old, _ in keys:
        draft.rename_key(old, f"{old}\0")
    _drop_all(draft, needed, added)
    for old, new in columns:
        draft.rename_column(f"{old}\0", new)
    for old, new in keys:
        draft.rename_key(f"{old}\0", new)
    for action in needed:
        if not _begins(action, "DROP"):
            renamed = _apply(draft, action, default) or renamed
    return renamed


def _check_names(draft: Draft, actions: Sequence[Sequence[Token]], old: Set[str], added: Collection[str]) -> None:
    """Raise `UsageError` for MODIFY or ALTER of an unknown column, and for DROP or RENAME of a key that comes later.

    MODIFY and ALTER may also mean a column of `added`, as in MariaDB, but none of the `old` names of renamed columns.
    Only one action may change a column that the table has. A key comes later if the statement itself adds it; one that
    is unknown before and after the statement is ignored.
    """
    changed = set[str]()
    added_keys = {added_key.name.lower() for action in actions if (added_key := _added_key(action))}
    for action in actions:
        column, key = _changed_column(action), _key_before(action)
        if column is not None:
            name, is_there = column.lower(), draft.has_column(column)
            if name in old or not (is_there or name in added):
                raise UsageError(f"the table has no column {column!r}")
            if name in changed and is_there:
                raise UsageError(f"two actions change the column {column!r}, which no database takes")
            changed.add(name)
        if key is not None and key.lower() in added_keys and not draft.has_key(key):
            raise UsageError(f"the table has no key {key!r}")


def _drop_all(draft: Draft, actions: Sequence[Sequence[Token]], added: Mapping[str, str]) -> None:
    """Apply the actions DROP, where `added` has the columns that the statement adds, by their names in lower case."""
    dropped = set[str]()
    for action in actions:
        column = _dropped_column(action)
        if column is not None and not (column.lower() in dropped and _is_conditional(action)):
            draft.drop_column(column, added.get(column.lower()))
            dropped.add(column.lower())
        elif column is None and _begins(action, "DROP"):
            _drop(draft, action[1:])


def _is_list(part: Sequence[Token]) -> bool:
    """Whether names follow the commas of an action, and not actions."""
    return bool(part) and (part[0].word in _LISTS or _begins(part, "DROP", "PARTITION"))


def _apply(draft: Draft, action: Sequence[Token], default: Charset) -> TableName | None:
    """Apply an action. Returns the new name where it renames the table."""
    word, rest = action[0].word, action[1:]
    if word in _OPTIONS:
        _options(draft, action)
    elif word == "CONVERT":
        _convert(draft, rest, default)
    elif word not in _ACTIONS:
        raise UsageError(f"ALTER TABLE … {action[0].text}: this action is unknown")
    elif not rest:
        raise UsageError(f"ALTER TABLE … {word}: nothing follows")
    else:
        return _ACTIONS[word](draft, rest)
    return None


def _begins(action: Sequence[Token], *words: str) -> bool:
    return [piece.word for piece in action[: len(words)]] == list(words)


def _is_conditional(action: Sequence[Token]) -> bool:
    """Whether the action has IF EXISTS or IF NOT EXISTS."""
    words = [piece.word for piece in action]
    return any(words[at : at + 2] in (["IF", "EXISTS"], ["IF", "NOT"]) for at in range(1, 5))


def _is_needless(draft: Draft, action: Sequence[Token]) -> bool:
    """Whether the table has already what an action adds IF NOT EXISTS, or lacks what it drops or changes IF EXISTS."""
    if not _is_conditional(action):
        return False
    if key := _added_key(action):
        return draft.has_key(key.name or ("PRIMARY" if key.kind is KeyKind.PRIMARY else next(iter(key.columns), "")))
    if name := _key_before(action):
        return not draft.has_key(name)
    named = skip(action[1:], "COLUMN")
    column = skip(named, "IF", "NOT", "EXISTS")
    return 0 < len(column) < len(named) and draft.has_column(column[0].text) is _begins(action, "ADD")


def _added_key(action: Sequence[Token]) -> KeyPart | None:
    """The key that an action ADD adds; None for another action."""
    return read_key(action[1:]) if _begins(action, "ADD") and is_key(action[1:]) else None


def _key_before(action: Sequence[Token]) -> str | None:
    """The name of the key that an action DROP or RENAME means; None for another action."""
    if action[0].word not in ("DROP", "RENAME") or len(action) < 2 or action[1].word not in ("KEY", "INDEX"):
        return None
    named = skip(action[2:], "IF", "EXISTS")
    return named[0].text if named else None


def _renamed_key(action: Sequence[Token]) -> tuple[str, str] | None:
    """The old and the new name of a key in an action RENAME KEY; None for another action."""
    names = skip(action[2:], "IF", "EXISTS")
    return (names[0].text, names[2].text) if _begins(action, "RENAME") and _key_before(action) and names[2:] else None


def _changed_column(action: Sequence[Token]) -> str | None:
    """The column that an action MODIFY or ALTER changes; None for another action."""
    named = _from_column(action[1:])
    if action[0].word not in ("MODIFY", "ALTER") or not named or action[1].word in _ALTERED_OTHERS:
        return None
    return named[0].text


def _renamed_column(action: Sequence[Token]) -> tuple[str, str] | None:
    """The old and the new name of a column in an action RENAME COLUMN or CHANGE; None for another action."""
    names = _from_column(action[1:])
    if _begins(action, "RENAME", "COLUMN") and len(names) > 2:
        return names[0].text, names[2].text
    return (names[0].text, names[1].text) if _begins(action, "CHANGE") and len(names) > 1 else None


def _added_columns(action: Sequence[Token]) -> Sequence[str]:
    """The columns that an action ADD adds."""
    added = skip(skip(action[1:], "COLUMN"), "IF", "NOT", "EXISTS")
    if not _begins(action, "ADD") or not added:
        return []
    parts = split(inside(added), ",") if added[0].is_mark("(") else [added]
    return [part[0].text for part in parts if part and not is_key(part) and not _is_unseen(part)]


def _dropped_column(action: Sequence[Token]) -> str | None:
    """The column that an action DROP drops; None for another action."""
    named = _from_column(action[1:])
    if not _begins(action, "DROP") or not named or _is_unseen(action[1:]):
        return None
    return None if action[1].word in ("PRIMARY", "INDEX", "KEY", "CONSTRAINT", "FOREIGN") else named[0].text


def _from_column(rest: Sequence[Token]) -> Sequence[Token]:
    """The tokens from the name of a column on."""
    return skip(rest, "COLUMN", "IF", "EXISTS")


def _add(draft: Draft, rest: Sequence[Token]) -> None:
    rest = skip(rest, "COLUMN")
    added = skip(rest, "IF", "NOT", "EXISTS")
    is_conditional = len(added) < len(rest)
    if not added:
        raise UsageError("ALTER TABLE … ADD: nothing follows")
    if _is_unseen(added):
        return
    for part in split(inside(added), ",") if added[0].is_mark("(") else [added]:
        if is_key(part):
            draft.add_key(read_key(part))
            draft.clustered = draft.clustered and not is_nonclustered(part)
        elif part and not (is_conditional and draft.has_column(part[0].text)):
            draft.put(column_of(draft.sql, part, draft.charset))


def _is_unseen(part: Sequence[Token]) -> bool:
    return part[0].word in _UNSEEN or any(_begins(part, *pair) for pair in _UNSEEN_PAIRS)


def _drop(draft: Draft, rest: Sequence[Token]) -> None:
    if not rest:
        raise UsageError("ALTER TABLE … DROP: nothing follows")
    if _is_unseen(rest) or rest[0].word == "FOREIGN":
        return
    if rest[0].word == "PRIMARY":
        draft.primary = ()
        return
    named = skip(rest[1:], "IF", "EXISTS")  # behind INDEX, KEY or CONSTRAINT; `alter` drops columns
    if rest[0].word not in ("INDEX", "KEY", "CONSTRAINT") or not named:
        raise UsageError("ALTER TABLE … DROP: nothing follows")
    drop = draft.drop_constraint if rest[0].word == "CONSTRAINT" else draft.drop_key
    drop(named[0].text)


def _redefine(draft: Draft, rest: Sequence[Token], *, old_names: int) -> None:
    """Give a column, which has its new name already, the type in its definition behind the `old_names`."""
    definition = _from_column(rest)[old_names:]
    if not definition:
        raise UsageError("ALTER TABLE … MODIFY or CHANGE: there is no definition of a column")
    draft.redefine(column_of(draft.sql, definition, draft.charset))


def _rename(draft: Draft, rest: Sequence[Token]) -> TableName | None:
    word = rest[0].word
    if word in ("COLUMN", "INDEX", "KEY") and len(rest) > 1:
        names = skip(rest[1:], "IF", "EXISTS")
        if len(names) < 3 or names[1].word != "TO":
            raise UsageError(f"ALTER TABLE … RENAME {word}: it is not OLD TO NEW")
        return None  # it has its new name already
    name, _ = table_name(rest[1:] if (word in ("TO", "AS") or rest[0].is_mark("=")) and len(rest) > 1 else rest)
    if name is None:
        raise UsageError("ALTER TABLE … RENAME: there is no name")
    return name


def _alter(draft: Draft, rest: Sequence[Token]) -> None:
    if rest[0].word in _ALTERED_OTHERS:
        return
    rest = _from_column(rest)
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
    "MODIFY": partial(_redefine, old_names=0),
    "CHANGE": partial(_redefine, old_names=1),
    "RENAME": _rename,
    "ALTER": _alter,
}
