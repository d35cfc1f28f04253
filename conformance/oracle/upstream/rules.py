"""Which requirement speaks of a place: one table a dialect, and the first row that fits is the one that is broken.

A place is a skeleton (`value.data[].{column}`; of an envelope with its schema, the payload stands as if it were alone;
of a decoder's answer `event.after.{column}`, `event.old.{column}` before an update, `ddl event.query`), the family of
the column there, whether it should hold NULL, and the kind of difference. Every table ends in a residual row for each
part of a record and of an event.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from conformance.oracle.tree import Kind
from reference_impl.column_types import BINARY, INTEGERS, TEXT, Family

__all__ = ["RULES", "Rule", "rules_at"]

_Families = frozenset[Family]


@dataclass(frozen=True, slots=True)
class Rule:
    """A row of the table: `at` is a regular expression of whole skeletons; None fits anything."""

    requirement: str
    at: str
    families: _Families | None = None
    kinds: frozenset[Kind] | None = None
    null: bool | None = None

    def speaks_of(self, skeleton: str, family: Family | None, *, null: bool) -> bool:
        """Whether the rule asserts something at a place."""
        return (
            re.fullmatch(self.at, skeleton) is not None
            and (self.families is None or family in self.families)
            and (self.null is None or self.null == null)
        )


def rules_at(protocol: str, skeleton: str, family: Family | None, *, null: bool) -> Sequence[Rule]:
    """The rules that speak of a place, the most particular first: none behind one that claims every difference."""
    found: list[Rule] = []
    for rule in RULES[protocol]:
        if rule.speaks_of(skeleton, family, null=null):
            found.append(rule)
            if rule.kinds is None:
                break
    return found


_GONE = frozenset({Kind.MISSING, Kind.EXTRA})
_ORDER = frozenset({Kind.ORDER})
_BROKEN = frozenset({Kind.BROKEN})
_TEXT = frozenset({Kind.TEXT})
_FLOATS = frozenset({Family.FLOAT, Family.DOUBLE})
_LABELS = frozenset({Family.ENUM, Family.SET})
_DAYS = frozenset({Family.DATE, Family.DATETIME})
_GEOMETRY = frozenset({Family.GEOMETRY})
_SHORT = frozenset({Family.CHAR, Family.VARCHAR})


def _one(family: Family) -> _Families:
    return frozenset({family})


_EVENT_ROWS = r"event\.(?:before|after|old)\.\{column\}"
_ROWS = rf"value\.(?:data|old)\[\]\.\{{column\}}|{_EVENT_ROWS}"
_SQL_TYPE = r"value\.sqlType\.\{column\}"
_MYSQL_TYPE = r"value\.mysqlType\.\{column\}"

_CANAL = (
    Rule("CJ-901", "record"),
    Rule("CJ-655", "statement"),
    Rule("CJ-640", "ddl", kinds=_GONE),
    Rule("CJ-204", r"key.*|headers.*"),
    Rule("CJ-233", "topic|partition"),
    Rule("CJ-204", "value|ddl", kinds=_BROKEN),
    Rule("CJ-721", "value|ddl", kinds=_ORDER),
    Rule("CJ-723", "value|ddl", kinds=_TEXT),
    # Messages of statements.
    Rule("CJ-640", r"ddl\.type"),
    Rule("CJ-652", r"ddl(?: event)?\.(?:database|schema|table)"),
    Rule("CJ-653", r"ddl(?: event)?\.(?:sql|query)"),
    Rule("CJ-902", r"ddl\.id"),
    Rule("CJ-668", r"ddl\.(?:es|ts)|(?:ddl )?event\.commit_ts"),
    Rule("CJ-904", r"ddl\.gtid"),
    Rule("CJ-654", r"ddl.*"),
    # What a decoder answers beside the images of rows.
    Rule("CJ-901", "event"),
    Rule("CJ-903", r"event\.(?:kind|op|schema|table)"),
    Rule("CJ-905", r"event\.(?:before|after|old)"),
    Rule("CJ-903", r"value\.(?:database|table|type|isDdl)"),
    Rule("CJ-902", r"value\.id"),
    Rule("CJ-668", r"value\.(?:es|ts)"),
    Rule("CJ-904", r"value\.(?:sql|gtid)"),
    Rule("CJ-906", r"value\.pkNames.*"),
    # Columns: which there are, then what their types are, then what they hold.
    Rule("CJ-905", r"value\.data\[\]\.\{column\}|event\.(?:before|after)\.\{column\}", kinds=_GONE),
    Rule("CJ-516", r"event\.old\.\{column\}", kinds=_GONE),
    Rule("CJ-511", r"value\.old\[\]\.\{column\}", kinds=_GONE),
    Rule("CJ-434", _MYSQL_TYPE, _LABELS),
    Rule("CJ-435", _MYSQL_TYPE, _FLOATS),
    Rule("CJ-431", _MYSQL_TYPE, frozenset({*INTEGERS, Family.DECIMAL})),
    Rule("CJ-430", _MYSQL_TYPE),
    Rule("CJ-421", _SQL_TYPE, _one(Family.SET), null=True),
    Rule("CJ-422", _SQL_TYPE, _one(Family.JSON), null=True),
    Rule("CJ-426", _SQL_TYPE, _GEOMETRY),
    Rule("CJ-423", _SQL_TYPE, BINARY | TEXT, null=True),
    Rule("CJ-424", _SQL_TYPE, TEXT - _SHORT),
    Rule("CJ-425", _SQL_TYPE, BINARY | _SHORT),
    Rule("CJ-420", _SQL_TYPE, INTEGERS),
    Rule("CJ-908", _SQL_TYPE),
    Rule("CJ-909", r"value\.(?:data|old)\[\]\.\{column\}", kinds=frozenset({Kind.JSON_KIND})),
    Rule("CJ-440", _ROWS, INTEGERS),
    Rule("CJ-441", _ROWS, _FLOATS),
    Rule("CJ-443", _ROWS, _one(Family.DECIMAL)),
    Rule("CJ-444", _ROWS, _one(Family.BIT)),
    Rule("CJ-445", _ROWS, _LABELS),
    Rule("CJ-446", _ROWS, _DAYS),
    Rule("CJ-447", _ROWS, _one(Family.TIMESTAMP)),
    Rule("CJ-448", _ROWS, _one(Family.TIME)),
    Rule("CJ-449", _ROWS, _one(Family.YEAR)),
    Rule("CJ-450", _ROWS, _SHORT),
    Rule("CJ-451", _ROWS, TEXT),
    Rule("CJ-453", _ROWS, _one(Family.BINARY)),
    Rule("CJ-426", _ROWS, _GEOMETRY),
    Rule("CJ-452", _ROWS, BINARY),
    Rule("CJ-454", _ROWS, _one(Family.JSON)),
    # What is left of each part.
    Rule("CJ-909", _ROWS),
    Rule("CJ-512", r"value\.old"),
    Rule("CJ-510", r"value\.old.*"),
    Rule("CJ-901", r"value\.data.*"),
    Rule("CJ-907", r"value\.mysqlType"),
    Rule("CJ-908", r"value\.sqlType"),
    Rule("CJ-912", "value.*"),
)

_IMAGES = rf"value\.(?:before|after)\.\{{column\}}.*|{_EVENT_ROWS}"
_FIELD = r"(?:key|value)\.schema.*\.\{column\}"
# Of what the type of a column decides: its value, and the name, type and parameters of its field.
_TYPED = rf"{_IMAGES}|key\.\{{column\}}|{_FIELD}(?:\.(?:type|name|parameters|version|doc|fields|items)\b.*)?"
_COLUMNS = r"ddl\.tableChanges\[\]\.table\.columns\[\]"
_DEFAULT = rf"{_FIELD}\.default.*"

_CONNECTOR = (
    Rule("DBZ-022", "tombstone"),
    Rule("DBZ-024", "truncation"),
    Rule("DBZ-251", "record|event"),
    Rule("DBZ-544", "transaction"),
    Rule("DBZ-350", "ddl", kinds=_GONE),
    Rule("DBZ-252", "topic|partition"),
    Rule("DBZ-023", "headers.*"),
    Rule("DBZ-425", "key|value|ddl", kinds=_BROKEN),
    Rule("DBZ-044", "value|ddl", kinds=_ORDER),
    Rule("DBZ-425", "value|ddl", kinds=_TEXT),
    Rule("DBZ-250", "key"),
    # Records of statements.
    Rule("DBZ-351", r"ddl\.tableChanges\[\]\.id"),
    Rule("DBZ-354", rf"{_COLUMNS}\.(?:jdbcType|nativeType|typeName|typeExpression)"),
    Rule("DBZ-355", rf"{_COLUMNS}\.(?:length|scale)"),
    Rule("DBZ-356", r"ddl\.tableChanges\[\].*\.(?:charsetName|defaultCharsetName)"),
    Rule("DBZ-357", rf"{_COLUMNS}\.enumValues.*"),
    Rule("DBZ-358", rf"{_COLUMNS}\.(?:autoIncremented|generated)"),
    Rule("DBZ-359", r"ddl\.tableChanges\[\].*\.comment"),
    Rule("DBZ-353", r"ddl\.tableChanges.*"),
    Rule("DBZ-350", r"ddl\.(?:databaseName|schemaName|ddl)|ddl event\.(?:schema|table|query)"),
    Rule("DBZ-253", r"(?:ddl )?event\.commit_ts"),
    # What a decoder answers beside the images of rows.
    Rule("DBZ-044", r"event\.(?:kind|op|schema|table)"),
    Rule("DBZ-447", r"event\.(?:before|after|old)"),
    Rule("DBZ-447", _EVENT_ROWS, kinds=_GONE),
    # Defaults, before what the type decides.
    Rule("DBZ-242", _DEFAULT, _one(Family.TIME)),
    Rule("DBZ-241", _DEFAULT, _DAYS | _one(Family.TIMESTAMP)),
    Rule("DBZ-243", _DEFAULT, BINARY),
    Rule("DBZ-240", _DEFAULT),
    Rule("DBZ-244", rf"{_FIELD}\.optional|{_IMAGES}", null=True),
    Rule("DBZ-055", rf"{_FIELD}\.optional"),
    Rule("DBZ-201", _TYPED, _one(Family.BIT)),
    Rule("DBZ-203", _TYPED, _one(Family.TINYINT)),
    Rule("DBZ-204", _TYPED, _one(Family.SMALLINT)),
    Rule("DBZ-205", _TYPED, _one(Family.MEDIUMINT)),
    Rule("DBZ-206", _TYPED, _one(Family.INT)),
    Rule("DBZ-208", _TYPED, _one(Family.BIGINT)),
    Rule("DBZ-209", _TYPED, _one(Family.FLOAT)),
    Rule("DBZ-211", _TYPED, _one(Family.DOUBLE)),
    Rule("DBZ-213", _TYPED, TEXT),
    Rule("DBZ-214", _TYPED, _one(Family.ENUM)),
    Rule("DBZ-215", _TYPED, _one(Family.SET)),
    Rule("DBZ-216", _TYPED, _one(Family.JSON)),
    Rule("DBZ-217", _TYPED, _one(Family.YEAR)),
    Rule("DBZ-218", _TYPED, _one(Family.TIMESTAMP)),
    Rule("DBZ-219", _TYPED, _GEOMETRY),
    Rule("DBZ-220", _TYPED, _DAYS),
    Rule("DBZ-222", _TYPED, _one(Family.TIME)),
    Rule("DBZ-223", _TYPED, _one(Family.BINARY)),
    Rule("DBZ-704", _TYPED, _one(Family.VECTOR)),
    Rule("DBZ-709", _TYPED),
    # What is left of each part.
    Rule("DBZ-703", r"(?:value|ddl)\.schema.*\.(?:allowed|parameters).*"),
    Rule("DBZ-701", r"value\.schema\.version"),
    Rule("DBZ-060", r"(?:key|value|ddl)\.schema.*"),
    Rule("DBZ-250", "key.*"),
    Rule("DBZ-524", r"(?:value|ddl)\.source\.version"),
    Rule("DBZ-253", r"(?:value|ddl)\.(?:source\.)?ts_ms"),
    Rule("DBZ-700", r"(?:value|ddl)\.(?:source\.)?ts_[un]s"),
    Rule("DBZ-539", r"(?:value|ddl)\.source\.snapshot"),
    Rule("DBZ-525", r"(?:value|ddl)\.source\.(?:server_id|file|pos|row|thread|gtid)"),
    Rule("DBZ-041", r"(?:value|ddl)\.source.*"),
    Rule("DBZ-544", r"value\.(?:transaction|status|id|event_count|data_collections).*"),
    Rule("DBZ-350", "ddl.*"),
    Rule("DBZ-044", "value.*"),
)

RULES: Mapping[str, Sequence[Rule]] = {"canal": _CANAL, "debezium-connector": _CONNECTOR}
