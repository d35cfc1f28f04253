"""`compare --live`: compares growing streams in rounds until it is stopped, with a summary after each round."""

from __future__ import annotations

import argparse
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from types import FrameType
from typing import TYPE_CHECKING, Any

from conformance import __version__
from conformance.cli.arguments import amount
from conformance.cli.gates import limits_of
from conformance.cli.output_folder import remove_summary
from conformance.errors import UsageError, missing_extra
from differential.align.pairs import Pair
from differential.counts import Counts
from differential.model import Difference
from differential.result.duplicates import without_repeats
from differential.result.gate import GREEN, NOTHING
from differential.result.streams import stream_differences
from differential.result.summary import summary, without_values
from differential.result.tally import Tally
from differential.sides import Side
from differential.sources.spec import Spec
from differential.sources.topics import is_topics
from differential.statements.comparing import Statements

if TYPE_CHECKING:
    from differential.live.journal import Progress

__all__ = ["add_live", "check_live", "is_waiting_for_changes", "live_line", "live_summaries"]

PATIENCE, EVERY = 600.0, 10.0


def add_live(parser: argparse.ArgumentParser) -> None:
    """Add `--live` and its options."""
    group = parser.add_argument_group("streams that go on (on Spark)")
    group.add_argument(
        "--live", action="store_true", help="go on until Ctrl-C or SIGTERM; the same command later continues from there"
    )
    group.add_argument("--once", action="store_true", help="with --live: compare the present messages, and end")
    group.add_argument(
        "--final",
        action="store_true",
        help="with --live: no more messages will come, so compare at the end what still waits",
    )
    group.add_argument(
        "--patience",
        metavar="SECONDS",
        type=amount(),
        help="with --live: a message counts as missing on the slower side once that side has messages so many seconds "
        f"later, by their time stamps ({PATIENCE:g})",
    )
    group.add_argument(
        "--every", metavar="SECONDS", type=amount(), help=f"with --live: the pause between two rounds ({EVERY:g})"
    )


def check_live(args: argparse.Namespace) -> None:
    """Fill in the defaults of the options. Raises `UsageError` for options that do not fit together."""
    given = {"--once": args.once, "--final": args.final, "--patience": args.patience, "--every": args.every}
    if not args.live and (without_live := [name for name, value in given.items() if value not in (None, False)]):
        raise UsageError(f"{without_live[0]} goes with --live")
    args.patience = PATIENCE if args.patience is None else args.patience
    args.every = EVERY if args.every is None else args.every


def live_summaries(
    args: argparse.Namespace,
    specs: Sequence[Spec],
    sides: Sequence[Side],
    pairs: Sequence[Pair],
    redact: Callable[[Difference], Difference],
) -> Iterator[dict[str, Any]]:
    """Yield the summary after each round, and at the end the only one that has the final tables.

    Raises `UsageError` if Spark fails, a source cannot be read, or `--out` belongs to something else.
    """
    try:
        from differential.live.journal import Journal
        from differential.spark.kafka import session_with_topics
        from differential.spark.live import LiveComparison, ending_with_java
        from differential.spark.session import session
    except ImportError:
        raise missing_extra("--live needs PySpark", "spark") from None

    def kept(differences: Iterable[Difference], counts: Counts) -> Iterator[Difference]:
        return without_repeats(differences, sides, pairs, counts)

    summaries = _Summaries(args, [spec.source for spec in specs], sides, pairs, redact)
    journal = Journal(args.out.resolve(), most=args.max_differences, shown=redact, kept=kept)
    journal.open({"version": __version__, "sides": repr(sides), "sources": [spec.source for spec in specs]})
    remove_summary(args.out)
    comparison = LiveComparison(tuple(sides), tuple(pairs), journal, args.patience, args.partitions)
    topics = any(is_topics(spec.source) for spec in specs)
    stopped, is_whole = threading.Event(), False
    with (
        ending_with_java(stopped),
        session_with_topics(args.master, args.spark_jars) if topics else session(args.master) as spark,
    ):
        with _stopping(stopped):
            rounds = comparison.rounds(
                spark,
                specs,
                config=args.kafka_config,
                more=lambda: not args.once and not stopped.wait(args.every),
                to_the_end=args.final,
            )
            shown_last = -1
            for progress in rounds:
                if progress.number != shown_last:
                    yield summaries.of_round(progress)
                shown_last = progress.number
        is_whole = True
    progress = journal.progress()
    counts, statements = journal.ended(progress), Statements(sides, pairs)
    # Without --final a missing statement may still arrive.
    at_the_end = statements.differences(counts) if args.final and is_whole else ()
    journal.conclude(progress, chain(at_the_end, summaries.stream_differences(counts)), counts)
    yield summaries.of(progress, progress.tally, counts, statements)


@dataclass(frozen=True, slots=True)
class _Summaries:
    """Makes the summaries of a live comparison."""

    args: argparse.Namespace
    sources: Sequence[str]
    sides: Sequence[Side]
    pairs: Sequence[Pair]
    redact: Callable[[Difference], Difference]

    def stream_differences(self, counts: Counts) -> Iterator[Difference]:
        """The differences between the streams as wholes, so far."""
        return stream_differences(self.sides, self.pairs, counts, clock_offset=self.args.clock_offset)

    def of_round(self, progress: Progress) -> dict[str, Any]:
        """The summary after a round; the differences between the streams as wholes are not in its tally yet."""
        tally = deepcopy(progress.tally)
        for difference in self.stream_differences(progress.counts):
            tally.add(self.redact(difference))
        return self.of(progress, tally, progress.counts) | {"final_tables": []}

    def of(
        self, progress: Progress, tally: Tally, counts: Counts, statements: Statements | None = None
    ) -> dict[str, Any]:
        """The summary of a tally and counts."""
        limits, values = limits_of(self.args), {"shown": without_values} if self.args.redact else {}
        result = summary(self.sides, self.sources, self.pairs, tally, counts, limits, "spark", statements, **values)
        for number, side in enumerate(result["sides"]):
            if progress.waiting.get(number):  # the waiting messages were readable
                side["note"] = None
        if result["exit_status"] == NOTHING and is_waiting_for_changes(progress, len(self.sides)):
            result["exit_status"] = GREEN
        return result | {"live": _live(self.args.patience, self.sides, progress)}


def is_waiting_for_changes(progress: Progress, sides: int) -> bool:
    """Whether changes wait that later rounds will compare: not while a side has no message at all."""
    return len(progress.newest) == sides and any(progress.waiting.values())


def _live(patience: float, sides: Sequence[Side], progress: Progress) -> dict[str, Any]:
    """The progress of a comparison: the waiting changes of each side, and its delay behind the leading side."""
    newest_of_all = max(progress.newest.values(), default=0)

    def of_side(number: int) -> dict[str, Any]:
        newest, waiting = progress.newest.get(number), progress.waiting.get(number, 0)
        if newest is None:
            return {"newest": None, "behind_seconds": None, "waiting": waiting}
        try:
            moment = datetime.fromtimestamp(newest / 1000, UTC).isoformat(timespec="milliseconds")
        except (ValueError, OverflowError):  # Kafka takes any number from a producer
            moment = f"{newest} ms"
        return {"newest": moment, "behind_seconds": (newest_of_all - newest) / 1000, "waiting": waiting}

    return {
        "batches": progress.number,
        "patience_seconds": patience,
        "sides": {side.name: of_side(number) for number, side in enumerate(sides)},
    }


def live_line(result: dict[str, Any]) -> str:
    """Describe a round in one line."""
    live = result["live"]
    sides = (
        f"{side['name']} {side['messages']:,} messages, {live_side['waiting']:,} waiting"
        + (f", {live_side['behind_seconds']:.1f} s behind" if live_side["behind_seconds"] else "")
        for side, live_side in zip(result["sides"], live["sides"].values(), strict=True)
    )
    settled = sum(side["changes"] for side in result["sides"])
    differences = sum(pair["differences"] for pair in result["pairs"])
    return f"batch {live['batches']}: {'; '.join(sides)}; {settled:,} changes settled, {differences:,} differences"


@contextmanager
def _stopping(stopped: threading.Event) -> Iterator[None]:
    """On Ctrl-C or SIGTERM, set the event, so that the round is completed; on a second one, stop at once."""

    def stop(number: int, frame: FrameType | None) -> None:
        if stopped.is_set():
            raise KeyboardInterrupt
        stopped.set()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
