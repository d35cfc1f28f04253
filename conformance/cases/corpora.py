"""The corpora as cases of a protocol: every input for an encoder, for a decoder, or for both.

A decoder gets the records that the reference encoder writes for the input, in the style of one profile or another, and
must return the input. `parts` leaves out cases whose input another case has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain, combinations

from conformance.cases.added import added_inputs
from conformance.cases.boundaries import boundary_inputs, flag_inputs, whole_family_inputs
from conformance.cases.defaults import default_inputs
from conformance.cases.equivalent_encodings import rewrite, rewrite_schema
from conformance.cases.evolution import evolution_inputs
from conformance.cases.generations import generation_inputs
from conformance.cases.inputs import Input
from conformance.cases.keyed import keyed_inputs
from conformance.cases.model import Anchor, Case, CaseHead, ExpectedOneOf, ExpectedRejection
from conformance.cases.name_collisions import name_collision_inputs
from conformance.cases.names import name_inputs
from conformance.cases.options import option_inputs
from conformance.cases.partitions import partition_inputs
from conformance.cases.sizes import batch_inputs, compression_inputs, length_inputs, size_inputs
from conformance.cases.smoke import smoke_inputs
from conformance.cases.sql import script, setup
from conformance.cases.statements import (
    definition_inputs,
    statement_inputs,
    text_inputs,
    unknown_statement_inputs,
    untouched_inputs,
)
from conformance.cases.streams import registered_inputs, repeated_inputs, stream_inputs
from conformance.cases.tables import shape_inputs, table_inputs
from conformance.cases.times import time_inputs, watermark_inputs, zone_inputs
from conformance.cases.unrepresentable import UNREPRESENTABLE
from conformance.catalogue.corpora import OptionSpace, load_option_space
from conformance.errors import SuiteError
from reference_impl.errors import Rejected
from reference_impl.model import Claim, Record, RowChange
from reference_impl.options import parse
from reference_impl.profiles import CLASSIC, DOC, NEWARCH, PROFILES
from reference_impl.protocols import CODECS
from reference_impl.registry import MemoryRegistry, RegisteredSchema
from reference_impl.tso import compose

__all__ = [
    "corpora_of",
    "corpus_inputs",
    "coverage_table",
    "input_cases",
    "with_start_times",
]


def corpora_of(protocol: str) -> Mapping[str, Callable[[], Iterable[Input]]]:
    """The corpora of a protocol in order: name → the function that makes its inputs."""
    space = load_option_space(protocol)
    return {
        "smoke": lambda: smoke_inputs(space),
        "boundary": boundary_inputs,
        "whole family": whole_family_inputs,
        "flag": flag_inputs,
        "default": default_inputs,
        "added": added_inputs,
        "table": table_inputs,
        "shape": shape_inputs,
        "keyed": keyed_inputs,
        "name": lambda: name_inputs(protocol),
        "zone": zone_inputs,
        "statement": lambda: statement_inputs(space.visible),
        "unknown statement": lambda: unknown_statement_inputs(space.visible),
        "untouched": lambda: untouched_inputs(space),
        "stream": lambda: stream_inputs(space.visible),
        "text": lambda: text_inputs(space.visible),
        "evolution": lambda: evolution_inputs(space.visible),
        "neighbour": lambda: name_collision_inputs(space.visible),
        "generation": lambda: generation_inputs(space),
        "watermark": lambda: watermark_inputs(protocol, space.visible),
        "time": lambda: time_inputs(space.visible),
        "partition": lambda: partition_inputs(space.visible),
        "option": lambda: option_inputs(space),
        "size": lambda: size_inputs(space),
        "length": length_inputs,
        "compression": lambda: compression_inputs(space),
        "batch": lambda: batch_inputs(space),
        "definition": lambda: definition_inputs(space.visible),
        "repeated": lambda: repeated_inputs(protocol, space.visible),
        "registered": lambda: registered_inputs(protocol, space.visible),
    }


def corpus_inputs(protocol: str) -> Iterator[Input]:
    """Every input of the corpora for a protocol, groups in a fixed order."""
    for inputs in corpora_of(protocol).values():
        yield from inputs()


@dataclass(frozen=True, slots=True)
class _Written:
    """The reference's output for an input: records, claim-check files, and the schemas that it registers."""

    records: tuple[Record, ...]
    claims: tuple[Claim, ...]
    schemas: tuple[RegisteredSchema, ...]


def _encode_case(protocol: str, input_: Input, sql: tuple[str, ...]) -> Case:
    return Case(
        id=f"{protocol}/{input_.name}",
        protocol=protocol,
        role="encode",
        tables=input_.tables,
        events=input_.events,
        options=input_.options,
        settings=input_.settings,
        sql=sql,
        expected=ExpectedRejection(input_.refused) if input_.refused else None,
        anchor=Anchor.REFERENCE,
        requirements=input_.requirements,
        profiles=input_.profiles,
        schemas=input_.registered,
        source="corpora",
        axes=input_.axes,
    )


def _encoded(protocol: str, input_: Input, style: str, registry: MemoryRegistry | None = None) -> _Written:
    codec = CODECS[protocol]
    registry = registry or MemoryRegistry(input_.registered)
    settings = replace(input_.settings, registry=registry)
    encoder = codec.encoder(parse(codec.options, input_.options), PROFILES[style], settings=settings)
    try:
        encoded = encoder.encode(input_.events, input_.tables)
    except Rejected as e:
        raise SuiteError(f"{protocol}/{input_.name}: the reference refuses it ({e.reason}: {e.message})") from None
    return _Written(encoded.records, encoded.claims, tuple(registry.requests))


def _styles(protocol: str, input_: Input) -> Iterator[tuple[str, _Written, frozenset[str]]]:
    """(style, output, profiles that get the case) for each decode case; no profiles means all of them.

    `doc` gets its own records where the documents differ.
    """
    usual, documented = (_encoded(protocol, input_, style) for style in (NEWARCH.name, DOC.name))
    if usual == documented:
        yield NEWARCH.name, usual, frozenset()
    else:
        yield NEWARCH.name, usual, frozenset(PROFILES) - {DOC.name}
        yield DOC.name, documented, frozenset({DOC.name})
    if input_.in_both_styles:
        yield CLASSIC.name, _encoded(protocol, input_, CLASSIC.name), frozenset()


def _mixed(protocol: str, input_: Input) -> _Written:
    """The records of an input, alternating between the styles of all profiles, with the schemas of all.

    Raises `SuiteError` if the styles have different numbers of records.
    """
    registry = MemoryRegistry()
    written = [_encoded(protocol, input_, style, registry) for style in PROFILES]
    if len({len(output.records) for output in written}) > 1:
        raise SuiteError(f"{protocol}/{input_.name}: not every style has as many records")
    records = tuple(written[i % len(written)].records[i] for i in range(len(written[0].records)))
    return _Written(records, (), tuple(registry.requests))


_WITH_START_TS = "debezium-include-start-ts"
_TRANSACTION_TIME = compose(5)

# (protocol, encoding) → the requirements by which a decoder must read the encoding.
_ENCODING_REQUIREMENTS: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("canal-json", "unknown members"): ("CJ-889",),
    ("debezium", "unknown members"): ("DBZ-454",),
    ("open-protocol", "unknown members"): ("OP-245",),
}


def _with_or_without_repeated(input_: Input) -> ExpectedOneOf:
    """The events of an input; any of the repeated ones may be missing."""
    positions = input_.repeated
    subsets = chain.from_iterable(combinations(positions, size) for size in range(len(positions) + 1))
    return ExpectedOneOf(tuple(map(frozenset, subsets)))


def _decode_cases(protocol: str, input_: Input, sql: tuple[str, ...]) -> Iterator[Case]:
    for style, encoded, profiles in _styles(protocol, input_):
        is_newarch = style == NEWARCH.name
        case = replace(
            _encode_case(protocol, input_, sql),
            id=f"{protocol}/{input_.name}/decode{'' if is_newarch else f' {style}'}",
            role="decode",
            records=encoded.records,
            claims=encoded.claims,
            schemas=(*input_.registered, *encoded.schemas),
            style=style,
            requirements=input_.requirements if input_.repeated else (),
            expected=_with_or_without_repeated(input_) if input_.repeated else None,
            profiles=profiles,
            axes={**input_.axes, "style": style},
        )
        yield case
        if input_.mixed and is_newarch:
            mixed = _mixed(protocol, input_)
            yield replace(
                case, id=f"{case.id} mixed", records=mixed.records, schemas=mixed.schemas, profiles=frozenset()
            )
        if style not in (NEWARCH.name, DOC.name):
            continue
        if input_.blind:
            yield replace(case, id=f"{case.id} without tables", send_tables=False)
        if encoding := input_.encoding:
            yield replace(
                case,
                id=f"{case.id} {encoding}",
                records=tuple(rewrite(protocol, record, encoding, n) for n, record in enumerate(case.records)),
                schemas=tuple(rewrite_schema(schema, encoding, n) for n, schema in enumerate(case.schemas)),
                requirements=_ENCODING_REQUIREMENTS.get((protocol, encoding), ()),
                axes={**case.axes, "encoding": encoding},
            )


def _as_refused(space: OptionSpace, input_: Input) -> Input | None:
    """The input as one that must be refused; None if the protocol can represent it, or it is one already."""
    for unrepresentable in space.unrepresentable:
        if not input_.refused and UNREPRESENTABLE[unrepresentable.what](input_):
            return replace(input_, refused=unrepresentable.classes, requirements=unrepresentable.requirements)
    return None


def _sql(input_: Input) -> tuple[str, ...]:
    """The statements of an input, from nothing to the last event."""
    if input_.transactions:
        return (*setup(input_.tables, input_.settings.timezone), *input_.transactions)
    return script(input_.tables, input_.events, input_.settings.timezone)


def with_start_times(input_: Input) -> Input:
    """The input with a start time stamp for every row if its options ask for that: transactions take 5 ms."""
    if _WITH_START_TS not in input_.options:
        return input_
    events = [
        replace(e, start_ts=e.commit_ts - _TRANSACTION_TIME) if isinstance(e, RowChange) and e.commit_ts else e
        for e in input_.events
    ]
    return replace(input_, events=tuple(events))


def input_cases(protocol: str, input_: Input) -> Iterator[Case]:
    """The cases for an input; empty where its outcome is undefined.

    Raises `SuiteError` where the reference encoder refuses the input unexpectedly.
    """
    input_, space = with_start_times(input_), load_option_space(protocol)
    if any(not u.classes and UNREPRESENTABLE[u.what](input_) for u in space.unrepresentable):
        return
    sql = () if input_.repeated else _sql(input_)  # no statement repeats an event
    refused = _as_refused(space, input_)
    if input_.role != "decode":
        yield _encode_case(protocol, refused or input_, sql)
    if input_.role != "encode" and refused is None:
        yield from _decode_cases(protocol, input_, sql)


def coverage_table(cases: Iterable[CaseHead]) -> list[Mapping[str, str | int]]:
    """Type × boundary × operation × role → number of cases; a case of several operations counts for each."""
    counts: dict[tuple[str, str, str, str], int] = {}
    for case in cases:
        if "type" not in case.axes or "operation" not in case.axes:
            continue
        for operation in case.axes["operation"].split("+"):
            row = case.axes["type"], case.axes.get("boundary", ""), operation, case.role
            counts[row] = counts.get(row, 0) + 1
    names = ("type", "boundary", "operation", "role")
    return [{**dict(zip(names, row, strict=True)), "cases": n} for row, n in sorted(counts.items())]
