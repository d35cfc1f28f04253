"""`record PRODUCER [--check]`: record a real producer again, and say what drifted from the committed recordings."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance import __version__
from conformance.catalogue.producers import SHIPPED
from conformance.cli.arguments import checked_name
from conformance.cli.reporting import ReportRequest, read_requests
from conformance.errors import UsageError

if TYPE_CHECKING:
    from conformance.catalogue.recordings import Recording
    from conformance.cli.drift_sides import ComparedRecording
    from conformance.drift.comparison import Change, Drift, Pair

__all__ = ["register"]

_KINDS = ("html", "json", "markdown")
_RECORDER = "harnesses.producers.recording"
_SHOWN = 12
_WIDEST = 60


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
    parser.add_argument("producer", metavar="PRODUCER", help=f"one of {', '.join(SHIPPED)}")
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
    kinds = ", ".join(f"{kind}=PATH" for kind in _KINDS)
    parser.add_argument(
        "--report", metavar="KIND=PATH", action="append", default=[], help=f"with --check: {kinds}; repeat for several"
    )
    parser.set_defaults(handle=_record)


def _record(args: argparse.Namespace) -> int:
    from conformance.catalogue.fixtures import fixtures_root
    from conformance.catalogue.recordings import read_recordings

    producer = checked_name("producer", args.producer, SHIPPED)
    requests = read_requests(args.report, _KINDS)
    if not args.check and (args.source or args.against or requests):
        raise UsageError("--from, --against and --report compare recordings: add --check")
    if args.source and (args.version or args.out):
        raise UsageError("--version and --out are of a recording, and --from records nothing: leave one of them out")
    shipped = fixtures_root() / "recorded" / producer
    against = _folder("--against", args.against) or shipped
    committed = {recording.name: recording for recording in read_recordings(against)}
    names = frozenset(checked_name("recording", name, list(committed)) for name in args.only)
    source = _folder("--from", args.source)
    out = source or args.out or Path("out", "recorded", producer)
    expected = [name for name in committed if not names or name in names]
    recorded = expected if source is not None else _recorded(producer, out, names, args.version)
    if not args.check:
        print(f"{out}: recorded; to ship them: python tools/pack_recorded.py {out.parent}")
        return 0 if set(expected) <= set(recorded) else 1
    # The folder may hold recordings of an earlier run, which this one could not make again.
    made = {recording.name: recording for recording in read_recordings(out) if recording.name in recorded}
    compared = list(_compared(producer, [(committed[name], made[name]) for name in expected if name in made]))
    if not compared:
        raise UsageError(f"{out}: none of these recordings is there: {', '.join(expected)}")
    missing = [name for name in expected if name not in made]
    drifted = [recording for recording in compared if recording.drift.drifted]
    for line in _lines(compared, missing):
        print(line)
    if drifted and not requests and source is None:
        page = out.with_name(f"{producer}-drift.html")
        requests = [ReportRequest("html", page)]
        print(f"report: {page}")
    _report(compared, requests, (f"committed {producer}", f"recorded {producer}"), out)
    return 1 if drifted or missing else 0


def _folder(option: str, given: Path | None) -> Path | None:
    if given is not None and not given.is_dir():
        raise UsageError(f"{option} {given}: there is no such folder")
    return given


def _recorded(producer: str, out: Path, names: frozenset[str], version: str) -> list[str]:
    """Run the producer, and return the names of the recordings. Raises `UsageError` where that is impossible here."""
    from conformance.catalogue.fixtures import fixtures_root
    from conformance.catalogue.packing import files_of

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


def _compared(producer: str, pairs: Sequence[tuple[Recording, Recording]]) -> Iterator[ComparedRecording]:
    from conformance.catalogue.fixtures import fixtures_root
    from conformance.catalogue.recordings import Workloads
    from conformance.cli.drift_sides import ComparedRecording
    from conformance.drift.comparison import drift_of
    from conformance.drift.masks import clock_columns

    workloads = Workloads(fixtures_root() / "recorded" / producer)
    for committed, recorded in pairs:
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
    for place, changes in list(places.items())[:_SHOWN]:
        pair, change = changes[0]
        times = f" (×{len(changes)})" if len(changes) > 1 else ""
        yield f"{place}{times}: {_short(change.committed)} → {_short(change.recorded)}, first in record {pair.recorded}"
    if len(places) > _SHOWN:
        yield f"{len(places) - _SHOWN} more places"
    gone = [pair.committed for pair in drift.drifted if pair.recorded is None]
    new = [pair.recorded for pair in drift.drifted if pair.committed is None]
    if gone:
        yield f"no longer sent: {_numbers(gone)}"
    if new:
        yield f"sent in addition: {_numbers(new)}"


def _numbers(numbers: Sequence[int | None]) -> str:
    shown = ", ".join(map(str, numbers[:_SHOWN]))
    records = "record" if len(numbers) == 1 else "records"
    return f"{len(numbers)} {records} ({shown}{', …' if len(numbers) > _SHOWN else ''})"


def _short(text: str | None) -> str:
    if text is None:
        return "(missing)"
    return text if len(text) <= _WIDEST else f"{text[:_WIDEST]}…"


def _report(
    compared: Sequence[ComparedRecording], requests: Sequence[ReportRequest], names: tuple[str, str], folder: Path
) -> None:
    if not requests:
        return
    from conformance.cli.diff_dialects import dialect_of
    from conformance.cli.drift_sides import sides_of
    from reports.diff import DIFF_REPORTS, diff_record
    from reports.renderer import ReportOptions

    record = diff_record([sides_of(compared, names, folder)], dialect_of, __version__)
    for request in requests:
        with request.opened() as file:
            file.write(DIFF_REPORTS[request.kind](record, ReportOptions()))
