"""Unpacks Debian packages into the user's cache; the packages of the system stay as they are."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harnesses.providers.service import Unavailable, cached

__all__ = ["Unpacked", "unpacked"]

_SOURCES = Path("/etc/apt")
_KEYS = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
_SHOWN = 500  # characters of output in an error
_SECONDS = 600
_SETTINGS = """\
Dir::Etc "{apt}/etc"; Dir::State::lists "{apt}/lists"; Dir::State::status "{apt}/status"; Dir::Cache "{apt}/cache";
Acquire::Check-Valid-Until "false"; Acquire::Languages "none"; APT::Sandbox::User "root";
APT::Install-Recommends "false";
"""


@dataclass(frozen=True, slots=True)
class Unpacked:
    """A folder with the files that packages would install below `/`."""

    root: Path

    def program(self, path: str) -> list[str]:
        """The command that runs a program of the folder with the loader and libraries of the folder."""
        folders = [
            f for f in (*self.root.glob("lib/*-linux-gnu"), *self.root.glob("usr/lib/*-linux-gnu")) if f.is_dir()
        ]
        loaders = [one for folder in folders for one in sorted(folder.glob("ld-linux-*.so.*"))]
        if not loaders or not (self.root / path).is_file():
            raise Unavailable(f"the unpacked packages have no {path}, or no loader for it")
        return [str(loaders[0]), "--library-path", ":".join(map(str, folders)), str(self.root / path)]


def unpacked(name: str, suite: str, packages: Sequence[str]) -> Unpacked:
    """The packages of a Debian release with their dependencies, fetched once into the folder `name` of the cache.

    Raises `Unavailable` without apt, or if its mirror lacks the packages.
    """

    def fetch(draft: Path) -> None:
        if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None or not _KEYS.is_file():
            raise Unavailable(f"{name}: apt-get, dpkg-deb and Debian's keys are needed to fetch {', '.join(packages)}")
        draft.mkdir(parents=True)
        with tempfile.TemporaryDirectory() as scratch:
            apt = Path(scratch)
            for part in ("etc/sources.list.d", "etc/preferences.d", "lists/partial", "cache/archives/partial"):
                (apt / part).mkdir(parents=True)
            (apt / "status").touch()
            source = f"deb [signed-by={_KEYS}] {_mirror()} {suite} main\n"
            (apt / "etc/sources.list").write_text(source, encoding="utf-8")
            (apt / "apt.conf").write_text(_SETTINGS.format(apt=apt), encoding="utf-8")
            _run(name, ["apt-get", "-qq", "update"], apt)
            _run(name, ["apt-get", "-qq", "-y", "--download-only", "install", *packages], apt)
            for archive in sorted((apt / "cache/archives").glob("*.deb")):
                _run(name, ["dpkg-deb", "-x", str(archive), str(draft)], apt)

    return Unpacked(cached(name, fetch))


def _mirror() -> str:
    """The mirror in this machine's apt configuration.

    Raises `Unavailable` without a Debian mirror.
    """
    files = [*sorted(_SOURCES.glob("sources.list.d/*")), _SOURCES / "sources.list"]
    texts = [file.read_text(encoding="utf-8") for file in files if file.is_file()]
    for pattern in (r"^URIs:\s*(\S+/debian/?)(?:\s|$)", r"^deb\s+(?:\[[^]]*\]\s+)?(\S+/debian/?)\s"):
        for text in texts:
            if found := re.search(pattern, text, re.MULTILINE):
                return found[1]
    raise Unavailable(f"apt has no Debian mirror: add one to {_SOURCES}/sources.list.d")


def _run(name: str, command: Sequence[str], apt: Path) -> None:
    own = {**os.environ, "APT_CONFIG": str(apt / "apt.conf"), "DEBIAN_FRONTEND": "noninteractive"}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env=own, timeout=_SECONDS, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        raise Unavailable(f"{name}: {command[0]} does not end within {_SECONDS} s") from None
    if done.returncode:
        raise Unavailable(f"{name}: {command[0]} fails: {(done.stdout + done.stderr).strip()[-_SHOWN:]}")
