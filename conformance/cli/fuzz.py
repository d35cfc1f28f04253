"""`fuzz`: searches for inputs on which an implementation fails, and shrinks them.

Each failing case is saved in a file and judged once more in an ordinary run: the report and the exit status are those
of that run.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, TypeAlias

from hypothesis.configuration import set_hypothesis_home_dir

from conformance.cases.model import Case, Role
from conformance.cases.saved import save_case
from conformance.catalogue.register import Register
from conformance.cli.arguments import whole_number
from conformance.cli.configuring import run_config
from conformance.cli.parser import typed_command
from conformance.cli.run import run_with_reports
from conformance.cli.settings import add_settings, resolve
from conformance.engine import RunConfig
from conformance.engine.implementation import CaseSource, Target
from conformance.engine.verdicts import ExitStatus, Verdict, is_red, worst
from conformance.errors import ImplementationError, UsageError, file_errors
from conformance.registry import RealRegistry, ServedRegistry
from conformance.registry.access import ANONYMOUS
from conformance.search.search import CounterExample, Search
from conformance.search.session import SearchSession
from conformance.signals import stopping
from reference_impl.protocols import CODECS
from reports import Event

__all__ = ["register"]

_SETTINGS = frozenset(
    {
        "iut",
        "protocol",
        "role",
        "strict",
        "profile",
        "ticdc-version",
        "baseline",
        "report",
        "timeout",
        "registry-url",
        "registry-config",
        "today",
        "quiet",
    }
)
_ROLES: tuple[Role, ...] = ("encode", "decode")
_EXAMPLES = 500
_WITHOUT_END = 1_000_000  # examples, where the time ends the search
_UNITS: Mapping[str, float] = {"": 1, "s": 1, "m": 60, "h": 3600}


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "fuzz",
        description="Draw inputs from a seed, run them against an implementation, and shrink those that show a fault. "
        "Without --iut: the embedded reference. A decoder also gets records that are changed in one place (a bit, "
        "a byte, an end, a length, a number of parts, a member, a kind, a spelling). The change decides whether the "
        "decoder must refuse them, must read the same events, or may give any answer. The report counts what was "
        "drawn, by protocol and role. The search never draws other charsets, generated columns, statements about "
        "indexes, partitions and schemas, dropped tables, or a failing registry. Upstream dialects are searched only "
        "with --protocol, and without changed records, snapshots and session settings. `run` has cases "
        "for all of these.",
    )
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--examples", type=whole_number(), metavar="N", help=f"inputs for each protocol and role ({_EXAMPLES})"
    )
    group.add_argument(
        "--budget", metavar="TIME", type=_seconds, help="time to search, such as 90s or 5m, in place of a number"
    )
    parser.add_argument(
        "--malformed",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="give decoders changed records, too: as many as legal ones (on)",
    )
    parser.add_argument("--seed", type=whole_number(0), default=0, metavar="S", help="the seed of the inputs (0)")
    parser.add_argument("--save", type=Path, default=Path("found"), metavar="DIR", help="where cases are saved (found)")
    add_settings(parser, _SETTINGS)
    parser.set_defaults(handle=_fuzz)


def _fuzz(args: argparse.Namespace) -> int:
    settings = dict(resolve(vars(args), os.environ, args.config)) | {"searches": True}
    effort = _Effort.of(args)
    config = run_config(settings, typed_command())
    config.check()
    if settings["iut"] and any(target.contact == "recorded" for target in config.targets):
        raise UsageError("--iut recorded:…: a recording answers no new inputs")
    _prepare(args.save)
    targets = [target for target in config.targets if target.contact != "recorded"]
    quiet = bool(settings["quiet"])

    def say(text: str) -> None:
        if not quiet:
            print(text, flush=True)

    found = _search(targets, config, effort, args.save, say)
    if found.targets:
        found.statuses += _judged_again(found, config, settings)
    else:
        print(f"nothing found in {found.examples} examples" if found.examples else "nothing was searched")
    return int(worst(found.statuses))


_Failure: TypeAlias = tuple[int, Role, str]
"""A failing case: the number of its target in `_Found.targets`, its role and its id."""


@dataclass(slots=True)
class _Found:
    """The result of the searches of all targets."""

    targets: list[Target] = field(default_factory=list)
    """The targets with failures; each has its saved cases and no others."""
    red: list[_Failure] = field(default_factory=list)
    """The failures that the gate counts."""
    examples: int = 0
    """Examples that the implementations did not decline."""
    statuses: list[ExitStatus] = field(default_factory=list)


def _seconds(text: str) -> float:
    match = re.fullmatch(r"([0-9]+)([smh]?)", text)
    if not match or not int(match[1]):
        raise argparse.ArgumentTypeError(f"{text!r} is not a time: it looks like 90s, 5m or 1h")
    return int(match[1]) * _UNITS[match[2]]


class _OneSearch(NamedTuple):
    """One search of a target; `malformed`: its decoder gets changed records."""

    protocol: str
    role: Role
    malformed: bool

    def __str__(self) -> str:
        return f"{self.protocol} {self.role}{' of changed records' if self.malformed else ''}"


@dataclass(frozen=True, slots=True)
class _Effort:
    """How long to search, and for what."""

    examples: int
    """At most so many for each protocol and role."""
    seconds: float | None
    """The time for all protocols and roles together; None without a limit."""
    seed: int
    malformed: bool
    """Whether decoders are searched a second time, with changed records."""

    @classmethod
    def of(cls, args: argparse.Namespace) -> _Effort:
        """The effort in the arguments."""
        if args.budget:
            return cls(_WITHOUT_END, args.budget, args.seed, args.malformed)
        return cls(args.examples or _EXAMPLES, None, args.seed, args.malformed)

    def searches(self, protocol: str, role: Role) -> Iterator[_OneSearch]:
        """The searches of a protocol and role."""
        yield _OneSearch(protocol, role, malformed=False)
        if self.malformed and role == "decode" and protocol in CODECS:
            yield _OneSearch(protocol, role, malformed=True)


_UNSTEADY = (
    "red (exit 1): {} of the failures that the search found did not appear when the case ran alone. They depend on\n"
    "earlier requests: look for state that reset does not clear."
)


@dataclass(slots=True)
class _TargetSearch:
    """The searches of one target; `judged`, `lost` and `interrupted` tell afterwards how they went."""

    target: Target
    config: RunConfig
    effort: _Effort
    say: Callable[[str], None]
    stop: threading.Event
    judged: int = 0
    """Examples that the implementation did not decline."""
    lost: str = ""
    """Why the conversation with the implementation broke off, or ""."""
    interrupted: bool = False

    def counter_examples(self) -> Iterator[CounterExample]:
        """The failures that all searches find, protocol by protocol."""
        registers = self.config.registers(self.config.selection.protocols)
        try:
            session = self._started(registers)
        except ImplementationError as e:
            self.lost = str(e)
            return
        end = None if self.effort.seconds is None else time.monotonic() + self.effort.seconds
        # The marks of failures, by protocol and role: a second search of both looks for others.
        known: defaultdict[tuple[str, Role], set[str]] = defaultdict(set)
        with closing(session):
            roles = [role for role in _ROLES if role in (self.config.selection.roles or _ROLES)]
            declared = [(p, role) for p in registers for role in roles if session.declares(p, role)]
            searches = [one for protocol, role in declared for one in self.effort.searches(protocol, role)]
            for number, one in enumerate(searches):
                self.interrupted |= self.stop.is_set()
                if self.lost or self.interrupted:
                    return
                # Each search gets an equal share of the time that is left; an early end leaves more to the others.
                now = time.monotonic()
                until = None if end is None else now + max(0.0, end - now) / (len(searches) - number)
                yield from self._search(session, one, known[one.protocol, one.role], until)

    def _started(self, registers: Mapping[str, Register]) -> SearchSession:
        """A session with the implementation. Raises `ImplementationError` if it does not start."""
        url, access = self.config.registry_url, self.config.registry_access or ANONYMOUS
        judges = self.config.judges(registers, self.target)
        return SearchSession(
            self.target, registers, judges, lambda: RealRegistry(url, access=access) if url else ServedRegistry()
        )

    def _search(
        self, session: SearchSession, one: _OneSearch, known: set[str], until: float | None
    ) -> Iterator[CounterExample]:
        """The failures of one search, without those whose marks are `known`; it ends at the time `until`."""
        begin, scope = time.monotonic(), session.scope(one.protocol)
        if scope.is_empty:
            self.say(f"{one}: nothing can be drawn from the column types and event kinds that it declares")
            return
        search = Search(
            session.execute,
            one.protocol,
            one.role,
            self.target.profile,
            self.effort.seed,
            self.effort.examples,
            lambda: self.stop.is_set() or (until is not None and time.monotonic() > until),
            scope,
            one.malformed,
            known,
        )
        count = 0
        for found in search.run():
            count += 1
            yield found
        self.judged += search.judged
        self.lost, self.interrupted = search.lost, search.interrupted or self.stop.is_set()
        declined = f" ({search.tried - search.judged} of them declined)" if search.judged < search.tried else ""
        seconds = time.monotonic() - begin
        self.say(f"{one}: {search.tried} examples{declined}, {count} found, {seconds:.1f} s")
        for line in search.draw_counts.lines() if search.judged else ():
            self.say(f"  {line}")


def _prepare(folder: Path) -> None:
    """Make the folder for saved cases before the search, so that no found case is lost. Raises `UsageError`."""
    with file_errors(f"--save {folder}: cannot be made"):
        folder.mkdir(parents=True, exist_ok=True)
    if not os.access(folder, os.W_OK):
        raise UsageError(f"--save {folder}: cannot be written to")


def _save(found: CounterExample, folder: Path, seed: int) -> CounterExample:
    case = found.case
    path = folder / f"{case.protocol}-{case.role}-{case.id.rpartition('/')[2]}.json"
    note = f"{found.mark}; seed {seed}, after {found.after} examples, made small in {found.steps} steps"
    if change := case.axes.get("change"):
        note += f"; {change}, from which follows: {case.axes['follows']}"
    if found.unsteady:
        note += "; run again, it did not show the fault"
    save_case(case, path, note)
    return replace(found, case=replace(case, saved_in=str(path)))


def _search(
    targets: Sequence[Target], config: RunConfig, effort: _Effort, folder: Path, say: Callable[[str], None]
) -> _Found:
    """Search every target, up to Ctrl-C or SIGTERM, and save the failing cases in the folder."""
    found = _Found()
    with stopping() as stop, _without_example_database():
        for target in targets:
            search = _TargetSearch(target, config, effort, say, stop)
            cases = []
            for counter_example in search.counter_examples():
                saved = _save(counter_example, folder, effort.seed)
                unsteady = "; run again, it did not show the fault" if saved.unsteady else ""
                change = f" by {saved.case.axes['change']}" if "change" in saved.case.axes else ""
                say(f"  found {saved.mark} ({saved.outcome.verdict}){change}, saved as {saved.case.saved_in}{unsteady}")
                cases.append(saved.case)
                if is_red(saved.outcome.under(config.policy).verdict, config.policy):
                    found.red.append((len(found.targets), saved.case.role, saved.case.id))
            found.examples += search.judged
            found.statuses += _statuses(search)
            if cases:
                found.targets.append(replace(target, cases=_source(cases)))
    return found


def _judged_again(found: _Found, config: RunConfig, settings: Mapping[str, Any]) -> Iterator[ExitStatus]:
    """Judge the saved cases in an ordinary run, with its reports. A red failure that does not recur stays red."""
    labels: list[str] = []
    excused: set[_Failure] = set()

    def excuse(event: Event) -> None:
        if event["event"] == "iut":
            labels.append(event["iut"])
        elif event["event"] == "verdict" and event["verdict"] in (Verdict.XFAIL, Verdict.FLAKY):
            excused.add((labels.index(event["iut"]), event["role"], event["case"]))

    status = ExitStatus(run_with_reports(replace(config, targets=tuple(found.targets)), settings, excuse))
    yield status
    # A green run has no red failure: those that are neither in the baseline nor flaky did not appear again.
    not_excused = sum(failure not in excused for failure in found.red)
    if not_excused and status is ExitStatus.GREEN:
        print(_UNSTEADY.format(not_excused))
        yield ExitStatus.RED


@contextmanager
def _without_example_database() -> Iterator[None]:
    """Keep the files of Hypothesis in a temporary folder, out of the user's folder."""
    with TemporaryDirectory(prefix="ticdc-conformance-") as folder:
        set_hypothesis_home_dir(folder)
        try:
            yield
        finally:
            set_hypothesis_home_dir(None)


def _source(cases: Sequence[Case]) -> CaseSource:
    return lambda protocol, profile: [case for case in cases if case.protocol == protocol]


def _statuses(search: _TargetSearch) -> Iterator[ExitStatus]:
    if search.lost:
        print(f"{search.target.address}: {search.lost}", file=sys.stderr)
        yield ExitStatus.INCONCLUSIVE
    if search.interrupted:
        yield ExitStatus.INTERRUPTED
    if not search.judged:
        yield ExitStatus.NOTHING
