"""`check-capture`: judges messages captured from a topic, without a harness and without knowing the original rows.

The result is a run record like any other: each line of the capture is a case, and so is each rule broken between
records; every report reads it.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from conformance.captures.broker import TopicLost, read_by_time, spans_of
from conformance.captures.check import check_capture
from conformance.captures.claims import ClaimFiles
from conformance.captures.kafka_config import read_config
from conformance.captures.likely import likely_dialect
from conformance.captures.model import Captured, Place
from conformance.captures.redaction import Redaction
from conformance.captures.results import CaptureResult, CaptureVerdict
from conformance.captures.schemas import CapturedSchemas
from conformance.captures.topics import is_topics, parse_topics
from conformance.cases.model import Anchor, Case
from conformance.catalogue.register import Level, Register, load_register
from conformance.cli.arguments import add_profile, checked_name, profile_of, refuse_profile
from conformance.cli.configuring import origin_of
from conformance.cli.inputs import listed, read_events, read_schemas, read_tables
from conformance.cli.outputs import check_reports, open_outputs
from conformance.cli.parser import typed_command
from conformance.cli.registry_access import OPTION, add_registry_config, registry_access
from conformance.cli.run_folder import folder_outputs, open_folder
from conformance.cli.templates import add_template, report_options
from conformance.engine import Gate, events
from conformance.engine.answers import KeepAnswer, answer_digest, answer_text
from conformance.engine.case_events import CaseEvents
from conformance.engine.choosing import digest_of
from conformance.engine.implementation import already_made
from conformance.engine.outcomes import Found, Outcome
from conformance.engine.plan import Item, Plan
from conformance.engine.requirement_results import RequirementResults
from conformance.engine.verdicts import Tally, Verdict
from conformance.errors import UsageError
from conformance.oracle.weights import weight_of
from conformance.registry import open_registry
from conformance.signals import cuttable, stopping
from conformance.transport.origin import Origin
from reference_impl.errors import Rejected
from reference_impl.model import Record, RowChange, Table
from reference_impl.profiles import Profile
from reference_impl.protocols import AVRO, DIALECTS, UPSTREAM
from reference_impl.wire import record_to_json

__all__ = ["register"]

_NO_TRUTH = "no truth at hand: the rules of the register, and the reference's reading"
_UPSTREAM = "no truth at hand: the reference's reading, and what it writes for the same row"
_EVENTS = "the events that were given, as the reference writes them"
_FORMATS = ("jsonl", "kcat", "text", "storage")
_TRIED = 20  # records that are judged as those of another dialect


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser("check-capture")
    parser.add_argument("--protocol", metavar="P", required=True, help=f"one of {', '.join(DIALECTS)}")
    parser.add_argument("--records", metavar="FILE|DIR|kafka://HOST:PORT/TOPIC", required=True)
    parser.add_argument(
        "--kafka-config", metavar="FILE", type=Path, help="for topics: properties of Kafka's own tools (TLS, SASL, …)"
    )
    parser.add_argument(
        "--input-format", choices=_FORMATS, help="the format of files (default: recognized from the first lines)"
    )
    parser.add_argument(
        "--tables",
        metavar="FILE",
        type=Path,
        help="Table JSON: a list, or one a line; or CREATE TABLE statements in a file .sql",
    )
    parser.add_argument("--events", metavar="FILE", type=Path, help="Event JSON: what the capture should hold")
    parser.add_argument("--schemas", metavar="FILE", type=Path, help="the schemas of a registry: id, subject, schema")
    parser.add_argument("--registry-url", metavar="URL", help="where to look up schemas that --schemas lacks")
    add_registry_config(parser)
    parser.add_argument(
        "--claims",
        metavar="DIR",
        type=Path,
        help="claim-check files, each looked up in this folder by the last part of its location",
    )
    parser.add_argument(
        "--option", metavar="NAME=VALUE", action="append", default=[], help="an option of the changefeed"
    )
    parser.add_argument("--timezone", metavar="ZONE", default="UTC", help="the time zone of the changefeed (UTC)")
    parser.add_argument(
        "--partitions", metavar="N", type=int, help="the partitions of the topic, if it has more than the capture shows"
    )
    parser.add_argument("--redact", action="store_true", help="show no values of columns, only their type and length")
    parser.add_argument("--strict", action="store_true", help="a broken SHOULD is red too")
    parser.add_argument("--report", metavar="KIND=PATH", action="append", default=[])
    parser.add_argument(
        "--origin", metavar="FILE[:LINE]", help="the place in a source that reports show for every record"
    )
    add_template(parser)
    parser.add_argument("--out", metavar="DIR", help="save the run record, and the records themselves, in this folder")
    parser.add_argument("-q", "--quiet", action="store_true")
    add_profile(parser)
    parser.set_defaults(handle=_check)


@dataclass(frozen=True, slots=True)
class _Capture:
    """A capture that was read and judged."""

    name: str
    """The argument of `--records`."""
    protocol: str
    profile: Profile
    oracle: str
    """The source of the expectations, in words."""
    results: Sequence[CaptureResult]
    lost: str
    """Why it could not be read to its end; "" if it was."""
    is_interrupted: bool
    notes: Sequence[str]
    """Hints about the capture as a whole."""


def _check(args: argparse.Namespace) -> int:
    protocol = checked_name("protocol", args.protocol, DIALECTS)
    _check_arguments(args, protocol)
    profile, origin = profile_of(args.profile, args.ticdc_version), origin_of(args.origin)
    options = report_options(vars(args))
    check_reports(args.report, options)
    # The run record begins after reading: a capture that cannot be read at all gives one message, and no record.
    capture = _read(args, protocol, profile)
    policy = Gate.SHOULD if args.strict else Gate.DATA
    status = 0
    with (
        open_folder(vars(args)) as folder,
        open_outputs(tuple(args.report), quiet=args.quiet, options=options, also=folder_outputs(folder)) as outputs,
    ):
        for event in _record(capture, policy, origin, folder.keep_answer if folder else None):
            outputs.handle(event)
            status = event.get("exit", status)
    return outputs.status(int(status))


def _check_arguments(args: argparse.Namespace, protocol: str) -> None:
    """Raise `UsageError` for arguments that do not fit together."""
    if args.partitions is not None and args.partitions < 1:
        raise UsageError(f"--partitions {args.partitions}: a topic has one or more")
    if args.kafka_config is not None and not is_topics(args.records):
        raise UsageError(f"--kafka-config {args.kafka_config}: it is for topics, and --records names files")
    if args.registry_config is not None and args.registry_url is None:
        raise UsageError(f"{OPTION} goes with --registry-url")
    if protocol in UPSTREAM:
        refuse_profile(protocol, args.profile, args.ticdc_version)


def _read(args: argparse.Namespace, protocol: str, profile: Profile) -> _Capture:
    """Read and judge the records, up to Ctrl-C or SIGTERM. Raises `UsageError` for an unreadable topic."""
    results: list[CaptureResult] = []
    broken_off: list[TopicLost] = []
    tables = read_tables(args.tables) if args.tables else []
    with stopping() as stop, contextlib.suppress(KeyboardInterrupt):
        _until_stopped(_results(args, protocol, profile, tables, broken_off), results, stop)
    lost = "".join(map(str, broken_off))
    if lost and not results:
        raise UsageError(lost)
    if lost:
        lost = f"{lost}; what was read until then is judged"
        print(f"ticdc-conformance: {lost}", file=sys.stderr)
    if protocol in UPSTREAM:
        oracle = _UPSTREAM
    else:
        oracle = _NO_TRUTH if args.events is None else _EVENTS
    # The hints need the records, which `--redact` removes.
    notes = (*_other_dialect(protocol, results), *_left_out(results), *_about_all(args.records, tables, results))
    shown = list(map(Redaction(protocol), results)) if args.redact else results
    return _Capture(args.records, protocol, profile, oracle, shown, lost, stop.is_set(), notes)


@cuttable
def _until_stopped(results: Iterator[CaptureResult], found: list[CaptureResult], stop: threading.Event) -> None:
    """Put the results into `found`, up to Ctrl-C or SIGTERM."""
    for result in results:
        found.append(result)
        if stop.is_set():
            return


def _results(
    args: argparse.Namespace, protocol: str, profile: Profile, tables: Sequence[Table], broken_off: list[TopicLost]
) -> Iterator[CaptureResult]:
    """The judged records, one after another."""
    captured, partitions = _topics(args)
    with _schemas(args) as schemas:
        yield from check_capture(
            args.records,
            protocol,
            captured=None if captured is None else _as_far_as_read(captured, broken_off),
            input_format=args.input_format,
            tables=tables,
            events=read_events(args.events, tables) if args.events else None,
            options=_options(args.option),
            profile=profile,
            partitions=partitions,
            timezone=args.timezone,
            schemas=schemas,
            claims=ClaimFiles(args.claims) if args.claims else None,
        )


def _topics(args: argparse.Namespace) -> tuple[Iterator[Captured] | None, int | None]:
    """The current content of topics, None for files; and the number of partitions, None if it is unknown."""
    if not is_topics(args.records):
        return None, args.partitions
    if args.input_format is not None:
        raise UsageError(f"--input-format {args.input_format}: it is for files; records of topics need no format")
    topics = parse_topics(args.records)
    config = read_config(topics.config or args.kafka_config)
    spans = spans_of(topics, config)
    alone = len({span.topic for span in spans}) == 1
    return read_by_time(topics.servers, config, spans), args.partitions or (len(spans) if alone else None)


def _as_far_as_read(captured: Iterator[Captured], broken_off: list[TopicLost]) -> Iterator[Captured]:
    """The records before reading broke off; `broken_off` gets the reason."""
    try:
        yield from captured
    except TopicLost as e:
        broken_off.append(e)


@contextmanager
def _schemas(args: argparse.Namespace) -> Iterator[CapturedSchemas | None]:
    """The schemas of the arguments, None without any."""
    if args.schemas is None and args.registry_url is None:
        yield None
        return
    listed = read_schemas(args.schemas) if args.schemas else ()
    try:
        registry = open_registry(args.registry_url, registry_access(args.registry_config))
    except Rejected as e:
        raise UsageError(f"--registry-url: {e.message}") from None
    try:
        yield CapturedSchemas(listed, registry)
    finally:
        if registry is not None:
            registry.close()


def _options(given: Sequence[str]) -> dict[str, str]:
    """The options in `NAME=VALUE` texts. Raises `UsageError` for a malformed one, and for a name given twice."""
    options = {}
    for text in given:
        name, separator, value = text.partition("=")
        if not separator:
            raise UsageError(f"--option {text}: it looks like enable-tidb-extension=true")
        if name in options:
            raise UsageError(f"--option: {name!r} is given twice; leave one out")
        options[name] = value
    return options


def _record(
    capture: _Capture, policy: Gate, origin: Origin | None, keep: KeepAnswer | None
) -> Iterator[dict[str, Any]]:
    """The run record of a capture, event by event; `keep` saves the records themselves."""
    protocol, profile, results = capture.protocol, capture.profile, capture.results
    rules = load_register(protocol)
    judged = [(_item(protocol, result, capture.oracle), _outcome(result, rules)) for result in results]
    source = capture.name.partition("?")[0] if is_topics(capture.name) else capture.name
    label = Path(source).name
    command, started = typed_command(), datetime.now(tz=UTC).isoformat(timespec="seconds")
    yield events.run_event(command, {protocol: rules}, policy, "may", started, "", origin)
    hello = {"name": label, "version": "captured", "language": "", "protocols": {protocol: {"roles": ["encode"]}}}
    problems = [f"{item.case.id}: {outcome.message}" for item, outcome in judged if outcome.verdict is Verdict.NOT_RUN]
    yield events.iut_event(label, capture.name, "capture", profile.name, hello, "", "", problems)
    items = tuple(item for item, _ in judged)
    digest = digest_of(f"{i.case.role} {i.case.id}" for i in items)
    yield events.plan_event(label, Plan(items, digest=digest, notes=tuple(capture.notes)))
    tally = Tally(planned=len(judged), interrupted=capture.is_interrupted, incomplete=bool(capture.lost))
    by_requirement = RequirementResults(rules, profile, frozenset({"encode"}))
    cases = CaseEvents()
    for item, outcome in judged:
        if keep is not None and outcome.answer_text is not None:
            keep(outcome.answer, outcome.answer_text)
        tally.add(outcome.verdict)
        by_requirement.add(item, outcome)
        fingerprints = outcome.fingerprints(item.case.role)
        verdict = events.verdict_event(label, item, profile.name, outcome, (), rules, fingerprints, new=True)
        case = partial(already_made, item.case)
        yield from (_with_records(event, case()) for event in cases.before(label, item, verdict, case))
        # There is no case to run again: the user looks at the place.
        yield verdict | {"replay": item.case.id}
    for requirement, of in by_requirement:
        yield events.requirement_event(label, requirement, of)
    iut = events.IutResult(label, profile.name, tally, {(protocol, "encode"): tally})
    baseline = {"known": 0, "unmatched": [], "expired": [], "passing": [], "stale": False, "whole": False}
    yield events.end_event([iut], policy, baseline, capture.lost, 0.0)


def _other_dialect(protocol: str, results: Sequence[CaptureResult]) -> Iterator[str]:
    """A hint if records are broken, none passes, and the first ones look like messages of another dialect."""
    of_records = [result for result in results if not result.is_stream]
    has_broken = any(result.problem or result.verdict is CaptureVerdict.FAIL for result in of_records)
    if not has_broken or any(result.verdict is CaptureVerdict.PASS for result in of_records):
        return
    records = [result.record for result in of_records if result.record is not None]
    likely = likely_dialect(records)
    if likely not in ("", protocol) and _has_right_ones(likely, records[:_TRIED]):
        yield f"no record is right as {protocol}; the first ones look like {likely}: try --protocol {likely}"


def _has_right_ones(dialect: str, records: Sequence[Record]) -> bool:
    """Whether some records are right as messages of a dialect; those of Avro cannot be judged without a registry.

    A dialect may read broken messages of another one that it resembles.
    """
    captured = [Captured(record, Place("", number)) for number, record in enumerate(records)]
    return dialect == AVRO.name or any(
        not (result.findings or result.problem) for result in check_capture("", dialect, captured=captured)
    )


def _about_all(records: str, tables: Sequence[Table], results: Sequence[CaptureResult]) -> Iterator[str]:
    """Why nothing, or no table of `--tables`, was judged."""
    if not results:
        yield f"{records}: there is no record in it"
    rows = [event for result in results for event in result.events if isinstance(event, RowChange)]
    found, given = {(row.schema, row.table) for row in rows}, {table.id for table in tables}
    if found and given and not found & given:
        yield f"no record is of a table of --tables: the records are of {listed(found)}; --tables has {listed(given)}"


def _left_out(results: Iterable[CaptureResult]) -> Iterator[str]:
    """Why some of the records were not judged in full: each reason with their number, the most frequent first."""
    of_records = [result for result in results if not result.is_stream]
    for reason, times in Counter(reason for result in of_records for reason in result.not_judged).most_common():
        yield f"{times:,} of {len(of_records):,} records: {reason}"


def _with_records(event: dict[str, Any], case: Case) -> dict[str, Any]:
    """A `case` event with the record in its input. With `--redact` there is no input."""
    if "input" not in event or not case.records:
        return event
    return event | {"input": {**event["input"], "records": [record_to_json(record) for record in case.records]}}


def _item(protocol: str, result: CaptureResult, oracle: str) -> Item:
    """A result as a case; its id is the place in the capture."""
    place = str(result.place) + (", between records" if result.is_stream else "")
    case = Case(
        place,
        protocol,
        "encode",
        records=(result.record,) if result.record else (),
        anchor=Anchor.REFERENCE,
        source=oracle,
    )
    return Item(case, Level.MUST, (protocol, (), case.settings, ""), frozenset())


def _outcome(result: CaptureResult, rules: Register) -> Outcome:
    """The verdict of a result, and its findings: equal ones once, with their number."""
    found: dict[tuple[str, str], Found] = {}
    for finding in result.findings:
        key = finding.requirement, finding.fingerprint
        times = found[key].times + 1 if key in found else 1
        found[key] = Found(finding, *weight_of(finding, rules.requirements[finding.requirement]), times)
    verdict = Verdict(result.verdict)
    if result.problem is not None and verdict is Verdict.EXCLUDED:
        # An unreadable line was not judged: the run proves nothing about it, and is not green.
        verdict = Verdict.NOT_RUN
    message = result.problem or (f"not judged: {'; '.join(result.not_judged)}" if result.not_judged else "")
    outcome = Outcome(verdict, tuple(found.values()), result.evaluated, message)
    if result.record is None or result.is_stream:
        return outcome
    # A record is what an encoder answered once.
    text = answer_text("ok", {"records": [record_to_json(result.record)]})
    return replace(outcome, answer=answer_digest(text), answer_text=text)
