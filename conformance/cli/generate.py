"""`generate`: seeded streams of the same changes in several dialects, with faults put into their bytes."""

from __future__ import annotations

import argparse
import math
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from conformance import __version__
from conformance.cli.arguments import add_profile, add_shared, profile_of, whole_number
from conformance.cli.inputs import read_tables
from conformance.cli.output_folder import make_folder
from conformance.errors import UsageError, missing_extra
from differential.faults import Fault, Kind
from differential.generate.messages import Unwritable
from differential.generate.parts import FORMATS, Job, Part, finish, prepare, refusal, write_locally
from differential.generate.presets import PRESETS
from differential.generate.recorded import break_recorded
from differential.sides import Side
from differential.sources.captures import read_source
from differential.sources.spec import parse_spec, side_of
from reference_impl.column_types import Family
from reference_impl.model import Table
from reference_impl.profiles import Profile
from reports.texts import counted

__all__ = ["read_faults", "register"]

_CHANGES_OF_A_SHARD = 20_000


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "generate",
        description="Draw changes of tables from a seed, and write them as messages of each dialect. Each --dialect is "
        "DIALECT[?option=value&…], as in canal-json?enable-tidb-extension=true. Two runs with the same "
        "arguments write the same bytes, however many workers there are. Upstream's dialects write every "
        "change of a transaction, TiCDC's the net change of each row. With --recorded nothing is drawn: faults are put "
        "into existing messages. Their rows are recognized by their keys if --tables are given.",
    )
    tables = parser.add_mutually_exclusive_group()
    tables.add_argument("--tables", metavar="FILE", type=Path, help="Table JSON, SQL in a .sql, or a dump's folder")
    tables.add_argument(
        "--preset",
        choices=tuple(PRESETS),
        help="tables that come with the suite; hot: one row has 12 %% of the changes",
    )
    parser.add_argument(
        "--dialect", metavar="D", action="append", default=[], dest="dialects", help="repeat for several"
    )
    parser.add_argument(
        "--boundaries", action="store_true", help="with --tables: half of the values are boundaries of their columns"
    )
    parser.add_argument("--recorded", metavar="SPEC", help="DIALECT:SOURCE, messages to put --faults into")
    parser.add_argument("--changes", metavar="N", type=whole_number(), help="rows that change upstream")
    parser.add_argument(
        "--ddl", metavar="N", type=whole_number(0), default=0, help="statements that alter, rename or empty tables (0)"
    )
    parser.add_argument(
        "--seed", metavar="S", type=whole_number(None), required=True, help="the seed of everything that is drawn"
    )
    parser.add_argument(
        "--out", metavar="DIR", type=Path, required=True, help="for a folder of each dialect, and generate.json"
    )
    parser.add_argument(
        "--faults", metavar="FILE", type=Path, help="TOML: [[fault]] with kind, count or share, side, seed"
    )
    parser.add_argument(
        "--format", choices=FORMATS, help="format of the messages (parquet; jsonl where pyarrow is not installed)"
    )
    parser.add_argument(
        "--shards",
        metavar="N",
        type=whole_number(),
        help=f"parts of the stream, each a partition; another number makes another stream (one for each "
        f"{_CHANGES_OF_A_SHARD:,} changes)",
    )
    add_shared(parser, "-n", "--runner", "--master")
    add_profile(parser)
    parser.set_defaults(handle=_generate)


def _generate(args: argparse.Namespace) -> int:
    args.format = args.format or ("parquet" if find_spec("pyarrow") else "jsonl")
    result = _from_recorded(args) if args.recorded else _from_seed(args)
    for side in result["sides"]:
        parts = counted(len(side["parts"]), "part", "parts")
        print(f"{side['name']}: {side['messages']:,} messages in {parts}")
    if args.faults:
        print(f"{result['faults']:,} faults, listed in {args.out / 'injected.jsonl'}")
        for kind, requested in result["asked"].items():
            if missing := requested - result["put_in"].get(kind, 0):
                print(f"{missing:,} of {requested:,} faults {kind!r} could not be put in: no message was left for them")
    return 0


def _from_recorded(args: argparse.Namespace) -> dict[str, Any]:
    """Put faults into existing messages. Returns the content of generate.json."""
    of_streams = {
        "--preset": args.preset is not None,
        "--dialect": bool(args.dialects),
        "--changes": args.changes is not None,
        "--boundaries": args.boundaries,
        "--ddl": args.ddl != 0,
        "--shards": args.shards is not None,
    }
    for option, is_given in of_streams.items():
        if is_given:
            raise UsageError(f"{option} is for generated streams: --recorded has its own messages")
    if args.faults is None:
        raise UsageError("--recorded needs --faults, which are put into its messages")
    spec = parse_spec(args.recorded)
    tables = read_tables(args.tables) if args.tables else []
    faults = read_faults(args.faults, [spec.dialect])
    make_folder(args.out)
    options: dict[str, Any] = {"seed": args.seed, "out": args.out, "form": args.format, "version": __version__}
    return break_recorded(spec.dialect, list(read_source(spec)), faults, tables, **options)


def _from_seed(args: argparse.Namespace) -> dict[str, Any]:
    """Write new streams. Returns the content of generate.json."""
    for option, given in (("--preset or --tables", args.preset or args.tables), ("--dialect", args.dialects)):
        if not given:
            raise UsageError(f"{option} is missing: a stream needs tables, and one dialect or more")
    if args.changes is None:
        raise UsageError("--changes is missing: how many rows change")
    shards = args.shards or math.ceil(args.changes / _CHANGES_OF_A_SHARD)
    if args.boundaries and not args.tables:
        raise UsageError("--boundaries needs --tables: a preset has values of its own")
    tables = tuple(read_tables(args.tables)) if args.tables else _preset_tables(args.preset)
    sides = _sides(args.dialects, tables, profile_of(args.profile, args.ticdc_version))
    if args.tables:
        tables = _writable(args, tables, sides)
        sides = tuple(replace(side, tables=tables) for side in sides)
    names = [side.name for side in sides]
    faults = () if args.faults is None else read_faults(args.faults, names)
    job = Job(
        args.preset or "",
        tables,
        sides,
        args.seed,
        args.changes,
        shards,
        args.out.resolve(),
        args.format,
        faults,
        args.ddl,
        args.boundaries,
    )
    try:
        job.plan().check()
        make_folder(args.out)
        prepare(job.out, names)
        return finish(job, _parts(args, job), __version__)
    except Unwritable as e:
        raise UsageError(f"--dialect {e.dialect}: {e.what}") from None


def _parts(args: argparse.Namespace, job: Job) -> Iterable[Part]:
    if args.runner == "local":
        return write_locally(job, args.processes)
    try:
        from differential.spark.generating import write_on_spark
    except ImportError:
        raise missing_extra("--runner spark needs PySpark", "spark") from None
    return write_on_spark(job, args.master)


def _writable(args: argparse.Namespace, tables: Iterable[Table], sides: Sequence[Side]) -> tuple[Table, ...]:
    """The tables without those that TiDB cannot hold or a side cannot write, which are printed."""
    held = []
    for table in tables:
        spatial = next((column for column in table.columns if column.type.family is Family.GEOMETRY), None)
        if spatial is not None:
            why = f"TiDB has no spatial types, and {spatial.name!r} is {spatial.type.text}"
            print(f"left out: {table.schema}.{table.name}: {why}")
        elif why := refusal(sides, table, args.seed):
            print(f"left out: {why}")
        else:
            held.append(table)
    if not held:
        raise UsageError(f"--tables {args.tables}: none of the tables can be in all streams")
    return tuple(held)


def _preset_tables(name: str) -> tuple[Table, ...]:
    return tuple(source.table for source in PRESETS[name].sources())


def _sides(dialects: Sequence[str], tables: tuple[Table, ...], profile: Profile) -> tuple[Side, ...]:
    """The sides; the second of a dialect is named `DIALECT-2`."""
    seen: Counter[str] = Counter()
    sides = []
    for text in dialects:
        spec = parse_spec(f"{text}:-")
        seen[spec.dialect] += 1
        name = spec.dialect if seen[spec.dialect] == 1 else f"{spec.dialect}-{seen[spec.dialect]}"
        sides.append(side_of(name, spec, tables, profile))
    return tuple(sides)


_MEMBERS: Mapping[str, type | tuple[type, ...]] = {
    "kind": str,
    "count": int,
    "share": (int, float),
    "side": str,
    "seed": int,
}


def read_faults(path: Path, sides: Sequence[str]) -> tuple[Fault, ...]:
    """The faults of a file. Raises `UsageError`, naming file and fault, for a malformed one."""
    try:
        tree = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as e:
        raise UsageError(f"--faults {path}: cannot be read ({e})") from None
    faults = tree.get("fault")
    if tree.keys() != {"fault"} or not isinstance(faults, list) or not faults:
        raise UsageError(f"--faults {path}: a list of [[fault]] is needed, and nothing else")
    return tuple(_fault(f"--faults {path}, fault {number}", one, sides) for number, one in enumerate(faults, 1))


def _fault(place: str, members: Any, sides: Sequence[str]) -> Fault:
    if not isinstance(members, dict):
        raise UsageError(f"{place}: {members!r}: a table with {', '.join(_MEMBERS)} is needed")
    for name, value in members.items():
        if name not in _MEMBERS or isinstance(value, bool) or not isinstance(value, _MEMBERS[name]):
            raise UsageError(f"{place}: {name} = {value!r}: there are {', '.join(_MEMBERS)}")
    kind, side = members.get("kind"), members.get("side", "")
    if kind not in tuple(Kind):
        raise UsageError(f"{place}: kind {kind!r}: one of {', '.join(Kind)}")
    if side and side not in sides:
        raise UsageError(f"{place}: side {side!r}: one of {', '.join(sides)}")
    count, share = members.get("count", 0), members.get("share", 0.0)
    if (count > 0) == (share > 0) or count < 0 or not 0 <= share <= 1:
        raise UsageError(f"{place}: either a count from 1 on or a share of the messages, up to 1, is needed")
    return Fault(Kind(kind), count, share, side, members.get("seed", 0))
