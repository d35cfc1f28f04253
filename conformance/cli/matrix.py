"""`matrix`: every encoder's records read by every decoder and consumer, compared with the original rows."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.producers import SHIPPED as UPSTREAM_RECORDINGS
from conformance.catalogue.recordings import has_recordings
from conformance.cli.arguments import add_shared, consumer_of
from conformance.cli.configuring import REFERENCE, run_config
from conformance.cli.parser import print_note, typed_command
from conformance.cli.reporting import add_reports, checked_options, read_requests, write_pages
from conformance.cli.settings import SETTINGS, value_of
from conformance.compatibility import ExecutedEncoder, Reader, RecordedProducer, compatibility
from conformance.compatibility.faultless import FAULTLESS
from conformance.consumers import MODELS
from conformance.consumers.affected import CURRENT
from conformance.engine import RunConfig
from conformance.engine.implementation import recorded_target
from conformance.engine.verdicts import ExitStatus
from conformance.errors import UsageError
from conformance.transport.addresses import RecordedAddress, parse_address
from reference_impl.profiles import CLASSIC, NEWARCH
from reports.compatibility import COMPATIBILITY_REPORTS, terminal_lines

__all__ = ["register"]

_TICDC = ("ticdc-newarch", "ticdc-classic")
_SHIPPED = (*_TICDC, *UPSTREAM_RECORDINGS)
_FAILING = ("silently-wrong", "rejected", "lossy")  # the worst first


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "matrix",
        description="Let every encoder encode the cases, and every reader read its records. A reader is a decoder "
        "behind a harness, judged by the suite, or the model of a consumer. A cell is lossless, lossy, rejected, "
        "silently wrong, or not tried. The truth is the rows that went into the encoder.",
    )
    parser.add_argument(
        "--encoder",
        action="append",
        default=[],
        metavar="ADDRESS",
        help=f"an address as for run --iut, reference, or a shipped recording: {', '.join(_SHIPPED)}; repeat for "
        "several (all shipped recordings)",
    )
    parser.add_argument(
        "--decoder",
        action="append",
        default=[],
        metavar="ADDRESS",
        help="a decoder, by its address or reference; repeat for several",
    )
    parser.add_argument(
        "--consumer",
        action="append",
        default=[],
        metavar="NAME@VERSION[:OPTIONS]",
        help="the model of a consumer, as flink@1.20.4, or with options of its format, as "
        "flink@1.20.4:ignore-parse-errors=true,schema-include=false; or faultless, a reader without faults; repeat for "
        "several (without --decoder: the newest version of each)",
    )
    add_shared(parser, "--protocol")
    parser.add_argument("-k", dest="select", metavar="EXPR", help="only the cases that match, as with run -k")
    parser.add_argument(
        "--profile",
        choices=("newarch", "classic", "doc"),
        help="the style of the encoders that --encoder names by address",
    )
    parser.add_argument("--timeout", metavar="S", help="give up on an answer after S seconds (5)")
    parser.add_argument("--fail-on", choices=_FAILING, help="end with 1 where a cell is this, or worse")
    add_reports(parser, COMPATIBILITY_REPORTS)
    add_shared(parser, "--template")
    parser.set_defaults(handle=_matrix)


def _matrix(args: argparse.Namespace) -> int:
    requests = read_requests(args.report, COMPATIBILITY_REPORTS)
    options = checked_options(args, "reports.compatibility")
    readers = _readers(args)
    config = _run_config(args, REFERENCE)
    encoders = [_encoder(args, address) for address in args.encoder or _SHIPPED]
    found = compatibility(config, encoders, readers, typed_command())
    try:
        write_pages(requests, COMPATIBILITY_REPORTS, found.table, options)
    finally:
        print("\n".join(terminal_lines(found.table)))  # also if a report cannot be written: the work took its time
    return _status(args, found.table, suite_failed=found.suite_failed)


def _status(args: argparse.Namespace, table: dict[str, Any], *, suite_failed: bool) -> int:
    """The exit status; prints why results are missing, each reason once."""
    missing = [f"{encoder['name']}: {encoder['note']}" for encoder in table["encoders"] if encoder["note"]]
    decoders = [cell for cell in table["cells"] if cell["rests_on"] == "decoder" and cell["reason"]]
    missing += [f"{cell['reader']}: {cell['reason']}" for cell in decoders]
    if missing:
        for text in dict.fromkeys(missing):
            print_note(text)
        return ExitStatus.INTERNAL if suite_failed else ExitStatus.INCONCLUSIVE
    verdicts = {cell["verdict"] for cell in table["cells"]}
    if not verdicts or verdicts == {"not tried"}:
        selected = f": no case with a row matches -k {args.select!r}" if args.select and not verdicts else ""
        print_note(f"nothing was tried{selected}")
        return ExitStatus.NOTHING
    if args.fail_on is None:
        return ExitStatus.GREEN
    failing = {name.replace("-", " ") for name in _FAILING[: _FAILING.index(args.fail_on) + 1]}
    return ExitStatus.RED if verdicts & failing else ExitStatus.GREEN


def _run_config(args: argparse.Namespace, address: str, **more: Any) -> RunConfig:
    timeout = None if args.timeout is None else value_of("timeout", args.timeout, "--timeout")
    given = {"protocol": tuple(args.protocol) or None, "select": args.select, "timeout": timeout, **more}
    settings: dict[str, Any] = {setting.key: None for setting in SETTINGS}
    return run_config({**settings, **given, "iut": (address,)}, ())


def _encoder(args: argparse.Namespace, address: str) -> ExecutedEncoder | RecordedProducer:
    """The encoder at an address, or the shipped recordings of that name."""
    shipped = fixtures_root() / "recorded" / address
    if address in _TICDC:
        profile = NEWARCH if address == "ticdc-newarch" else CLASSIC
        return ExecutedEncoder(address, recorded_target(f"recordings of {address}", shipped, profile))
    if address in UPSTREAM_RECORDINGS:
        return RecordedProducer(address, shipped)
    real = address
    if address == "reference":
        real = f"{REFERENCE} --profile {args.profile}" if args.profile else REFERENCE
    parsed = parse_address(real)
    if isinstance(parsed, RecordedAddress) and has_recordings(Path(parsed.folder)):
        return RecordedProducer(address, Path(parsed.folder))
    [target] = _run_config(args, real, profile=args.profile).targets
    return ExecutedEncoder(address, target)


def _readers(args: argparse.Namespace) -> list[Reader]:
    readers = []
    for address in args.decoder:
        [target] = _run_config(args, REFERENCE if address == "reference" else address, select=None).targets
        readers.append(Reader(address, target=target))
    shipped = [f"{name}@{version}" for name, version in CURRENT]
    return readers + [_consumer(text) for text in args.consumer or ([] if args.decoder else shipped)]


def _consumer(text: str) -> Reader:
    if text == FAULTLESS:
        return Reader(text)
    name, version, options = consumer_of(text, MODELS)
    if not version[:1].isdecimal():
        raise UsageError(f"--consumer {text}: it looks like {name}@VERSION, as flink@1.20.4")
    return Reader(name, version, options)
