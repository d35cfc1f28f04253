"""Makes a `RunConfig` from settings, for the commands that judge and for the pytest plug-in."""

from __future__ import annotations

import itertools
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import Any

import ticdc_conformance
from conformance.cases.index import case_of
from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.producers import PRODUCERS
from conformance.catalogue.register import Level
from conformance.cli.arguments import checked_name, profile_of, refuse_profile
from conformance.cli.known_cases import known_cases
from conformance.cli.registry_access import registry_access
from conformance.cli.saved_runs import read_saved
from conformance.engine import Gate, RunConfig
from conformance.engine.baseline import Known, read_baseline
from conformance.engine.implementation import Target, recorded_target, target_of
from conformance.engine.selection import Expression, Selection, Shard
from conformance.errors import UsageError
from conformance.transport import open_session
from conformance.transport.addresses import RecordedAddress, parse_address
from conformance.transport.connection import Trace, Traces
from conformance.transport.dump import StdinDump
from conformance.transport.limits import Limits
from conformance.transport.origin import Origin, parse_origin
from conformance.transport.session import Session
from reference_impl.profiles import CLASSIC, NEWARCH, Profile
from reference_impl.protocols import DIALECTS, UPSTREAM
from reports import Event

__all__ = ["REFERENCE", "is_upstream", "limits_of", "origin_of", "read_run", "run_config", "today_of", "traced"]

# As a script, so that its own folder comes first on the child's path, installed or in a checkout.
REFERENCE = f"cmd:{shlex.join([sys.executable, ticdc_conformance.__file__, 'serve-reference'])}"


def run_config(settings: Mapping[str, Any], command: Sequence[str]) -> RunConfig:
    """The configuration of a run.

    Beside the settings of the command line there may be `only`, the ids of the cases to run. Raises `UsageError`.
    """
    protocols = tuple(checked_name("protocol", p, DIALECTS) for p in settings["protocol"] or ())
    profile = _requested_profile(settings)
    if is_upstream(protocols):
        refuse_profile(protocols[0], settings["profile"], settings["ticdc_version"])
    if settings["dump_stdin"]:
        StdinDump(Path(settings["dump_stdin"]))  # makes the folder: where it cannot be made, the run must not begin
    targets = _targets(settings, profile)
    return RunConfig(
        targets=targets,
        selection=Selection(
            protocols=protocols,
            roles=tuple(settings["role"] or ()),
            shard=Shard.parse(settings["shard"]) if settings["shard"] else None,
            expression=Expression(settings["select"]) if settings["select"] else None,
            level=Level(settings["level"] or Level.MAY),
            only=frozenset(settings["only"]) if "only" in settings else None,
        ),
        policy=_gate(settings, targets),
        against=tuple(read_run(Path(settings["against"]))) if settings["against"] else (),
        baseline=_baseline(settings),
        today=today_of(settings["today"]),
        sessions=settings["sessions"],
        registry_url=settings["registry_url"],
        registry_access=registry_access(settings["registry_config"]) if settings["registry_url"] else None,
        suite_version=settings["suite_version"],
        command=tuple(command),
        started=datetime.now(tz=UTC).isoformat(timespec="seconds"),
        origin=origin_of(settings.get("origin")),
    )


def read_run(path: Path) -> list[Event]:
    """The events of a saved run, a file or a folder; see `read_saved`."""
    return list(read_saved(path).events)


def origin_of(text: str | None) -> Origin | None:
    """The place in the value of `--origin`; None without one. Raises `UsageError` for a malformed place."""
    if text is None:
        return None
    origin, problem = parse_origin(text)
    if problem:
        raise UsageError(f"--origin {text}: {problem}; it looks like pkg/encoder.go or pkg/encoder.go:123")
    return origin


def today_of(text: str | None) -> date:
    """The day in the value of `--today`; without one, the current day. Raises `UsageError`."""
    if not text:
        return datetime.now(tz=UTC).date()
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"--today {text}: not a day such as 2027-03-31") from None


def limits_of(settings: Mapping[str, Any]) -> Limits:
    """The limits of a session. A search may restart it any number of times: each of its examples may crash."""
    limits = Limits(answer=settings["timeout"]) if settings.get("timeout") else Limits()
    return replace(limits, restarts=None) if settings.get("searches") else limits


def is_upstream(protocols: Sequence[str]) -> bool:
    """Whether only upstream dialects are requested."""
    return bool(protocols) and all(protocol in UPSTREAM for protocol in protocols)


def _requested_profile(settings: Mapping[str, Any]) -> Profile:
    """The profile of `--profile` or `--ticdc-version`. Raises `UsageError`."""
    if settings["profile"] and settings["ticdc_version"]:
        raise UsageError("--profile and --ticdc-version: give one of them")
    return profile_of(settings["profile"], settings["ticdc_version"])


def _targets(settings: Mapping[str, Any], profile: Profile) -> tuple[Target, ...]:
    limits = limits_of(settings)
    if not settings["iut"]:
        return _default_targets(settings, profile, limits)
    return tuple(_target(address, settings, profile, limits) for address in settings["iut"])


def _default_targets(settings: Mapping[str, Any], profile: Profile, limits: Limits) -> tuple[Target, ...]:
    """The default targets: the embedded reference, and both generations of recorded TiCDC.

    For upstream dialects, which are judged only on request: the reference, and their recordings.
    """
    recordings = fixtures_root() / "recorded"
    release, requested = settings["ticdc_version"], tuple(settings["protocol"] or ())
    style = f"--ticdc-version {shlex.quote(release)}" if release else f"--profile {profile.name}"
    reference = _suite_target(f"{REFERENCE} {style}", profile, limits, settings["dump_stdin"])
    upstream = [
        _upstream_target(f"recordings of {name}", recordings / name, profile, (protocol,), settings)
        for protocol in dict.fromkeys(requested)
        for name in (PRODUCERS[protocol].folders if protocol in PRODUCERS else ())
    ]
    if is_upstream(requested):
        return (reference, *upstream)
    return (
        reference,
        recorded_target("recordings of ticdc-newarch", recordings / "ticdc-newarch", NEWARCH),
        recorded_target("recordings of ticdc-classic", recordings / "ticdc-classic", CLASSIC),
        *upstream,
    )


def _target(address: str, settings: Mapping[str, Any], profile: Profile, limits: Limits) -> Target:
    parsed = parse_address(address)
    requested = tuple(settings["protocol"] or ())
    if isinstance(parsed, RecordedAddress):
        from conformance.catalogue.recordings import has_recordings

        if has_recordings(Path(parsed.folder)):
            return _upstream_target(address, Path(parsed.folder), profile, requested, settings)
        if is_upstream(requested):
            raise UsageError(
                f"{address}: recordings of {requested[0]} are files NAME.jsonl, each with a NAME.meta.json: the folder "
                "holds none"
            )
    return _suite_target(address, profile, limits, settings["dump_stdin"])


def _suite_target(address: str, profile: Profile, limits: Limits, dump: str | None) -> Target:
    """The target at an address with the suite's own cases, each made when it runs.

    `dump` is the folder for every line that the implementation is sent.
    """
    target = _target_for_worker(address, profile, limits, dump, 0)
    if target.contact == "recorded":
        return target
    return replace(target, for_worker=partial(_target_for_worker, address, profile, limits, dump))


def _target_for_worker(address: str, profile: Profile, limits: Limits, dump: str | None, worker: int) -> Target:
    """The target for a process that judges a part of the cases: its number, or 0 for the only process."""
    trace = partial(_dump, Path(dump), worker, itertools.count(1)) if dump else None
    return target_of(address, profile, known_cases, limits, trace, partial(case_of, profile=profile))


def traced(target: Target, settings: Mapping[str, Any], trace: Callable[[], Trace]) -> Target:
    """The target with a trace of each of its sessions, beside the dump of the settings; a recording has no sessions."""
    if target.contact == "recorded":
        return target
    folder, numbers = settings["dump_stdin"], itertools.count(1)

    def opened() -> Session:
        traces = [trace(), *([_dump(Path(folder), 0, numbers)] if folder else [])]
        return open_session(target.address, limits=replace(limits_of(settings), restarts=None), trace=Traces(traces))

    return replace(target, open=opened, for_worker=None)


def _dump(folder: Path, worker: int, numbers: Iterator[int]) -> Trace:
    """The dump of a session, with the number of its process in its name, or else the next number."""
    return StdinDump(folder, f"session-{worker or next(numbers)}")


def _upstream_target(
    address: str, folder: Path, profile: Profile, protocols: Sequence[str], settings: Mapping[str, Any]
) -> Target:
    from conformance.engine.recordings import Asked, recordings_target

    asked = Asked(tuple(protocols), settings["select"] or "", settings.get("only", ()))
    return recordings_target(address, folder, profile, asked)


def _baseline(settings: Mapping[str, Any]) -> tuple[Known, ...]:
    path = Path(settings["baseline"]) if settings["baseline"] else None
    if path is None and not settings["iut"]:
        path = fixtures_root() / "recorded" / "baseline.toml"
    return tuple(read_baseline(path).entries) if path else ()


def _gate(settings: Mapping[str, Any], targets: Sequence[Target]) -> Gate:
    """The requested gate; else `data`, or `should` for upstream dialects alone.

    No document prescribes upstream's dialects, so none of their requirements is a MUST.
    """
    if settings["strict"] and settings["gate"] not in (None, Gate.SHOULD):
        raise UsageError(f"--strict is --gate should; it does not go with --gate {settings['gate']}")
    upstream = all(target.protocols for target in targets) or is_upstream(settings["protocol"] or ())
    default = Gate.SHOULD if upstream else Gate.DATA
    return Gate.SHOULD if settings["strict"] else Gate(settings["gate"] or default)
