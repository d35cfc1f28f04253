"""`serve-reference`: the reference implementation as a harness on stdio, judged like any other."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from conformance.cli.arguments import add_profile, add_shared, profile_of
from conformance.cli.registry_access import add_registry_config, registry_access
from conformance.cli.serve_stdio import serve
from conformance.reference_harness import ReferenceHarness, RegistryAt, over_http
from reference_impl.profiles import Profile
from reference_impl.protocols import DIALECTS

if TYPE_CHECKING:
    from reference_impl.registry import Registry

__all__ = ["register"]


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser("serve-reference")
    add_profile(parser)
    parser.add_argument("--defects", action="store_true", help="reproduce the profile's known defects too")
    parser.add_argument(
        "--mutant",
        metavar="NAME",
        help="break the reference deliberately: a name of list mutants",
    )
    add_shared(parser, "--protocol", help="declare only this protocol or upstream dialect; repeat for several")
    add_registry_config(parser, "for the registry_url of a request")
    parser.set_defaults(handle=_serve)


def _serve(args: argparse.Namespace) -> int:
    protocols = list(args.protocol or DIALECTS)
    if args.mutant:
        return _serve_mutant(args, protocols)
    profile = profile_of(args.profile, args.ticdc_version)
    serve(ReferenceHarness(profile, _defects(args, profile), _registries(args.registry_config), protocols).answer)
    return 0


def _registries(file: str | None) -> RegistryAt:
    """Opens the registry of a URL, with the access in a file of `--registry-config`. Raises `UsageError`."""
    if file is None:
        return over_http
    access = registry_access(file)
    from conformance.registry import open_registry

    return lambda url: open_registry(url, access)


def _defects(args: argparse.Namespace, profile: Profile) -> list[str]:
    if not args.defects:
        return []
    from conformance.catalogue.defects import defects_of_profile

    return [d.id for d in defects_of_profile(profile.name)]


def _serve_mutant(args: argparse.Namespace, protocols: Sequence[str]) -> int:
    from conformance.mutants import mutant_named
    from conformance.mutants.matrix import profile_of as mutants_profile

    mutant = mutant_named(args.mutant)
    profile = (
        profile_of(args.profile, args.ticdc_version) if args.profile or args.ticdc_version else mutants_profile(mutant)
    )
    registries = _registries(args.registry_config)

    def registry_at(url: str | None) -> Registry | None:
        opened = registries(url)
        return None if opened is None else mutant.registry(opened)

    serve(mutant.wrap(ReferenceHarness(profile, _defects(args, profile), registry_at, protocols).answer))
    return 0
