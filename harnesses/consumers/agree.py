"""Compares real consumers with their recorded answers and with their models' predictions.

    python -m harnesses.consumers.agree [NAME…] [--out DIR]

Each consumer gets the recorded inputs, which it must answer as recorded, and then the generated inputs, whose answers
are counted as `consumers check` counts them. --out writes every answer that changed or that the model did not predict
to DIR/NAME.jsonl, in the form of recorded answers. Status 1 if something disagrees, 4 if no consumer could be run.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, nullcontext
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
from harnesses.consumers.inputs import Input, boundary_messages, foreign_messages
from harnesses.consumers.running import RunningConsumer, recorded_form, running_consumer
from harnesses.providers import mysql
from harnesses.providers.service import ServiceError, Unavailable
from reference_impl.registry import MemoryRegistry

__all__ = ["ConsumerResult", "changed_answers", "compare_consumer", "generated", "recorded"]

_SHOWN = 8
_MAGIC, _HEADER = b"\0", 5
"""The first byte of an Avro record, and the number of bytes before its content."""
_Pair: TypeAlias = tuple[Answer, Answer]
_AVRO = frozenset({"avro", "debezium-avro"})


@dataclass(slots=True)
class ConsumerResult:
    """The result for one consumer: recorded answers that changed, and how far its model agrees."""

    name: str
    # The number of recorded inputs that it got again.
    recorded: int = 0
    # The recorded and the new answer of each pair that differs.
    changed: list[_Pair] = field(default_factory=list)
    # For the generated inputs; None if there are none.
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
def _inputs(*, avro: bool, foreign: bool) -> Sequence[Input]:
    return [*boundary_messages(avro=avro), *(foreign_messages() if foreign and not avro else ())]


def generated(consumer: Built) -> Iterator[tuple[str, Input]]:
    """The variants of a consumer with each generated input, which has the options of the variant."""
    avro = not _AVRO.isdisjoint(consumer.protocols)
    inputs = [one for one in _inputs(avro=avro, foreign=consumer.foreign) if one.message.protocol in consumer.protocols]
    for variant, options in consumer.variants.items():
        yield from ((variant, one.with_options(options)) for one in inputs[:: consumer.part])


class _Registered:
    """A registry with the schemas of the messages for a consumer; each distinct schema has one id."""

    def __init__(self) -> None:
        self.registry = MemoryRegistry()
        self.api = Api()

    def message(self, message: Message) -> Message:
        """The message with the schema ids of this registry."""
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
        schemas = {one.id: one for one in self.registry.requests}
        self.api.begin(schemas.values())


def changed_answers(
    running: RunningConsumer, consumer: Built, registered: Callable[[Message], Message]
) -> tuple[int, list[_Pair]]:
    """Repeat the recorded inputs: their number, and the recorded and new answers that differ."""
    old = [one for one in recorded() if one.consumer == consumer.known_as and one.variant not in consumer.left_out]
    new = running.answers((one.variant, one.place, registered(one.message)) for one in old)
    pairs = list(zip(old, new, strict=True))
    return len(pairs), [(was, now) for was, now in pairs if was.outcome != now.outcome or not same_rows(was, now.rows)]


@contextmanager
def _mysql(folder: Path) -> Iterator[Mapping[str, str]]:
    """The environment variables of a consumer that writes into a new MySQL."""
    with mysql(folder / "mysql") as server:
        server.run("create database sink")
        url = f"jdbc:mysql://{server.host}:{server.port}/sink?allowPublicKeyRetrieval=true&useSSL=false"
        yield {"SINK_URL": url, "SINK_USER": server.user, "SINK_PASSWORD": server.password}


def compare_consumer(name: str, folder: Path) -> ConsumerResult:
    """Run a consumer on all of its inputs; its log is kept in `folder`.

    Raises `Unavailable`, or `ServiceError` if its harness breaks.
    """
    consumer, result, registered = CONSUMERS[name], ConsumerResult(name), _Registered()
    messages = [(variant, one.id, registered.message(one.message)) for variant, one in generated(consumer)]
    for one in recorded():
        registered.message(one.message)
    registered.serve()
    log = folder / f"{name}.log"
    with ExitStack() as stack:
        registry = stack.enter_context(closing(RegistryServer(registered.api)))
        environment = stack.enter_context(_mysql(folder) if consumer.needs_mysql else nullcontext({}))
        running = stack.enter_context(
            running_consumer(consumer.known_as, command(name), log, registry.url, environment)
        )
        result.recorded, result.changed = changed_answers(running, consumer, registered.message)
        by_consumer, _ = agreements(running.answers(messages))
        result.agreement = by_consumer[0] if by_consumer else None
    return result


def _lines(result: ConsumerResult) -> Iterator[str]:
    agreement = result.agreement
    yield f"{result.name}: {result.recorded:,} recorded answers, {len(result.changed):,} of them changed"
    for was, now in result.changed[:_SHOWN]:
        yield f"  {was.place}: was {was.outcome} {_short(was.rows)}, is {now.outcome} {_short(now.rows)}"
    if agreement is None:
        return
    yield (
        f"  {agreement.answers:,} generated: {agreement.agreed:,} agreed, {agreement.abstained:,} left open,"
        f" {agreement.silently_wrong:,} silently wrong of which {agreement.wrong_predicted:,} predicted"
    )
    for one in agreement.disagreements[:_SHOWN]:
        yield f"  {one.answer.place} ({one.answer.variant})"
        yield f"    real       {one.answer.outcome} {_short(one.answer.rows)}"
        yield f"    predicted  {one.prediction.outcome} {_short(one.prediction.rows)}"


def _short(rows: object) -> str:
    return json.dumps(rows, ensure_ascii=False, default=dict)[:160]


def _write_disagreements(folder: Path, result: ConsumerResult) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    answers = [now for _, now in result.changed]
    answers += [one.answer for one in result.agreement.disagreements] if result.agreement else []
    text = "".join(json.dumps(recorded_form(one), ensure_ascii=False) + "\n" for one in answers)
    (folder / f"{result.name}.jsonl").write_text(text, encoding="utf-8")


def main(argv: Sequence[str] | None = None) -> int:
    """Compare consumers with their recorded answers and with their models."""
    parser = argparse.ArgumentParser(prog="python -m harnesses.consumers.agree", description=main.__doc__)
    parser.add_argument("names", metavar="NAME", nargs="*", help=f"of {', '.join(CONSUMERS)} (all)")
    parser.add_argument("--out", type=Path, help="a folder for the answers that changed or were not predicted")
    args = parser.parse_args(argv)
    if unknown := [name for name in args.names if name not in CONSUMERS]:
        parser.error(f"no consumer {', '.join(unknown)}; there are {', '.join(CONSUMERS)}")
    results: list[ConsumerResult] = []
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(TemporaryDirectory()))
        for name in args.names or CONSUMERS:
            try:
                result = compare_consumer(name, scratch)
            except Unavailable as e:
                print(f"{name}: skipped: {e}")
                continue
            except ServiceError as e:
                print(f"{name}: broken: {e}")
                return 1
            results.append(result)
            print("\n".join(_lines(result)), flush=True)
            if args.out is not None:
                _write_disagreements(args.out, result)
    if not results:
        print("no consumer could be run: nothing was compared")
        return 4
    return 0 if all(one.is_right for one in results) else 1


if __name__ == "__main__":
    sys.exit(main())
