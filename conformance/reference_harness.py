"""The reference implementation as a harness: a request in, an answer out; judged like any other.

`serve-reference` connects it to stdio; the engine may also call it in its own process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypeAlias

from reference_impl import options as option_strings
from reference_impl.errors import Rejected, Unsupported
from reference_impl.profiles import NEWARCH, Profile
from reference_impl.protocols import DIALECTS, Dialect
from reference_impl.registry import Registry
from reference_impl.settings import Settings
from reference_impl.wire import (
    claim_from_json,
    claim_to_json,
    event_to_json,
    events_from_json,
    record_from_json,
    record_to_json,
    table_from_json,
)

__all__ = ["ReferenceHarness", "RegistryAt", "over_http"]

Json = dict[str, Any]


def over_http(url: str | None) -> Registry | None:
    """The registry at a URL; imports the HTTP client on demand. Raises `Rejected`."""
    if url is None:
        return None
    from conformance.registry.client import open_registry

    return open_registry(url)


RegistryAt: TypeAlias = Callable[[str | None], Registry | None]
"""The registry of a `configure` request's `registry_url`. Raises `Rejected`."""


class ReferenceHarness:
    """Answers the requests of the harness protocol with the reference implementation.

    `profile` is the style to write; `defects` names the known defects to reproduce, none by default. `registry` finds
    the schema registry of a URL, once for each `configure`: over HTTP by default. `protocols` are those that it
    offers, by default all protocols and upstream dialects.
    """

    def __init__(
        self,
        profile: Profile = NEWARCH,
        defects: Iterable[str] = (),
        registry: RegistryAt = over_http,
        protocols: Iterable[str] = DIALECTS,
    ) -> None:
        self._profile = profile
        self._defects = frozenset(defects)
        self._registry_at = registry
        self._offered = {name: DIALECTS[name] for name in protocols}
        self._codec: Dialect | None = None
        self._options: Any = None
        self._settings = Settings()

    def with_style(self, profile: Profile, defects: Iterable[str] = ()) -> ReferenceHarness:
        """A copy in another style or with other defects, with the same registries."""
        return ReferenceHarness(profile, defects, self._registry_at, self._offered)

    def answer(self, request: Json) -> Json:
        """The answer to one request; it repeats the request's `id`."""
        op = request.get("op")
        if not isinstance(op, str) or op not in _OPS:
            return {"id": request.get("id"), "unsupported": f"unknown op {op!r}"}
        try:
            outcome: Json = {"ok": getattr(self, f"_{op}")(request)}
        except Rejected as e:
            outcome = {"rejected": {"class": str(e.reason), "message": e.message}}
        except Unsupported as e:
            outcome = {"unsupported": str(e)}
        return {"id": request.get("id"), **outcome}

    def _hello(self, request: Json) -> Json:
        from conformance import __version__

        return {
            "harness": 1,
            "name": f"reference ({self._profile.name})",
            "version": __version__,
            "language": "python",
            "protocols": {
                name: {"roles": ["encode", "decode"], "options": list(option_strings.names(codec.options))}
                for name, codec in self._offered.items()
            },
            "clock": "given",
        }

    def _configure(self, request: Json) -> Json:
        self._leave()
        self._codec = None
        protocol = request.get("protocol")
        codec = self._offered.get(protocol) if isinstance(protocol, str) else None
        if codec is None:
            raise Unsupported(f"unknown protocol {protocol!r}")
        self._options = option_strings.parse(codec.options, _member(request, "options", {}, dict))
        settings = _settings_of(request)
        self._settings = replace(settings, registry=self._registry_at(settings.registry_url))
        self._start(codec)
        self._codec = codec
        return {}

    def _start(self, codec: Dialect) -> None:
        self._encoder = codec.encoder(self._options, self._profile, settings=self._settings, defects=self._defects)
        self._decoder = codec.decoder(self._options, settings=self._settings)

    def _configured(self) -> Dialect:
        if self._codec is None:
            raise Rejected("semantics", "no configure request came before")
        return self._codec

    def _reset(self, request: Json) -> Json:
        self._start(self._configured())
        return {}

    def _encode(self, request: Json) -> Json:
        self._configured()
        tables = [table_from_json(t) for t in _member(request, "tables", (), list)]
        encoded = self._encoder.encode(events_from_json(_member(request, "events", (), list), tables), tables)
        claims = [claim_to_json(c) for c in encoded.claims]
        return {"records": [record_to_json(r) for r in encoded.records]} | ({"claims": claims} if claims else {})

    def _decode(self, request: Json) -> Json:
        self._configured()
        events = self._decoder.decode(
            [record_from_json(r) for r in _member(request, "records", (), list)],
            [table_from_json(t) for t in _member(request, "tables", (), list)],
            [claim_from_json(c) for c in _member(request, "claims", (), list)],
        )
        return {"events": [event_to_json(e) for e in events]}

    def _leave(self) -> None:
        """End the connection to a registry, unless the caller brought it."""
        if self._settings.registry is None:
            return
        from conformance.registry.client import HttpRegistry

        if isinstance(self._settings.registry, HttpRegistry):
            self._settings.registry.close()

    def _bye(self, request: Json) -> Json:
        self._leave()
        return {}


_KINDS = {str: "a string", int: "a whole number", list: "a list", dict: "an object"}


def _member(request: Json, name: str, default: Any, kind: type[Any]) -> Any:
    """A member that may be missing or null, and then is `default`. Raises `Rejected` for one of another JSON kind."""
    value = request.get(name)
    if value is None:
        return default
    if not isinstance(value, kind) or isinstance(value, bool):
        raise Rejected("schema", f"the request: {name!r} is not {_KINDS[kind]}")
    return value


def _settings_of(request: Json) -> Settings:
    """The settings of a `configure` request, without the registry of its URL. Raises `Rejected`."""
    now_ms = _member(request, "now_ms", None, str)
    if now_ms is not None and not (now_ms.isascii() and now_ms.isdigit()):
        raise Rejected("type", "the request: 'now_ms' is not a string of digits")
    return Settings(
        timezone=_member(request, "timezone", "UTC", str),
        cluster_id=_member(request, "cluster_id", "default", str),
        topic=_member(request, "topic", "{schema}_{table}", str),
        partitions=_member(request, "partitions", 1, int),
        registry_url=_member(request, "registry_url", None, str),
        now_ms=None if now_ms is None else int(now_ms),
    )


_OPS = frozenset({"hello", "configure", "reset", "encode", "decode", "bye"})
