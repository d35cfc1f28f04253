"""The frames in both directions against the published schemas: what we send, and what the reference answers."""

from __future__ import annotations

import lzma
from pathlib import Path
from typing import Any

import orjson
import pytest
from frame_schemas import BASE, NAMES, answer_validator, request_validator, schema
from jsonschema import Draft202012Validator

from conformance.reference_harness import ReferenceHarness
from conformance.transport import Answer
from tests.in_process import InProcessSession

RECORDED = Path(__file__).resolve().parents[3] / "fixtures" / "recorded" / "ticdc-newarch"
EVERY = 7
"""Of the recorded vectors every so many-th is put: each type and option comes by, and the test stays quick."""


class Frames:
    """A `Trace` that keeps the frames of both directions, and which op each id had."""

    def __init__(self) -> None:
        self.requests: list[Any] = []
        self.answers: list[Any] = []

    def launched(self) -> None:
        """Nothing to note."""

    def sent(self, line: bytes) -> None:
        self.requests.append(orjson.loads(line))

    def received(self, line: bytes) -> None:
        self.answers.append(orjson.loads(line))

    def close(self) -> None:
        """Nothing to close."""


def recorded(protocol: str) -> list[Any]:
    vectors = lzma.decompress((RECORDED / f"{protocol}.jsonl.xz").read_bytes()).splitlines()
    return [orjson.loads(line) for line in vectors[::EVERY]]


def put(session: InProcessSession, vector: Any) -> list[Answer]:
    """A recorded vector, encoded, and what came out decoded; the answers."""
    names = ("protocol", "options", "timezone", "cluster_id", "now_ms")
    session.configure({name: vector[name] for name in names if vector.get(name) is not None})
    session.ask("reset")
    encoded = session.ask(
        "encode", case="c", tables=vector["tables"], events=vector["events"], sql=vector.get("sql", [])
    )
    if encoded.kind != "ok":
        return [encoded]
    session.ask("reset")
    members = {name: encoded.payload[name] for name in ("records", "claims") if name in encoded.payload}
    return [encoded, session.ask("decode", case="c", tables=vector["tables"], **members)]


@pytest.fixture(scope="module", params=["canal-json", "open-protocol"])
def frames(request: pytest.FixtureRequest) -> Frames:
    seen = Frames()
    with InProcessSession(lambda: ReferenceHarness().answer, trace=seen) as session:
        session.start()
        answers = [answer for vector in recorded(request.param) for answer in put(session, vector)]
    assert {answer.kind for answer in answers} >= {"ok"}
    return seen


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_a_schema_with_an_id_of_its_own(name: str) -> None:
    content = schema(name)
    Draft202012Validator.check_schema(content)
    assert content["$id"] == BASE + name


def test_every_request_that_is_sent_is_valid(frames: Frames) -> None:
    assert {request["op"] for request in frames.requests} == {"hello", "configure", "reset", "encode", "decode", "bye"}
    for request in frames.requests:
        request_validator(request["op"]).validate(request)


def test_every_answer_of_the_reference_is_valid(frames: Frames) -> None:
    ops = {request["id"]: request["op"] for request in frames.requests}
    assert len(frames.answers) == len(frames.requests)
    for answer in frames.answers:
        answer_validator(ops[answer["id"]]).validate(answer)


def test_request_ids_are_increasing(frames: Frames) -> None:
    ids = [request["id"] for request in frames.requests]
    assert ids == sorted(set(ids))


@pytest.mark.parametrize(
    "request_frame",
    [
        {"id": 1, "op": "sing"},
        {"op": "reset"},
        {"id": "1", "op": "reset"},
        {"id": 1, "op": "hello", "harness": 2, "suite": "0"},
        {"id": 1, "op": "configure", "protocol": "canal-json", "options": {"content-compatible": True}},
        {"id": 1, "op": "configure", "protocol": "cannal-json"},
        {"id": 1, "op": "encode", "case": "c", "tables": []},
        {"id": 1, "op": "encode", "case": "c", "tables": [], "events": [{"kind": "watermark", "commit_ts": 1}]},
        {"id": 1, "op": "decode", "case": "c", "records": [{"key": None}]},
    ],
)
def test_a_frame_that_is_no_request_is_invalid(request_frame: dict[str, Any]) -> None:
    assert not request_validator().is_valid(request_frame)


def test_unknown_members_of_a_request_are_allowed() -> None:
    assert request_validator().is_valid({"id": 1, "op": "reset", "later": {}})
