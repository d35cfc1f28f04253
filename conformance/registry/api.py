"""Answers the requests of the Confluent REST interface from a store; the server handles sockets.

A route is a row of `_ROUTES`. Every request leaves a line in the log, in the order of arrival. Several threads may
call an `Api`.  [AV-170 … AV-175a]
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote_plus

import orjson

from conformance.registry.faults import NO_FAULT, Fault, Operation, fault_named
from conformance.registry.store import Refused, Store, Version
from reference_impl.registry import RegisteredSchema

__all__ = ["CONTENT_TYPE", "Api", "Reply", "Request"]

CONTENT_TYPE = "application/vnd.schemaregistry.v1+json"


@dataclass(frozen=True, slots=True)
class Request:
    """One line of the log."""

    method: str
    path: str
    status: int
    """The status of the answer; 0 for no answer."""
    operation: Operation | None = None
    """None for a request that neither registers a schema nor looks up an id."""
    subject: str = ""
    schema: str = ""
    """The schema's text in the request."""
    schema_id: int | None = None
    """The id in the answer of a registration, or in the request of a lookup."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer. `late`: after the server's delay; `closes`: the connection ends without an answer."""

    status: int
    body: bytes
    late: bool = False
    closes: bool = False


@dataclass(slots=True)
class _Call:
    """A request to a store. Methods raise `Refused`, with the status in parentheses, for what they cannot read."""

    store: Store
    names: Mapping[str, str]
    """The values of the names in the route's path."""
    query: Mapping[str, list[str]]
    body: bytes | None
    schema: str = field(default="", init=False)
    """The schema in the body, once it was read."""
    requested_id: int | None = field(default=None, init=False)
    """The id in the path, once it was read."""

    @property
    def subject(self) -> str:
        """The subject in the path, or ""."""
        return self.names.get("subject", "")

    def flag(self, name: str) -> bool:
        """Whether the query sets a flag."""
        return self.query.get(name, [""])[-1].lower() == "true"

    def read_id(self) -> int:
        """The id in the path (404)."""
        text = self.names["id"]
        if not (text.isascii() and text.isdigit()) or len(text) > _DIGITS:
            raise Refused(404, 404, "HTTP 404 Not Found")
        self.requested_id = int(text)
        return self.requested_id

    def read_json(self) -> Mapping[str, Any]:
        """The body as a JSON object (400, 422)."""
        if not self.body:
            raise Refused(422, 42201, "Empty body")
        try:
            tree = orjson.loads(self.body)
        except orjson.JSONDecodeError as e:
            raise Refused(400, 400, f"Unable to process JSON: {e}") from None
        if not isinstance(tree, dict):
            raise Refused(400, 400, "Unable to process JSON: not an object")
        return tree

    def read_schema(self) -> str:
        """The schema in the body, which must be Avro (422)."""
        tree = self.read_json()
        if tree.get("schemaType", "AVRO") not in ("AVRO", None) or tree.get("references"):
            raise Refused(422, 42201, "Invalid schema: only Avro, and without references")
        if not isinstance(tree.get("schema"), str) or not tree["schema"]:
            raise Refused(422, 42201, "Empty schema")
        self.schema = tree["schema"]
        return self.schema


_DIGITS = 18


def _version_json(version: Version) -> dict[str, Any]:
    return {"subject": version.subject, "version": version.number, "id": version.id, "schema": version.schema}


def _listed_subjects(call: _Call) -> list[str]:
    prefix = call.query.get("subjectPrefix", [""])[-1]
    return [s for s in call.store.subjects(deleted=call.flag("deleted")) if s.startswith(prefix)]


def _version(call: _Call) -> Version:
    return call.store.version(call.subject, call.names["version"], deleted=call.flag("deleted"))


def _uses(call: _Call) -> list[Version]:
    return call.store.uses(call.read_id(), deleted=call.flag("deleted"))


def _compatible(call: _Call) -> dict[str, Any]:
    conflicts = call.store.conflicts(call.subject, call.read_schema(), call.names.get("version"))
    return {"is_compatible": not conflicts} | ({"messages": conflicts} if call.flag("verbose") else {})


def _level(call: _Call) -> dict[str, str]:
    if call.subject and not call.flag("defaultToGlobal"):
        return {"compatibilityLevel": call.store.own_level(call.subject)}
    return {"compatibilityLevel": call.store.level(call.subject)}


def _set_level(call: _Call) -> dict[str, str]:
    return {"compatibility": call.store.set_level(str(call.read_json().get("compatibility", "")), call.subject)}


_Handler = Callable[[_Call], Any]
"""The answer's body: `bytes` unchanged, anything else as JSON."""


@dataclass(frozen=True, slots=True)
class _Route:
    """A path whose `{name}` match any text, and the handlers of its methods."""

    path: str
    handlers: Mapping[str, _Handler]
    operation: Mapping[str, Operation] = field(default_factory=dict)

    def match(self, segments: tuple[str, ...]) -> dict[str, str] | None:
        """The values of the names, or None for another path."""
        pattern = tuple(self.path.strip("/").split("/"))
        if len(pattern) != len(segments):
            return None
        names: dict[str, str] = {}
        for part, segment in zip(pattern, segments, strict=True):
            if part.startswith("{") and segment:
                names[part.strip("{}")] = segment
            elif part != segment:
                return None
        return names


_LEVEL_HANDLERS: Mapping[str, _Handler] = {
    "GET": _level,
    "PUT": _set_level,
    "DELETE": lambda c: {"compatibilityLevel": c.store.drop_level(c.subject)},
}
_LOOK_UP = {"GET": Operation.LOOK_UP}
_ROUTES = (
    _Route("/", {"GET": lambda c: {}}),
    _Route("/subjects", {"GET": _listed_subjects}),
    _Route(
        "/subjects/{subject}",
        {
            "GET": lambda c: c.store.versions(c.subject, deleted=c.flag("deleted")),
            "POST": lambda c: _version_json(c.store.look_up(c.subject, c.read_schema())),
            "DELETE": lambda c: c.store.delete_subject(c.subject, permanent=c.flag("permanent")),
        },
    ),
    _Route(
        "/subjects/{subject}/versions",
        {
            "GET": lambda c: c.store.versions(c.subject, deleted=c.flag("deleted")),
            "POST": lambda c: {"id": c.store.register(c.subject, c.read_schema())},
        },
        {"POST": Operation.REGISTER},
    ),
    _Route(
        "/subjects/{subject}/versions/{version}",
        {
            "GET": lambda c: _version_json(_version(c)),
            "DELETE": lambda c: c.store.delete_version(c.subject, c.names["version"], permanent=c.flag("permanent")),
        },
    ),
    _Route("/subjects/{subject}/versions/{version}/schema", {"GET": lambda c: _version(c).schema.encode()}),
    _Route("/schemas/types", {"GET": lambda c: ["AVRO"]}),
    _Route("/schemas/ids/{id}", {"GET": lambda c: {"schema": c.store.schema(c.read_id())}}, _LOOK_UP),
    _Route("/schemas/ids/{id}/schema", {"GET": lambda c: c.store.schema(c.read_id()).encode()}, _LOOK_UP),
    _Route("/schemas/ids/{id}/subjects", {"GET": lambda c: sorted({v.subject for v in _uses(c)})}),
    _Route(
        "/schemas/ids/{id}/versions",
        {"GET": lambda c: [{"subject": v.subject, "version": v.number} for v in _uses(c)]},
    ),
    _Route("/config", _LEVEL_HANDLERS),
    _Route("/config/{subject}", _LEVEL_HANDLERS),
    _Route("/mode", {"GET": lambda c: {"mode": "READWRITE"}}),
    _Route("/compatibility/subjects/{subject}/versions", {"POST": _compatible}),
    _Route("/compatibility/subjects/{subject}/versions/{version}", {"POST": _compatible}),
)


class Api:
    """Answers requests from a store of its own, under the fault of the case."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._store = Store()
        self._fault: Fault = NO_FAULT
        self._log: list[Request] = []

    def begin(self, schemas: Iterable[RegisteredSchema] = (), fault: str = "") -> None:
        """Forget everything, the log included; hold a case's schemas, and behave as `fault` says from now on.

        Raises `SuiteError` for an unknown fault, and for two texts with one id.
        """
        chosen = fault_named(fault)
        with self._lock:
            self._store.begin(schemas, chosen.level)
            self._fault = chosen
            self._log = []

    def log(self) -> tuple[Request, ...]:
        """The requests since `begin`, in order."""
        with self._lock:
            return tuple(self._log)

    def answer(self, method: str, target: str, body: bytes | None = None) -> Reply:
        """The reply to a request; `target` is its path with the query. Raises for no request, however malformed."""
        path, _, query = target.partition("?")
        segments = tuple(unquote_plus(s) for s in path.strip("/").split("/"))
        with self._lock:
            return self._answered(method, path, segments, parse_qs(query), body)

    def _answered(
        self,
        method: str,
        path: str,
        segments: tuple[str, ...],
        query: Mapping[str, list[str]],
        body: bytes | None,
    ) -> Reply:
        route, names = _route(segments)
        call = _Call(self._store, names, query, body)
        operation = route.operation.get(method) if route else None
        fault = self._fault if operation in self._fault.on else NO_FAULT
        try:
            status, payload = 200, self._payload(route, method, call, fault)
        except Refused as e:
            status, payload = e.status, {"error_code": e.code, "message": e.message}
        text = payload if isinstance(payload, bytes) else orjson.dumps(payload)
        logged_status = 0 if fault.closes else status
        schema_id = payload.get("id") if operation is Operation.REGISTER else call.requested_id
        self._log.append(Request(method, path, logged_status, operation, call.subject, call.schema, schema_id))
        return Reply(status, text, late=fault.delays, closes=fault.closes)

    def _payload(self, route: _Route | None, method: str, call: _Call, fault: Fault) -> Any:
        if route is None:
            raise Refused(404, 404, "HTTP 404 Not Found")
        handler = route.handlers.get(method)
        if handler is None:
            raise Refused(405, 405, "HTTP 405 Method Not Allowed")
        if fault.status or fault.closes or fault.id is not None:
            # The request is read in any case: the log shows it, refused or not.
            if "id" in call.names:
                call.read_id()
            else:
                call.read_schema()
            if fault.id is not None:
                return {"id": fault.id}
            raise Refused(fault.status, fault.code, fault.message)
        return handler(call)


def _route(segments: tuple[str, ...]) -> tuple[_Route | None, dict[str, str]]:
    for route in _ROUTES:
        names = route.match(segments)
        if names is not None:
            return route, names
    return None, {}
