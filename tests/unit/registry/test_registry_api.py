"""The REST interface without a socket: paths, bodies, errors, the log and the faults."""

from __future__ import annotations

import json
from typing import Any

import pytest
from avro_texts import DEMANDING, ONE, TWO

from conformance.errors import SuiteError
from conformance.registry.api import Api, Request
from conformance.registry.faults import FAULTS, Operation
from reference_impl.registry import RegisteredSchema

GIVEN = (RegisteredSchema(1, "a", ONE), RegisteredSchema(2, "a", TWO), RegisteredSchema(2, "b.c d", TWO))


def ask(api: Api, line: str, body: Any = None) -> tuple[int, Any]:
    """(status, answer) of `METHOD TARGET`."""
    method, target = line.split()
    sent = body if isinstance(body, bytes | None) else json.dumps(body).encode()
    reply = api.answer(method, target, sent)
    return reply.status, json.loads(reply.body) if reply.body.startswith((b"{", b"[", b'"')) else reply.body


def prepared() -> Api:
    api = Api()
    api.begin(GIVEN)
    return api


def version(subject: str, number: int, schema_id: int, schema: str) -> dict[str, Any]:
    return {"subject": subject, "version": number, "id": schema_id, "schema": schema}


# (request, its body, the answer with status 200)
ANSWERS: list[tuple[str, Any, Any]] = [
    ("GET /", None, {}),
    ("GET /subjects", None, ["a", "b.c d"]),
    ("GET /subjects/", None, ["a", "b.c d"]),
    ("GET /subjects?subjectPrefix=b", None, ["b.c d"]),
    ("GET /subjects/a/versions", None, [1, 2]),
    ("GET /subjects/a/versions/1", None, version("a", 1, 1, ONE)),
    ("GET /subjects/a/versions/latest", None, version("a", 2, 2, TWO)),
    ("GET /subjects/b.c+d/versions/-1", None, version("b.c d", 1, 2, TWO)),
    ("GET /subjects/b%2Ec%20d/versions/1", None, version("b.c d", 1, 2, TWO)),
    ("GET /subjects/a/versions/1/schema", None, json.loads(ONE)),
    ("POST /subjects/a", {"schema": TWO}, version("a", 2, 2, TWO)),
    ("POST /subjects/a/versions", {"schema": ONE}, {"id": 1}),
    ("POST /subjects/a/versions", {"schema": DEMANDING, "schemaType": "AVRO", "references": []}, {"id": 3}),
    ("POST /subjects/new/versions?normalize=false", {"schema": TWO}, {"id": 2}),
    ("DELETE /subjects/a", None, [1, 2]),
    ("DELETE /subjects/a/versions/1", None, 1),
    ("GET /schemas/types", None, ["AVRO"]),
    ("GET /schemas/ids/1", None, {"schema": ONE}),
    ("GET /schemas/ids/1/schema", None, json.loads(ONE)),
    ("GET /schemas/ids/2/subjects", None, ["a", "b.c d"]),
    ("GET /schemas/ids/2/versions", None, [{"subject": "a", "version": 2}, {"subject": "b.c d", "version": 1}]),
    ("GET /config", None, {"compatibilityLevel": "NONE"}),
    ("GET /config/a?defaultToGlobal=true", None, {"compatibilityLevel": "NONE"}),
    ("PUT /config", {"compatibility": "FULL"}, {"compatibility": "FULL"}),
    ("PUT /config/a", {"compatibility": "BACKWARD"}, {"compatibility": "BACKWARD"}),
    ("DELETE /config", None, {"compatibilityLevel": "NONE"}),
    ("GET /mode", None, {"mode": "READWRITE"}),
    ("POST /compatibility/subjects/a/versions/latest", {"schema": DEMANDING}, {"is_compatible": True}),
    ("POST /compatibility/subjects/a/versions?verbose=true", {"schema": ONE}, {"is_compatible": True, "messages": []}),
]


@pytest.mark.parametrize(("line", "body", "expected"), ANSWERS, ids=[line for line, _, _ in ANSWERS])
def test_a_request_is_answered(line: str, body: Any, expected: Any) -> None:
    status, answer = ask(prepared(), line, body)
    if isinstance(answer, bytes):
        answer = json.loads(answer)
    assert (status, answer) == (200, expected)


def test_softly_deleted_uses_of_an_id_are_told_only_if_requested() -> None:
    api = prepared()
    ask(api, "DELETE /subjects/a/versions/2", None)
    assert ask(api, "GET /schemas/ids/2/subjects", None) == (200, ["b.c d"])
    assert ask(api, "GET /schemas/ids/2/versions", None) == (200, [{"subject": "b.c d", "version": 1}])
    assert ask(api, "GET /schemas/ids/2/subjects?deleted=true", None) == (200, ["a", "b.c d"])
    assert ask(api, "GET /schemas/ids/2", None) == (200, {"schema": TWO})


REFUSALS: list[tuple[str, Any, int, int]] = [
    ("GET /nothing", None, 404, 404),
    ("GET /subjects//versions", None, 404, 404),
    ("GET /schemas/ids/x", None, 404, 404),
    ("GET /schemas/ids/99999999999999999999999", None, 404, 404),
    ("GET /schemas/ids/9", None, 404, 40403),
    ("DELETE /", None, 405, 405),
    ("PATCH /subjects", None, 405, 405),
    ("GET /subjects/x/versions", None, 404, 40401),
    ("GET /subjects/a/versions/9", None, 404, 40402),
    ("GET /subjects/a/versions/x", None, 422, 42202),
    ("GET /subjects/a/versions/0", None, 422, 42202),
    ("GET /subjects/a/versions/2147483648", None, 422, 42202),
    (f"GET /subjects/a/versions/{'9' * 5000}", None, 422, 42202),
    ("DELETE /subjects/x", None, 404, 40401),
    ("DELETE /subjects/a?permanent=true", None, 404, 40405),
    ("DELETE /subjects/a/versions/1?permanent=true", None, 404, 40407),
    ("POST /subjects/a/versions", None, 422, 42201),
    ("POST /subjects/a/versions", b"", 422, 42201),
    ("POST /subjects/a/versions", b"{", 400, 400),
    ("POST /subjects/a/versions", b"\xff", 400, 400),
    ("POST /subjects/a/versions", [], 400, 400),
    ("POST /subjects/a/versions", {}, 422, 42201),
    ("POST /subjects/a/versions", {"schema": {"type": "int"}}, 422, 42201),
    ("POST /subjects/a/versions", {"schema": "int"}, 422, 42201),
    ("POST /subjects/a/versions", {"schema": '{"type":"record"}'}, 422, 42201),
    ("POST /subjects/a/versions", {"schema": "{}", "schemaType": "JSON"}, 422, 42201),
    ("POST /subjects/a/versions", {"schema": ONE, "references": [{"name": "r"}]}, 422, 42201),
    ("POST /subjects/a", {"schema": DEMANDING}, 404, 40403),
    ("POST /subjects/x", {"schema": ONE}, 404, 40401),
    ("PUT /config", {"compatibility": "SIDEWAYS"}, 422, 42203),
    ("PUT /config", {"compatibility": None}, 422, 42203),
    ("GET /config/a", None, 404, 40408),
    ("DELETE /config/a", None, 404, 40408),
    ("POST /compatibility/subjects/x/versions/latest", {"schema": ONE}, 404, 40401),
    ("POST /compatibility/subjects/a/versions/7", {"schema": ONE}, 404, 40402),
]


@pytest.mark.parametrize(("line", "body", "status", "code"), REFUSALS)
def test_a_refusal_is_an_error_code_and_a_message(line: str, body: Any, status: int, code: int) -> None:
    got, answer = ask(prepared(), line, body)
    assert (got, answer["error_code"], sorted(answer)) == (status, code, ["error_code", "message"])


@pytest.mark.parametrize("body", [{}, {"schema": ""}])
def test_a_request_without_the_text_of_a_schema_is_told_that_it_is_empty(body: Any) -> None:
    assert ask(prepared(), "POST /subjects/a/versions", body)[1]["message"] == "Empty schema"


def test_what_is_deleted_can_be_listed_on_demand() -> None:
    api = prepared()
    ask(api, "DELETE /subjects/a")
    assert ask(api, "GET /subjects") == (200, ["b.c d"])
    assert ask(api, "GET /subjects?deleted=true") == (200, ["a", "b.c d"])
    assert ask(api, "DELETE /subjects/a?permanent=true") == (200, [1, 2])


def test_levels_are_obeyed_once_they_are_set() -> None:
    api = prepared()
    ask(api, "PUT /config/a", {"compatibility": "BACKWARD"})
    assert ask(api, "POST /subjects/a/versions", {"schema": DEMANDING})[0] == 409
    assert ask(api, "POST /compatibility/subjects/a/versions/1", {"schema": DEMANDING}) == (
        200,
        {"is_compatible": False},
    )
    assert ask(api, "DELETE /config/a") == (200, {"compatibilityLevel": "BACKWARD"})
    assert ask(api, "POST /subjects/a/versions", {"schema": DEMANDING}) == (200, {"id": 3})


def test_the_log_has_every_request_in_order_with_what_was_asked_and_answered() -> None:
    api = prepared()
    ask(api, "GET /")
    ask(api, "POST /subjects/t+1-key/versions", {"schema": ONE})
    ask(api, "POST /subjects/t/versions", {"schema": "int"})
    ask(api, "GET /schemas/ids/9")
    assert api.log() == (
        Request("GET", "/", 200),
        Request("POST", "/subjects/t+1-key/versions", 200, Operation.REGISTER, "t 1-key", ONE, 1),
        Request("POST", "/subjects/t/versions", 422, Operation.REGISTER, "t", "int"),
        Request("GET", "/schemas/ids/9", 404, Operation.LOOK_UP, schema_id=9),
    )


REGISTERING, LOOKING_UP = ("POST /subjects/t/versions", {"schema": ONE}), ("GET /schemas/ids/1", None)

# fault → (status of registering, of looking up an id), 0 for a closed connection
FAULTY = {
    "": (200, 200),
    "backward": (200, 200),
    "incompatible": (409, 200),
    "error": (500, 500),
    "slow": (200, 200),
    "unreachable": (0, 0),
    "illegal id": (200, 200),
}


def test_every_fault_is_known_to_these_tests() -> None:
    assert FAULTY.keys() == FAULTS.keys()


@pytest.mark.parametrize(("fault", "statuses"), FAULTY.items())
def test_a_fault_speaks_when_a_schema_is_registered_or_looked_up_and_is_logged(fault, statuses) -> None:
    api = Api()
    api.begin(GIVEN, fault)
    replies = [
        api.answer(*line.split(), body and json.dumps(body).encode()) for line, body in (REGISTERING, LOOKING_UP)
    ]
    assert tuple(reply.status for reply in replies) == statuses
    assert [reply.closes for reply in replies] == [fault == "unreachable"] * 2
    assert [reply.late for reply in replies] == [fault == "slow"] * 2
    assert [(r.status, r.schema) for r in api.log()] == [(statuses[0], ONE), (statuses[1], "")]


@pytest.mark.parametrize("fault", FAULTS)
def test_no_fault_speaks_when_an_implementation_asks_whether_it_is_a_registry(fault: str) -> None:
    api = Api()
    api.begin((), fault)
    reply = api.answer("GET", "/")
    assert (reply.status, reply.body, reply.late, reply.closes) == (200, b"{}", False, False)


def test_an_illegal_id_is_nought() -> None:
    api = Api()
    api.begin((), "illegal id")
    assert ask(api, *REGISTERING) == (200, {"id": 0})


def test_backward_is_the_level_and_not_a_refusal_of_everything() -> None:
    api = Api()
    api.begin((RegisteredSchema(1, "t", ONE),), "backward")
    assert ask(api, "POST /subjects/t/versions", {"schema": DEMANDING})[0] == 409
    assert ask(api, "POST /subjects/t/versions", {"schema": TWO}) == (200, {"id": 2})


def test_a_fault_ends_with_its_case() -> None:
    api = Api()
    api.begin((), "error")
    api.begin()
    assert ask(api, *REGISTERING) == (200, {"id": 1})
    assert len(api.log()) == 1


def test_an_unknown_fault_is_ours() -> None:
    with pytest.raises(SuiteError, match="'sulking'"):
        Api().begin((), "sulking")
