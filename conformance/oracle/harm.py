"""The harm of a difference: one table for all protocols.

The content of the place and the kind of the difference decide it. `PLACES` gives the content of the place at a
skeleton, `HARMS` the harm of a difference there. Equal faults have equal harm in every protocol, since corresponding
places (`value.u.{column}.v`, `value.data[].{column}`) have equal content.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import lru_cache
from typing import Any

from conformance.catalogue.harm import Harm
from conformance.errors import SuiteError
from conformance.oracle.tree import MISSING, Kind, json_kind

__all__ = ["HARMS", "PLACES", "Change", "Holds", "change_of", "harm_of", "kind_of_place", "worst"]


class Holds(StrEnum):
    """The content of a place for a reader."""

    VALUE = "row value"
    IMAGE = "image"
    EVENT = "row or event"
    OPERATION = "operation"
    TABLE = "table name"
    KEY = "record key"
    PARTITION = "partition"
    ORDER = "order"
    GUARANTEE = "message that a guarantee needs"
    QUERY = "DDL query"
    WATERMARK = "watermark"
    MARK = "mark of an incomplete row"
    MESSAGE = "whole message"
    LOCATION = "location of a claim-check file"
    SCHEMA = "type or schema"
    METADATA = "time, position or source"
    FORM = "form"


class Change(StrEnum):
    """The effect of a difference on the content of a place."""

    ABSENT = "absent"  # a part is missing, null, or too short
    ADDED = "added"  # a part is additional, replaces null, or is too long
    EMPTY = "added, and empty"  # false, an empty text or null in place of an absent part or of null
    RETYPED = "retyped"  # the same text in another JSON kind
    ANOTHER = "another"
    DOUBLED = "doubled"
    REORDERED = "reordered"
    REDUNDANT = "redundant"  # an additional column with the value that the row has
    RESPELLED = "respelled"  # the same in another spelling
    REFUSED = "refused"  # or crashed on it
    ACCEPTED = "accepted"
    MISNAMED = "misnamed"  # refused, with another class


# Values of a row. In a claim-check file the names of columns are literal.
_ROWS = r"value\.(?:data\[\]|old\[\]|after|before|row|payload\.after|payload\.before)"
_VALUES = rf"(?:{_ROWS}|event\.(?:before|after|old)|key\.(?:row|payload))\.(?:\{{column\}}|[^.]+)(?:[.\[].*)?"

PLACES: tuple[tuple[str, Holds], ...] = (
    (r"text\..*|(?:key|value)\.varints|frame\.(?:events|alone)|registry\.repeated", Holds.FORM),
    (r"stream\..*\.missed", Holds.GUARANTEE),
    (r"stream\..*", Holds.ORDER),
    (r"(?:frame\.|record\.)?partition|topic", Holds.PARTITION),
    (r"answer|(?:ddl )?event|record(?:\..*)?|statement|truncation", Holds.EVENT),
    # Open Protocol: a column has its value, type and flags below it.
    (r"value\.[udp]\.(?:\{column\}|[^.]+)(?:\.v)?", Holds.VALUE),
    (r"value\.[udp]\.(?:\{column\}|[^.]+)\..*", Holds.SCHEMA),
    (_VALUES, Holds.VALUE),
    (r"key\.(?:\{column\}(?:[.\[].*)?|extension\..*)", Holds.VALUE),  # a column of a key may be named as the extension
    (
        r"(?:value|ddl)\.(?:data|old)(?:\[\])?|value\.[udp]|(?:value\.payload|value|event)\.(?:before|after|old)",
        Holds.IMAGE,
    ),
    (r"value\.(?:row|payload)|ddl\.payload", Holds.IMAGE),
    (r"key|key\.(?:row|payload|before)|(?:frame|claim)\.key", Holds.KEY),
    # The text of a statement decides its effect; the code is a name for it.
    (r"value\.t|ddl\.type|value\.ddl\.type|(?:ddl )?event\.action(?:_code)?", Holds.SCHEMA),
    (r"value\.(?:type|isDdl|op|marker)|key\.t|value\.payload\.op|value\.extension(?:\._tidb_op)?", Holds.OPERATION),
    (r"(?:ddl )?event\.(?:kind|op)|ddl\.isDdl", Holds.OPERATION),
    (r"(?:value|ddl)\.(?:payload\.)?(?:source\.(?:db|table)|database|table|databaseName|schemaName)", Holds.TABLE),
    (r"key\.(?:scm|tbl)|(?:ddl )?event\.(?:schema|table)|ddl\.schema|value\.ddl\.(?:schema|table)", Holds.TABLE),
    (r"value\.(?:sql|q|payload\.ddl|ddl\.query)|(?:ddl )?event\.query|ddl\.(?:sql|ddl)", Holds.QUERY),
    (r"value\._tidb\.watermarkTs", Holds.WATERMARK),
    (r"value\._tidb\.onlyHandleKey|key\.ohk", Holds.MARK),
    (r"value\._tidb\.claimCheckLocation|key\.ccl|claim\.location", Holds.LOCATION),
    (r"frame|value|ddl|value\.ddl|claim(?:\..*)?|frame\.compression", Holds.MESSAGE),
    (r"value\.(?:es|ts|id|gtid|commit_ts|ddl\.commitTs)|value\._tidb(?:\..*)?|value\.extension\..*", Holds.METADATA),
    (r"(?:ddl )?event\.(?:commit_ts|start_ts|partition_id|row_id|position|status|source.*)", Holds.METADATA),
    (r"key\.(?:ts|rid|ptn)|(?:frame\.)?headers.*|transaction|tombstone", Holds.METADATA),
    (r"(?:value|ddl)\.(?:payload\.)?(?:source|ts_[mun]s|transaction)(?:[.\[].*)?", Holds.METADATA),
    (r"value\.(?:status|event_count|data_collections).*|ddl\.(?:id|es|ts|gtid)", Holds.METADATA),
    # Types, defaults, keys by name, and schemas. In claim-check files names of columns are literal.
    (r"(?:(?:key|value|ddl)\.)?(?:payload\.)?(?:schema|tableChanges)(?:[.\[].*)?", Holds.SCHEMA),
    (
        r"(?:value|ddl)\.(?:mysqlType|sqlType|pkNames)(?:[.\[].*)?|key\.extension|registry(?:\.subjects(?:[.\[].*)?)?",
        Holds.SCHEMA,
    ),
)
"""The content of a place, by regular expressions of whole skeletons: the first match counts.

Every place of a rule or an expectation matches a row; a member that the format does not know matches none.
"""

_DATA: Mapping[Change, Harm] = {
    Change.ABSENT: Harm.LOST,
    Change.ADDED: Harm.CHANGED,
    Change.EMPTY: Harm.CHANGED,
    Change.RETYPED: Harm.SCHEMA,
    Change.ANOTHER: Harm.CHANGED,
    Change.DOUBLED: Harm.CHANGED,
    Change.REORDERED: Harm.FORM,
    Change.REDUNDANT: Harm.SCHEMA,
    Change.RESPELLED: Harm.FORM,
    Change.REFUSED: Harm.LOST,
    Change.ACCEPTED: Harm.STRICTNESS,
    Change.MISNAMED: Harm.STRICTNESS,
}

_EMPTY_IS_NOTHING = {**_DATA, Change.EMPTY: Harm.FORM}


def _not_data(harm: Harm) -> Mapping[Change, Harm]:
    """The harms at a place without data: `harm` for another content, `FORM` for another spelling or order."""
    of_content = (Change.ABSENT, Change.ADDED, Change.EMPTY, Change.RETYPED, Change.ANOTHER, Change.DOUBLED)
    return {**_DATA, **dict.fromkeys(of_content, harm)}


HARMS: Mapping[Holds, Mapping[Change, Harm]] = {
    **dict.fromkeys((Holds.VALUE, Holds.PARTITION, Holds.WATERMARK), _DATA),
    # Here an empty part counts as absent.
    **dict.fromkeys((Holds.IMAGE, Holds.KEY, Holds.OPERATION, Holds.TABLE, Holds.QUERY), _EMPTY_IS_NOTHING),
    Holds.MARK: {**_EMPTY_IS_NOTHING, Change.DOUBLED: Harm.SCHEMA},
    **{holds: {**_DATA, Change.REORDERED: Harm.CHANGED} for holds in (Holds.EVENT, Holds.ORDER)},
    Holds.GUARANTEE: {**_DATA, Change.REORDERED: Harm.LOST},
    # An unreadable part is lost as a whole.
    Holds.MESSAGE: {**_DATA, Change.ANOTHER: Harm.LOST, Change.RETYPED: Harm.LOST},
    # A missing file is a difference of its own; the name of an existing file is a position.
    Holds.LOCATION: {**_EMPTY_IS_NOTHING, Change.ANOTHER: Harm.METADATA, Change.DOUBLED: Harm.METADATA},
    Holds.SCHEMA: _not_data(Harm.SCHEMA),
    Holds.METADATA: _not_data(Harm.METADATA),
    Holds.FORM: _not_data(Harm.FORM),
}
"""The harm of a difference, by the content of the place."""

_COMPILED = tuple((re.compile(pattern), holds) for pattern, holds in PLACES)

# The time is the content of a watermark.
_TIMES = re.compile(r"event\.commit_ts|key\.ts|value\.commit_ts|value\.payload\.source\.commit_ts")
# The member for a statement in a row's message, and the code of a statement in place of a row's operation.
_BY_EVENT: Mapping[tuple[str | None, str], Holds] = {
    ("row", "value.sql"): Holds.METADATA,
    ("ddl", "value.type"): Holds.SCHEMA,
}


@lru_cache(maxsize=1 << 12)
def kind_of_place(skeleton: str, event: str | None = None) -> Holds:
    """The content of a place; `event` is the kind of event there, where it is known.

    Raises `SuiteError` for a place outside every row of `PLACES`.
    """
    holds = _content_at(skeleton, event)
    if holds is None:
        raise SuiteError(f"no row of PLACES says what {skeleton} holds")
    return holds


def _content_at(skeleton: str, event: str | None) -> Holds | None:
    if event == "watermark" and _TIMES.fullmatch(skeleton):
        return Holds.WATERMARK
    if (event, skeleton) in _BY_EVENT:
        return _BY_EVENT[event, skeleton]
    plain = skeleton.removeprefix("claim.messages[].")
    return next((holds for pattern, holds in _COMPILED if pattern.fullmatch(plain)), None)


_CHANGES: Mapping[Kind, Change] = {
    Kind.MISSING: Change.ABSENT,
    Kind.EXTRA: Change.ADDED,
    Kind.DOUBLED: Change.DOUBLED,
    Kind.ORDER: Change.REORDERED,
    Kind.TEXT: Change.RESPELLED,
    Kind.REFUSED: Change.REFUSED,
    Kind.BROKEN: Change.REFUSED,
    Kind.ACCEPTED: Change.ACCEPTED,
    Kind.CLASS: Change.MISNAMED,
}


def change_of(kind: Kind, expected: Any, got: Any) -> Change:
    """The effect of a difference of a kind; a null in place of a value is `ABSENT`, and so is a lower count."""
    if kind is Kind.COUNT:
        return Change.ABSENT if _is_fewer(expected, got) else Change.ADDED
    if expected in (MISSING, None) and (got is None or got is False or got == ""):
        return Change.EMPTY
    if kind not in (Kind.VALUE, Kind.JSON_KIND):
        return _CHANGES[kind]
    if got is None or expected is None:
        return Change.ABSENT if got is None else Change.ADDED
    scalars = all(not isinstance(side, (dict, list, frozenset)) for side in (expected, got))
    if scalars and json_kind(expected) != json_kind(got) and str(expected) == str(got):
        return Change.RETYPED
    return Change.ANOTHER


def _is_fewer(expected: Any, got: Any) -> bool:
    """Whether parts are missing; True where a number is unknown."""
    return not isinstance(expected, int) or not isinstance(got, int) or got < expected


# Differences at a place that only the answer has.
_ADDITIONS = frozenset({Kind.EXTRA, Kind.DOUBLED})


def harm_of(
    skeleton: str,
    kind: Kind,
    expected: Any,
    got: Any,
    event: str | None = None,
    *,
    change: Change | None = None,
    holds: Holds | None = None,
) -> Harm:
    """The harm of a difference at a place; `event` is the kind of event there, if it is known.

    `change`, the effect of the difference, and `holds`, the content of the place, are given where the caller knows
    better than the tables. An additional member that the format does not know is a difference of schema. Raises
    `SuiteError` for any other place without a row in `PLACES`.
    """
    if holds is None and kind in _ADDITIONS and _content_at(skeleton, event) is None:
        return Harm.SCHEMA
    return HARMS[holds or kind_of_place(skeleton, event)][change or change_of(kind, expected, got)]


def worst(harms: Iterable[Harm]) -> Harm:
    """The worst of some harms."""
    return min(harms, key=tuple(Harm).index)
