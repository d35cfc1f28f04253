"""Sends our code to the workers: a `.zip` of the packages, made from where they were loaded.

Workers need no further files: sides and namers travel with the functions. Third-party packages are not sent; workers
must have them.
"""

from __future__ import annotations

import re
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from conformance.errors import SuiteError

__all__ = ["missing_package", "ship"]

_OURS = ("reference_impl", "conformance", "differential")
_NEEDED = "cramjam, fastavro, numpy, orjson, pyarrow and tzdata"
_MISSING = re.compile(r"ModuleNotFoundError: No module named '([\w.]+)'")
_EPOCH = (1980, 1, 1, 0, 0, 0)  # a fixed time gives the same bytes every time


def ship(spark: Any, folder: Path) -> None:
    """Send our packages to the workers of a session; the archive is made in `folder`."""
    archive = folder / "ticdc_conformance_packages.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as made:
        for package in _OURS:
            root = _root_of(package)
            for file in sorted(root.rglob("*.py")):
                if "_fixtures" not in file.parts:
                    name = str(Path(package) / file.relative_to(root))
                    made.writestr(zipfile.ZipInfo(name, _EPOCH), file.read_bytes(), zipfile.ZIP_DEFLATED)
    spark.addArtifacts(str(archive), pyfile=True)


def _root_of(package: str) -> Path:
    found = find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise SuiteError(f"the package {package} cannot be found")
    return Path(next(iter(found.submodule_search_locations)))


def missing_package(failure: str) -> str | None:
    """Advice on the failure of a worker that lacks a package; None for other failures."""
    found = _MISSING.search(failure)
    if found is None:
        return None
    return f"its workers have no Python package {found[1]!r}: they need {_NEEDED}, as this machine has them"
