"""`record PRODUCER [--check]`: record a real producer again, and say what drifted from the committed recordings."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from conformance import __version__
from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.packing import files_of
from conformance.catalogue.producers import SHIPPED
from conformance.catalogue.recordings import Recording, Workloads, read_recordings
from conformance.cli.arguments import checked_name
from conformance.cli.diff_dialects import dialect_of
from conformance.cli.drift_sides import ComparedRecording, sides_of
from conformance.cli.reporting import ReportRequest, add_reports, read_requests, write_pages
from conformance.drift.comparison import Change, Drift, Pair, drift_of
from conformance.drift.masks import clock_columns
from conformance.errors import UsageError
from reports.diff import DIFF_REPORTS, diff_record
from reports.renderer import ReportOptions

__all__ = ["register"]

_KINDS = ("html", "json", "markdown")
_RECORDER = "harnesses.producers.recording"
_MOST_PLACES = 12
_MOST_NUMBERS = 12
"""The numbers of records that one line lists."""
_LONGEST_VALUE = 60
"""The characters that are shown of a value."""


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "record",
        description="Run the workloads of the shipped recordings through a real producer, and write what it sends into "
        "a folder, with provenance. With --check show which records differ from the shipped ones; what differs in "
        "every run (times, positions, ids of transactions) is masked. Needs a checkout of the suite, Java, Maven and "
        "Debian's packages, which the tox environment live-producers brings together. Status 1 where something drifted "
        "or could not be recorded.",
    )
    parser.add_argument("producer", metavar="PRODUCER", choices=SHIPPED, help=f"one of {', '.join(SHIPPED)}")
    parser.add_argument("--check", action="store_true", help="compare with the shipped recordings")
    parser.add_argument(
        "--only", metavar="NAME", action="append", default=[], help="only this recording; repeat for several"
    )
    parser.add_argument(
        "--version", metavar="V", default="", help="another release, as 3.6.2.Final, with the same workloads"
    )
    parser.add_argument(
        "--from", metavar="DIR", dest="source", type=Path, help="compare the recordings in DIR, and record nothing"
    )
    parser.add_argument(
        "--against", metavar="DIR", type=Path, help="compare with the recordings in DIR instead of the shipped ones"
    )
    parser.add_argument("--out", metavar="DIR", type=Path, help="where recordings go (out/recorded/PRODUCER)")
    add_reports(parser, _KINDS, "with --check: ")
    parser.set_defaults(handle=_record)


def _record(args: argparse.Namespace) -> int:
    producer = args.producer
    requests = read_requests(args.report, _KINDS)
    _refuse_contradictions(args, requests)
    against = _folder("--against", args.against) or fixtures_root() / "recorded" / producer
    committed = _recordings_by_name(against)
    if not committed:
        raise UsageError(f"{against}: there are no recordings here")
    names = frozenset(checked_name("recording", name, list(committed)) for name in args.only)
    expected = {name: recording for name, recording in committed.items() if not names or name in names}
    source = _folder("--from", args.source)
    out = source or args.out or Path("out", "recorded", producer)
    made = frozenset(expected) if args.check else names  # a recording that nothing is compared with is not made
    recorded = list(expected) if source is not None else _run_producer(producer, out, made, args.version)
    if not args.check:
        print(f"{out}: recorded; to ship them: python tools/pack_recorded.py {out.parent}")
        return 0 if expected.keys() <= set(recorded) else 1
    # The drift of a new recording gets a page unless another report was asked for.
    page = out.with_name(f"{producer}-drift.html") if source is None and not requests else None
    return _check(producer, expected, recorded, out, requests, page)


def _refuse_contradictions(args: argparse.Namespace, requests: Sequence[ReportRequest]) -> None:
    if not args.check and (args.source or args.against or requests):
        raise UsageError("--from, --against and --report compare recordings: add --check")
    if args.source and (args.version or args.out):
        raise UsageError("--version and --out are of a recording, and --from records nothing: leave one of them out")


def _recordings_by_name(folder: Path) -> Mapping[str, Recording]:
    return {recording.name: recording for recording in read_recordings(folder)}


def _folder(option: str, given: Path | None) -> Path | None:
    if given is not None and not given.is_dir():
        raise UsageError(f"{option} {given}: there is no such folder")
    return given


def _run_producer(producer: str, out: Path, names: frozenset[str], version: str) -> list[str]:
    """Run the producer, and return the names of the recordings. Raises `UsageError` where that is impossible here."""
    try:
        recorder: Any = import_module(_RECORDER)
        services: Any = import_module("harnesses.providers")
    except ImportError as e:
        raise UsageError(
            f"the programs that run producers are not installed ({e}): use a checkout of the suite, or compare "
            "recordings made elsewhere with --from DIR"
        ) from None
    workloads = files_of(fixtures_root() / "recorded" / "workload")
    beside = out.with_name("workload")  # where `run --iut recorded:` looks for the workloads
    beside.mkdir(parents=True, exist_ok=True)
    for name, data in workloads.items():
        (beside / name).write_bytes(data)
    say: Callable[[str], None] = lambda line: print(line, flush=True)  # noqa: E731
    try:
        return list(recorder.record(producer, workloads, out, say, names=names, version=version))
    except services.Unavailable as e:
        raise UsageError(f"{producer} cannot be recorded here: {e}") from None


def _check(
    producer: str,
    expected: Mapping[str, Recording],
    recorded: Collection[str],
    out: Path,
    requests: Sequence[ReportRequest],
    page: Path | None,
) -> int:
    """Compare the recordings `recorded` in `out` with the expected ones, print the drift, and return the status.

    `page` is written only if a recording drifted.
    """
    # The folder may hold recordings of an earlier run, which this one could not make again.
    made = {name: recording for name, recording in _recordings_by_name(out).items() if name in recorded}
    compared = list(_compared(producer, [(expected[name], made[name]) for name in expected if name in made]))
    if not compared:
        raise UsageError(f"{out}: none of these recordings is there: {', '.join(expected)}")
    missing = [name for name in expected if name not in made]
    for line in _lines(compared, missing):
        print(line)
    is_drifted = any(recording.drift.drifted for recording in compared)
    if is_drifted and page is not None:
        requests = [*requests, ReportRequest("html", page)]
        print(f"report: {page}")
    _report(compared, requests, (f"committed {producer}", f"recorded {producer}"), out)
    return 1 if is_drifted or missing else 0


def _compared(producer: str, pairs: Sequence[tuple[Recording, Recording]]) -> Iterator[ComparedRecording]:
    workloads = Workloads(fixtures_root() / "recorded" / producer)
    for committed, recorded in pairs:
        # A statement's clock filled these columns, so they differ in every run.
        clocks = clock_columns(workloads.truth_of(committed))
        yield ComparedRecording(committed, recorded, drift_of(committed, recorded, clocks), clocks)


# -- texts -------------------------------------------------------------------------------------------------------------


def _lines(compared: Sequence[ComparedRecording], missing: Sequence[str]) -> Iterator[str]:
    for recording in compared:
        drift = recording.drift
        if not drift.drifted:
            yield f"{drift.name}: {len(drift.pairs)} records, as committed"
            continue
        yield f"{drift.name}: {len(drift.drifted)} of {len(drift.pairs)} records drifted"
        yield from (f"  {line}" for line in _drift(drift))
    yield from (f"{name}: not recorded" for name in missing)
    drifted = sum(1 for recording in compared if recording.drift.drifted)
    result = {"as committed": len(compared) - drifted, "drifted": drifted, "not recorded": len(missing)}
    counts = " + ".join(f"{text} {number}" for text, number in result.items() if number)
    yield f"recordings {len(compared) + len(missing)} = {counts}"


def _drift(drift: Drift) -> Iterator[str]:
    places: Mapping[str, list[tuple[Pair, Change]]] = drift.by_place()
    for place, changes in list(places.items())[:_MOST_PLACES]:
        pair, change = changes[0]
        times = f" (×{len(changes)})" if len(changes) > 1 else ""
        yield f"{place}{times}: {_short(change.committed)} → {_short(change.recorded)}, first in record {pair.recorded}"
    if len(places) > _MOST_PLACES:
        left = len(places) - _MOST_PLACES
        yield f"{left} more {'place' if left == 1 else 'places'}"
    gone = [pair.committed for pair in drift.drifted if pair.recorded is None]
    new = [pair.recorded for pair in drift.drifted if pair.committed is None]
    if gone:
        yield f"no longer sent: {_numbers(gone)}"
    if new:
        yield f"sent in addition: {_numbers(new)}"


def _numbers(numbers: Sequence[int | None]) -> str:
    shown = ", ".join(map(str, numbers[:_MOST_NUMBERS]))
    records = "record" if len(numbers) == 1 else "records"
    return f"{len(numbers)} {records} ({shown}{', …' if len(numbers) > _MOST_NUMBERS else ''})"


def _short(text: str | None) -> str:
    if text is None:
        return "(missing)"
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"


def _report(
    compared: Sequence[ComparedRecording], requests: Sequence[ReportRequest], names: tuple[str, str], folder: Path
) -> None:
    if not requests:
        return

    record = diff_record([sides_of(compared, names, folder)], dialect_of, __version__)
    write_pages(requests, DIFF_REPORTS, record, ReportOptions())
