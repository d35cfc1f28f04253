"""The fixtures as a jar, an npm package and a Go module: `python -m tools.fixture_packages DIR`.

Writes `DIR/maven`, a Maven repository; `DIR/npm`, a file for `npm install`; `DIR/go`, the folder of a module. Refuses
fixtures that are not what their manifest says.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from conformance import __version__  # noqa: E402
from conformance.catalogue.manifest import verify_manifest  # noqa: E402
from conformance.catalogue.packages import go_module, maven_repository, npm_package, packed_fixtures  # noqa: E402

LICENCES = ("LICENSE", "NOTICE")


def packages(fixtures: Path) -> Mapping[str, Mapping[str, bytes]]:
    """The files of every package by folder: `maven`, `npm` and `go`."""
    files = packed_fixtures(fixtures) | {name: (ROOT / name).read_bytes() for name in LICENCES}
    return {
        "maven": maven_repository(files, __version__),
        "npm": npm_package(files, __version__),
        "go": go_module(files),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the packages. Returns 1 where the fixtures differ from their manifest, 4 for a folder that is in use."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="DIR", type=Path, help="a folder that does not exist yet, or is empty")
    folder: Path = parser.parse_args(arguments).folder
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        print(f"{folder}: exists and is not an empty folder; name another", file=sys.stderr)
        return 4
    problems = verify_manifest(ROOT / "fixtures")
    if problems:
        print("\n".join(["the fixtures are not what fixtures/MANIFEST.json says:", *problems]), file=sys.stderr)
        return 1
    for kind, files in packages(ROOT / "fixtures").items():
        for name, data in files.items():
            path = folder / kind / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        print(f"{folder / kind}: {len(files)} files, {sum(map(len, files.values())):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
