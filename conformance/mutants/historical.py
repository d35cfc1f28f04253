"""Historical faults of TiCDC that concern several protocols: of rows, of split updates, of DDL statements.

Each is a wrong assumption of an encoder about a row or a statement. Each protocol has mutants for the faults that
showed in it; `fixtures/history.toml` maps each mutant to its real defect.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from conformance.mutants.input_edits import EventContext, breaks_down, edited_events, images, unsent, with_options_for
from conformance.mutants.model import Mutant, Wrap, encoders_of
from conformance.mutants.wrappers import Json
from reference_impl.column_types import INTEGERS, TEXT
from reference_impl.model import Absent, Column

__all__ = ["HISTORICAL"]


def _mutants(name: str, requirements: str, description: str) -> Callable[[Wrap], Iterator[Mutant]]:
    """A function from a defect to its mutants: one for each of the requirements, in the protocol of the requirement."""

    def mutants(wrap: Wrap) -> Iterator[Mutant]:
        for encoder, requirement in encoders_of(requirements):
            yield encoder(name, requirement, description)(wrap)

    return mutants


# -- rows --------------------------------------------------------------------------------------------------------------


def _follows(*actions: str) -> Callable[[Json, EventContext], bool]:
    """Whether an event is a row that comes after a statement about its table with one of these actions."""

    def holds(event: Json, context: EventContext) -> bool:
        return event["kind"] == "row" and any(
            earlier["kind"] == "ddl"
            and earlier.get("action") in actions
            and all(earlier[name] == event[name] for name in ("schema", "table"))
            for earlier in context.earlier
        )

    return holds


def _lacks_not_null(event: Json, context: EventContext) -> bool:
    """Whether a changed row has a column that was later added NOT NULL without a default."""
    added = [context.column(event, name) for name in event.get("before") or () if context.is_added(event, name)]
    return any(not column.nullable and isinstance(column.default, Absent) for column in added)


def _texts(
    applies: Callable[[Json, EventContext, Column], bool], change: Callable[[str], str | None]
) -> Callable[[Json, EventContext], None]:
    """Change the texts of matching columns in every image."""

    def edit(event: Json, context: EventContext) -> None:
        for image in images(event):
            for name, value in image.items():
                if isinstance(value, str) and applies(event, context, context.column(event, name)):
                    image[name] = change(value)

    return edit


def _without_old_defaults(event: Json, context: EventContext) -> None:
    """Replace the default of an added column by NULL in older rows, until an update writes another value."""
    before, after = event.get("before") or {}, event.get("after") or {}
    for name, value in list(before.items()):
        column = context.column(event, name)
        if column.nullable and column.default == value and context.is_added(event, name):
            before[name] = None
            if after.get(name) == value:
                after[name] = None


def _garbled(text: str) -> str:
    return text.encode("gbk").decode("latin-1")


def _is_clustered_key(event: Json, context: EventContext, column: Column) -> bool:
    table = context.table(event)
    return table.clustered and column.name in table.primary_key and column.type.family in TEXT


def _by_old_position(event: Json, context: EventContext) -> None:
    """Give integer columns the value of the column that was at their position in the first version of the table."""
    if event["kind"] != "row":
        return
    old_columns = context.first[event["schema"], event["table"]].columns
    positions = zip(context.table(event).columns, old_columns, strict=False)
    pairs = [(new.name, old.name) for new, old in positions if _are_integers(new, old)]
    for image in images(event):
        row = dict(image)
        image.update({new: row[old] for new, old in pairs if row.get(old) is not None})


def _are_integers(*columns: Column) -> bool:
    return all(column.type.family in INTEGERS for column in columns)


def _behind_virtual(event: Json, context: EventContext) -> None:
    """Give integer columns behind a virtual column, except keys, the value of the column before them."""
    if event["kind"] != "row":
        return
    table = context.table(event)
    virtual = next((i for i, column in enumerate(table.columns) if column.generated == "virtual"), len(table.columns))
    pairs = [
        (one.name, two.name)
        for one, two in pairwise(table.columns[virtual:])
        if _are_integers(one, two) and two.name not in table.primary_key
    ]
    for image in images(event):
        row = dict(image)
        image.update({two: row[one] for one, two in pairs if row.get(one) is not None})


_ROWS: tuple[Mutant, ...] = (
    *_mutants(
        "rows-after-truncation-refused", "CJ-207 OP-001 DBZ-010 AV-002b", "rows that follow TRUNCATE TABLE are refused"
    )(breaks_down(_follows("truncate table"))),
    *_mutants(
        "rows-after-partition-truncation-refused",
        "CJ-207 OP-001 DBZ-010 AV-002b",
        "rows that follow TRUNCATE PARTITION are refused",
    )(breaks_down(_follows("truncate partition", "truncate table partition"))),
    *_mutants(
        "rows-older-than-a-not-null-column-refused",
        "CJ-207 OP-001 AV-002b",
        "rows older than a NOT NULL column without a default are refused",
    )(breaks_down(_lacks_not_null)),
    *_mutants(
        "default-of-older-rows-lost", "CJ-034b OP-119 AV-052", "rows older than a column with a default are NULL in it"
    )(edited_events(_without_old_defaults)),
    *_mutants("gbk-garbled", "CJ-397 OP-106 AV-087b", "texts of charset gbk are sent in the bytes of gbk")(
        edited_events(_texts(lambda event, context, column: column.charset == "gbk", _garbled))
    ),
    *_mutants(
        "clustered-text-key-folded",
        "CJ-397 OP-106 DBZ-102a AV-087b",
        "texts in a clustered primary key are sent in upper case, as its index has them",
    )(edited_events(_texts(_is_clustered_key, str.upper))),
    *_mutants(
        "values-by-old-position",
        "CJ-380 OP-094 DBZ-116a AV-077b",
        "values are found by the positions that columns had before a statement",
    )(edited_events(_by_old_position)),
    *_mutants(
        "columns-behind-virtual-shifted",
        "CJ-380 OP-094 DBZ-116a AV-077b",
        "columns behind a virtual generated one have the value of the column before",
    )(edited_events(_behind_virtual)),
)

# -- updates that are split --------------------------------------------------------------------------------------------


def _changed(event: Json, names: Sequence[str]) -> bool:
    before, after = event.get("before") or {}, event.get("after") or {}
    return event["op"] == "update" and any(before.get(name) != after.get(name) for name in names)


def _changes_primary_key(event: Json, context: EventContext) -> bool:
    return event["kind"] == "row" and _changed(event, context.table(event).primary_key)


def _changes_integer_key(event: Json, context: EventContext) -> bool:
    if not _changes_primary_key(event, context):
        return False
    table = context.table(event)
    return table.clustered and _are_integers(*(context.column(event, name) for name in table.primary_key))


def _changes_unique_key(event: Json, context: EventContext) -> bool:
    if event["kind"] != "row":
        return False
    table = context.table(event)
    return not _changed(event, table.primary_key) and any(_changed(event, k.columns) for k in table.unique_keys)


def _shifts_keys(event: Json, context: EventContext) -> bool:
    """Whether a row takes the primary key that another row gives up in the same transaction."""
    if not _changes_primary_key(event, context):
        return False
    key = context.table(event).primary_key
    taken = [(event["after"] or {}).get(name) for name in key]
    return any(
        other is not event
        and all(other.get(m) == event[m] for m in ("kind", "schema", "table", "commit_ts", "op"))
        and [(other["before"] or {}).get(name) for name in key] == taken
        for other in context.events
    )


_UNSPLIT = {"output_raw_change_event": "true"}
_SPLITS: tuple[Mutant, ...] = (
    *_mutants(
        "integer-key-unsplit",
        "CJ-140",
        "an update of a clustered integer key is one message; that of another key is two",
    )(with_options_for(_changes_integer_key, **_UNSPLIT)),
    *_mutants(
        "unique-key-change-unsplit",
        "CJ-140 OP-180b DBZ-038 AV-009",
        "an update of a unique key beside the primary key is one message",
    )(with_options_for(_changes_unique_key, **_UNSPLIT)),
    *_mutants(
        "shifted-keys-unsplit",
        "CJ-140 OP-180 DBZ-038 AV-009",
        "an update to a key that another row gives up in the transaction is not split",
    )(with_options_for(_shifts_keys, **_UNSPLIT)),
)

# -- statements --------------------------------------------------------------------------------------------------------


def _is_rename(event: Json) -> bool:
    return event["kind"] == "ddl" and event.get("action") in ("rename table", "rename tables")


def _changes_schema(event: Json) -> bool:
    before = event.get("table_before") or event
    return _is_rename(event) and bool(before["schema"] != event["schema"])


def _is_one_of_several(event: Json, context: EventContext) -> bool:
    return _is_rename(event) and sum(_is_rename(e) and e["commit_ts"] == event["commit_ts"] for e in context.events) > 1


_SOURCE_WITHOUT_SCHEMA = re.compile(r"RENAME TABLE `[^`]+` TO `[^`]+`\.", re.IGNORECASE)


def _confused(event: Json, context: EventContext) -> None:
    """Name the first table in each event of a statement that renames several."""
    if _is_one_of_several(event, context):
        first = next(e for e in context.events if _is_rename(e) and e["commit_ts"] == event["commit_ts"])
        event.update({name: first[name] for name in ("schema", "table", "table_before")})


def _queries(applies: Callable[[Json], bool], change: Callable[[str], str]) -> Wrap:
    def edit(event: Json, context: EventContext) -> None:
        if event["kind"] == "ddl" and applies(event):
            event["query"] = change(event["query"])

    return edited_events(edit)


def _quoted(event: Json, context: EventContext) -> None:
    if event["kind"] == "ddl" and event.get("action") == "exchange partition":
        event["table"] = f"`{event['table']}`"


def _always(event: Json) -> bool:
    return True


_STATEMENTS: tuple[Mutant, ...] = (
    *_mutants("rename-lost", "CJ-888 OP-257 DBZ-300e", "RENAME TABLE is not sent")(
        unsent(lambda event, context: _is_rename(event))
    ),
    *_mutants(
        "rename-to-another-schema-refused", "CJ-207 OP-001 DBZ-010", "RENAME TABLE into another schema is refused"
    )(breaks_down(lambda event, context: _changes_schema(event))),
    *_mutants(
        "rename-without-schema-lost",
        "CJ-888 OP-257 DBZ-300e",
        "RENAME TABLE into another schema is not sent if it does not name the old schema",
    )(unsent(lambda event, context: _changes_schema(event) and bool(_SOURCE_WITHOUT_SCHEMA.match(event["query"])))),
    *_mutants("rename-of-several-lost", "CJ-888 OP-257 DBZ-300e", "a RENAME of several tables is not sent")(
        unsent(_is_one_of_several)
    ),
    *_mutants(
        "rename-of-several-confused",
        "CJ-623 OP-034 DBZ-321",
        "each message of a RENAME of several tables names the first table",
    )(edited_events(_confused)),
    *_mutants("exchange-quoted", "CJ-623 OP-034 DBZ-321", "EXCHANGE PARTITION names its table in back quotes")(
        edited_events(_quoted)
    ),
    *_mutants(
        "partition-quoted-twice",
        "CJ-620 OP-066 DBZ-320",
        "EXCHANGE PARTITION names its partition in two pairs of back quotes",
    )(
        _queries(
            lambda event: event.get("action") == "exchange partition",
            lambda query: re.sub(r"(PARTITION) (`[^`]+`)", r"\1 `\2`", query),
        )
    ),
    *_mutants("tidb-clauses-lost", "CJ-620 OP-066 DBZ-320", "clauses that only TiDB has are lost from statements")(
        _queries(_always, lambda query: re.sub(r" ?/\*T!.*?\*/", "", query))
    ),
    *_mutants(
        "tidb-clauses-unclosed", "CJ-620 OP-066 DBZ-320", "the comment around clauses that only TiDB has is not closed"
    )(_queries(_always, lambda query: re.sub(r"(/\*T!.*?)\*/", r"\1", query))),
    *_mutants("view-unqualified", "CJ-620 OP-066 DBZ-320", "CREATE VIEW names tables without their schema")(
        _queries(lambda event: event.get("action") == "create view", lambda query: re.sub(r"`[^`]+`\.`", "`", query))
    ),
)

HISTORICAL = (*_ROWS, *_SPLITS, *_STATEMENTS)
