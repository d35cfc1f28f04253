"""Checks that a tag can be released: all stated versions agree, and there are a changelog and a requirement set.

python tools/release_check.py v0.1.0                     status 1, with what differs, unless all say 0.1.0
python tools/release_check.py v0.1.0 --notes notes.md    also writes the changelog's text about it
"""

from __future__ import annotations

import argparse
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def versions(root: Path) -> dict[str, str]:
    """Every file that states the version → the version, "" if absent."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {
        "pyproject.toml": str(project["version"]),
        "conformance/__init__.py": _stated(root / "conformance" / "__init__.py", r'^__version__ = "(.+)"$'),
        "CITATION.cff": _stated(root / "CITATION.cff", r'^version: "?([^"\n]+)"?$'),
    }


def notes(changelog: str, version: str) -> str:
    """The changelog of a version; "" without one."""
    found = re.search(
        rf"^## \[?{re.escape(version)}(?![\w.+-]).*?\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL
    )
    return found[1].strip() if found else ""


def _stated(path: Path, pattern: str) -> str:
    found = re.search(pattern, path.read_text(encoding="utf-8") if path.exists() else "", re.MULTILINE)
    return found[1] if found else ""


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Compare, and write the notes if requested. Returns 0 if all agree."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tag", metavar="TAG")
    parser.add_argument("--notes", type=Path, metavar="FILE")
    args = parser.parse_args(arguments)
    version = args.tag.removeprefix("v")
    wrong = [f"{place}: {stated or 'no version'}" for place, stated in versions(root).items() if stated != version]
    if not (root / "fixtures" / "sets" / f"{version}.json").exists():
        wrong.append(f"fixtures/sets/{version}.json: not there; python tools/requirement_sets.py writes it")
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    text = notes(changelog, version)
    if not text:
        wrong.append(f"CHANGELOG.md: nothing below a heading '## {version}'")
    if f"## {version} (unreleased)" in changelog.splitlines():
        wrong.append("CHANGELOG.md: calls this version unreleased")  # then its requirement set could still change
    for line in wrong:
        print(f"{args.tag}: {line}")
    if args.notes and not wrong:
        args.notes.write_text(f"{text}\n", encoding="utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
