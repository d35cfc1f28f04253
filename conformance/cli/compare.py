"""`compare`: two or three streams of the same changes, message by message, and every difference with its name."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from conformance.cli.arguments import add_profile, profile_of
from conformance.cli.inputs import read_tables
from conformance.errors import UsageError
from differential.comparison import Namer, Nobody
from differential.local import compare_locally
from differential.merging import Pair, pairs_of
from differential.result import FAIL_ON, Limits, summary
from differential.rows import write_parquet
from differential.sides import Side
from differential.sources import read_source
from differential.spec import parse_spec, side_of
from reference_impl.model import Table
from reports.comparison import terminal_lines

__all__ = ["register"]


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "compare",
        help="two or three streams of the same changes: what differs, and by what name",
        description="SPEC is DIALECT[?option=value&…]:SOURCE, as in canal-json?enable-tidb-extension=true:left.jsonl.",
    )
    parser.add_argument("--left", metavar="SPEC", required=True)
    parser.add_argument("--right", metavar="SPEC", required=True)
    parser.add_argument("--third", metavar="SPEC")
    parser.add_argument("--tables", metavar="FILE", type=Path, required=True, help="Table JSON: a list, or one a line")
    parser.add_argument("--out", metavar="DIR", type=Path, required=True, help="differences/ and summary.json go there")
    parser.add_argument("--runner", choices=("local",), default="local", help="where it runs (local)")
    parser.add_argument("-n", dest="workers", metavar="N", type=int, default=2, help="processes (2)")
    parser.add_argument("--fail-on", choices=tuple(FAIL_ON), default="unexplained", help="what is red (unexplained)")
    parser.add_argument("--max-share", metavar="X", type=float, default=0.0, help="part of the changes tolerated (0)")
    add_profile(parser)
    parser.set_defaults(handle=_compare)


def _compare(args: argparse.Namespace) -> int:
    if args.workers < 1:
        raise UsageError(f"-n {args.workers}: one or more are needed")
    if not 0 <= args.max_share < 1:
        raise UsageError(f"--max-share {args.max_share}: a part of the changes, from 0 to below 1")
    tables = read_tables(args.tables)
    given = {"left": args.left, "right": args.right, "third": args.third}
    specs = {name: parse_spec(text) for name, text in given.items() if text is not None}
    sides = [side_of(name, spec, tables, profile_of(args)) for name, spec in specs.items()]
    pairs = _pairs(sides, tables)
    args.out.mkdir(parents=True, exist_ok=True)
    outcome = compare_locally(sides, [read_source(spec) for spec in specs.values()], pairs, workers=args.workers)
    limits = Limits(args.fail_on, args.max_share)
    found = summary(sides, [spec.source for spec in specs.values()], pairs, outcome, limits, args.runner)
    write_parquet(outcome.differences, args.out / "differences")
    (args.out / "summary.json").write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    for line in terminal_lines(found):
        print(line)
    return int(found["exit_status"])


def _pairs(sides: Sequence[Side], tables: Sequence[Table]) -> tuple[Pair, ...]:
    types = {(table.schema, table.name, column.name): column.type for table in tables for column in table.columns}
    namers: Mapping[str, Namer] = {f"{a.name}-{b.name}": Nobody() for a in sides for b in sides}
    return pairs_of(sides, types, namers)
