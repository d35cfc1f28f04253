"""A table that a script creates and alters. Names of columns ignore letter case, as in the database."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import chain, count

from conformance.ddl.defaults import default_of
from conformance.ddl.keys import KeyKind, KeyPart
from conformance.errors import UsageError
from reference_impl.column_types import TEXT, ColumnType
from reference_impl.model import Column, Key, Table
from reference_impl.sql_tokens import Kind, Token, inside, skip
from reference_impl.upstream.debezium.definitions import (
    Defined,
    charset_of_collation,
    is_character_set,
    read_column,
    words_of_type,
)
from reference_impl.upstream.debezium.types import quoted_labels

__all__ = ["Draft", "column_of", "implied_charset"]

# MariaDB's collations for every charset: `uca1400_ai_ci`.
_OF_ANY_CHARSET = "uca1400"


def implied_charset(collation: str) -> str | None:
    """The charset of a collation, None for a collation of every charset."""
    charset = charset_of_collation(collation)
    return None if charset.lower() == _OF_ANY_CHARSET else charset


def column_of(sql: str, pieces: Sequence[Token], charset: str | None) -> Defined:
    """The column of a definition in a table of that charset.

    Raises `UsageError` for a malformed definition, and `Rejected` (class `type`) for an unknown type.
    """
    if pieces[0].kind not in (Kind.WORD, Kind.NAME) and sql[pieces[0].start] != '"':
        raise UsageError(f"{sql[pieces[0].start : pieces[-1].end][:80]!r} is no definition of a column")
    if len(pieces) < 2 or pieces[1].kind is not Kind.WORD:
        raise UsageError(f"the column {pieces[0].text!r} has no type")
    defined = read_column(sql, [pieces[0], *_with_named_charset(pieces[1:], charset)], charset)
    column = defined.column
    own_charset = None if (column.charset or "").lower() == _OF_ANY_CHARSET else column.charset
    column = replace(
        column,
        type=_printed(column.type),
        charset=own_charset,
        nullable=column.nullable and not column.auto_increment,
        default=default_of(column),
    )
    return replace(defined, column=column)


# What may follow a type in place of CHARACTER SET, and the charset that it means.
_CHARSET_WORDS = {"ASCII": "latin1", "UNICODE": "ucs2", "BYTE": "binary"}
_NATIONAL_WORDS = ("NATIONAL", "NCHAR", "NVARCHAR")


def _with_named_charset(pieces: Sequence[Token], charset: str | None) -> Sequence[Token]:
    """The tokens of a type and its attributes, where names replace ASCII, UNICODE, BYTE and BINARY after the type.

    BINARY means the binary collation of the column's charset, else of the `charset` of the table; that of a national
    type is utf8mb3, as in MySQL and MariaDB.
    """
    end = len(words_of_type(pieces))
    charset = "utf8mb3" if pieces[0].word in _NATIONAL_WORDS else charset
    if pieces[end:] and pieces[end].is_mark("("):
        end += len(inside(pieces[end:])) + 2
    own, is_binary, rest = None, False, pieces[end:]
    while rest:
        named = skip(rest, rest[0].word, "SET") if is_character_set(rest) else skip(rest, "CHARSET")
        if rest[0].word == "BINARY":
            is_binary, rest = True, rest[1:]
        elif rest[0].word in _CHARSET_WORDS:
            own, rest = _CHARSET_WORDS[rest[0].word], rest[1:]
        elif named and len(named) < len(rest):
            own, rest = named[0].text, named[1:]
        else:
            break
    words = ["CHARSET", own] if own else []
    if is_binary and (own or charset):
        words += ["COLLATE", f"{own or charset}_bin"]
    added = [Token(Kind.WORD, word, 0, 0) for word in words]
    return [*pieces[:end], *added, *rest]


def _printed(column_type: ColumnType) -> ColumnType:
    """The type with its labels in single quotes, as a server prints it."""
    labels = quoted_labels(column_type) if column_type.members else []
    if not any(label.startswith('"') for label in labels):
        return column_type
    single = (
        f"""'{label[1:-1].replace('""', '"').replace("'", "''")}'""" if label.startswith('"') else label
        for label in labels
    )
    return replace(column_type, text=f"{column_type.text.partition('(')[0]}({','.join(single)})")


@dataclass(slots=True)
class Draft:
    """The present state of a table."""

    schema: str
    name: str
    create_sql: str
    sql: str
    """The statement that is being applied."""
    charset: str | None = None
    collation: str | None = None
    columns: list[Column] = field(default_factory=list)
    primary: tuple[str, ...] = ()
    uniques: list[Key] = field(default_factory=list)
    indexes: list[Key] = field(default_factory=list)
    unshown: list[Key] = field(default_factory=list)
    """Indexes that messages do not show: FULLTEXT, SPATIAL, VECTOR, and with expressions."""
    implied: frozenset[str] = frozenset()
    """Names of the indexes that a foreign key has made, in lower case: a new key that begins alike replaces one."""
    clustered: bool = True
    reserved_names: frozenset[str] = frozenset()
    """Names of keys that the statement gives, in lower case: no key without a name gets one of them."""
    _names: list[str] = field(init=False)
    """The names of the columns in lower case, which is searched fast: a statement may change a thousand columns."""

    def __post_init__(self) -> None:
        self._names = [column.name.lower() for column in self.columns]

    def table(self) -> Table:
        """The finished table. Raises `UsageError` for a table without columns."""
        if not self.columns:
            raise UsageError("the table has no column")
        return Table(
            self.schema,
            self.name,
            tuple(self.columns),
            self.primary,
            tuple(self.uniques),
            tuple(self.indexes),
            clustered=self.clustered,
            charset=self.charset,
            create_sql=self.create_sql,
        )

    def place_of(self, name: str) -> int:
        """The position of a column. Raises `UsageError` for an unknown column."""
        try:
            return self._names.index(name.lower())
        except ValueError:
            raise UsageError(f"the table has no column {name!r}") from None

    def has_column(self, name: str) -> bool:
        """Whether the table has a column of that name."""
        return name.lower() in self._names

    def has_key(self, name: str) -> bool:
        """Whether the table has a key of that name, `PRIMARY` for the primary key."""
        if name.upper() == "PRIMARY":
            return bool(self.primary)
        return name.lower() in self._key_names()

    def put(self, defined: Defined, at: int | None = None) -> None:
        """Add a column, with its keys: at the place in its definition, else at `at`, else at the end.

        Raises `UsageError` for a second column of that name, and for an unknown one in AFTER.
        """
        if defined.is_first:
            at = 0
        elif defined.after is not None:
            at = 1 + self.place_of(defined.after)
        column = replace(defined.column, nullable=defined.column.nullable and defined.column.name not in self.primary)
        if column.type.family in TEXT and column.charset is None and column.collation is None:
            column = replace(column, collation=self.collation)
        if self.has_column(column.name):
            raise UsageError(f"the table has two columns {column.name.lower()!r}")
        at = len(self.columns) if at is None else at
        self.columns.insert(at, column)
        self._names.insert(at, column.name.lower())
        if defined.primary:
            self.add_key(KeyPart(KeyKind.PRIMARY, "", (column.name,)))
        if defined.unique:
            self.add_key(KeyPart(KeyKind.UNIQUE, "", (column.name,)))

    def redefine(self, defined: Defined) -> None:
        """Replace the column of that name, which stays at its place unless the definition names another.

        Raises `UsageError` as `put` does.
        """
        name = defined.column.name
        self.rename_column(name, name)  # in other letter case
        if name in self.primary:
            defined = replace(defined, column=replace(defined.column, nullable=False))
        self.put(defined, self._remove(name)[0])

    def _remove(self, name: str) -> tuple[int, Column]:
        """Take a column out, and return its place and itself; the keys keep it."""
        at = self.place_of(name)
        del self._names[at]
        return at, self.columns.pop(at)

    def add_key(self, key: KeyPart) -> None:
        """Add a key, if the table has none of its name.

        A foreign key adds an index, if no key begins with its columns. Raises `UsageError` for an unknown column, and
        for a primary key with an expression.
        """
        if key.kind is KeyKind.OTHER:
            return
        columns = tuple(self.columns[self._place_in_key(name)].name for name in key.columns)
        if key.kind in (KeyKind.PRIMARY, KeyKind.UNIQUE, KeyKind.INDEX) and not key.computed:
            self._drop_implied(columns)
        if key.kind is KeyKind.PRIMARY:
            if key.computed:
                raise UsageError("the primary key has an expression: no database takes that")
            self.primary = columns
            self.columns = [replace(c, nullable=c.nullable and c.name not in columns) for c in self.columns]
        elif key.kind is not KeyKind.FOREIGN or not self._begins_a_key(columns):
            taken = self._key_names()
            name = key.name or _free_name(columns[0] if columns else _OF_EXPRESSION, taken | self.reserved_names)
            if name.lower() not in taken:
                self._keys_of(key).append(Key(name, columns))
                self.implied |= {name.lower()} if key.kind is KeyKind.FOREIGN else frozenset()

    def drop_column(self, name: str, successor: str | None) -> None:
        """Drop a column, also from the keys; a key without any column left is dropped.

        A `successor`, which the same statement adds, takes its place in the keys. Raises `UsageError` for an unknown
        column.
        """
        if successor is not None:
            self.rename_column(name, successor)
            self._remove(successor)
            return
        dropped = self._remove(name)[1].name
        self.primary = tuple(one for one in self.primary if one != dropped)
        for keys in self._all_keys():
            keys[:] = _without(keys, dropped)

    def rename_column(self, old: str, new: str) -> None:
        """Rename a column, in the keys too.

        Raises `UsageError` for an unknown column, and for the name of another one.
        """
        at = self.place_of(old)
        if new.lower() != old.lower() and self.has_column(new):
            raise UsageError(f"the table has two columns {new.lower()!r}")
        before = self.columns[at].name
        if new == before:
            return
        self.columns[at], self._names[at] = replace(self.columns[at], name=new), new.lower()
        self.primary = tuple(new if name == before else name for name in self.primary)
        for keys in self._all_keys():
            keys[:] = [replace(k, columns=tuple(new if name == before else name for name in k.columns)) for k in keys]

    def drop_key(self, name: str) -> None:
        """Drop a key by its name, `PRIMARY` for the primary key; ignores an unknown name."""
        if name.upper() == "PRIMARY":
            self.primary = ()
        for keys in self._all_keys():
            keys[:] = [key for key in keys if key.name.lower() != name.lower()]
        self.implied -= {name.lower()}

    def drop_constraint(self, name: str) -> None:
        """Drop a primary or unique key by its name; ignores an unknown name, and that of an index.

        The index of a foreign key is no constraint: it stays.
        """
        if name.lower() not in {key.name.lower() for key in self.indexes}:
            self.drop_key(name)

    def rename_key(self, old: str, new: str) -> None:
        """Rename a key; ignores an unknown name."""
        for keys in self._all_keys():
            keys[:] = [replace(key, name=new) if key.name.lower() == old.lower() else key for key in keys]
        self.implied -= {old.lower()}

    def _all_keys(self) -> Sequence[list[Key]]:
        """The lists of keys, without the primary key."""
        return self.uniques, self.indexes, self.unshown

    def _key_names(self) -> Set[str]:
        """The names of the keys in lower case."""
        return {key.name.lower() for keys in self._all_keys() for key in keys}

    def _keys_of(self, key: KeyPart) -> list[Key]:
        """The list to which a key belongs."""
        if key.computed or key.kind is KeyKind.UNORDERED:
            return self.unshown
        return self.uniques if key.kind is KeyKind.UNIQUE else self.indexes

    def _place_in_key(self, name: str) -> int:
        """The position of a column that a key names. Raises `UsageError` for an unknown column."""
        if not self.has_column(name):
            raise UsageError(f"a key names the column {name!r}, which the table does not have")
        return self.place_of(name)

    def _begins_a_key(self, columns: tuple[str, ...]) -> bool:
        """Whether a key of the table begins with these columns."""
        keys = (self.primary, *(key.columns for key in (*self.uniques, *self.indexes)))
        return any(key[: len(columns)] == columns for key in keys)

    def _drop_implied(self, columns: tuple[str, ...]) -> None:
        """Drop the indexes of foreign keys with which a new key with these columns begins."""
        replaced = {
            key.name
            for key in self.indexes
            if key.name.lower() in self.implied and columns[: len(key.columns)] == key.columns
        }
        for name in replaced:
            self.drop_key(name)


_OF_EXPRESSION = "functional_index"
"""What MySQL calls an index without a name whose first part is an expression."""


def _free_name(column: str, taken: Set[str]) -> str:
    """The name of a key without one: that of its first column, with a number behind it if that is taken or PRIMARY."""
    numbered = (f"{column}_{number}" for number in count(2))
    return next(name for name in chain([column], numbered) if name.lower() not in taken | {"primary"})


def _without(keys: Sequence[Key], column: str) -> list[Key]:
    """The keys without a column, as far as something is left of them."""
    left = (replace(key, columns=tuple(name for name in key.columns if name != column)) for key in keys)
    return [after for key, after in zip(keys, left, strict=True) if after.columns or not key.columns]
