"""Finds the tables that a script leaves, and its unreadable statements.

A script is read as a database runs it: dropped tables are gone, altered ones have their last form. A table that is
created twice without a DROP TABLE between is in the result twice, as two versions. Views, routines, triggers, events,
rows and settings make no tables and are skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from conformance.ddl.alter import alter
from conformance.ddl.create import Charset, charset_in, columns_and_keys, with_quoted_names
from conformance.ddl.draft import Draft
from conformance.ddl.keys import read_key
from conformance.ddl.script import Broken, Statement, database_of_header, statements
from conformance.errors import UsageError
from reference_impl.errors import Rejected
from reference_impl.model import Table
from reference_impl.sql_tokens import TableName, Token, skip, skip_wait, split, table_name, tokens

__all__ = ["NotRead", "Script", "read_script", "strictly", "tables_of_sql"]


@dataclass(frozen=True, slots=True)
class NotRead:
    """A statement that was not read, and why."""

    number: int
    """Its number in the script, from 1 on."""
    line: int
    table: str
    """The table that it names, or ""."""
    why: str
    file: str = ""
    """The file's name, if there are several files."""

    @property
    def text(self) -> str:
        """The sentence about it, with the place."""
        file = f"{self.file}, " if self.file else ""
        of = f"table {self.table}: " if self.table else ""
        return f"{file}statement {self.number:,} (line {self.line:,}): {of}{self.why}"


@dataclass(frozen=True, slots=True)
class Script:
    """The result of a script."""

    tables: tuple[Table, ...]
    """The tables that it leaves, in order."""
    not_read: tuple[NotRead, ...] = ()
    """Statements that could not be read."""
    passed_over: tuple[NotRead, ...] = ()
    """Statements that were ignored: temporary tables, and changes of tables that the script does not create."""
    others: tuple[tuple[str, str], ...] = ()
    """(kind, name) of its other objects, as ("view", "v")."""


def read_script(text: str, schema: str | None = None) -> Script:
    """The tables of a script; `schema` is for tables without one in the script.

    A schema is named with the table, by USE, or by the comment at the head of a dump. Raises nothing, whatever the
    text.
    """
    return _Reader(schema).read(text)


def tables_of_sql(text: str, what: str) -> list[Table]:
    """The tables of a script in order, where every table must be readable; messages call the script `what`.

    Raises `UsageError`, naming statement and line, for the first unreadable one, and for a script without any table.
    """
    return strictly(read_script(text), what)


def strictly(script: Script, what: str) -> list[Table]:
    """The tables of a script that was read whole. Raises `UsageError`, see `tables_of_sql`."""
    if script.not_read:
        first, more = script.not_read[0], len(script.not_read) - 1
        also = f" ({more:,} more cannot be read)" if more else ""
        raise UsageError(f"{what}, {first.text}{also}")
    if not script.tables:
        raise UsageError(f"{what}: there is no CREATE TABLE statement with columns")
    return list(script.tables)


_OTHERS = frozenset({"VIEW", "TRIGGER", "PROCEDURE", "FUNCTION", "EVENT", "SEQUENCE"})
_MOST_BEFORE_KIND = 32
"""Words of ALGORITHM, DEFINER and SQL SECURITY before the kind of object."""
_DATABASE_OPTIONS = frozenset({"DEFAULT", "CHARACTER", "CHAR", "CHARSET", "COLLATE"})
"""First words of the options of ALTER DATABASE, which without a name is about the present schema."""
_NO_SCHEMA = "the table {0!r} has no schema: write `schema`.`{0}`, or USE before it"


@dataclass(slots=True)
class _Reader:
    """Reads a script, with the state of a session that runs it."""

    schema: str | None
    """The present schema."""
    drafts: list[Draft] = field(default_factory=list)
    charsets: dict[str, Charset] = field(default_factory=dict)
    """Schema → its default charset."""
    not_read: list[NotRead] = field(default_factory=list)
    passed_over: list[NotRead] = field(default_factory=list)
    reported: set[str] = field(default_factory=set)
    """Tables that were reported as not read or ignored, as `schema.table`, and under the name in the report."""
    others: dict[tuple[str, str], None] = field(default_factory=dict)

    def read(self, text: str) -> Script:
        self.schema = database_of_header(text) or self.schema
        try:
            for statement in statements(text):
                if statement.word in _READ:
                    self._statement(statement)
        except Broken as e:
            self._leave_out(e.statement, "", e.why)
        tables = tuple(draft.table() for draft in self.drafts)
        return Script(tables, tuple(self.not_read), tuple(self.passed_over), tuple(self.others))

    def _statement(self, statement: Statement) -> None:
        pieces = with_quoted_names(tokens(statement.text), statement.text)
        if pieces:
            _READ[statement.word](self, statement, pieces[1:])

    # -- reports

    def _leave_out(self, statement: Statement, table: str, why: str) -> None:
        """Report a statement that cannot be read."""
        self.reported.add(table)
        self.not_read.append(NotRead(statement.number, statement.line, table, why))

    def _pass_over(self, statement: Statement, table: str, why: str) -> None:
        """Report a statement that is ignored, once for each table."""
        if not table or table not in self.reported:
            self.reported.add(table)
            self.passed_over.append(NotRead(statement.number, statement.line, table, why))

    # -- names

    def _named(self, pieces: Sequence[Token]) -> tuple[tuple[str, str], Sequence[Token]]:
        """The table named first, and the rest. Raises `UsageError` without a name, or without a schema."""
        name, rest = table_name(pieces)
        if name is None:
            raise UsageError("there is no name of a table")
        return self._id(name), rest

    def _id(self, name: TableName) -> tuple[str, str]:
        schema = name.schema or self.schema
        if schema is None:
            raise UsageError(_NO_SCHEMA.format(name.table))
        return schema, name.table

    def _draft(self, id_: tuple[str, str]) -> Draft | None:
        """The last version of a table."""
        return next((draft for draft in reversed(self.drafts) if (draft.schema, draft.name) == id_), None)

    # -- statements

    def use(self, statement: Statement, rest: Sequence[Token]) -> None:
        if rest:
            self.schema = rest[0].text

    def create(self, statement: Statement, rest: Sequence[Token]) -> None:
        if rest and rest[0].word == "OR":
            rest = skip(rest, "OR", "REPLACE")
            self.drop(statement, skip(rest, "UNIQUE"))  # as DROP of the object that is created
        words = [piece.word for piece in skip(rest, "GLOBAL")[:2]]
        if words[:1] in (["DATABASE"], ["SCHEMA"]):
            self._create_database(rest[1:])
        elif words[:1] == ["TABLE"]:
            self._create_table(statement, rest[1:])
        elif words == ["TEMPORARY", "TABLE"]:
            self._create_temporary_table(statement, skip(rest, "GLOBAL")[2:])
        elif words[:1] == ["INDEX"] or words == ["UNIQUE", "INDEX"]:
            self._create_index(statement, rest)
        else:
            self._create_other(rest)

    def _create_database(self, rest: Sequence[Token]) -> None:
        named = skip(rest, "IF", "NOT", "EXISTS")
        is_conditional = len(named) < len(rest)
        if named and not (is_conditional and named[0].text in self.charsets):
            self.charsets[named[0].text] = charset_in(named[1:])

    def _create_temporary_table(self, statement: Statement, rest: Sequence[Token]) -> None:
        name, _ = table_name(skip(rest, "IF", "NOT", "EXISTS"))
        self._pass_over(statement, name.table if name else "", "a temporary table has no messages")
        if name is not None:
            self.reported.add(f"{name.schema or self.schema}.{name.table}")

    def _create_other(self, rest: Sequence[Token]) -> None:
        """Note a view, a trigger or another object, once: a dump creates a view twice."""
        for at, piece in enumerate(rest[:_MOST_BEFORE_KIND]):
            if piece.word == "INDEX":
                return
            if piece.word in _OTHERS:
                name, _ = table_name(skip(rest[at + 1 :], "IF", "NOT", "EXISTS"))
                self.others[piece.word.lower(), name.table if name else ""] = None
                return

    def _create_table(self, statement: Statement, rest: Sequence[Token]) -> None:
        named = skip(rest, "IF", "NOT", "EXISTS")
        is_conditional = len(named) < len(rest)
        label = ""
        try:
            id_, definition = self._named(named)
            label = ".".join(id_)
            if not (is_conditional and self._draft(id_)):
                self._define(statement, id_, definition)
        except (Rejected, UsageError) as e:
            self._leave_out(statement, label, str(e))

    def _define(self, statement: Statement, id_: tuple[str, str], rest: Sequence[Token]) -> None:
        """Add a table with the columns that follow its name, or LIKE another one."""
        draft = Draft(*id_, create_sql=statement.text, sql=statement.text)
        if len(rest) > 1 and rest[0].is_mark("(") and rest[1].word == "LIKE":
            rest = rest[1:]
        if rest and rest[0].word == "LIKE":
            source, _ = self._named(rest[1:])
            other = self._draft(source)
            if other is None:
                raise UsageError("it is LIKE a table that is not in the script: write its columns out")
            self.drafts.append(_copy(other, draft))
            return
        if any(piece.word == "SELECT" for piece in rest[:2]):
            raise UsageError("its columns are those of a query: write them out")
        if not rest or not rest[0].is_mark("("):
            raise UsageError("a CREATE TABLE without a list of columns: write its columns out")
        columns_and_keys(draft, rest, self.charsets.get(id_[0], (None, None)))
        draft.table()
        self.drafts.append(draft)

    def _create_index(self, statement: Statement, rest: Sequence[Token]) -> None:
        on = next((at for at, piece in enumerate(rest) if piece.word == "ON"), len(rest))

        def add(draft: Draft, columns: Sequence[Token]) -> None:
            draft.add_key(read_key([*rest[:on], *columns]))

        self._change(statement, rest[on + 1 :], add)

    def alter(self, statement: Statement, rest: Sequence[Token]) -> None:
        rest = skip(skip(rest, "ONLINE"), "IGNORE")
        if rest and rest[0].word in ("DATABASE", "SCHEMA") and len(rest) > 1:
            is_present = rest[1].word in _DATABASE_OPTIONS
            schema = self.schema if is_present else rest[1].text
            if schema is not None:
                present = self.charsets.get(schema, (None, None))
                self.charsets[schema] = charset_in(rest[1:] if is_present else rest[2:], present)
        elif rest and rest[0].word == "TABLE":
            self._change(statement, skip(rest[1:], "IF", "EXISTS"), self._apply_actions)

    def _apply_actions(self, draft: Draft, actions: Sequence[Token]) -> None:
        renamed = alter(draft, skip_wait(actions), self.charsets.get(draft.schema, (None, None)))
        if renamed is not None:
            draft.schema, draft.name = renamed.schema or draft.schema, renamed.table

    def _change(
        self, statement: Statement, rest: Sequence[Token], apply: Callable[[Draft, Sequence[Token]], None]
    ) -> None:
        """Change the last version of the table named first. If that fails, the table is left out of the result."""
        label, draft = "", None
        try:
            id_, actions = self._named(rest)
            label, draft = ".".join(id_), self._draft(id_)
            if draft is None:
                self._pass_over(statement, label, "it is altered, and the script does not create it")
                return
            draft.sql = statement.text
            apply(draft, actions)
            draft.table()
        except (Rejected, UsageError) as e:
            self._leave_out(statement, label, str(e))
            if draft is not None:
                self.drafts = [other for other in self.drafts if other is not draft]

    def _drop_index(self, statement: Statement, rest: Sequence[Token]) -> None:
        index = skip(rest, "IF", "EXISTS")
        if len(index) > 1 and index[1].word == "ON":
            self._change(statement, index[2:], lambda draft, _: draft.drop_key(index[0].text))

    def drop(self, statement: Statement, rest: Sequence[Token]) -> None:
        if rest and rest[0].word == "INDEX":
            self._drop_index(statement, rest[1:])
            return
        if not rest or rest[0].word not in ("TABLE", "TABLES", "DATABASE", "SCHEMA"):
            return
        names = skip(rest[1:], "IF", "EXISTS")
        if rest[0].word in ("TABLE", "TABLES"):
            ids = [table_name(part)[0] for part in split(names, ",")]
            gone = {(one.schema or self.schema, one.table) for one in ids if one is not None}
            self.drafts = [draft for draft in self.drafts if (draft.schema, draft.name) not in gone]
        elif names:
            self.drafts = [draft for draft in self.drafts if draft.schema != names[0].text]
            self.charsets.pop(names[0].text, None)

    def rename(self, statement: Statement, rest: Sequence[Token]) -> None:
        if not rest or rest[0].word not in ("TABLE", "TABLES"):
            return
        for part in split(skip(rest[1:], "IF", "EXISTS"), ","):
            try:
                old, then = self._named(part)
                new, _ = self._named(skip(skip_wait(then), "TO"))
            except UsageError as e:
                self._pass_over(statement, "", str(e))
                return
            draft = self._draft(old)
            if draft is None:
                self._pass_over(statement, ".".join(old), "it is renamed, and the script does not create it")
                self.reported.add(".".join(new))
            else:
                draft.schema, draft.name = new


def _copy(source: Draft, to: Draft) -> Draft:
    """The table `to`, LIKE another one."""
    return replace(
        source,
        schema=to.schema,
        name=to.name,
        create_sql=to.create_sql,
        columns=list(source.columns),
        uniques=list(source.uniques),
        indexes=list(source.indexes),
        unshown=list(source.unshown),
        implied=frozenset(),
    )


_READ: Mapping[str, Callable[[_Reader, Statement, Sequence[Token]], None]] = {
    "USE": _Reader.use,
    "CREATE": _Reader.create,
    "ALTER": _Reader.alter,
    "DROP": _Reader.drop,
    "RENAME": _Reader.rename,
}
