"""`--report github=` without a path: writes to the files that a job of GitHub Actions names in its environment.

The step gets an output, `findings`: the number of causes of failure and of warnings.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from conformance.cli.step_log import for_commands
from conformance.errors import UsageError
from reports import Renderer
from reports.github import GithubRenderer, GithubTexts

__all__ = ["github_job"]

_SUMMARY, _OUTPUT = "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"


def github_job() -> Renderer:
    """Prints the annotations, appends the summary to that of the step, and sets its output; the comment is left out.

    Raises `UsageError` outside of a job, and where the summary or the output cannot be written.
    """
    named = os.environ.get(_SUMMARY, "")
    if not named:
        raise UsageError(
            f"--report github=: {_SUMMARY} is not set, so this is no step of GitHub Actions\n"
            "  A folder works everywhere: --report github=DIR.  Under tox the variable needs pass_env = GITHUB_*"
        )
    path, taken = Path(named), _size(_SUMMARY, Path(named))
    output = Path(os.environ[_OUTPUT]) if os.environ.get(_OUTPUT) else None
    if output is not None:
        _size(_OUTPUT, output)

    def write(texts: GithubTexts) -> None:
        with path.open("a", encoding="utf-8", newline="\n") as summary:
            summary.write(texts.summary)
        if output is not None:
            with output.open("a", encoding="utf-8", newline="\n") as outputs:
                outputs.write(f"findings={texts.findings}\n")
        if texts.annotations:
            # A command must begin a line, and pytest leaves its line of dots open.
            out = for_commands(sys.stdout)
            out.write(f"\n{texts.annotations}")
            out.flush()

    return GithubRenderer(write, taken)


def _size(variable: str, path: Path) -> int:
    """The present size of a file of the job, in bytes. Raises `UsageError` where it cannot be written."""
    try:
        with path.open("a", encoding="utf-8"):
            return path.stat().st_size
    except OSError as e:
        raise UsageError(f"--report github=: {variable} {path}: cannot be written ({e.strerror or e})") from None
