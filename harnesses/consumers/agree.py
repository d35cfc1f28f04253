"""Compares real consumers with their recorded answers and with their models' predictions.

    python -m harnesses.consumers.agree [NAME…] [--out DIR]

Of each consumer: the recorded inputs, to which it must answer what was recorded; then the generated inputs, whose
answers are counted as `consumers check` counts them. With --out every answer that the model did not predict is kept in
DIR/NAME.jsonl, in the form of recorded answers. Status 1 where something disagrees, 4 where nothing could be run.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from conformance.consumers.agreement import Agreement, agreements, same_rows
from conformance.consumers.answers import Answer, read_answers, shipped_answers
from conformance.consumers.captured import Captures
from conformance.consumers.json_tree import Tree
from conformance.consumers.model import Message
from conformance.registry.api import Api
from conformance.registry.server import RegistryServer
from harnesses.consumers.built import CONSUMERS, Built, command
from harnesses.consumers.inputs import Shown, boundary_messages, foreign_messages
from harnesses.consumers.running import RunningConsumer, recorded_form, running_consumer
from harnesses.providers import mysql
from harnesses.providers.service import ServiceError, Unavailable
from reference_impl.registry import MemoryRegistry

__all__ = ["Held", "changed_answers", "generated", "hold", "recorded"]

_SHOWN = 8
_MAGIC, _HEADER = b"\0", 5
_Pair: TypeAlias = tuple[Answer, Answer]
_AVRO = frozenset({"avro", "debezium-avro"})


@dataclass(slots=True)
class Held:
    """The result for one consumer: the repeated answers, those that changed, and the agreement of its model."""

    name: str
    recorded: int = 0
    changed: list[tuple[Answer, Answer]] = field(default_factory=list)
    agreement: Agreement | None = None

    @property
    def is_right(self) -> bool:
        """Whether all answers are as recorded, and predictions within the known figures."""
        return not self.changed and (self.agreement is None or self.agreement.is_enough)


@cache
def recorded() -> Sequence[Answer]:
    """All shipped answers."""
    captures = Captures()
    return [one for name, data in shipped_answers().items() for one in read_answers(name, data, captures)]


@cache
def _inputs(*, avro: bool, foreign: bool) -> Sequence[Shown]:
    return [*boundary_messages(avro=avro), *(foreign_messages() if foreign and not avro else ())]


def generated(of: Built) -> Iterator[tuple[str, Shown]]:
    """The generated inputs of a consumer by its variants, each with the options of the variant."""
    for variant, options in of.variants.items():
        avro = not _AVRO.isdisjoint(of.protocols)
        found = [one for one in _inputs(avro=avro, foreign=of.foreign) if one.message.protocol in of.protocols]
        yield from ((variant, shown.with_options(options)) for shown in found[:: of.part])


class _Registered:
    """A registry with the schemas of messages for consumers.

    Each distinct schema has one id there.
    """

    def __init__(self) -> None:
        self.registry = MemoryRegistry()
        self.api = Api()

    def message(self, message: Message) -> Message:
        """The message with the ids of this registry."""
        value = self._part("messages-value", message.value, message.schema)
        return replace(message, value=value, key=self._part("messages-key", message.key, message.key_schema))

    def _part(self, subject: str, part: bytes | None, schema: Tree) -> bytes | None:
        if schema is None or not part:
            return part
        known = len(self.registry.requests)
        number = self.registry.register(subject, json.dumps(schema))
        assert len(self.registry.requests) == known + 1
        return _MAGIC + number.to_bytes(4, "big") + part[_HEADER:]

    def serve(self) -> None:
        """Serve all schemas of the messages so far."""
        found = {one.id: one for one in self.registry.requests}
        self.api.begin(found.values())


def changed_answers(
    consumer: RunningConsumer, of: Built, serve: Callable[[Message], Message]
) -> tuple[int, list[_Pair]]:
    """The number of recorded answers that were repeated, and those that changed."""
    kept = [one for one in recorded() if one.consumer == of.known_as and one.variant not in of.left_out]
    live = consumer.answers((one.variant, one.place, serve(one.message)) for one in kept)
    pairs = list(zip(kept, live, strict=True))
    return len(pairs), [(was, now) for was, now in pairs if was.outcome != now.outcome or not same_rows(was, now.rows)]


@contextmanager
def _none(folder: Path) -> Iterator[Mapping[str, str]]:
    yield {}


@contextmanager
def _mysql(folder: Path) -> Iterator[Mapping[str, str]]:
    with mysql(folder / "mysql") as server:
        server.run("create database sink")
        url = f"jdbc:mysql://{server.host}:{server.port}/sink?allowPublicKeyRetrieval=true&useSSL=false"
        yield {"SINK_URL": url, "SINK_USER": server.user, "SINK_PASSWORD": server.password}


_SERVICES = {"": _none, "mysql": _mysql}
"""A service that a consumer needs → the environment variables for it."""


def hold(name: str, folder: Path) -> Held:
    """Run a consumer over all of its inputs.

    Raises `Unavailable`, or `ServiceError` if its harness breaks.
    """
    of, held, registered = CONSUMERS[name], Held(name), _Registered()
    messages = [(variant, shown.id, registered.message(shown.message)) for variant, shown in generated(of)]
    for one in recorded():
        registered.message(one.message)
    registered.serve()
    log = folder / f"{name}.log"
    with ExitStack() as stack:
        registry = stack.enter_context(RegistryServer(registered.api))
        environment = stack.enter_context(_SERVICES[of.needs](folder))
        at = running_consumer(of.known_as, command(name), log, registry.url, environment)
        consumer = stack.enter_context(at)
        held.recorded, held.changed = changed_answers(consumer, of, registered.message)
        whole, _ = agreements(consumer.answers(messages))
        held.agreement = whole[0] if whole else None
    return held


def _lines(held: Held) -> Iterator[str]:
    found = held.agreement
    yield f"{held.name}: {held.recorded:,} recorded answers, {len(held.changed):,} of them changed"
    for was, now in held.changed[:_SHOWN]:
        yield f"  {was.place}: was {was.outcome} {_short(was.rows)}, is {now.outcome} {_short(now.rows)}"
    if found is None:
        return
    yield (
        f"  {found.answers:,} generated: {found.agreed:,} agreed, {found.abstained:,} left open,"
        f" {found.silently_wrong:,} silently wrong of which {found.wrong_predicted:,} predicted"
    )
    for one in found.disagreements[:_SHOWN]:
        yield f"  {one.answer.place} ({one.answer.variant})"
        yield f"    real       {one.answer.outcome} {_short(one.answer.rows)}"
        yield f"    predicted  {one.prediction.outcome} {_short(one.prediction.rows)}"


def _short(rows: object) -> str:
    return json.dumps(rows, ensure_ascii=False, default=dict)[:160]


def _keep(folder: Path, held: Held) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    lines: Iterable[Answer] = [one.answer for one in held.agreement.disagreements] if held.agreement else []
    lines = [*(now for _, now in held.changed), *lines]
    text = "".join(json.dumps(recorded_form(one), ensure_ascii=False) + "\n" for one in lines)
    (folder / f"{held.name}.jsonl").write_text(text, encoding="utf-8")


def main(argv: Sequence[str] | None = None) -> int:
    """See the module."""
    parser = argparse.ArgumentParser(prog="python -m harnesses.consumers.agree", description=main.__doc__)
    parser.add_argument("names", metavar="NAME", nargs="*", help=f"of {', '.join(CONSUMERS)} (all)")
    parser.add_argument("--out", type=Path, help="a folder for the answers that were not predicted")
    args = parser.parse_args(argv)
    if unknown := [name for name in args.names if name not in CONSUMERS]:
        parser.error(f"no consumer {', '.join(unknown)}; there are {', '.join(CONSUMERS)}")
    ended: list[Held] = []
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(TemporaryDirectory()))
        for name in args.names or CONSUMERS:
            try:
                held = hold(name, scratch)
            except Unavailable as e:
                print(f"{name}: skipped: {e}")
                continue
            except ServiceError as e:
                print(f"{name}: broken: {e}")
                return 1
            ended.append(held)
            print("\n".join(_lines(held)), flush=True)
            if args.out is not None:
                _keep(args.out, held)
    if not ended:
        print("no consumer could be run: nothing was shown")
        return 4
    return 0 if all(one.is_right for one in ended) else 1


if __name__ == "__main__":
    sys.exit(main())
