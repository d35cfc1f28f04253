"""Free forms of messages and answers: faults that no requirement at SHOULD finds, each with its source.

There are two tables. `OPTIONAL` has requirements of level MAY that find faults: a message that breaks one is still
right, and the break is reported. `FREE_FORMS` has faults that no requirement finds, by path patterns (`*` matches
anything), operators and column families; their source is a heading of a document, or a requirement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from conformance.cases.model import Role
from conformance.sweep.judging import Fault, FaultResult
from conformance.sweep.operators import IN_VALUE

__all__ = ["FREE_FORMS", "OPTIONAL", "FreeForm", "free_form_of"]

_ALL = ("canal-json", "open-protocol", "debezium", "avro")
_VALUES = "For implementers, Values"
_ANSWERS = "For implementers, Requests and answers"
_PARTITIONS = "For implementers, Partitions and topics"
_VERDICTS = "For implementers, Verdicts"
_OTHER_TIME = ("bit added", "bit taken", "last digit", "plus one", "negated", "times 1000", "by 1000", "low 32 bits")


@dataclass(frozen=True, slots=True)
class FreeForm:
    """Changes that break nothing."""

    protocols: Sequence[str]
    role: Role
    path: str
    """A pattern of paths, in which `*` matches anything."""
    operators: Sequence[str]
    source: str
    """The requirement, or the heading of the document, that leaves the form free."""
    why: str
    families: Sequence[str] = ()
    """Column families; empty means all."""
    case: str = "*"
    """A pattern of case ids."""

    def explains(self, protocol: str, role: Role, fault: Fault, case: str) -> bool:
        """Whether the row explains why a fault was missed in the case with this id."""
        place = fault.place
        return (
            protocol in self.protocols
            and role == self.role
            and fault.operator.removesuffix(IN_VALUE) in self.operators
            and (not self.families or place.family.removesuffix(" unsigned") in self.families)
            and fnmatchcase(place.path, self.path.replace("[", "[[]"))
            and fnmatchcase(case, self.case)
        )


FREE_FORMS: Sequence[FreeForm] = (
    # -- what encoders write
    FreeForm(
        _ALL,
        "encode",
        "*",
        ("white space", "escaped", "members reversed"),
        _VERDICTS,
        "the spelling of JSON is compared only where a requirement names it",
    ),
    FreeForm(
        ("avro",), "encode", "*", ("exponent", "decimal point"), _VERDICTS, "numbers are compared as exact numbers"
    ),
    FreeForm(
        _ALL,
        "encode",
        "records[].topic",
        ("null as empty text", "null as text"),
        _PARTITIONS,
        "the dispatcher chooses the topic",
    ),
    FreeForm(
        _ALL, "encode", "records[].partition", ("null as zero",), _PARTITIONS, "a missing partition is the first one"
    ),
    FreeForm(
        ("debezium",),
        "encode",
        "records[].partition",
        ("null",),
        _PARTITIONS,
        "a missing partition is the first one",
        case="debezium/golden/06-ddl-fields/every-partition",
    ),
    FreeForm(
        ("avro",),
        "encode",
        "records[].partition",
        ("bit taken", "last digit", "null", "plus one"),
        "AV-010",
        "the dispatcher chooses the partition",
    ),
    FreeForm(
        ("avro",),
        "encode",
        "schemas",
        ("last first",),
        "For implementers, The schema registry",
        "subjects are registered in any order",
    ),
    FreeForm(
        ("avro",),
        "encode",
        "records[].value.datum.{column}",
        ("negated",),
        _VALUES,
        "the negative of the lowest integer is itself",
        families=("bigint",),
        case="avro/golden/04-data-mapping/bigint-lowest",
    ),
    FreeForm(
        ("canal-json",),
        "encode",
        "records[].value.ts",
        _OTHER_TIME,
        _ANSWERS,
        "`ts` is the clock of the encoder",
    ),
    FreeForm(
        ("debezium",),
        "encode",
        "records[].value.payload.ts_ms",
        _OTHER_TIME,
        _ANSWERS,
        "`ts_ms` is the clock of the encoder",
    ),
    # -- what decoders answer
    FreeForm(
        _ALL,
        "decode",
        "events[].*.{column}",
        ("blank before", "blank behind", "trailing zero"),
        _VALUES,
        "JSON and vectors are compared as the values that their texts stand for",
        families=("json", "vector"),
    ),
    FreeForm(
        _ALL,
        "decode",
        "events[].before",
        ("null as object",),
        _ANSWERS,
        "an image without columns means the same as no image, if the operation may have one",
    ),
    FreeForm(
        ("canal-json",),
        "decode",
        "events[].before",
        ("null",),
        _ANSWERS,
        "an image without columns means the same as no image",
        case="canal-json/generations/no column left/*",
    ),
    FreeForm(
        ("open-protocol",),
        "decode",
        "events[].before",
        ("null", "member lost"),
        _ANSWERS,
        "an image without columns means the same as no image",
        case="open-protocol/size/handle-key-only/rows+only-output-updated-columns=true/*",
    ),
    FreeForm(("debezium",), "decode", "events[].start_ts", ("member lost",), "DBZ-451z", "it is optional"),
    FreeForm(_ALL, "decode", "events[].action", ("member lost",), _ANSWERS, "the code shows the action too"),
)
"""Every row explains a fault of the full sweep."""


OPTIONAL: Mapping[tuple[str, Role], str] = {
    ("canal-json", "encode"): "CJ-012 CJ-036a CJ-202 CJ-410 CJ-413",
    ("open-protocol", "encode"): "OP-026 OP-048b OP-057 OP-079 OP-081 OP-111a",
    ("open-protocol", "decode"): "OP-091 OP-108 OP-110",
    ("debezium", "encode"): "DBZ-050d DBZ-052c DBZ-054 DBZ-139b DBZ-420 DBZ-421 DBZ-423",
    ("avro", "encode"): "AV-029 AV-029a AV-038 AV-038a AV-066a AV-068 AV-087c "
    "AV-091c AV-112b AV-120 AV-120a AV-121 AV-121a AV-122 AV-130b AV-131 AV-172 AV-174",
    ("avro", "decode"): "AV-120b AV-130h AV-131b AV-210",
}
"""Requirements of level MAY by protocol and role; each finds a fault of the full sweep that nothing stronger finds."""


def free_form_of(protocol: str, role: Role, fault: Fault, result: FaultResult) -> tuple[str, ...]:
    """The sources that explain a fault in every case that missed it; empty if one case is unexplained."""
    sources = []
    for case, requirement in result.missed.items():
        if requirement in OPTIONAL.get((protocol, role), "").split():
            sources.append(requirement)
            continue
        row = next((free for free in FREE_FORMS if free.explains(protocol, role, fault, case)), None)
        if row is None:
            return ()
        sources.append(row.source)
    return tuple(dict.fromkeys(sources))
