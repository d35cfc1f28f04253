"""`matrix`: every encoder's records read by every decoder and consumer, and what becomes of the rows that went in."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from conformance.cli.arguments import known
from conformance.errors import UsageError

__all__ = ["register"]

_NAMED = ("reference", "ticdc-newarch", "ticdc-classic")
_FAILING = ("silently-wrong", "rejected", "lossy")


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
        help=f"an address, as run --iut has it, or {', '.join(_NAMED)}; repeat for several (both generations of TiCDC)",
    )
    parser.add_argument(
        "--decoder", action="append", default=[], metavar="ADDRESS", help="a decoder; repeat for several"
    )
    parser.add_argument(
        "--consumer",
        action="append",
        default=[],
        metavar="NAME@VERSION",
        help="a consumer by its model, as flink@1.20.4; repeat for several (without --decoder: the newest of each)",
    )
    parser.add_argument("--protocol", action="append", default=[], metavar="P", help="only this protocol")
    parser.add_argument("-k", dest="select", metavar="EXPR", help="only the cases that match, as with run -k")
    parser.add_argument("--profile", choices=("newarch", "classic", "doc"), help="the style of encoders at an address")
    parser.add_argument("--timeout", metavar="S", type=float, help="give up on an answer after S seconds (5)")
    parser.add_argument("--fail-on", choices=_FAILING, help="end with 1 where a cell is this, or worse")
    parser.add_argument(
        "--report", action="append", default=[], metavar="KIND=PATH", help="json=PATH or html=PATH; repeat for several"
    )
    parser.add_argument("--template", metavar="DIR", type=Path, help="templates that override those of the page")
    parser.set_defaults(handle=_matrix)


def _matrix(args: argparse.Namespace) -> int:
    from conformance.cli.reporting import read_requests
    from conformance.compatibility import compatibility
    from reports.compatibility import COMPATIBILITY_REPORTS, terminal_lines

    requests = read_requests(args.report, COMPATIBILITY_REPORTS)
    config, targets = _config(args)
    found = compatibility(config, targets, _readers(args), ["ticdc-conformance", *sys.argv[1:]])
    for request in requests:
        with request.opened() as file:
            file.write(COMPATIBILITY_REPORTS[request.kind](found, args.template))
    print("\n".join(terminal_lines(found)))
    return _status(args, found)


def _status(args: argparse.Namespace, found: dict[str, Any]) -> int:
    verdicts = {cell["verdict"] for cell in found["cells"]}
    if not verdicts or verdicts == {"not tried"}:
        print("ticdc-conformance: nothing was tried", file=sys.stderr)
        return 5
    failing = [word.replace("-", " ") for word in _FAILING[: _FAILING.index(args.fail_on) + 1]] if args.fail_on else []
    return 1 if verdicts & set(failing) else 0


def _config(args: argparse.Namespace) -> tuple[Any, list[Any]]:
    from conformance.catalogue.fixtures import fixtures_root
    from conformance.cli.configuring import REFERENCE, run_config
    from conformance.cli.settings import SETTINGS
    from conformance.engine.implementation import recorded_target
    from reference_impl.profiles import CLASSIC, NEWARCH

    asked = {
        "protocol": tuple(args.protocol) or None,
        "select": args.select,
        "profile": args.profile,
        "timeout": args.timeout,
    }
    settings: dict[str, Any] = {setting.key: None for setting in SETTINGS} | asked
    targets = []
    for address in args.encoder or _NAMED[1:]:
        if address in _NAMED[1:]:
            profile = NEWARCH if address == "ticdc-newarch" else CLASSIC
            folder = fixtures_root() / "recorded" / address
            targets.append(recorded_target(f"recordings of {address}", folder, profile))
        else:
            style = f" --profile {args.profile}" if args.profile else ""
            real = f"{REFERENCE}{style}" if address == "reference" else address
            targets += run_config(settings | {"iut": (real,)}, ()).targets
    return run_config(settings | {"iut": (REFERENCE,)}, ()), targets


def _readers(args: argparse.Namespace) -> list[Any]:
    from conformance.cli.configuring import REFERENCE, run_config
    from conformance.cli.settings import SETTINGS
    from conformance.compatibility import Reader
    from conformance.consumers import MODELS
    from conformance.consumers.suffering import CURRENT

    readers = []
    for address in args.decoder:
        settings: dict[str, Any] = {setting.key: None for setting in SETTINGS} | {"timeout": args.timeout}
        real = REFERENCE if address == "reference" else address
        [target] = run_config(settings | {"iut": (real,)}, ()).targets
        readers.append(Reader(address, target=target))
    chosen = args.consumer or ([] if args.decoder else [f"{name}@{version}" for name, version in CURRENT])
    for text in chosen:
        name, separator, version = text.partition("@")
        known("consumer", name, MODELS)
        if not separator or not version:
            raise UsageError(f"--consumer {text}: it looks like {name}@VERSION, as flink@1.20.4")
        readers.append(Reader(name, version))
    return readers
