"""`doctor --iut ADDRESS`: checks the conversation with a harness. Each step is timed; the one that fails is named.

Before the steps it reports the configuration in use, and the source of each setting.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import shlex
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from conformance.cases.model import Case
from conformance.cases.requests import case_request, configure_request
from conformance.cli.settings import FILE, SETTINGS, sources
from conformance.engine.verdicts import ExitStatus
from conformance.errors import ImplementationError, UsageError
from conformance.registry import ServedRegistry
from conformance.transport import Limits, open_session
from conformance.transport.addresses import Address, RecordedAddress, TcpAddress, parse_address
from conformance.transport.answers import Answer
from conformance.transport.errors import HarnessLost
from conformance.transport.opening import absence_of
from conformance.transport.session import Session
from reference_impl import options as option_strings
from reference_impl.column_types import Family
from reference_impl.model import RowChange
from reference_impl.protocols import DIALECTS
from reference_impl.registry import MemoryRegistry
from reference_impl.settings import Settings
from reference_impl.tso import compose
from reference_impl.wire import table_from_json
from reports.shortening import ends_of_stderr

__all__ = ["register"]

_COLUMNS = (
    {"name": "id", "type": "int", "nullable": False},
    {"name": "note", "type": "varchar(20)", "nullable": True},
)
_ROW = {"id": "1", "note": "hello"}
_LITERALS = {"id": "1", "note": "'hello'"}

_EXTENSION = "enable-tidb-extension"
_MOST_SHOWN = 60  # characters of a value
_MOST_STDERR_LINES = 10


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser("doctor")
    parser.add_argument(
        "--iut", metavar="ADDRESS", help="address of the implementation (default: that of the configuration)"
    )
    parser.add_argument(
        "--protocol", metavar="P", help="the protocol to try (default: the first that the implementation declares)"
    )
    parser.add_argument("--timeout", metavar="S", help="seconds an answer may take (5)")
    parser.add_argument("--config", metavar="FILE", type=Path, help=f"configuration ({FILE}, if it is there)")
    parser.set_defaults(handle=_doctor)


def _doctor(args: argparse.Namespace) -> int:
    settings = sources(vars(args), os.environ, args.config)
    for line in _configuration(settings, args.config):
        print(line)
    iut, protocol, timeout = (settings[name][0] for name in ("iut", "protocol", "timeout"))
    if not iut:
        raise UsageError(f'doctor needs --iut ADDRESS, or a line iut = ["ADDRESS"] in {FILE}')
    address = parse_address(iut[0])
    if isinstance(address, RecordedAddress):
        raise UsageError(
            "recorded: names a folder, so there is no harness to check. Judge it: ticdc-conformance run --iut …"
        )
    session = open_session(address, limits=Limits(answer=timeout or Limits().answer))
    steps = _steps(address, session, protocol[0] if protocol else None)
    try:
        for name, step in steps:
            begin = time.monotonic()
            try:
                result = step()
            except ImplementationError as e:
                _say("FAIL", name, begin, str(e))
                stderr = e.stderr if isinstance(e, HarnessLost) else session.stderr()
                for line in ends_of_stderr(stderr, _MOST_STDERR_LINES):
                    print(f"      stderr  {line}")
                return ExitStatus.INCONCLUSIVE if name == "hello" else ExitStatus.RED
            except _StepFailed as e:
                _say("FAIL", name, begin, str(e))
                return ExitStatus.RED
            _say("ok", name, begin, result)
    finally:
        session.close()
    address_given = f" --iut {shlex.quote(iut[0])}" if settings["iut"][1] == "--iut" else ""
    print(f"the harness answers. Judge it: ticdc-conformance run{address_given}")
    return ExitStatus.GREEN


def _configuration(settings: Mapping[str, tuple[Any, str]], named: Path | None) -> Iterator[str]:
    """The configuration file in use, and every setting that has a value, with its source."""
    file = named or (Path(FILE) if Path(FILE).is_file() else None)
    yield f"config           {file or f'none: there is no {FILE} in {Path.cwd()}'}"
    for setting in SETTINGS:
        value, source = settings[setting.key]
        if source and not source.startswith("--"):
            shown = ", ".join(map(str, value)) if isinstance(value, tuple) else value
            yield f"  {setting.name} = {shown}   (from {source})"


class _StepFailed(Exception):
    """A step got a wrong answer."""


def _say(mark: str, name: str, begin: float, text: str) -> None:
    print(f"{mark:<5} {name:<10} {1000 * (time.monotonic() - begin):8.1f} ms   {text}")


def _steps(address: Address, session: Session, requested: str | None) -> Iterator[tuple[str, Callable[[], str]]]:
    """Yield (name, step). The caller runs a step before it takes the next: those after `hello` depend on its answer."""
    hello: dict[str, Any] = {}
    yield "hello", lambda: _hello(address, session, hello)
    protocols: Mapping[str, Any] = hello["protocols"]
    name = requested or next((p for p in protocols if p in DIALECTS), None)
    yield "protocol", lambda: _protocol(name, protocols)
    assert name is not None
    registry = ServedRegistry() if DIALECTS[name].uses_registry else None
    try:
        yield from _conversation(address, session, _example_case(name, protocols[name]), protocols[name], registry)
    finally:
        if registry is not None:
            registry.close()


def _conversation(
    address: Address, session: Session, case: Case, declared: Mapping[str, Any], registry: ServedRegistry | None
) -> Iterator[tuple[str, Callable[[], str]]]:
    """The steps from `configure` to `bye`, with the example if the harness declares rows."""
    options = case.options
    request = configure_request(case) | ({} if registry is None else {"registry_url": registry.url})
    roles = (declared.get("roles") or ["encode", "decode"]) if "row" in declared.get("events", ["row"]) else []
    yield (
        "configure",
        lambda: _ok(
            session.configure(request), ", ".join(f"{name}={value}" for name, value in options.items()) or "no options"
        ),
    )
    if "encode" in roles:
        yield "encode", lambda: _encode(session, case)
    if "decode" in roles:
        codec, schemas = DIALECTS[case.protocol], MemoryRegistry()
        encoder = codec.encoder(option_strings.parse(codec.options, options), settings=Settings(registry=schemas))
        records = encoder.encode(case.events, case.tables).records
        if registry is not None:
            registry.begin(schemas.requests)
        decode = replace(case, role="decode", events=(), records=records, sql=())
        yield "decode", lambda: _decode(session, decode)
    yield "bye", lambda: _bye(address, session)


def _example_case(protocol: str, declared: Mapping[str, Any]) -> Case:
    """An insert into a table of a number and, if declared, a text; with the TiDB extension if it is declared."""
    types = declared.get("column_types", ["int", "varchar"])
    columns = [c for c in _COLUMNS if str(c["type"]).partition("(")[0] in types] or list(_COLUMNS)
    names = [str(c["name"]) for c in columns]
    table = {"schema": "test", "name": "doctor", "columns": columns, "primary_key": names[:1]}
    row = RowChange("insert", "test", "doctor", compose(1_700_000_000_000), after={n: _ROW[n] for n in names})
    known_options = option_strings.names(DIALECTS[protocol].options)
    extended = _EXTENSION in known_options and _EXTENSION in declared.get("options", known_options)
    definitions = [f"`{c['name']}` {c['type']}{'' if c['nullable'] else ' NOT NULL'}" for c in columns]
    return Case(
        "doctor",
        protocol,
        "encode",
        (table_from_json(table),),
        (row,),
        options={_EXTENSION: "true"} if extended else {},
        sql=(
            f"CREATE TABLE `test`.`doctor` ({', '.join(definitions)}, PRIMARY KEY (`{names[0]}`))",
            f"INSERT INTO `test`.`doctor` ({', '.join(f'`{n}`' for n in names)}) "
            f"VALUES ({', '.join(_LITERALS[n] for n in names)})",
        ),
    )


def _hello(address: Address, session: Session, hello: dict[str, Any]) -> str:
    if absent := absence_of(address):
        raise HarnessLost(absent)
    hello.update(session.start())
    return f"{hello['name']} {hello['version']} ({hello['language']}): {', '.join(hello['protocols']) or 'no protocol'}"


def _protocol(name: str | None, declared: Mapping[str, Any]) -> str:
    if name is None or name not in DIALECTS or name not in declared:
        raise _StepFailed(
            f"it declares {', '.join(declared) or 'no protocol'}; "
            f"{'asked for ' + name if name else 'the suite judges ' + ', '.join(DIALECTS)}"
        )
    unknown = list(_unknown_names(name, declared[name]))
    return f"{name}; it declares what the suite does not know: {', '.join(unknown)}" if unknown else name


def _unknown_names(protocol: str, declared: Mapping[str, Any]) -> Iterator[str]:
    """The misspelt members of the declaration of a protocol: the cases that need the right ones are `unsupported`."""
    known = {
        "options": option_strings.names(DIALECTS[protocol].options),
        "events": ("row", "ddl", "watermark", "transaction", "heartbeat"),
        "column_types": tuple(Family),
    }
    for member, names in known.items():
        yield from (f"{member} {name!r}" for name in declared.get(member, ()) if name not in names)


def _ok(answer: Answer, text: str) -> str:
    """`text`, for an answer with a result. Raises `_StepFailed` for any other answer."""
    if answer.kind != "ok":
        raise _StepFailed(f"answered with {answer.kind}: {answer.payload}")
    return text


def _encode(session: Session, case: Case) -> str:
    _ok(session.ask("reset"), "")
    answer = session.ask("encode", **case_request(case))
    _ok(answer, "")
    values = [base64.b64decode(r["value"] or "") for r in answer.payload["records"]]
    if not values:
        raise _StepFailed("no record for an insert")
    return f"{len(values)} record, {sum(map(len, values))} bytes of value: {_shown(values[0])}"


def _shown(value: bytes) -> str:
    """The beginning of a value, as text if it is one."""
    try:
        return value.decode()[:_MOST_SHOWN]
    except UnicodeDecodeError:
        return value[: _MOST_SHOWN // 2].hex()


def _decode(session: Session, case: Case) -> str:
    _ok(session.ask("reset"), "")
    answer = session.ask("decode", **case_request(case))
    _ok(answer, "")
    events = answer.payload["events"]
    if not events:
        raise _StepFailed("no event from a record that holds an insert")
    return f"{len(events)} event: {events[0].get('op', events[0].get('kind'))} {json.dumps(events[0].get('after'))}"


def _bye(address: Address, session: Session) -> str:
    complaint = session.close()
    if complaint:
        raise _StepFailed(complaint)
    return "the connection is closed" if isinstance(address, TcpAddress) else "gone with status 0"
