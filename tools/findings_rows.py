"""Findings that rows show: of Canal and Debezium, whose records a reader without faults reads, and of consumers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from conformance.cases.model import Case
from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.register import load_register
from conformance.compatibility import AskedEncoder, Encoder, Reading, RecordedProducer
from conformance.compatibility.cells import Trouble, Verdict
from conformance.compatibility.consumers import read_by
from conformance.compatibility.encoders import Encoded
from conformance.compatibility.faultless import Faultless
from conformance.consumers import MODELS
from conformance.consumers.suffering import CURRENT
from conformance.engine import RunConfig
from conformance.engine.implementation import Target
from conformance.oracle.upstream.judge import PlaceJudge
from reference_impl.wire import record_to_json
from tools.findings_shown import Shown, asked, span_of
from tools.findings_status import status_of

__all__ = ["consumer_findings", "nothing_said", "producer_findings"]

_PRODUCERS: Mapping[str, Sequence[str]] = {"Alibaba Canal": ("canal",), "Debezium": ("debezium24", "debezium36")}
_SHARED = "/mysql97"
"""Recordings that there are of every version of a producer."""
_SAID = "as the message says"
_EACH_TYPE = frozenset({"another value", "digits are lost"})
_VANISHING = {"schema-include": "false", "ignore-parse-errors": "true"}
_MOST = 8
_EFFECTS = {
    "another value": "{types}: another value than went in",
    "a value for NULL": "a value in place of NULL: {types}",
    "NULL for a value": "NULL in place of a value: {types}",
    "digits are lost": "{types}: digits are lost",
    "the fraction is cut": "a fraction of a second is cut: {types}",
    "the rows are skipped": "rows are left out without an error",
    "the column is missing": "columns are missing: {types}",
}
_HARMS = {"the rows are skipped": "lost", "the column is missing": "lost", "NULL for a value": "lost"}


@dataclass(slots=True)
class _Group:
    """Troubles of one kind: by encoder the cases that show it, and the one that is shortest to read."""

    cases: dict[str, list[Case]] = field(default_factory=dict)
    types: dict[str, int] = field(default_factory=dict)
    smallest: tuple[int, Case, Trouble] | None = None

    def add(self, encoder: str, case: Case, trouble: Trouble) -> None:
        self.cases.setdefault(encoder, []).append(case)
        if trouble.type:
            self.types[trouble.type] = self.types.get(trouble.type, 0) + 1
        size = sum(map(len, case.sql)) + len(trouble.went_in or "")
        if self.smallest is None or size < self.smallest[0]:
            self.smallest = size, case, trouble

    @property
    def total(self) -> int:
        return sum(map(len, self.cases.values()))


def _grouped(found: Iterable[tuple[str, Reading]], wanted: Callable[[Trouble], bool]) -> dict[tuple[str, str], _Group]:
    groups: dict[tuple[str, str], _Group] = {}
    for encoder, reading in found:
        for trouble in filter(wanted, reading.troubles):
            key = trouble.effect, trouble.type if trouble.effect in _EACH_TYPE else ""
            groups.setdefault(key, _Group()).add(encoder, reading.case, trouble)
    ordered = sorted(groups.items(), key=lambda pair: (-pair[1].total, pair[0]))
    return dict(ordered)


def _title(effect: str, group: _Group) -> str:
    types = ", ".join(sorted(group.types, key=lambda name: (-group.types[name], name))) or "a row"
    return _EFFECTS.get(effect, "{types}: " + effect).format(types=types)


def _id(*parts: str) -> str:
    text = "-".join(part for part in parts if part)
    return "".join(c if c.isalnum() or c in "._" else "-" for c in text.lower())


# -- producers ---------------------------------------------------------------------------------------------------------


def producer_findings(config: RunConfig) -> Iterator[str]:
    """What recorded Canal and Debezium say otherwise than the SQL: each way in which a value is lost or changed."""
    for name, folders in _PRODUCERS.items():
        found: list[tuple[str, Reading]] = []
        recorded: dict[str, Encoded] = {}
        versions: dict[str, str] = {}
        for folder in folders:
            named, cases = RecordedProducer(folder, fixtures_root() / "recorded" / folder).encoded(config)
            versions[folder] = named.version
            recorded |= {one.case.id: one for one in cases}
            found += [(folder, reading) for reading in read_by(Faultless(), cases)]
        groups = _grouped(found, lambda one: one.verdict in (Verdict.WRONG, Verdict.LOSSY))
        yield f"## {name} {' and '.join(versions.values())}: {len(groups)} findings\n"
        yield "A reader that has just what a message says does not have the row of the SQL: consumers of such records"
        yield "are not to blame. Of options that change the form of values (`decimal.handling.mode`) nothing is said.\n"
        for number, (key, group) in enumerate(groups.items(), 1):
            yield from _producer_finding(name, versions, recorded, key, group).lines(number)


def _rule(one: Encoded, column: str) -> str:
    """The requirement by which a place of a record is judged: the one that another value there breaks."""
    register = load_register(one.case.protocol)
    for place in one.places if column else ():
        value = place.got.value if place.got is not None else None
        if place.got is None or value is None or (span := span_of(value, column)) is None:
            continue
        other = replace(place.got, value=value[: span[1]] + b'"#"' + value[span[2] :])
        judge = PlaceJudge(one.case.protocol, {one.case.id: place})
        findings = judge.judge(one.case, {"ok": {"records": [record_to_json(other)]}}).findings
        if findings:
            requirement = register.requirements[findings[0].requirement]
            return f"{requirement.id}, by which the suite knows the producer: {requirement.rule}"
    return "the row of the SQL is what a message says"


def _producer_finding(
    name: str, versions: Mapping[str, str], recorded: Mapping[str, Encoded], key: tuple[str, str], group: _Group
) -> Shown:
    assert group.smallest is not None
    effect, type_ = key
    _, case, trouble = group.smallest
    folder = next(iter(group.cases))
    title = _title(effect, group)
    servers = sorted({one.source.partition(" on ")[2] for cases in group.cases.values() for one in cases})
    return Shown(
        _id(name, effect, type_),
        title,
        _HARMS.get(effect, "changed"),
        name,
        f"{', '.join(versions[one] for one in group.cases)} on {', '.join(servers)}",
        _rule(recorded[case.id], trouble.column),
        status_of(name, effect, type_) or _fixed(versions, group),
        _command(folder, case, "faultless"),
        case,
        trouble,
        group.total,
    )


def _fixed(versions: Mapping[str, str], group: _Group) -> str:
    """Whether a later version does it no more, by the recordings that there are of each."""
    seen = [folder for folder, cases in group.cases.items() if any(_SHARED in case.id for case in cases)]
    last = list(versions)[-1]
    if len(versions) > 1 and seen and last not in seen:
        return f"fixed in {versions[last]} at the latest: the same SQL was recorded there"
    return "open"


def _command(encoder: str, case: Case, consumer: str) -> str:
    words = ("ticdc-conformance", "matrix", "--encoder", encoder, "--protocol", case.protocol, "--consumer", consumer)
    return asked(*words, "-k", f'"{case.id}"')


def nothing_said(config: RunConfig, recorded: Sequence[tuple[str, Target]]) -> Iterator[str]:
    """Deletions of which the records have neither a key nor a value: nobody can tell which row is gone."""
    groups: dict[str, _Group] = {}
    for name, target in recorded:
        for one in AskedEncoder(name, target).encoded(config)[1]:
            if any(not record.key and not record.value for record in one.case.records):
                trouble = Trouble(Verdict.WRONG, "a record says nothing")
                groups.setdefault(one.case.protocol, _Group()).add(name, one.case, trouble)
    if groups:
        yield f"## Records that say nothing: {len(groups)} findings\n"
    for number, (protocol, group) in enumerate(groups.items(), 1):
        assert group.smallest is not None
        _, case, trouble = group.smallest
        yield from Shown(
            _id("nothing", protocol),
            f"A row is deleted by a record without key and value ({protocol})",
            "lost",
            "TiCDC",
            ", ".join(group.cases),
            "a reader can tell which row is gone",
            "open",
            asked("ticdc-conformance", "replay", case.id, "-vv", "--iut", "recorded:fixtures/recorded/ticdc-newarch"),
            case,
            trouble,
            group.total,
        ).lines(number)


# -- consumers ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Consumer:
    name: str
    version: str
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """As `matrix --consumer` has it."""
        options = ",".join(f"{name}={value}" for name, value in self.options.items())
        return f"{self.name}@{self.version}" + (f":{options}" if options else "")


_CONSUMERS = (
    *(_Consumer(*one) for one in CURRENT),
    _Consumer("flink-avro", "2.3.0"),
    _Consumer("flink", "2.3.0", _VANISHING),
)


def consumer_findings(config: RunConfig, recorded: Sequence[tuple[str, Target]]) -> Iterator[str]:
    """What consumers have otherwise than the records say, without an error, of all shipped recordings."""
    encoders: list[tuple[str, Encoder]] = [(name, AskedEncoder(name, target)) for name, target in recorded]
    for folder in ("canal", "debezium24", "debezium36"):
        encoders.append((folder, RecordedProducer(folder, fixtures_root() / "recorded" / folder)))
    cases = {name: encoder.encoded(config)[1] for name, encoder in encoders}
    for consumer in _CONSUMERS:
        groups = _grouped(_readings(consumer, cases), _is_its_own)
        yield f"## {consumer.label}: {len(groups)} findings\n"
        yield "Rows that are read otherwise than the message says, without an error, by the [model](consumers.md).\n"
        for number, (key, group) in enumerate(groups.items(), 1):
            if number <= _MOST:
                yield from _consumer_finding(consumer, key, group).lines(number)
            else:
                yield f"{number}. {_title(key[0], group)}: {group.total:,} cases, of {', '.join(group.cases)}"
        yield ""


def _readings(consumer: _Consumer, cases: Mapping[str, Sequence[Encoded]]) -> Iterator[tuple[str, Reading]]:
    model = MODELS[consumer.name](consumer.version)
    for encoder, of in cases.items():
        yield from ((encoder, reading) for reading in read_by(model, of, consumer.options))


def _is_its_own(trouble: Trouble) -> bool:
    return trouble.verdict is Verdict.WRONG and not trouble.effect.endswith(_SAID)


def _consumer_finding(consumer: _Consumer, key: tuple[str, str], group: _Group) -> Shown:
    assert group.smallest is not None
    effect, type_ = key
    _, case, trouble = group.smallest
    shown_in = next(name for name, cases in group.cases.items() if any(one is case for one in cases))
    return Shown(
        _id(consumer.label, effect, type_),
        _title(effect, group),
        _HARMS.get(effect, "changed"),
        consumer.label,
        f"{consumer.label}, of records of {', '.join(group.cases)}",
        "a reader has the row that the message says",
        status_of(consumer.name, effect, type_) or "open: no report of it is known to the suite",
        _command(shown_in, case, consumer.label),
        case,
        trouble,
        group.total,
    )
