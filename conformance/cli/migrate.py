"""`migrate`: says what a move from Canal or Debezium to TiCDC breaks for a consumer of your tables."""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from conformance import __version__
from conformance.cli.arguments import add_profile, add_shared, checked_name, consumer_of, profile_of
from conformance.cli.inputs import bytes_of, is_sql, read_tables
from conformance.cli.parser import typed_command
from conformance.cli.reporting import add_reports, checked_options, read_requests, write_pages
from conformance.ddl import read_sql
from conformance.errors import UsageError
from differential.sides import codec_of
from reference_impl.errors import Rejected, Unsupported
from reference_impl.model import Table
from reference_impl.options import values_by_option
from reference_impl.profiles import Profile, profile_of_release
from reference_impl.protocols import AVRO, CANAL_JSON, DEBEZIUM
from reference_impl.zones import zone_of
from reports.migration import MIGRATION_REPORTS, terminal_lines

if TYPE_CHECKING:
    from conformance.migration import Move

__all__ = ["register"]

_WIDEST, _NARROWEST = 118, 60
_SEVERITIES = ("blocker", "silent", "cosmetic")
_FAIL_ON: Mapping[str, Sequence[str]] = {
    "blocker": _SEVERITIES[:1],
    "silent": _SEVERITIES[:2],
    "any": _SEVERITIES,
}
_READ = {"connect-json": "debezium", "spark-from-json": "canal, debezium"}
"""A consumer's format → the families of dialects that it reads, where its name does not contain them."""
_SPEC = re.compile(r"(?P<name>[^@?]+)(?:@(?P<version>[^?]+))?(?:\?(?P<query>.*))?", re.DOTALL)
_VERSION = re.compile(r"\d+(?:\.\w+)*", re.ASCII)


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "migrate",
        description="Say what breaks for your consumer and your tables when TiCDC replaces Canal or Debezium. The "
        "command writes boundary values of every column in both dialects, compares the messages, and predicts by a "
        "model what the consumer reads. Each finding shows the consumer's row before and after the move, the option "
        "that removes the finding, what that option breaks, and the evidence. The last section lists what the command "
        "did not assess. It starts no software.",
    )
    parser.add_argument(
        "--from",
        dest="origin",
        metavar="DIALECT",
        required=True,
        help="today's dialect: canal or debezium-connector, as debezium-connector@3.0.7?decimal.handling.mode=string",
    )
    parser.add_argument(
        "--to",
        dest="target",
        metavar="DIALECT",
        required=True,
        help="the new dialect: canal-json, debezium, avro, open-protocol, as canal-json@8.5.4?content-compatible=true",
    )
    parser.add_argument(
        "--options", action="append", default=[], metavar="NAME=VALUE", help="an option of --to; repeat"
    )
    parser.add_argument(
        "--schema",
        metavar="FILE|DIR",
        type=Path,
        help="your tables: an SQL script or dump, the folder of a dump, or Table JSON (default: every column type)",
    )
    parser.add_argument(
        "--consumer",
        metavar="NAME[@VERSION][:OPTION=VALUE,…]",
        help="the software that reads: flink-canal-json@1.20, seatunnel, paimon, connect:mode=jdbc, "
        "spark-from-json@4.1 … (default: a reader that follows the documents)",
    )
    parser.add_argument(
        "--timezone", metavar="ZONE", default="UTC", help="time zone of TIMESTAMP columns, on both sides (UTC)"
    )
    parser.add_argument(
        "--fail-on", choices=tuple(_FAIL_ON), help="exit with status 1 if a finding is this severe, or worse"
    )
    add_reports(parser, MIGRATION_REPORTS)
    add_shared(parser, "--template")
    add_profile(parser)
    parser.set_defaults(handle=_migrate)


def _migrate(args: argparse.Namespace) -> int:
    from conformance.migration import assess  # late here and below: it loads pyarrow, which --help does not need

    requests = read_requests(args.report, MIGRATION_REPORTS)
    options = checked_options(args, "reports.migration")
    move = _move(args)
    tables, not_read, others = _tables(args.schema) if args.schema else ((), (), ())
    made = {"suite": __version__, "command": typed_command()}
    record = {
        **assess(move, tables, not_read, others).to_json(),
        **made,
        "schema": args.schema.name if args.schema else None,
    }
    write_pages(requests, MIGRATION_REPORTS, record, options)
    columns = shutil.get_terminal_size().columns if sys.stdout.isatty() else _WIDEST
    width = min(max(columns, _NARROWEST), _WIDEST)
    print("\n".join(terminal_lines(record, width)))
    failing = _FAIL_ON[args.fail_on] if args.fail_on else ()
    return int(any(record["counts"][severity] for severity in failing))


def _move(args: argparse.Namespace) -> Move:
    from conformance.migration import ORIGINS, TARGETS, Move

    try:
        zone_of(args.timezone)
    except Rejected as e:
        raise UsageError(f"--timezone: {e.message}") from None
    origin, version, origin_options = _spec("--from", args.origin, ORIGINS)
    if version:
        if "version" in origin_options:
            raise UsageError(f"--from {args.origin}: the version is given twice; leave one out")
        origin_options["version"] = _version_of(origin, version)
    target, release, target_options = _spec("--to", args.target, TARGETS)
    for text in args.options:
        target_options |= _options("--options", text, target_options)
    profile = _profile(args, release)
    consumer, consumer_options = _consumer(args.consumer) if args.consumer else ("", {})
    move = Move(
        origin,
        target,
        origin_options,
        target_options,
        consumer,
        consumer_options,
        profile,
        args.timezone,
    )
    _check_format(args.consumer or "", move)
    for side in move.sides(()):
        try:
            side.decoder()
        except (Rejected, Unsupported) as e:
            raise UsageError(f"{side.dialect}: {e}") from None
    return move


def _tables(path: Path) -> tuple[Sequence[Table], Sequence[str], Sequence[tuple[str, str]]]:
    """The tables of a file or folder, a sentence for each unreadable definition, and other objects as (kind, name)."""
    data = None if path.is_dir() else bytes_of(path, "--schema")
    if data is not None and not is_sql(path, data):
        return read_tables(path, "--schema", data), (), ()
    script = read_sql(path, "--schema", data)
    not_read = [statement.text for statement in (*script.not_read, *script.passed_over)]
    if not script.tables:
        why = f": {not_read[0]}" if not_read else ": it has no CREATE TABLE statement with columns"
        raise UsageError(f"--schema {path}{why}")
    return script.tables, not_read, script.others


def _profile(args: argparse.Namespace, release: str) -> Profile:
    if not release:
        return profile_of(args.profile, args.ticdc_version)
    if args.profile or args.ticdc_version:
        raise UsageError(f"--to …@{release}: the release is given twice; leave out --profile and --ticdc-version")
    try:
        return profile_of_release(release)
    except ValueError as e:
        raise UsageError(f"--to …@{release}: {e}") from None


def _spec(option: str, text: str, names: Sequence[str]) -> tuple[str, str, dict[str, str]]:
    """Dialect, version and options of `DIALECT[@version][?option=value&…]`."""
    match = _SPEC.fullmatch(text)
    if match is None:
        raise UsageError(f"{option} {text}: write DIALECT[@VERSION][?option=value&…], as {names[0]}")
    name = checked_name(f"{option} dialect", match["name"], names)
    return name, match["version"] or "", _options(option, match["query"] or "", {})


def _options(option: str, text: str, earlier: Mapping[str, str]) -> dict[str, str]:
    """The options of `name=value&…`. Raises `UsageError` for a name that occurs twice, or in `earlier` ones."""
    try:
        pairs = parse_qsl(text, keep_blank_values=True, strict_parsing=True) if text else []
    except ValueError:
        raise UsageError(f"{option} {text}: write options as name=value, joined by &") from None
    names = [name for name, _ in pairs]
    if twice := next((name for name in names if names.count(name) > 1 or name in earlier), None):
        raise UsageError(f"{option}: {twice!r} is given twice; leave one out")
    return dict(pairs)


def _version_of(dialect: str, text: str) -> str:
    """The newest known version that starts with the text: `3.0` gives 3.0.7."""
    versions = values_by_option(codec_of(dialect).options)["version"]
    prefix = text.removesuffix(".Final")
    matching = [version for version in versions if version == prefix or version.startswith(f"{prefix}.")]
    if not matching:
        raise UsageError(f"--from {dialect}@{text}: the suite knows the versions {', '.join(versions)}")
    return matching[-1]


def _consumer(text: str) -> tuple[str, dict[str, str]]:
    """The model as `NAME@VERSION`, and the options of the consumer's format."""
    from conformance.migration import FORMATS, RECORDED

    name, version, options = consumer_of(text, RECORDED, FORMATS)
    version = version or RECORDED[name][-1]
    if not _VERSION.fullmatch(version):
        raise UsageError(f"--consumer {text}: {version!r} is no version; write one like {RECORDED[name][-1]}")
    return f"{name}@{version}", options


def _check_format(consumer: str, move: Move) -> None:
    """Raise `UsageError` for a format that reads neither the old messages nor the new ones."""
    from conformance.migration import FORMATS

    name = consumer.partition(":")[0].partition("@")[0]
    read = _READ.get(name, name)
    if name in FORMATS and not any(family in read for family in move.families):
        form = next(one.title for one in (AVRO, CANAL_JSON, DEBEZIUM) if one.name.partition("-")[0] in read)
        raise UsageError(
            f"--consumer {name}: it reads {form}, and neither {move.origin} nor {move.target} is {form}; "
            f"write {FORMATS[name]}"
        )
