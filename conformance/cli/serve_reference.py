"""`serve-reference`: the reference implementation as a harness on stdio, judged like any other."""

from __future__ import annotations

import argparse
from typing import Any

from conformance.catalogue.defects import defects_of_profile
from conformance.cli.arguments import add_profile, known, profile_of
from conformance.cli.serve_stdio import serve
from conformance.mutants import mutant_named
from conformance.mutants.matrix import profile_of as mutants_profile
from conformance.reference_harness import ReferenceHarness
from conformance.registry import open_registry
from reference_impl.protocols import DIALECTS
from reference_impl.registry import Registry

__all__ = ["register"]


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser("serve-reference", help="the reference implementation as a harness on stdio")
    add_profile(parser)
    parser.add_argument("--defects", action="store_true", help="reproduce the profile's known defects too")
    parser.add_argument(
        "--mutant",
        metavar="NAME",
        help="break it deliberately, as this of: list mutants",
    )
    parser.add_argument(
        "--protocol",
        metavar="P",
        action="append",
        help="offer this protocol or upstream dialect alone; more than once",
    )
    parser.set_defaults(handle=_serve)


def _serve(args: argparse.Namespace) -> int:
    mutant = mutant_named(args.mutant) if args.mutant else None
    is_told = args.profile or args.ticdc_version
    profile = mutants_profile(mutant) if mutant and not is_told else profile_of(args)
    defects = [d.id for d in defects_of_profile(profile.name)] if args.defects else []
    protocols = [known("protocol", name, DIALECTS) for name in args.protocol or DIALECTS]
    if mutant is None:
        serve(ReferenceHarness(profile, defects, protocols=protocols).answer)
        return 0

    def registry_at(url: str | None) -> Registry | None:
        opened = open_registry(url)
        return None if opened is None else mutant.registry(opened)

    serve(mutant.wrap(ReferenceHarness(profile, defects, registry_at, protocols).answer))
    return 0
