"""Findings in rows: of Canal and Debezium, by an independent reader of their records, and of consumers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from conformance.cases.model import Case
from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.producers import PRODUCERS, SHIPPED
from conformance.catalogue.register import load_register
from conformance.compatibility import Reading, RecordedProducer
from conformance.compatibility.cells import Fidelity, Trouble
from conformance.compatibility.consumers import read_by_model
from conformance.compatibility.encoders import EncodedCase
from conformance.compatibility.faultless import Faultless
from conformance.consumers import MODELS
from conformance.consumers.affected import CURRENT
from conformance.engine import RunConfig
from conformance.oracle.upstream.recordings import RecordingJudge
from reference_impl.protocols import CANAL, CONNECTOR
from reference_impl.wire import record_to_json
from reports.texts import cut, printable
from tools.findings_bytes import bytes_of_column, row_with, smallest, span_of
from tools.findings_entry import Finding
from tools.findings_status import open_text, status_of

__all__ = ["consumer_findings", "producer_findings"]

_PAGES: Mapping[str, tuple[str, str]] = {
    CANAL.name: ("Alibaba Canal", "canal"),
    CONNECTOR.name: ("Debezium", "debezium"),
}
"""Dialect → the producer of its recordings, and the page of the findings."""
_LONGEST = 200
_SHORT, _NAMED = 32, 4
_SHARED = "/mysql97"
"""Recordings that exist for every version of a producer."""
_AS_IN_THE_MESSAGE = "as the message says"
_EACH_TYPE = frozenset({"another value", "digits are lost"})
_VANISHING = {"schema-include": "false", "ignore-parse-errors": "true"}
"""Options of Flink with which it leaves out rows without an error."""
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


class _Shown(NamedTuple):
    """A case that shows a trouble."""

    order: tuple[bool, int]
    """Whether another trouble of the case comes first, and the length of its texts: the least is reported."""
    case: Case
    trouble: Trouble


@dataclass(slots=True)
class _Group:
    """Troubles of one kind."""

    cases: dict[str, list[Case]] = field(default_factory=dict)
    """Encoder → the cases that show it."""
    types: Counter[str] = field(default_factory=Counter)
    shown: list[_Shown] = field(default_factory=list)

    def add(self, encoder: str, case: Case, trouble: Trouble, *, is_hidden: bool) -> None:
        """Add a case, in which another trouble may come first (`is_hidden`)."""
        self.cases.setdefault(encoder, []).append(case)
        if trouble.type:
            self.types[trouble.type] += 1
        self.shown.append(_Shown((is_hidden, sum(map(len, case.sql)) + len(trouble.went_in or "")), case, trouble))

    @property
    def smallest(self) -> _Shown:
        return min(self.shown, key=lambda one: one.order)

    @property
    def total(self) -> int:
        return sum(map(len, self.cases.values()))


def _grouped(
    found: Iterable[tuple[str, Reading]], accepts: Callable[[Case, Trouble], bool]
) -> dict[tuple[str, str], _Group]:
    """The accepted troubles by effect and column type (empty where the effect does not depend on it)."""
    groups: dict[tuple[str, str], _Group] = {}
    for encoder, reading in found:
        for trouble in reading.troubles:
            if not accepts(reading.case, trouble):
                continue
            key = trouble.effect, trouble.type if trouble.effect in _EACH_TYPE else ""
            is_hidden = trouble is not reading.troubles[0]
            groups.setdefault(key, _Group()).add(encoder, reading.case, trouble, is_hidden=is_hidden)
    return dict(sorted(groups.items(), key=lambda item: (-item[1].total, item[0])))


def _title(effect: str, group: _Group, trouble: Trouble) -> str:
    """The fault, its column types, and the values of the smallest case."""
    types = sorted(group.types, key=lambda name: (-group.types[name], name)) or ["a row"]
    more = f" and {len(types) - _NAMED:,} more types" if len(types) > _NAMED else ""
    text = _EFFECTS.get(effect, "{types}: " + effect).format(types=", ".join(types[:_NAMED]) + more)
    if not trouble.column or trouble.went_in == trouble.read:
        return text
    return f"{text}: {cut(_value(trouble.went_in), _SHORT)} is read as {cut(_value(trouble.read), _SHORT)}"


def _id(*parts: str) -> str:
    text = "-".join(part for part in parts if part)
    return "".join(c if c.isalnum() or c in "._" else "-" for c in text.lower())


# -- producers ---------------------------------------------------------------------------------------------------------


def producer_findings(config: RunConfig) -> Iterator[Finding]:
    """The ways in which recorded Canal and Debezium lose or change values of the SQL."""
    for dialect, producer in PRODUCERS.items():
        name, page = _PAGES[dialect]
        found: list[tuple[str, Reading]] = []
        recorded: dict[str, EncodedCase] = {}
        versions: dict[str, str] = {}
        for folder in producer.folders:
            named, cases = RecordedProducer(folder, fixtures_root() / "recorded" / folder).encoded(config)
            versions[folder] = named.version
            recorded |= {one.case.id: one for one in cases}
            found += [(folder, reading) for reading in read_by_model(Faultless(), cases)]
        groups = _grouped(found, lambda _, one: one.verdict in (Fidelity.WRONG, Fidelity.LOSSY))
        for key, group in groups.items():
            yield _producer_finding(name, page, versions, recorded, key, group)


def _requirement(one: EncodedCase, column: str) -> tuple[str, str]:
    """Id and rule of the requirement that judges a column of a record: the one that another value there breaks."""
    register = load_register(one.case.protocol)
    for place in one.pairs if column else ():
        value = place.got.value if place.got is not None else None
        if place.got is None or value is None or (span := span_of(value, column)) is None:
            continue
        other = replace(place.got, value=value[: span[1]] + b'"#"' + value[span[2] :])
        judge = RecordingJudge(one.case.protocol, {one.case.id: place})
        findings = judge.judge(one.case, {"ok": {"records": [record_to_json(other)]}}).findings
        if findings:
            requirement = register.requirements[findings[0].requirement]
            return requirement.id, requirement.rule.removesuffix(".")
    return "", ""


def _producer_finding(
    name: str,
    page: str,
    versions: Mapping[str, str],
    recorded: Mapping[str, EncodedCase],
    key: tuple[str, str],
    group: _Group,
) -> Finding:
    effect, type_ = key
    _, case, trouble = group.smallest
    id_, sentence = _requirement(recorded[case.id], trouble.column)
    servers = sorted({one.source.partition(" on ")[2] for cases in group.cases.values() for one in cases})
    rule = "a message says the row of the SQL"
    if id_:
        rule += f"; what the producer does instead is {id_} of its dialect: {sentence}"
    return Finding(
        id=_id(name, effect, type_),
        page=page,
        who=name,
        title=_title(effect, group, trouble),
        harm=_HARMS.get(effect, "changed"),
        versions=f"{', '.join(versions[folder] for folder in group.cases)} on {', '.join(servers)}",
        cases=group.total,
        rule=rule,
        status=status_of(name, effect, type_) or _fixed(versions, group) or open_text(name, effect, type_),
        command=_command(_shown_in(group, case), case, "faultless"),
        shows=trouble.effect,
        sql=_sql(case, trouble),
        evidence=list(_evidence(case, trouble)),
    )


def _sql(case: Case, trouble: Trouble) -> tuple[str, ...]:
    """The statements for the row."""
    return smallest(case, trouble.column, row_with(case, trouble.column, trouble.went_in))


def _evidence(case: Case, trouble: Trouble) -> Iterator[tuple[str, str]]:
    """The value written, the value read, and the bytes between them."""
    yield "went in", _value(trouble.went_in)
    yield "read", _value(trouble.read)
    number = row_with(case, trouble.column, trouble.went_in)
    yield from bytes_of_column(case.records, trouble.column, number)


def _value(text: str | None) -> str:
    return "NULL" if text is None else cut(printable(text), _LONGEST) or "(empty)"


def _fixed(versions: Mapping[str, str], group: _Group) -> str:
    """A sentence if the last version was given the same SQL and no longer has the fault, else ""."""
    seen = [folder for folder, cases in group.cases.items() if any(_SHARED in case.id for case in cases)]
    last = list(versions)[-1]
    if len(versions) > 1 and seen and last not in seen:
        return f"fixed in {versions[last]} at the latest: the same SQL was recorded there"
    return ""


def _shown_in(group: _Group, case: Case) -> str:
    """The encoder of a case."""
    return next(name for name, cases in group.cases.items() if any(one is case for one in cases))


def _command(encoder: str, case: Case, consumer: str) -> tuple[str, ...]:
    words = ("ticdc-conformance", "matrix", "--encoder", encoder, "--protocol", case.protocol, "--consumer", consumer)
    return (*words, "-k", f'"{case.id}"')


# -- consumers ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Consumer:
    name: str
    version: str
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The consumer as `matrix --consumer` names it."""
        options = ",".join(f"{name}={value}" for name, value in self.options.items())
        return f"{self.name}@{self.version}" + (f":{options}" if options else "")


_CONSUMERS = (
    *(_Consumer(*one) for one in CURRENT),
    _Consumer("flink", "2.3.0", _VANISHING),
)


def consumer_findings(config: RunConfig, encoded: Mapping[str, Sequence[EncodedCase]]) -> Iterator[Finding]:
    """The values that consumers read wrongly without an error, in all shipped recordings.

    A consumer with options has an entry where it does not do the same without them.
    """
    cases = dict(encoded)
    for folder in SHIPPED:
        cases[folder] = RecordedProducer(folder, fixtures_root() / "recorded" / folder).encoded(config)[1]
    shown: set[tuple[str, str, str]] = set()
    for consumer in _CONSUMERS:
        for key, group in _grouped(_readings(consumer, cases), _is_its_own).items():
            if (consumer.name, *key) not in shown:
                shown.add((consumer.name, *key))
                yield _consumer_finding(consumer, key, group)


def _readings(consumer: _Consumer, cases: Mapping[str, Sequence[EncodedCase]]) -> Iterator[tuple[str, Reading]]:
    model = MODELS[consumer.name](consumer.version)
    for encoder, encoded in cases.items():
        yield from ((encoder, reading) for reading in read_by_model(model, encoded, consumer.options))


def _is_its_own(case: Case, trouble: Trouble) -> bool:
    """Whether the consumer is to blame rather than the record: a null in the record is read as NULL."""
    if trouble.verdict is not Fidelity.WRONG or trouble.effect.endswith(_AS_IN_THE_MESSAGE):
        return False
    if case.schemas and trouble.column and not any(f'"{trouble.column}"' in one.schema for one in case.schemas):
        return False  # the schema has no such column
    return trouble.read is not None or trouble.went_in is None or not _says_null(case, trouble.column)


def _says_null(case: Case, column: str) -> bool:
    values = [record.value or b"" for record in case.records]
    spans = ((value, span_of(value, column)) for value in values)
    return any(span is not None and value[span[1] : span[2]] == b"null" for value, span in spans)


def _consumer_finding(consumer: _Consumer, key: tuple[str, str], group: _Group) -> Finding:
    effect, type_ = key
    _, case, trouble = group.smallest
    of_model = f"; rule {trouble.rule} of the model" if trouble.rule else ""
    return Finding(
        id=_id(consumer.label, effect, type_),
        page=consumer.name.partition("-")[0],
        who=consumer.label,
        title=_title(effect, group, trouble),
        harm=_HARMS.get(effect, "changed"),
        versions=f"{consumer.label}, of records of {', '.join(group.cases)}",
        cases=group.total,
        rule=f"a reader has the row that the message says{of_model}",
        status=status_of(consumer.name, effect, type_) or open_text(consumer.name, effect, type_),
        command=_command(_shown_in(group, case), case, consumer.label),
        shows=trouble.effect,
        sql=_sql(case, trouble),
        evidence=list(_evidence(case, trouble)),
    )
