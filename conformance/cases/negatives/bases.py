"""The valid records for negatives, and the case for a changed part."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from conformance.cases.corpora import input_cases
from conformance.cases.equivalent_encodings import ENCODING_NAMES
from conformance.cases.inputs import BASE, Input, column, ddl, delete, insert, numbered, timed, update
from conformance.cases.model import Anchor, Case, ExpectedAnswer, ExpectedOneOf, ExpectedRejection
from conformance.cases.negatives.model import Negative, classes
from conformance.cases.negatives.parts import with_side
from reference_impl.model import Event, Row, Watermark
from reference_impl.protocols import AVRO, CANAL_JSON, DEBEZIUM, OPEN_PROTOCOL, Rows

__all__ = ["ANSWERS", "WithData", "base", "base_input", "expecting", "key_of", "negatives_of", "value_of"]

WithData: TypeAlias = Callable[[Case, bytes], Case]
"""The case with a changed part in place of the original."""

# The requirement that a decoder answers every input. Those of upstream's dialects stand in `cases/upstream`.
ANSWERS: Rows[str] = Rows({AVRO: "AV-212", CANAL_JSON: "CJ-887", OPEN_PROTOCOL: "OP-256", DEBEZIUM: "DBZ-452"})

_TABLE = numbered(
    column("s", "varchar(20)"),
    column("n", "bigint unsigned"),
    column("d", "decimal(10,2)"),
    column("b", "varbinary(8)"),
    column("at", "datetime(3)"),
    column("e", "enum('a','b')"),
)
_ROW: Row = {
    "id": "7",
    "s": "né",
    "n": "9223372036854775808",
    "d": "12.50",
    "b": b"\xff\x00",
    "at": "2024-02-29 12:34:56.789",
    "e": "b",
}
_OTHER: Row = {**_ROW, "s": "o", "e": "a"}
_SHORT_ROW: Row = {"id": "7", "a": "xyz"}
_CODED_TABLE = numbered(column("b", "blob"), column("t", "text"))
_CODED_ROW: Row = {"id": "7", "b": b"\xff\xfe\xfb\x00", "t": "né?~é"}
_STATEMENT = ddl(BASE, "TRUNCATE TABLE `t`", "truncate table", table_after=BASE)

_EVENTS: Mapping[str, Sequence[Event]] = {
    "row": [insert(_TABLE, _ROW)],
    "update": [update(_TABLE, _ROW, _OTHER)],
    "delete": [delete(_TABLE, _ROW)],
    "coded": [insert(_CODED_TABLE, _CODED_ROW)],
    "short row": [insert(BASE, _SHORT_ROW)],
    "two rows": [insert(BASE, _SHORT_ROW), insert(BASE, {"id": "8", "a": None})],
    "statement": [_STATEMENT],
    "watermark": [Watermark(454321876684505089)],
}
# The tables of events that are not about `_TABLE`.
_TABLES = {**dict.fromkeys(("short row", "two rows", "statement"), BASE), "coded": _CODED_TABLE}

_UNREADABLE = classes("framing", "syntax")


def base_input(events: str, options: Mapping[str, str] | None = None) -> Input:
    """The input of a valid record, by the name of its events."""
    tables = () if events == "watermark" else (_TABLES.get(events, _TABLE),)
    return Input(f"negative/{events}", tables, timed(_EVENTS[events]), options or {})


def base(protocol: str, events: str, options: Mapping[str, str] | None = None) -> Case:
    """The decode case of a valid record, by the name of its events: without SQL, and for every profile."""
    cases = input_cases(protocol, base_input(events, options))
    decode = next(case for case in cases if case.role == "decode")
    return replace(decode, sql=(), profiles=frozenset())


def key_of(case: Case) -> bytes:
    """The key of the first record."""
    return case.records[0].key or b""


def value_of(case: Case) -> bytes:
    """The value of the first record."""
    return case.records[0].value or b""


def negatives_of(
    case: Case, part: str, negatives: Iterable[Negative], requirement: str, with_data: WithData | None = None
) -> Iterator[Case]:
    """The cases of the changes of a part that differ from the original.

    The part is the `key` or `value` of the first record, unless `with_data` says how it is replaced. `requirement`
    demands the refusal of a change without a requirement of its own; see `expecting`.
    """
    stem = case.id.removesuffix("/decode")
    for negative in negatives:
        changed = with_data(case, negative.data) if with_data else with_side(case, 0, part, negative.data)
        if changed == case:
            continue
        named = replace(changed, id=f"{stem}/{part}/{negative.name}", axes={"negative": negative.group})
        yield expecting(named, negative, requirement, case)


def expecting(changed: Case, negative: Negative, requirement: str, twin: Case | None = None) -> Case:
    """The case of a change with its consequence as the expectation.

    | the change | expects | by the requirement |
    |---|---|---|
    | keeps the meaning | the original events: `expected` is None, the oracle makes them | of the change, if any |
    | keeps it, and may be refused | the original events or a refusal | of the change, else `requirement` |
    | must be refused | a refusal | of the change, else `requirement` |
    | any other | any answer | in `ANSWERS` |

    `twin` is the case without the change.
    """
    requirement = negative.requirement or requirement
    case = replace(changed, source="a valid record, changed in one place")
    if negative.keeps_meaning and negative.refused:
        return replace(case, expected=ExpectedOneOf(classes=negative.refused), requirements=(requirement,))
    if negative.keeps_meaning:
        # Rules know an equivalent encoding by its name.
        axes = {**case.axes, "encoding": negative.group} if negative.group in ENCODING_NAMES else case.axes
        requirements = (negative.requirement,) if negative.requirement else ()
        return replace(case, expected=None, requirements=requirements, axes=axes)
    if not negative.refused:
        requirements = (ANSWERS[case.protocol],) if case.protocol in ANSWERS else ()
        return replace(case, expected=ExpectedAnswer(), anchor=Anchor.DOCUMENT, requirements=requirements)
    # Independent readers anchor the refusal of unreadable bytes, the recordings all other refusals.
    is_unreadable = negative.refused <= _UNREADABLE
    return replace(
        case,
        expected=ExpectedRejection(negative.refused, twin),
        anchor=Anchor.SECOND_READER if is_unreadable else Anchor.RECORDED,
        requirements=(requirement,),
    )
