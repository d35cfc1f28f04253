"""Checks foreign data against the schemas that the suite publishes (`fixtures/schemas`)."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import orjson
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from conformance.catalogue.fixtures import fixtures_root

__all__ = ["problem_of"]


@cache
def _validator(schema: str) -> Draft202012Validator:
    text = (fixtures_root() / "schemas" / f"{schema}.schema.json").read_text(encoding="utf-8")
    return Draft202012Validator(json.loads(text))


def problem_of(data: Any, schema: str) -> str:
    """What is wrong with data against the schema of a name (`vector`), and where; empty if it is right.

    Raises TypeError for halves of surrogate pairs and for numbers beyond 64 bits, which no request can hold.
    """
    orjson.dumps(data)
    wrong = best_match(_validator(schema).iter_errors(data))
    if wrong is None:
        return ""
    place = ".".join(map(str, wrong.absolute_path))
    return f"at {place}: {wrong.message}" if place else wrong.message
