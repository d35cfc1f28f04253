"""`--report github=` without a path: writes to the files that a job of GitHub Actions names in its environment.

If the job names a file for outputs, the step gets the output `findings`: the number of causes of failure and of
warnings.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.cli.step_log import for_commands
from conformance.errors import UsageError, file_errors
from reports import Renderer

if TYPE_CHECKING:
    from reports.github import GithubTexts

__all__ = ["github_job"]

_SUMMARY, _OUTPUT = "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"


def github_job() -> Renderer:
    """Prints the annotations, appends the summary to that of the step, and sets its output; the comment is left out.

    Raises `UsageError` outside of a job, and where the summary or the output cannot be written.
    """
    summary = _file_of_job(_SUMMARY)
    if summary is None:
        raise UsageError(
            f"--report github=: {_SUMMARY} is not set, so this is no step of GitHub Actions\n"
            "  A folder works everywhere: --report github=DIR.  Under tox the variable needs pass_env = GITHUB_*"
        )
    output = _file_of_job(_OUTPUT)

    def write(texts: GithubTexts) -> None:
        with summary.open("a", encoding="utf-8", newline="\n") as file:
            file.write(texts.summary)
        if output is not None:
            with output.open("a", encoding="utf-8", newline="\n") as file:
                file.write(f"findings={texts.findings}\n")
        if texts.annotations:
            # A command must begin a line, and pytest leaves its line of dots open.
            out = for_commands(sys.stdout)
            out.write(f"\n{texts.annotations}")
            out.flush()

    from reports.github import GithubRenderer

    return GithubRenderer(write, summary.stat().st_size)


def _file_of_job(variable: str) -> Path | None:
    """The file in a variable, None if that is not set. Raises `UsageError` for a file that cannot be written."""
    name = os.environ.get(variable)
    if not name:
        return None
    path = Path(name)
    with file_errors(f"--report github=: {variable} {path}: cannot be written"):
        path.open("a", encoding="utf-8").close()
    return path
