"""Merges the records of the shards of a run: the events of the run as if it had not been divided.

Members that are equal in all shards come from the first; cases get the order of the whole plan; counts are added up.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from conformance.cases.model import Anchor
from conformance.engine.burn_down import added_up, summary
from conformance.engine.case_events import CaseEvents
from conformance.engine.declared import protocol_undeclared
from conformance.engine.events import Event, IutResult, end_event, scope_of
from conformance.engine.kept import SAME_RUN
from conformance.engine.requirement_results import RequirementStatus
from conformance.engine.restarts import restart_after, was_sent
from conformance.engine.selection import Selection
from conformance.engine.verdicts import ExitStatus, Gate, Tally, Verdict, is_red
from conformance.errors import UsageError

__all__ = ["ShardRecord", "merged"]

_OF_ONE_IUT = ("name", "version", "profile", "contact", "protocols")
"""Members of the `iut` event that are equal in all shards in which the implementation started."""
_OF_VERDICTS = ("protocol", "role", "profile", "verdict", "message")
_UNSELECTED = scope_of(Selection(), (), {})["selection"]


class _ShardCase(NamedTuple):
    """The `verdict` event of a case, and the events that stand before it."""

    before: list[Event]
    verdict: Event


@dataclass(slots=True)
class _ShardIut:
    """The events of one implementation in a shard."""

    iut: Event
    plan: Event = field(default_factory=dict)
    cases: list[_ShardCase] = field(default_factory=list)
    requirements: list[Event] = field(default_factory=list)


@dataclass(slots=True)
class ShardRecord:
    """The record of a shard, taken apart; messages call it `name`.

    Raises `UsageError` for the record of a whole run, and for an incomplete record.
    """

    name: str
    run: Event
    end: Event
    iuts: list[_ShardIut]

    @classmethod
    def of(cls, name: str, events: Sequence[Mapping[str, Any]]) -> ShardRecord:
        """The record with these events."""
        copies = [dict(event) for event in events]
        if not copies or copies[0]["event"] != "run" or copies[-1]["event"] != "end":
            raise UsageError(
                f"{name}: the record is incomplete: finish that shard first, as with run --out DIR --resume"
            )
        if not copies[0].get("selection", {}).get("shard"):
            raise UsageError(f"{name}: not a shard of a run: run --shard I/N makes them")
        iuts: list[_ShardIut] = []
        before: list[Event] = []
        for event in copies[1:-1]:
            if event["event"] == "iut":
                iuts.append(_ShardIut(event))
            elif event["event"] == "plan":
                iuts[-1].plan = event
            elif event["event"] == "requirement":
                iuts[-1].requirements.append(event)
            elif event["event"] == "verdict":
                iuts[-1].cases.append(_ShardCase(before, event))
                before = []
            else:
                before.append(event)
        return cls(name, copies[0], copies[-1], iuts)

    @property
    def index_and_count(self) -> tuple[int, int]:
        """The number of the shard, from 1, and the number of shards."""
        index, _, count = self.run["selection"]["shard"].partition("/")
        return int(index), int(count)


def merged(shards: Sequence[ShardRecord]) -> Iterator[Event]:
    """The events of the whole run.

    Raises `UsageError`, before the first event, unless the shards are all those of one run, each once.
    """
    ordered = sorted(shards, key=lambda shard: shard.index_and_count)
    _check(ordered)
    return _events(ordered)


def _check(shards: Sequence[ShardRecord]) -> None:
    """Raises `UsageError` unless the shards, in the order of their numbers, are all those of one run."""
    first = shards[0]
    for other in shards[1:]:
        _same(first, other, "number of shards", first.index_and_count[1], other.index_and_count[1])
        runs = [_of_all_shards(shard.run) for shard in (first, other)]
        for name in SAME_RUN:
            _same(first, other, name, *(run.get(name) for run in runs))
        _same(first, other, "number of implementations", len(first.iuts), len(other.iuts))
    _check_numbers(shards)
    for number in range(len(first.iuts)):
        _check_iut([(shard, shard.iuts[number]) for shard in shards])


def _check_numbers(shards: Sequence[ShardRecord]) -> None:
    """Raises `UsageError` unless each shard of the run is there once."""
    count, by_index = shards[0].index_and_count[1], dict[int, ShardRecord]()
    for shard in shards:
        index, _ = shard.index_and_count
        if index in by_index:
            raise UsageError(f"{by_index[index].name} and {shard.name}: both are shard {index} of {count}")
        by_index[index] = shard
    if missing := [str(i) for i in range(1, count + 1) if i not in by_index]:
        raise UsageError(f"shard {', '.join(missing)} of {count} is missing")


def _check_iut(iuts: Sequence[tuple[ShardRecord, _ShardIut]]) -> None:
    """Raises `UsageError` unless an implementation and its plan are the same in all shards."""
    started = [(shard, iut) for shard, iut in iuts if iut.iut["started"]] or iuts
    first, expected = started[0]
    for shard, iut in started[1:]:
        for name in _OF_ONE_IUT:
            _same(first, shard, f"{name} of the implementation", expected.iut[name], iut.iut[name])
    first, expected = iuts[0]
    for shard, iut in iuts[1:]:
        _same(first, shard, "plan", expected.plan["shard"]["digest"], iut.plan["shard"]["digest"])


def _same(first: ShardRecord, other: ShardRecord, what: str, expected: Any, got: Any) -> None:
    """Raises `UsageError` unless two shards agree in `what`."""
    if expected != got:
        values = f": {got!r}, not {expected!r}" if len(f"{expected!r}{got!r}") < 100 else ""
        raise UsageError(f"{other.name}: not a shard of the same run as {first.name}: its {what} differs{values}")


def _events(shards: Sequence[ShardRecord]) -> Iterator[Event]:
    run, policy = _run(shards), Gate(shards[0].run["gate"])
    yield run
    results: list[IutResult] = []
    for number in range(len(shards[0].iuts)):
        results.append((yield from _events_of_iut(shards, number, policy)))
    is_selected = run["selection"] != _UNSELECTED or run["level"] != "may"
    whole = not is_selected and all(_is_judged(result.tally) for result in results)
    baseline = summary(added_up([shard.end["baseline"]["entries"] for shard in shards]), whole=whole)
    for result in results:
        result.tally.stale = any(baseline[why] for why in ("unmatched", "expired", "gone"))
    exits = [ExitStatus(shard.end["exit"]) for shard in shards]
    also = [status for status in exits if status in (ExitStatus.INTERRUPTED, ExitStatus.INTERNAL)]
    message, seconds = _joined(s.end["message"] for s in shards), sum(shard.end["seconds"] for shard in shards)
    yield end_event(results, policy, baseline, message, seconds, also)


def _events_of_iut(shards: Sequence[ShardRecord], number: int, policy: Gate) -> Generator[Event, None, IutResult]:
    """The events of the n-th implementation, from 0; returns its result."""
    iuts = [shard.iuts[number] for shard in shards]
    first = next((iut for iut in iuts if iut.iut["started"]), iuts[0])
    label = first.iut["iut"]
    yield {**first.iut, "message": _joined(iut.iut["message"] for iut in iuts)}
    yield _plan(label, iuts)
    accounts: list[Event] = [shard.end["accounting"]["iuts"][number] for shard in shards]
    tally = Tally(sum(iut.plan["planned"] for iut in iuts), incomplete=_is_incomplete(iuts))
    tally.interrupted = any(account["exit"] == ExitStatus.INTERRUPTED for account in accounts)
    _count(tally, accounts)
    for event in _cases(label, iuts):
        if event["event"] == "verdict" and is_red(Verdict(event["verdict"]), policy):
            tally.tolerated += not event["new"]
        yield event
    yield from _requirements(label, iuts)
    return IutResult(label, first.iut["profile"], tally, _parts(accounts))


def _of_all_shards(run: Event) -> Event:
    """The `run` event of a shard with the selection of the whole run."""
    return {**run, "selection": {**run["selection"], "shard": None}}


def _run(shards: Sequence[ShardRecord]) -> Event:
    first = shards[0].run
    return {
        **_of_all_shards(first),
        "command": _without_shard(first["command"]),
        "started": min(shard.run["started"] for shard in shards),
        "host": _joined(shard.run["host"] for shard in shards),
    }


def _without_shard(command: Sequence[str]) -> list[str]:
    option = next((i for i, word in enumerate(command) if word in ("--shard", "--ticdc-shard")), None)
    kept = list(command) if option is None else [*command[:option], *command[option + 2 :]]
    return [word for word in kept if not word.startswith(("--shard=", "--ticdc-shard="))]


def _joined(texts: Iterable[str]) -> str:
    return "; ".join(dict.fromkeys(filter(None, texts)))


def _plan(label: str, iuts: Sequence[_ShardIut]) -> Event:
    first, whole = iuts[0].plan, iuts[0].plan["shard"]
    rows = zip(*(one.plan["by"] for one in iuts), strict=True)
    by = [{**row[0], **{n: sum(r[n] for r in row) for n in ("planned", "excluded", "unsupported")}} for row in rows]
    plan = {name: value for name, value in first.items() if name != "shard"}
    return {**plan, "iut": label, "planned": whole["planned"], "by": by, "digest": whole["digest"]}


def _is_incomplete(iuts: Sequence[_ShardIut]) -> bool:
    """Whether an implementation did not start in a shard, or a recording there could not be read."""
    return any(one.iut["problems"] or (one.iut["message"] and not one.iut["started"]) for one in iuts)


def _is_judged(tally: Tally) -> bool:
    """Whether the implementation was there for every case, and the run came to its end."""
    is_complete = tally.adds_up and not tally.counts.get(Verdict.NOT_RUN)
    return is_complete and not tally.interrupted and not tally.incomplete


def _cases(label: str, iuts: Sequence[_ShardIut]) -> Iterator[Event]:
    """The events of all cases in the order of the whole plan."""
    restarts = {(event["after"], event["role"]): event for one in iuts for event in _restarts(one)}
    inputs, is_noted = CaseEvents(), False
    pending: Event | None = None  # a restart, which stands before the next case that was sent
    cases = sorted((case for one in iuts for case in one.cases), key=lambda case: case.verdict["position"])
    common_verdicts, positions_counted = _common_verdicts(label, iuts, [case.verdict for case in cases])
    yield from common_verdicts
    for before, verdict in cases:
        if verdict["position"] in positions_counted:
            continue
        if pending is not None and was_sent(verdict):
            yield {**pending, "iut": label}
            pending = None
        for event in before:
            if event["event"] == "case":
                event = inputs.with_input_or_not(event, verdict)
            elif event["event"] == "restart" or (event["event"] == "note" and is_noted):
                continue
            is_noted = is_noted or event["event"] == "note"
            yield {**event, "iut": label}
        yield {**{name: value for name, value in verdict.items() if name != "position"}, "iut": label}
        pending = restarts.get((verdict["case"], verdict["role"]), pending)


def _common_verdicts(
    label: str, iuts: Sequence[_ShardIut], verdicts: Iterable[Event]
) -> tuple[Iterable[Event], frozenset[int]]:
    """The `verdicts` events of an undivided run, each for many cases, and the positions of these cases.

    They are the cases of undeclared protocols; if the implementation did not start, all cases that were not run.
    """
    hello = next((one.iut for one in iuts if one.iut["started"]), None)
    events: dict[tuple[str, ...], Event] = {}
    positions = set()
    for verdict in verdicts:
        reason = protocol_undeclared(verdict["protocol"], hello) if hello is not None else verdict["message"]
        common = Verdict.NOT_RUN if hello is None else Verdict.UNSUPPORTED
        if (verdict["verdict"], verdict["message"]) == (common, reason):
            members = {name: verdict[name] for name in _OF_VERDICTS}
            event = {"event": "verdicts", "iut": label, **members, "cases": 0}
            events.setdefault(tuple(members.values()), event)["cases"] += 1
            positions.add(verdict["position"])
    return events.values(), frozenset(positions)


def _restarts(iut: _ShardIut) -> Iterator[Event]:
    """The restarts of a shard, and the restart that a further case would have needed."""
    yield from (event for before, _ in iut.cases for event in before if event["event"] == "restart")
    last = next((verdict for _, verdict in reversed(iut.cases) if was_sent(verdict)), None)
    if last is not None and (event := restart_after("", iut.iut["contact"], last)) is not None:
        yield event


_ANCHORS = tuple(map(str, Anchor))
_STATUSES = tuple(map(str, RequirementStatus))


def _requirements(label: str, iuts: Sequence[_ShardIut]) -> Iterator[Event]:
    for rows in zip(*(one.requirements for one in iuts), strict=True):
        anchors = [row["anchor"] for row in rows if row["anchor"] is not None]
        yield {
            **rows[0],
            "iut": label,
            "anchor": min(anchors, key=_ANCHORS.index, default=None),
            "standing": max((row["standing"] for row in rows), key=_STATUSES.index),
            "cases": sum(row["cases"] for row in rows),
            "breaking": sum(row["breaking"] for row in rows),
        }


def _count(tally: Tally, rows: Iterable[Mapping[str, Any]]) -> None:
    for row in rows:
        for verdict, cases in row["counts"].items():
            tally.add(Verdict(verdict), cases)


def _parts(accounts: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], Tally]:
    parts: dict[tuple[str, str], Tally] = {}
    for account in accounts:
        for row in account["by"]:
            part = parts.setdefault((row["protocol"], row["role"]), Tally())
            part.planned += row["planned"]
            _count(part, [row])
    return parts
