"""`check-capture`: judge messages already captured from a topic, with no harness and no truth at hand.

The result is a run record like any other: each line of the capture is a case, and so is each rule broken between
records; every report reads it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from conformance.captures.check import check_capture
from conformance.captures.results import CaptureResult, CaptureVerdict
from conformance.cases.model import Anchor, Case
from conformance.catalogue.register import Level, Register, load_register
from conformance.cli.arguments import add_profile, known, profile_of
from conformance.cli.run import open_reports
from conformance.cli.tables import read_tables
from conformance.engine import Gate, events
from conformance.engine.credits import Credits
from conformance.engine.judging import Found, Outcome
from conformance.engine.plan import Item, Plan
from conformance.engine.selection import subject_of
from conformance.engine.verdicts import Tally, Verdict, gate
from conformance.errors import UsageError
from reference_impl.profiles import Profile
from reference_impl.protocols import CODECS
from reports.terminal import TerminalRenderer

__all__ = ["register"]

_FORMATS = ("jsonl", "kcat", "text", "storage")


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser("check-capture", help="judge messages already captured from a topic")
    parser.add_argument("--protocol", metavar="P", required=True)
    parser.add_argument("--records", metavar="FILE|DIR", required=True)
    parser.add_argument("--input-format", choices=_FORMATS, help="by default found out from the first lines")
    parser.add_argument("--tables", metavar="FILE", type=Path, help="Table JSON: a list, or one a line")
    parser.add_argument("--option", metavar="NAME=VALUE", action="append", default=[], help="of the changefeed")
    parser.add_argument("--partitions", metavar="N", type=int, help="partitions of the topic, if it has more")
    parser.add_argument("--strict", action="store_true", help="a broken SHOULD is red too")
    parser.add_argument("--report", metavar="KIND=PATH", action="append", default=[])
    parser.add_argument("-q", "--quiet", action="store_true")
    add_profile(parser)
    parser.set_defaults(handle=_check)


def _options(given: Sequence[str]) -> dict[str, str]:
    options = {}
    for text in given:
        name, separator, value = text.partition("=")
        if not separator:
            raise UsageError(f"--option {text}: it looks like enable-tidb-extension=true")
        options[name] = value
    return options


def _check(args: argparse.Namespace) -> int:
    protocol = known("protocol", args.protocol, CODECS)
    if args.records.startswith("kafka://"):
        raise UsageError("--records kafka://…: reading from a broker needs the extra [live], which is not there yet")
    profile = profile_of(args)
    # A record of its own begins only once there is something to tell: what cannot be read at all is one message.
    results = list(
        check_capture(
            Path(args.records),
            protocol,
            input_format=args.input_format,
            tables=read_tables(args.tables) if args.tables else (),
            options=_options(args.option),
            profile=profile,
            partitions=args.partitions,
        )
    )
    policy = Gate.SHOULD if args.strict else Gate.MUST
    status = 0
    with open_reports(tuple(args.report)) as sinks:
        terminal = TerminalRenderer(sys.stdout, quiet=args.quiet)
        try:
            for event in _record(args.records, protocol, profile, policy, results):
                for sink in (terminal.handle, *sinks):
                    sink(event)
                status = event.get("exit", status)
        finally:
            terminal.close()
    return int(status)


_VERDICTS = {
    CaptureVerdict.PASS: Verdict.PASS,
    CaptureVerdict.WARN: Verdict.WARN,
    CaptureVerdict.FAIL: Verdict.FAIL,
    CaptureVerdict.EXCLUDED: Verdict.EXCLUDED,
    CaptureVerdict.SUITE_ERROR: Verdict.SUITE_ERROR,
}


def _record(
    name: str, protocol: str, profile: Profile, policy: Gate, results: Sequence[CaptureResult]
) -> Iterator[dict[str, Any]]:
    """The run record of a capture."""
    rules = load_register(protocol)
    told = [(_item(protocol, result), _outcome(result, rules)) for result in results]
    label = Path(name).name
    command, started = ["ticdc-conformance", *sys.argv[1:]], datetime.now(tz=UTC).isoformat(timespec="seconds")
    yield events.run_event(command, {protocol: rules}, policy, "may", started, "")
    hello = {"name": label, "version": "captured", "language": "", "protocols": {protocol: {"roles": ["encode"]}}}
    problems = [f"{item.case.id}: {outcome.message}" for item, outcome in told if outcome.verdict is Verdict.NOT_RUN]
    yield events.iut_event(label, name, "capture", profile.name, hello, "", "", problems)
    yield events.plan_event(label, Plan(tuple(item for item, _ in told)))
    tally, credited = Tally(planned=len(told)), Credits(rules, profile, frozenset({"encode"}))
    for item, outcome in told:
        tally.add(outcome.verdict)
        credited.add(item, outcome)
        if outcome.verdict is not Verdict.NOT_RUN:
            yield events.case_event(label, item)
        yield events.verdict_event(label, item, profile.name, outcome, (), rules, new=True)
    for requirement, credit in credited:
        yield events.requirement_event(label, requirement, credit)
    result = gate([tally], policy)
    part = {(protocol, "encode"): tally}
    baseline = {"known": 0, "unmatched": [], "expired": [], "stale": False}
    yield events.end_event([(label, profile.name, tally, part, result)], result, policy, baseline, "", 0.0)


def _item(protocol: str, result: CaptureResult) -> Item:
    place = str(result.place) + (", between records" if result.is_stream else "")
    case = Case(
        place,
        protocol,
        "encode",
        records=(result.record,) if result.record else (),
        anchor=Anchor.REFERENCE,
        source="no truth at hand: the rules of the register, and the reference's reading",
    )
    subject = subject_of(place, protocol, "encode", Level.MUST, (), {})
    return Item(case, Level.MUST, subject, (protocol, (), case.settings, ""), frozenset())


def _outcome(result: CaptureResult, rules: Register) -> Outcome:
    found: dict[tuple[str, str], Found] = {}
    for finding in result.findings:
        key = finding.requirement, finding.fingerprint
        times = found[key].times + 1 if key in found else 1
        found[key] = Found(finding, rules.requirements[finding.requirement].level, times)
    verdict = _VERDICTS[result.verdict]
    if result.problem is not None and verdict is Verdict.EXCLUDED:
        # A line that could not be read was not judged: the run says nothing about it, and is not green.
        verdict = Verdict.NOT_RUN
    message = result.problem or ("; not judged: " + "; ".join(result.not_judged) if result.not_judged else "")
    return Outcome(verdict, tuple(found.values()), result.evaluated, message.removeprefix("; "))
