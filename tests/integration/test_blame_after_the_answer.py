"""What comes after an answer is blamed on the case that was answered, and on no other."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from conformance.engine import run_suite
from conformance.engine.implementation import Target
from conformance.transport import Limits, open_session
from reference_impl.profiles import NEWARCH
from tests.toy import PROTOCOL, case, config, verdicts

_HARNESS = """
import base64, json, os, sys

manner, guilty = sys.argv[1:]
owed = ""
for text in sys.stdin:
    request = json.loads(text)
    op, result = request["op"], {}
    if op == "hello":
        result = {"harness": 1, "name": "late", "version": "0", "language": "python", "protocols": {"PROTOCOL": {}}}
    if op == "encode":
        result = {"records": [{"key": None, "value": base64.b64encode(b"ok").decode()}]}
    if owed and (manner == "dies in the next reset" or manner == "dies in bye" and op == "bye"):
        os._exit(3)
    if owed and manner.endswith(op):
        os.write(1, owed.encode())
        owed = ""
    answer = json.dumps({"id": request["id"], "ok": result}) + "\\n"
    os.write(1, answer.encode() * (2 if manner == "twice at once" and request.get("case") == guilty else 1))
    if request.get("case") == guilty:
        owed = answer
        if manner == "dies":
            os._exit(3)
""".replace("PROTOCOL", PROTOCOL)

CASES = [case(name) for name in ("a", "b", "c")]
GOOD = {"a": "pass", "b": "pass", "c": "pass"}


@pytest.fixture
def harness(tmp_path: Path) -> Path:
    file = tmp_path / "harness.py"
    file.write_text(_HARNESS, encoding="utf-8")
    return file


def judged(harness: Path, manner: str, guilty: str, scheme: str = "cmd") -> tuple[Mapping[str, str], list[str]]:
    """The verdicts where a case is answered well and something comes later, and the messages."""
    opaque = next(c.opaque_id for c in CASES if c.id == f"toy/{guilty}")
    address = f"{scheme}:" + shlex.join([sys.executable, "-S", str(harness), manner, opaque])
    events: list[dict[str, object]] = []
    limits = Limits(start=20, answer=20)
    one = Target(address, NEWARCH, lambda: open_session(address, limits=limits), lambda protocol, profile: CASES, "cmd")
    assert run_suite(config(one), [events.append]) == 1
    return verdicts(events), [str(e["message"]) for e in events if e["event"] == "verdict" and e["message"]]


LATE = [
    ("twice at once", "protocol_error"),
    ("dies", "crash"),
    ("dies in the next reset", "crash"),
    ("again in the next reset", "protocol_error"),
]


@pytest.mark.parametrize("guilty", ["a", "b"])
@pytest.mark.parametrize(
    ("manner", "verdict"), [*LATE, ("again in the next encode", "protocol_error")], ids=lambda text: text
)
def test_what_comes_after_an_answer_is_of_the_case_that_was_answered(manner, verdict, guilty, harness) -> None:
    found, messages = judged(harness, manner, guilty)
    assert found == GOOD | {guilty: verdict}
    assert len(messages) == 1


@pytest.mark.parametrize(("scheme", "guilty"), [("cmd", "c"), ("exec", "b")])
@pytest.mark.parametrize(
    ("manner", "verdict"), [("dies", "crash"), ("dies in bye", "crash"), ("again in bye", "protocol_error")]
)
def test_what_comes_after_the_last_answer_of_a_program_is_of_its_last_case(
    manner, verdict, scheme, guilty, harness
) -> None:
    assert judged(harness, manner, guilty, scheme)[0] == GOOD | {guilty: verdict}
