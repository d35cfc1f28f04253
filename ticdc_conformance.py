"""The way in: checks that our packages are the ones that get imported, then hands over to the command line.

Import names are the folder names, common words among them; this module's own name is not. If another package shadows
one of ours, that is one clear message here, not a strange failure later.
"""

from __future__ import annotations

import atexit
import importlib.util
import os
import sys
from pathlib import Path

PACKAGES = ("reference_impl", "conformance", "differential", "reports")


def shadowed() -> str | None:
    """What is wrong with where our packages would be loaded from, in one message, or None."""
    home = Path(__file__).resolve().parent
    for name in PACKAGES:
        spec = importlib.util.find_spec(name)
        origin = Path(spec.origin).resolve() if spec is not None and spec.origin else None
        if origin is None or origin.parent.parent != home:
            folders = list(spec.submodule_search_locations or ()) if spec is not None else []
            place = origin or ", ".join(folders) or "nowhere"
            return (
                f"the package '{name}' would be loaded from {place}, not from {home}: another package of that name "
                "shadows ours.\n  Install ticdc-conformance into an environment of its own (tox, pipx, a container), "
                "and do not start it from a folder that holds such a package."
            )
    return None


def main() -> int:
    """The command `ticdc-conformance`. Returns the exit status."""
    problem = shadowed()
    if problem:
        print(f"ticdc-conformance: {problem}", file=sys.stderr)
        return 4
    from conformance.signals import INTERRUPTED, end_at_once

    end_at_once()
    from conformance.cli.main import main as command_line

    status = command_line()
    if status == INTERRUPTED:
        atexit._run_exitfuncs()  # they remove temporary folders
        os._exit(status)  # while Python ends by itself, another signal would change the status
    return status


if __name__ == "__main__":
    sys.exit(main())
