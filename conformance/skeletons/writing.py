"""Writes the files of a skeleton from its templates; nothing is written if one of them exists already."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from conformance import __version__
from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.packages import ARTIFACT, GROUP, maven_repository, packed_fixtures
from conformance.errors import SuiteError, UsageError
from conformance.skeletons.catalogue import Skeleton

__all__ = ["write_skeleton"]

_PLACEHOLDER = re.compile("@([a-z_]+)@")
_NOT_IN_NAMES = re.compile("[^A-Za-z0-9]+")
_SHOWN = 3  # paths in a message
_FIXTURES = ("schemas", "vectors")  # folders that the tests of a skeleton read


def write_skeleton(skeleton: Skeleton, folder: Path, protocol: str) -> tuple[str, ...]:
    """Write a skeleton into `folder`, which may exist. Returns the paths of its files, relative to `folder`.

    Raises `UsageError` if a file to be written exists, or the folder cannot be written.
    """
    values = _values(skeleton, folder, protocol)
    files = {name: _rendered(path, values).encode() for name, path in skeleton.templates.items()}
    if skeleton.fixtures:
        repository = maven_repository(packed_fixtures(fixtures_root(), _FIXTURES), __version__)
        files |= {f"{skeleton.fixtures}/{name}": data for name, data in repository.items()}
    _refuse_existing(folder, list(files))
    try:
        for name, data in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as file:
                file.write(data)
    except OSError as e:
        raise UsageError(f"{e.filename or folder}: cannot be written ({e.strerror or e})") from None
    return tuple(files)


def _values(skeleton: Skeleton, folder: Path, protocol: str) -> dict[str, str]:
    """The text for each placeholder."""
    return {
        "name": _NOT_IN_NAMES.sub("-", folder.resolve().name).strip("-").lower() or "harness",
        "protocol": protocol,
        **{name: getattr(skeleton, name) for name in ("language", "address", "source", "does", "change", "start")},
        "needs": ", ".join(skeleton.needs),
        "setup": skeleton.setup.rstrip("\n"),
        "ignored": skeleton.ignored.rstrip("\n"),
        "fixtures_group": GROUP,
        "fixtures_artifact": ARTIFACT,
        "suite_version": __version__,
        "requirement": f"ticdc-conformance=={__version__}",
    }


def _rendered(template: Path, values: Mapping[str, str]) -> str:
    """The text of a template with its values. A line that is only a placeholder is removed if the value is empty."""
    lines = template.read_text(encoding="utf-8").split("\n")
    empty = {f"@{name}@" for name, value in values.items() if not value}

    def value(placeholder: re.Match[str]) -> str:
        if placeholder[1] not in values:
            raise SuiteError(f"{template}: the placeholder {placeholder[0]} has no value")
        return values[placeholder[1]]

    return _PLACEHOLDER.sub(value, "\n".join(line for line in lines if line not in empty))


def _refuse_existing(folder: Path, names: list[str]) -> None:
    """Raise `UsageError` if one of the files exists, or a file in place of one of their folders."""
    folders = dict.fromkeys([folder, *(folder / parent for name in names for parent in Path(name).parents)])
    exist = [path for path in folders if _is_there(path) and not path.is_dir()]
    exist += [folder / name for name in names if _is_there(folder / name)]
    if exist:
        more = f" and {len(exist) - _SHOWN} more files" if len(exist) > _SHOWN else ""
        shown = ", ".join(str(path) for path in exist[:_SHOWN])
        verb = "exists" if len(exist) == 1 else "exist"
        raise UsageError(f"{shown}{more}: {verb}, and no file is overwritten; name another folder")


def _is_there(path: Path) -> bool:
    return path.exists() or path.is_symlink()
