"""Write `fixtures/MANIFEST.json` anew. Run it after any change below `fixtures/`."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from conformance.catalogue.manifest import MANIFEST, build_manifest, manifest_text  # noqa: E402


def main() -> None:
    """Write the manifest."""
    fixtures = ROOT / "fixtures"
    manifest = build_manifest(fixtures)
    (fixtures / MANIFEST).write_text(manifest_text(manifest), encoding="utf-8")
    print(f"{len(manifest['files'])} files in fixtures/{MANIFEST}")


if __name__ == "__main__":
    main()
