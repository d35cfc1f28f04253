"""`--schemas` and `--registry-url` of `compare`: reads once the schemas of each side that needs them."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from conformance.cli.inputs import read_schemas
from conformance.cli.registry_access import OPTION, add_registry_config, registry_access
from conformance.errors import UsageError
from conformance.registry import open_registry
from conformance.registry.access import Access
from differential.registries import Listed
from differential.sides import Side, codec_of
from differential.sources.spec import Spec
from reference_impl.errors import Rejected
from reference_impl.registry import RegisteredSchema

__all__ = ["add_schemas", "with_schemas"]

_SIDES = ("left", "right", "third")
_DEFAULT_SUFFIX = ".schemas.json"


def add_schemas(parser: argparse.ArgumentParser) -> None:
    """Add the options that say where schemas are read."""
    parser.add_argument(
        "--schemas",
        metavar="[SIDE=]FILE",
        action="append",
        default=[],
        help="the registry's schemas for a side of Avro: id, subject, schema (SOURCE.schemas.json, as generate writes "
        "it)",
    )
    parser.add_argument(
        "--registry-url",
        metavar="[SIDE=]URL",
        action="append",
        default=[],
        help="the registry from which the schemas of a side of Avro are read, once, before anything else",
    )
    add_registry_config(parser)


def with_schemas(args: argparse.Namespace, sides: Sequence[Side], specs: Mapping[str, Spec]) -> list[Side]:
    """The sides, with schemas if their dialects need them. Raises `UsageError` for missing schemas."""
    files, urls = _by_side("--schemas", args.schemas), _by_side("--registry-url", args.registry_url)
    needing = {side.name for side in sides if codec_of(side.dialect).uses_registry}
    for option, given in (("--schemas", files), ("--registry-url", urls)):
        for name in given.keys() - {""}:
            if name not in needing:
                raise UsageError(f"{option} {name}=…: no side of that name has a dialect with schemas")
        if given and not needing:
            raise UsageError(f"{option}: no side has a dialect with schemas")
    if args.registry_config is not None and not urls:
        raise UsageError(f"{OPTION} goes with --registry-url")
    access = registry_access(args.registry_config)
    return [_with(side, specs[side.name], files, urls, access) if side.name in needing else side for side in sides]


def _by_side(option: str, given: Sequence[str]) -> dict[str, str]:
    """Side → value of the option; the value of "" is for every other side."""
    by_side: dict[str, str] = {}
    for text in given:
        name, equals, rest = text.partition("=")
        name, rest = (name, rest) if equals and name in _SIDES else ("", text)
        if name in by_side:
            raise UsageError(f"{option} is given twice for {name or 'every side'}")
        by_side[name] = rest
    return by_side


def _with(side: Side, spec: Spec, files: Mapping[str, str], urls: Mapping[str, str], access: Access) -> Side:
    file, url = files.get(side.name, files.get("")), urls.get(side.name, urls.get(""))
    default_file = Path(f"{spec.source.rstrip('/')}{_DEFAULT_SUFFIX}")
    if file is None and url is None and default_file.is_file():
        file = str(default_file)
    if file is None and url is None:
        raise UsageError(
            f"{side.name}: {side.dialect} can only be read with its schemas: give --schemas FILE or --registry-url URL"
        )
    listed = [] if file is None else read_schemas(Path(file))
    listed += [] if url is None else _fetched(url, access)
    return replace(side, settings=replace(side.settings, registry=Listed.of(listed)))


def _fetched(url: str, access: Access) -> list[RegisteredSchema]:
    try:
        registry = open_registry(url, access)
        assert registry is not None
        with closing(registry):
            return registry.listed()
    except Rejected as e:
        raise UsageError(f"--registry-url: {e.message}") from None
