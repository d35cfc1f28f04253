"""The form of events as far as reports rely on it: a reader names each event of another form, and leaves it out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import NoneType
from typing import Any, TypeAlias

__all__ = ["misfit"]

_TOO_LARGE = 2**63
"""Numbers below it are counts and times that can be shown; NaN and infinity are not."""


@dataclass(frozen=True, slots=True)
class _Object:
    """An object with the required members; a missing optional one counts as empty, unknown ones may be anything."""

    required: Mapping[str, Form]
    optional: Mapping[str, Form] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Every:
    """A list, or an object with any names, whose parts have one form."""

    kind: type[Any]
    part: Form


Form: TypeAlias = "type | tuple[type, ...] | _Object | _Every"

_NAMES: Mapping[Any, str] = {list: "a list", dict: "an object"}
_TEXT_OR_NULL = (str, NoneType)
_TEXTS, _OBJECTS = _Every(list, str), _Every(list, dict)
_AXES, _COUNTS = _Every(dict, str), _Every(dict, int)

_FINDING = _Object(
    {
        **dict.fromkeys(("requirement", "level", "fingerprint", "kind", "path"), str),
        **dict.fromkeys(("expected", "got"), object),
    },
    {
        **dict.fromkeys(("harm", "group", "rule", "place", "where"), str),
        "operations": _TEXTS,
        "times": int,
        "oracle": _Object({}, {"anchor": str, "source": str}),
        "affected": _OBJECTS,
    },
)
_KNOWN = _Object(dict.fromkeys(("entry", "reason", "issue"), str), {"owner": str, "expires": _TEXT_OR_NULL})
_TABLE = _Object({}, {"columns": _Every(list, _Object({"name": str, "type": str})), "primary_key": _TEXTS})
_INPUT = _Object(
    {},
    {
        "tables": _Every(list, _TABLE),
        "events": _OBJECTS,
        "records": _OBJECTS,
        "schemas": _Every(list, _Object({"schema": str})),
    },
)
_BASELINE = _Object(
    {},
    {
        "known": int,
        "unmatched": _TEXTS,
        "expired": _TEXTS,
        "passing": _Every(list, _Object({"entry": str, "cases": int})),
        "gone": _Every(list, _Object({"entry": str, "fingerprints": _TEXTS})),
        "standings": _COUNTS,
        "entries": _Every(
            list, _Object({}, {"standing": str, **dict.fromkeys(("failing", "changed", "passing"), int)})
        ),
    },
)
_ACCOUNTING = _Object(
    {}, {"planned": int, "counts": _COUNTS, "iuts": _Every(list, _Object({"iut": str, "gate": str, "exit": int}))}
)
_FORMS: Mapping[str, _Object] = {
    "run": _Object(
        {"suite": str},
        {
            "schema": int,
            "command": _TEXTS,
            "registers": _Every(dict, _Object({"digest": str}, {"requirements": int})),
            "gate": str,
            "started": str,
            "origin": dict,
            "damage": _TEXTS,
        },
    ),
    "iut": _Object(
        {"iut": str, "address": str},
        {
            **dict.fromkeys(("name", "version", "language", "profile", "contact", "message", "stderr"), str),
            "protocols": _Every(dict, _Object({}, {"roles": list, "options": list})),
            "problems": _TEXTS,
        },
    ),
    "plan": _Object(
        {"iut": str, "planned": int},
        {
            "by": _Every(
                list, _Object({"protocol": str, **dict.fromkeys(("planned", "excluded", "unsupported"), int)})
            ),
            "unmatched": _TEXTS,
            "near": _Every(dict, _TEXTS),
            "notes": _TEXTS,
            "shard": _Object({"index": int, "count": int}),
        },
    ),
    "case": _Object(
        dict.fromkeys(("iut", "case", "role"), str),
        {"protocol": str, "axes": _AXES, "options": dict, "sql": _TEXTS, "input": _INPUT, "size": int},
    ),
    "verdict": _Object(
        {
            **dict.fromkeys(("iut", "case", "protocol", "role", "verdict", "level"), str),
            "findings": _Every(list, _FINDING),
            "fingerprints": _TEXTS,
        },
        {
            **dict.fromkeys(("profile", "message", "stderr", "replay"), str),
            "requirements": _TEXTS,
            "axes": _AXES,
            "answer": _TEXT_OR_NULL,
            "known": _Every(list, _KNOWN),
            "origin": dict,
            "seconds": float,
        },
    ),
    "verdicts": _Object(
        {**dict.fromkeys(("iut", "protocol", "role", "verdict"), str), "cases": int},
        {"message": str},
    ),
    "note": _Object(dict.fromkeys(("iut", "case", "text"), str)),
    "restart": _Object(dict.fromkeys(("iut", "after"), str)),
    "requirement": _Object(
        dict.fromkeys(("iut", "id", "standing"), str),
        {**dict.fromkeys(("protocol", "level", "role", "group", "rule", "place"), str), "anchor": _TEXT_OR_NULL},
    ),
    "end": _Object(
        {"accounting": _ACCOUNTING, "gate": _Object({"colour": str}, {"policy": str}), "exit": int},
        {"message": str, "baseline": _BASELINE, "seconds": float},
    ),
}
"""Kind of event → its form."""


def misfit(event: Mapping[str, Any]) -> str:
    """Why reports cannot use an event: ` without planned`, `: findings[0].path is not a text`; empty if they can.

    Any event of an unknown kind will do.
    """
    form = _FORMS.get(event["event"])
    found = _misfit(event, form) if form is not None else ""
    return f": {found[1:]}" if found.startswith(".") else found


def _misfit(value: Any, form: Form) -> str:
    """The first place of another form, relative to the value, and what is wrong there; empty where all is right."""
    if isinstance(form, _Object):
        if not isinstance(value, dict):
            return " is not an object"
        if missing := [name for name in form.required if name not in value]:
            return f" without {', '.join(missing)}"
        for name, member_form in (*form.required.items(), *form.optional.items()):
            if name in value and (found := _misfit(value[name], member_form)):
                return f".{name}{found}"
    elif isinstance(form, _Every):
        if not isinstance(value, form.kind):
            return f" is not {_NAMES[form.kind]}"
        parts: Iterable[tuple[object, Any]] = value.items() if form.kind is dict else enumerate(value)
        for key, part in parts:
            if found := _misfit(part, form.part):
                return f"[{key}]{found}"
    elif form in (int, float):
        kinds = (int, float) if form is float else int
        if isinstance(value, bool) or not isinstance(value, kinds) or not abs(value) < _TOO_LARGE:
            return " is not a number"
    elif not isinstance(value, form):
        return f" is not {_NAMES.get(form, 'a text')}"
    return ""
