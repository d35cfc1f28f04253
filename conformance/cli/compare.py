"""`compare`: two or three streams of the same changes, message by message, and every difference with its name."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, TypeAlias

from conformance import __version__
from conformance.catalogue.register import load_register
from conformance.cli.arguments import add_profile, add_shared, amount, profile_of, whole_number
from conformance.cli.first_look import check_first_messages, note_on_tables
from conformance.cli.gates import add_gate, limits_of
from conformance.cli.inputs import read_tables
from conformance.cli.live import add_live, check_live, live_line, live_summaries
from conformance.cli.output_folder import check_rows, folder_for, remove_summary, rows_folder, write_summary
from conformance.cli.parser import typed_command
from conformance.cli.progress import progress
from conformance.cli.redactor import Redactor
from conformance.cli.reporting import add_reports, checked_options, read_requests, write_pages
from conformance.cli.side_schemas import add_schemas, with_schemas
from conformance.errors import UsageError, missing_extra
from differential.align.pairs import Pair, pairs_of
from differential.classify.explaining import namer_of
from differential.counts import Counts
from differential.decode.window_filter import window_of
from differential.local import compare_locally
from differential.model import Difference
from differential.prints.ways import ways_summary
from differential.result.gate import NOTHING
from differential.result.streams import every_difference
from differential.result.summary import summary, without_values, without_values_of_errors
from differential.result.tally import Tally
from differential.rows import write_parquet
from differential.sides import Side, with_common_keys
from differential.sources.captures import with_fixed_offsets
from differential.sources.spec import Spec, compared, parse_spec, side_of
from differential.sources.topics import is_topics
from differential.statements.comparing import Statements
from differential.workers import collect_garbage_rarely
from reference_impl.model import Table
from reference_impl.protocols import CODECS
from reports.comparison import COMPARISON_REPORTS, terminal_lines

__all__ = ["register"]

_Redact: TypeAlias = Callable[[Difference], Difference]


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "compare",
        description="Compare streams of the same changes: match the changes of each row, name what differs and why, "
        "and end with status 1 if --fail-on says so. SPEC is DIALECT[?option=value&…]:SOURCE, as in "
        "canal-json?enable-tidb-extension=true:left.jsonl. SOURCE is a file, a folder, or topics: "
        "kafka://HOST:PORT[,…]/TOPIC[,…], or kafka://HOST:PORT[,…]/~PATTERN for "
        "all topics whose whole name it matches. After topics may stand ?begin=B&end=E&config=FILE: B and E are "
        "earliest, latest, a time (2026-01-31T12:00:00Z) of Kafka's time stamps, or a file of offsets NAME.json.",
    )
    parser.add_argument("--left", metavar="SPEC", required=True, help="the first stream")
    parser.add_argument("--right", metavar="SPEC", required=True, help="the second stream")
    parser.add_argument("--third", metavar="SPEC", help="a third stream, which is compared with both")
    add_shared(parser, "--tables", required=True)
    add_schemas(parser)
    parser.add_argument("--out", metavar="DIR", type=Path, required=True, help="differences/ and summary.json go there")
    add_shared(parser, "--runner", "--master", "--kafka-config")
    parser.add_argument(
        "--spark-jars",
        metavar="PATH|PACKAGES",
        help="the jars of Spark's Kafka source (default: the package of Spark's release)",
    )
    parser.add_argument(
        "--plan",
        choices=("auto", "merge", "two-pass"),
        default="auto",
        help="how Spark compares if its workers share no folder: merge moves all rows; two-pass compares fingerprints "
        "first, and moves only the rows of keys that may differ (auto: two-pass)",
    )
    parser.add_argument(
        "--stage",
        metavar="PLACE",
        default="",
        help="where Spark's workers write: a folder or URL that all of them can reach (OUT/stage)",
    )
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    parser.add_argument(
        "--from", dest="since", metavar="T", help="only changes committed then or later: 2026-01-31T12:00:00Z or a TSO"
    )
    parser.add_argument("--until", metavar="T", help="only changes committed before then")
    parser.add_argument(
        "--slack",
        metavar="SECONDS",
        type=amount(),
        help="how far apart the sides' clocks may be: a change so far outside of --from and --until is only matched "
        "with changes of the other side",
    )
    parser.add_argument(
        "--clock-offset",
        metavar="SECONDS",
        type=whole_number(None),
        default=0,
        help="how far the right side's clock is ahead of the left side's, for sides with different clocks (0)",
    )
    parser.add_argument(
        "--partitions",
        metavar="N",
        type=whole_number(),
        default=16,
        help="the number of parts that the keys are divided into (16)",
    )
    add_shared(parser, "-n")
    parser.add_argument(
        "--delivery",
        choices=("at-least-once", "exactly-once"),
        help="at-least-once: repeated messages are counted, and are no difference unless an older message follows a "
        "newer one (at-least-once for sides of TiCDC, which promises no more)",
    )
    add_gate(parser)
    parser.add_argument(
        "--max-differences", metavar="N", type=whole_number(0), help="write at most N differences; all are counted"
    )
    add_shared(parser, "--redact")
    add_reports(parser, COMPARISON_REPORTS)
    add_shared(parser, "--template")
    add_profile(parser)
    add_live(parser)
    parser.set_defaults(handle=_compare)


def _compare(args: argparse.Namespace) -> int:
    _check(args)
    check_live(args)
    with folder_for(args.out):
        result = _result(args)
    for line in terminal_lines(result):
        print(line)
    return int(result["exit_status"])


def _result(args: argparse.Namespace) -> dict[str, Any]:
    """Compare, and write the summary and the reports. Returns the summary."""
    requests = read_requests(args.report, COMPARISON_REPORTS)
    options = checked_options(args, "reports.comparison")
    tables = read_tables(args.tables)
    given = {"left": args.left, "right": args.right, "third": args.third}
    specs = {name: parse_spec(text) for name, text in given.items() if text is not None}
    if args.kafka_config is not None and not any(is_topics(spec.source) for spec in specs.values()):
        raise UsageError(f"--kafka-config {args.kafka_config}: it is for topics, and no side reads any")
    sides = [
        compared(side_of(name, spec, tables, profile_of(args.profile, args.ticdc_version)))
        for name, spec in specs.items()
    ]
    sides = with_common_keys(with_schemas(args, sides, specs))
    window = window_of(args.since, args.until, args.slack, sides)
    sides = [
        replace(
            side,
            window=window,
            at_least_once=side.traits.is_of_ticdc if args.delivery is None else args.delivery == "at-least-once",
        )
        for side in sides
    ]
    pairs = _pairs(sides, tables)
    redact = Redactor({c.name for table in tables for c in table.columns}) if args.redact else _unchanged
    compare = _compare_live if args.live else _compare_once
    result = compare(args, specs, sides, pairs, redact)
    if window is not None:
        result["window"] = {"from": args.since, "until": args.until, "slack": args.slack}
    result["made"] = _provenance(args, sides)
    write_summary(result, args.out)
    write_pages(requests, COMPARISON_REPORTS, result, options)
    return result


def _provenance(args: argparse.Namespace, sides: Sequence[Side]) -> dict[str, Any]:
    """The suite, the command and the time of the comparison."""
    protocols = sorted({side.dialect for side in sides} & CODECS.keys())
    return {
        "suite": __version__,
        "registers": {protocol: load_register(protocol).digest for protocol in protocols},
        "profile": profile_of(args.profile, args.ticdc_version).name,
        "command": typed_command(),
        "date": datetime.now(tz=UTC).isoformat(timespec="seconds"),
    }


def _compare_once(
    args: argparse.Namespace, specs: Mapping[str, Spec], sides: Sequence[Side], pairs: Sequence[Pair], redact: _Redact
) -> dict[str, Any]:
    """Compare all that the sources hold now. Returns the summary."""
    fixed = _with_fixed_offsets(specs, args.kafka_config)
    check_first_messages(sides, fixed)
    check_rows(args.out)
    remove_summary(args.out)
    # A run on Spark saves its offsets, for a run that resumes it.
    specs = fixed if args.runner == "local" else _with_fixed_offsets(specs, args.kafka_config, args.out / "stage")
    tally = Tally()
    with _running(args, sides, list(specs.values()), pairs) as (differences, counts, plan):
        statements = Statements(sides, pairs)
        every = every_difference(differences, counts, sides, pairs, statements, clock_offset=args.clock_offset)
        tallied = _tallied(map(redact, every), tally)
        with rows_folder(args.out) as folder:
            write_parquet(tallied, folder, most=args.max_differences, on_omitted=partial(_count_left_out, tally))
        sources = [spec.source for spec in specs.values()]
        limits = limits_of(args)
        written = {"shown": without_values} if args.redact else {}
        result = summary(sides, sources, pairs, tally, counts, limits, args.runner, statements, **written)
        if args.redact:
            without_values_of_errors(result)
        result["plan"] = {name: plan[name] for name in ("plan", "why")} | ways_summary(sides, counts)
        _add_offsets(result, specs)
    if result["exit_status"] == NOTHING:
        for side, shown in zip(sides, result["sides"], strict=True):
            shown["note"] = "; ".join(filter(None, (shown["note"], note_on_tables(side, specs[side.name])))) or None
    return result


def _compare_live(
    args: argparse.Namespace, specs: Mapping[str, Spec], sides: Sequence[Side], pairs: Sequence[Pair], redact: _Redact
) -> dict[str, Any]:
    """Compare growing streams; writes the summary after every round, and returns the last one."""
    result: dict[str, Any] = {}
    shown_batches = 0
    for result in live_summaries(args, list(specs.values()), sides, pairs, redact):
        if args.redact:
            without_values_of_errors(result)
        write_summary(result, args.out)
        if result["live"]["batches"] != shown_batches:
            print(live_line(result), flush=True)
        shown_batches = result["live"]["batches"]
    return result


def _with_fixed_offsets(specs: Mapping[str, Spec], config: Path | None, stage: Path | None = None) -> dict[str, Spec]:
    return dict(zip(specs, with_fixed_offsets(list(specs.values()), config, stage), strict=True))


def _add_offsets(result: dict[str, Any], specs: Mapping[str, Spec]) -> None:
    """Add to a summary the offsets that were read from topics.

    Offsets without a message are ends of transactions, and messages that compaction removed.
    """
    for side in result["sides"]:
        reading = specs[side["name"]].reading
        if reading is not None:
            missing = sum(span.end - span.begin for span in reading.spans) - side["messages"]
            side["offsets"] = reading.to_json() | {"without_a_message": missing}


def _check(args: argparse.Namespace) -> None:
    for option, is_given in ((f"--plan {args.plan}", args.plan != "auto"), ("--stage", bool(args.stage))):
        if is_given and args.runner == "local":
            raise UsageError(f"{option} needs --runner spark")
        if is_given and args.live:
            raise UsageError(f"{option} does not go with --live")


@contextmanager
def _running(
    args: argparse.Namespace, sides: Sequence[Side], specs: Sequence[Spec], pairs: Sequence[Pair]
) -> Iterator[tuple[Iterable[Difference], Counts, Mapping[str, Any]]]:
    """The differences as they come; the counts, which are complete after the last difference; the plan."""
    if args.runner == "local":
        if args.processes == 1:
            collect_garbage_rarely("compare")
        with progress("messages", quiet=args.quiet) as display:
            outcome = compare_locally(
                sides,
                specs,
                pairs,
                workers=args.processes,
                partitions=args.partitions,
                scratch=args.out,
                progress=display.advance,
                expected=display.expect,
            )
        yield outcome.differences, outcome.counts, {"plan": "merge", "why": "the sides meet on one machine"}
        return
    try:
        from differential.spark.comparing import SparkComparison
    except ImportError:
        raise missing_extra("--runner spark needs PySpark", "spark") from None
    comparison = SparkComparison(sides, specs, pairs, args.out, __version__, plan=args.plan, place=args.stage)
    with progress("tasks", quiet=args.quiet) as display:
        report = display.set_done if display.is_shown else None
        with comparison.running(args.master, args.partitions, args.spark_jars, report) as differences:
            yield differences, comparison.counts, comparison.notes
    comparison.close()


def _tallied(differences: Iterable[Difference], tally: Tally) -> Iterator[Difference]:
    for difference in differences:
        tally.add(difference)
        yield difference


def _unchanged(difference: Difference) -> Difference:
    return difference


def _count_left_out(tally: Tally) -> None:
    tally.left_out += 1


def _pairs(sides: Sequence[Side], tables: Sequence[Table]) -> tuple[Pair, ...]:
    types = {(table.schema, table.name, column.name): column.type for table in tables for column in table.columns}
    namers = {f"{a.name}-{b.name}": namer_of(a, b) for a, b in combinations(sides, 2)}
    return pairs_of(sides, types, namers)
