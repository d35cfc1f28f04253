"""`bench --iut ADDRESS`: measures the speed of an implementation and of the reference: throughput and answer times.

It gives no verdict. Its figures hold for this machine only; the ratio to the reference can be compared across machines.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from typing import Any

from conformance.cli.arguments import add_shared, whole_number
from conformance.cli.bench_load import Measured, Refused, load_of, measure
from conformance.cli.configuring import REFERENCE
from conformance.cli.parser import print_note
from conformance.cli.settings import value_of
from conformance.engine.verdicts import ExitStatus
from conformance.errors import ImplementationError, UsageError
from conformance.registry import ServedRegistry
from conformance.transport import Limits, open_session
from conformance.transport.addresses import ExecAddress, RecordedAddress, parse_address
from conformance.transport.session import Session
from reference_impl.protocols import CODECS

__all__ = ["register"]

_ROLES = ("encode", "decode")
_PERCENTILES = (50, 90, 99)
_HEAD = (
    "protocol",
    "role",
    "messages/s",
    "ratio",
    "MB/s",
    *(f"p{percent} µs" for percent in _PERCENTILES),
    "reference p50",
)


def register(commands: Any) -> None:
    """Add the command `bench`."""
    parser = commands.add_parser(
        "bench",
        description="Measure an implementation beside the reference, in turns in the same run: messages and bytes a "
        "second with requests of 100 rows, and the times within which 50, 90 and 99 percent of requests of one row are "
        "answered. The ratio divides the implementation's messages a second by the reference's. There is no verdict.",
    )
    parser.add_argument("--iut", metavar="ADDRESS", required=True, help="address of the implementation")
    add_shared(parser, "--protocol", choices=CODECS)
    parser.add_argument("--role", metavar="ROLE", choices=_ROLES, help="measure only this role: encode or decode")
    parser.add_argument(
        "--messages",
        metavar="N",
        type=whole_number(),
        default=5000,
        help="messages in a round, in whole hundreds (5000)",
    )
    parser.add_argument(
        "--rounds", metavar="N", type=whole_number(), default=5, help="the number of rounds; their median counts (5)"
    )
    parser.add_argument("--timeout", metavar="S", default="30", help="seconds an answer may take (30)")
    add_shared(parser, "--format")
    parser.set_defaults(handle=_bench)


def _bench(args: argparse.Namespace) -> int:
    address = parse_address(args.iut)
    if isinstance(address, RecordedAddress | ExecAddress):
        raise UsageError(f"{args.iut}: bench needs one program that answers many requests: cmd:, docker:, py: or tcp:")
    protocols = list(dict.fromkeys(args.protocol or CODECS))
    limits = Limits(answer=value_of("timeout", args.timeout, "--timeout"))
    with ExitStack() as stack:
        session = stack.enter_context(open_session(address, limits=limits))
        reference = stack.enter_context(open_session(REFERENCE, limits=limits))
        try:
            hello = session.start()
            reference.start()
        except ImplementationError as e:
            print_note(f"{args.iut}: {e}")
            return ExitStatus.INCONCLUSIVE
        rows = []
        for protocol, role, declared in _declared_roles(hello, protocols, args.role):
            rows.append(_row(session, reference, protocol, role, declared, args))
            if args.format == "text":
                _show(hello, rows)
    if args.format == "json":
        implementation = {name: hello[name] for name in ("name", "version", "language")}
        print(
            json.dumps(
                {"implementation": implementation, "messages": args.messages, "rounds": args.rounds, "measured": rows}
            )
        )
    if not rows:
        print_note(f"{hello['name']} declares none of these protocols and roles: {', '.join(protocols)}")
        return ExitStatus.NOTHING
    return ExitStatus.INCONCLUSIVE if any("refused" in row for row in rows) else ExitStatus.GREEN


def _declared_roles(
    hello: Mapping[str, Any], protocols: list[str], only_role: str | None
) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Every protocol and role that is requested and declared, with the declaration."""
    for protocol in protocols:
        declared = hello["protocols"].get(protocol)
        if declared is None or "row" not in declared.get("events", ["row"]):
            continue
        for role in _ROLES:
            if only_role in (None, role) and role in (declared.get("roles") or _ROLES):
                yield protocol, role, declared


def _row(
    session: Session,
    reference: Session,
    protocol: str,
    role: str,
    declared: Mapping[str, Any],
    args: argparse.Namespace,
) -> dict[str, Any]:
    """The figures of one protocol and role: those of the implementation, of the reference, and their ratio."""
    registry = ServedRegistry() if CODECS[protocol].uses_registry else None
    row: dict[str, Any] = {"protocol": protocol, "role": role}
    try:
        load = load_of(protocol, role, declared, registry)
        theirs, ours = measure((session, reference), load, args.messages, args.rounds)
    except Refused as e:
        return row | {"refused": str(e)}
    finally:
        if registry is not None:
            registry.close()
    return row | _figures(theirs) | {"reference": _figures(ours), "ratio": f"{theirs.per_second / ours.per_second:.2f}"}


def _figures(measured: Measured) -> dict[str, Any]:
    """What was measured, in whole numbers: messages and bytes a second, and microseconds."""
    times = {f"p{percent}_us": (measured.percentile(percent) + 500) // 1000 for percent in _PERCENTILES}
    return {"messages_per_second": measured.per_second, "bytes_per_second": measured.bytes_per_second, **times}


def _show(hello: Mapping[str, Any], rows: list[dict[str, Any]]) -> None:
    """Print the newest row, and the head before the first row."""
    row = rows[-1]
    if len(rows) == 1:
        print(f"{hello['name']} {hello['version']} ({hello['language']}) beside the reference")
        print(_line(_HEAD))
    if "refused" in row:
        print(f"{row['protocol']:<14} {row['role']:<7} not measured: {row['refused']}", flush=True)
        return
    megabytes = f"{row['bytes_per_second'] / 1e6:.1f}"
    times = [f"{row[f'p{percent}_us']:,}" for percent in _PERCENTILES]
    cells = (row["protocol"], row["role"], f"{row['messages_per_second']:,}", row["ratio"], megabytes, *times)
    print(_line((*cells, f"{row['reference']['p50_us']:,}")), flush=True)


def _line(cells: tuple[str, ...]) -> str:
    protocol, role, *numbers, last = cells
    return f"{protocol:<14} {role:<7}" + "".join(f" {cell:>10}" for cell in numbers) + f" {last:>14}"
