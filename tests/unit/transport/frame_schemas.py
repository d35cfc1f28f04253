"""The published JSON Schemas of the frames, as validators."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

FOLDER = Path(__file__).resolve().parents[3] / "fixtures" / "schemas"
BASE = "https://ticdc-conformance.github.io/ticdc-conformance/schemas/"
NAMES = ("harness-model.schema.json", "harness-request.schema.json", "harness-answer.schema.json")


def schema(name: str) -> Any:
    """A schema file."""
    return json.loads((FOLDER / name).read_text())


@cache
def _registry() -> Registry[Any]:
    resources = (Resource.from_contents(schema(name)) for name in NAMES)
    return Registry().with_resources((resource.id() or "", resource) for resource in resources)


@cache
def _validator(reference: str) -> Draft202012Validator:
    return Draft202012Validator({"$ref": reference}, registry=_registry())


def request_validator(op: str | None = None) -> Draft202012Validator:
    """The schema of requests, or of those of one op."""
    return _validator(f"{BASE}harness-request.schema.json" + (f"#/$defs/{op}" if op else ""))


def answer_validator(op: str | None = None) -> Draft202012Validator:
    """The schema of answers, or of those to one op."""
    return _validator(f"{BASE}harness-answer.schema.json" + (f"#/$defs/{op}" if op else ""))
