"""Wrappers about what an encoder is told: faults that can be described without any protocol.

An encoder that mistakes an event is the right one, told another event; one that breaks down over an event refuses the
request that has it.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from conformance.mutants.model import Answerer
from conformance.mutants.wrappers import remembering
from reference_impl.model import Column, Table
from reference_impl.wire import table_from_json

__all__ = ["Scene", "Trigger", "Wrap", "breaks_down", "configured", "images", "told"]

Json: TypeAlias = dict[str, Any]
Wrap: TypeAlias = Callable[[Answerer], Answerer]


@dataclass(slots=True)
class Scene:
    """What surrounds an event of a request: the options, the events before and after it, its table then and at first.

    `first` has the version of every table by which a row of it comes for the first time.
    """

    configuration: Mapping[str, Any]
    events: list[Json]
    past: list[Json] = field(default_factory=list)
    tables: dict[tuple[str, str], Table] = field(default_factory=dict)
    first: dict[tuple[str, str], Table] = field(default_factory=dict)

    def option(self, name: str) -> str:
        """The value of an option as it was configured, or ""."""
        return str((self.configuration.get("options") or {}).get(name, ""))

    def table(self, event: Json) -> Table:
        """The version of the event's table that holds for it."""
        return self.tables[event["schema"], event["table"]]

    def column(self, event: Json, name: str) -> Column:
        """A column of that version."""
        found = self.table(event).column(name)
        assert found is not None
        return found

    def is_added(self, event: Json, name: str) -> bool:
        """Whether the column came to the table after its first row."""
        return self.first[event["schema"], event["table"]].column(name) is None

    def _enter(self, event: Json) -> None:
        if event["kind"] == "row":
            self.first.setdefault((event["schema"], event["table"]), self.table(event))

    def _leave(self, event: Json) -> None:
        self.past.append(event)
        given = [event.get("table_after"), *(event.get("other_tables") or ())]
        self.tables.update((t.id, t) for t in map(table_from_json, filter(None, given)))

    @classmethod
    def walk(cls, request: Json, configuration: Mapping[str, Any]) -> Iterator[tuple[Json, Scene]]:
        """Each event of an encode request with its scene, which is one object that moves on."""
        scene = cls(configuration, request["events"])
        scene.tables = {t.id: t for t in map(table_from_json, request.get("tables") or ())}
        for event in request["events"]:
            scene._enter(event)
            yield event, scene
            scene._leave(event)


Trigger: TypeAlias = Callable[[Json, Scene], bool]


def images(event: Json) -> Iterator[dict[str, Any]]:
    """The images of a row event that are there; none of other events."""
    yield from filter(None, (event.get("before"), event.get("after")))


def told(edit: Callable[[Json, Scene], Any]) -> Wrap:
    """An encoder that is told other events: an edit changes one in place, or returns those that stand for it."""

    def wrap(inner: Answerer) -> Answerer:
        def answer(request: Json, configuration: Json) -> Json:
            if request.get("op") != "encode":
                return inner(request)
            events: list[Json] = []
            for event, scene in Scene.walk(request, configuration):
                changed = copy.deepcopy(event)
                made = edit(changed, scene)
                events += made if isinstance(made, list) else [changed]
            return inner({**request, "events": events})

        return remembering(answer)

    return wrap


def _occurs(trigger: Trigger, request: Json, configuration: Json) -> bool:
    return request.get("op") == "encode" and any(trigger(e, scene) for e, scene in Scene.walk(request, configuration))


def breaks_down(trigger: Trigger) -> Wrap:
    """An encoder that ends in an error over a request with an event that fits."""

    def wrap(inner: Answerer) -> Answerer:
        def answer(request: Json, configuration: Json) -> Json:
            if _occurs(trigger, request, configuration):
                return {"id": request["id"], "rejected": {"class": "semantics", "message": "broke down"}}
            return inner(request)

        return remembering(answer)

    return wrap


def configured(trigger: Trigger, **changes: str) -> Wrap:
    """An encoder that takes a request with an event that fits as if options had other values: `_` stands for `-`."""
    forced = {name.replace("_", "-"): value for name, value in changes.items()}

    def wrap(inner: Answerer) -> Answerer:
        def answer(request: Json, configuration: Json) -> Json:
            if not _occurs(trigger, request, configuration):
                return inner(request)
            inner({**configuration, "options": {**(configuration.get("options") or {}), **forced}})
            given = inner(request)
            inner(dict(configuration))
            return given

        return remembering(answer)

    return wrap
