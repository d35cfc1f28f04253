"""Loads the skeletons: folders of templates, each with a `skeleton.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from conformance.errors import SuiteError

__all__ = ["PROTOCOLS", "Skeleton", "load_skeletons"]

PROTOCOLS = ("canal-json",)
"""The protocols that `init` writes skeletons for."""

_TEMPLATES = Path(__file__).resolve().parent / "templates"
_COMMON = "common"
_ABOUT = "skeleton.toml"
_SUFFIX = ".template"


@dataclass(frozen=True, slots=True)
class Skeleton:
    """A harness to begin with. In templates, `@field@` stands for the text of a field."""

    name: str  # of its folder: the language; with `-wrapper` it wraps an existing encoder
    language: str  # in its usual spelling
    address: str  # for `--iut`, from within the folder of the skeleton
    source: str  # the file that holds the encoder and the decoder
    does: str  # its behaviour as generated, as the end of a sentence that begins with "it"
    change: str  # a sentence that says where the user's own code goes
    start: str  # the command that builds it and judges it
    needs: tuple[str, ...]  # the programs that are needed to build and start it
    roles: tuple[str, ...]  # the protocols that it declares
    setup: str = ""  # steps of a GitHub workflow that install and build, in YAML
    ignored: str = ""  # lines of .gitignore
    fixtures: str = ""  # the folder for a Maven repository with the jar of fixtures, which its own tests read
    templates: Mapping[str, Path] = field(default_factory=dict)  # path below the new folder → template


def _templates(folder: Path) -> Iterator[tuple[str, Path]]:
    """The path of each file to write, with its template. `dot-x` stands for `.x`, which packaging tools leave out."""
    for path in sorted(folder.rglob(f"*{_SUFFIX}")):
        parts = path.relative_to(folder).as_posix().removesuffix(_SUFFIX).split("/")
        yield "/".join("." + part[4:] if part.startswith("dot-") else part for part in parts), path


def _loaded(folder: Path) -> Skeleton:
    try:
        about = tomllib.loads((folder / _ABOUT).read_text(encoding="utf-8"))
        needs, roles = tuple(about.pop("needs")), tuple(about.pop("roles"))
        templates = {**dict(_templates(_TEMPLATES / _COMMON)), **dict(_templates(folder))}
        return Skeleton(folder.name, needs=needs, roles=roles, templates=templates, **about)
    except (OSError, ValueError, KeyError, TypeError) as e:
        raise SuiteError(f"{folder / _ABOUT}: {e}") from None


@cache
def load_skeletons() -> Mapping[str, Skeleton]:
    """The skeletons by name. Raises `SuiteError` if one cannot be read."""
    folders = sorted(path.parent for path in _TEMPLATES.glob(f"*/{_ABOUT}"))
    if not folders:
        raise SuiteError(f"{_TEMPLATES}: no skeletons; the installation is incomplete")
    return {folder.name: _loaded(folder) for folder in folders}
