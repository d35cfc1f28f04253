"""`check-capture`: judges messages captured from a topic, without a harness and without knowing the original rows."""

from __future__ import annotations

import argparse
import contextlib
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
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
from conformance.cli.arguments import add_profile, add_shared, assignments, profile_of, refuse_profile, whole_number
from conformance.cli.capture_record import JudgedCapture, capture_record
from conformance.cli.configuring import origin_of
from conformance.cli.inputs import listed, read_events, read_schemas, read_tables
from conformance.cli.outputs import check_reports, open_outputs
from conformance.cli.parser import print_note
from conformance.cli.registry_access import OPTION, add_registry_config, registry_access
from conformance.cli.reporting import add_reports, report_options
from conformance.cli.run_folder import open_folder
from conformance.engine import Gate
from conformance.errors import UsageError
from conformance.registry import open_registry
from conformance.signals import cuttable, stopping
from reference_impl.errors import Rejected
from reference_impl.model import Record, RowChange, Table
from reference_impl.profiles import Profile
from reference_impl.protocols import AVRO, DIALECTS, UPSTREAM
from reports import FOLDERS, RENDERERS

__all__ = ["register"]

_NO_TRUTH = "no truth at hand: the rules of the register, and the reference's reading"
_UPSTREAM = "no truth at hand: the reference's reading, and what it writes for the same row"
_EVENTS = "the events that were given, as the reference writes them"
_FORMATS = ("jsonl", "kcat", "text", "storage")
_TRIED = 20  # records that are judged as those of another dialect


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser("check-capture")
    parser.add_argument(
        "--protocol", metavar="P", required=True, choices=DIALECTS, help=f"one of {', '.join(DIALECTS)}"
    )
    parser.add_argument(
        "--records",
        metavar="FILE|DIR|kafka://HOST:PORT/TOPIC",
        required=True,
        help="the captured messages: a file, the files of a folder, or what topics hold now",
    )
    add_shared(parser, "--kafka-config")
    parser.add_argument(
        "--input-format", choices=_FORMATS, help="the format of files (default: recognized from the first lines)"
    )
    add_shared(parser, "--tables")
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
        "--option",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="an option of the changefeed; repeat for several",
    )
    parser.add_argument("--timezone", metavar="ZONE", default="UTC", help="the time zone of the changefeed (UTC)")
    parser.add_argument(
        "--partitions",
        metavar="N",
        type=whole_number(),
        help="the partitions of the topic, if it has more than the capture shows",
    )
    add_shared(parser, "--redact")
    parser.add_argument("--strict", action="store_true", help="a broken SHOULD is red too")
    add_reports(parser, (*RENDERERS, *FOLDERS))
    parser.add_argument(
        "--origin", metavar="FILE[:LINE]", help="the place in a source that reports show for every record"
    )
    add_shared(parser, "--template")
    parser.add_argument("--out", metavar="DIR", help="save the run record, and the records themselves, in this folder")
    parser.add_argument("-q", "--quiet", action="store_true", help="print only the summary")
    add_profile(parser)
    parser.set_defaults(handle=_check)


def _check(args: argparse.Namespace) -> int:
    protocol = args.protocol
    _check_arguments(args)
    profile, origin = profile_of(args.profile, args.ticdc_version), origin_of(args.origin)
    options = report_options(vars(args))
    check_reports(args.report, options)
    # The run record begins after reading: a capture that cannot be read at all gives one message, and no record.
    capture = _read(args, protocol, profile)
    policy = Gate.SHOULD if args.strict else Gate.DATA
    status = 0
    with (
        open_folder(vars(args)) as folder,
        open_outputs(tuple(args.report), quiet=args.quiet, options=options, folder=folder) as outputs,
    ):
        for event in capture_record(capture, policy, origin, folder.keep_answer if folder else None):
            outputs.handle(event)
            status = event.get("exit", status)
    return outputs.status(int(status))


def _check_arguments(args: argparse.Namespace) -> None:
    """Raise `UsageError` for arguments that do not fit together."""
    if args.kafka_config is not None and not is_topics(args.records):
        raise UsageError(f"--kafka-config {args.kafka_config}: it is for topics, and --records names files")
    if args.registry_config is not None and args.registry_url is None:
        raise UsageError(f"{OPTION} goes with --registry-url")
    if args.protocol in UPSTREAM:
        refuse_profile(args.protocol, args.profile, args.ticdc_version)


def _read(args: argparse.Namespace, protocol: str, profile: Profile) -> JudgedCapture:
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
        print_note(lost)
    if protocol in UPSTREAM:
        oracle = _UPSTREAM
    else:
        oracle = _NO_TRUTH if args.events is None else _EVENTS
    # The hints need the records, which `--redact` removes.
    notes = (*_other_dialect(protocol, results), *_left_out(results), *_about_all(args.records, tables, results))
    shown = list(map(Redaction(protocol), results)) if args.redact else results
    return JudgedCapture(args.records, protocol, profile, oracle, shown, lost, stop.is_set(), notes)


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
            options=assignments("--option", args.option),
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
    is_one_topic = len({span.topic for span in spans}) == 1
    return read_by_time(topics.servers, config, spans), args.partitions or (len(spans) if is_one_topic else None)


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
