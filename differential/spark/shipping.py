"""Our code on the workers: a `.zip` of the packages, made from where they were loaded and sent with the session.

Workers need no file beside it: sides and the names of differences travel with the functions. Other people's packages
are not sent; they must be there.
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
_NEEDED = "cramjam, fastavro, msgspec, numpy, orjson, pyarrow and tzdata"
_MISSING = re.compile(r"ModuleNotFoundError: No module named '([\w.]+)'")
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the same bytes whenever it is made


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
        raise SuiteError(f"the package {package} is not to be found")
    return Path(next(iter(found.submodule_search_locations)))


def missing_package(failure: str) -> str | None:
    """What to do about a failure of a worker that lacks a package; None where it lacks none."""
    found = _MISSING.search(failure)
    if found is None:
        return None
    return f"its workers have no Python package {found[1]!r}: they need {_NEEDED}, as this machine has them"
