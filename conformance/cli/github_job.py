"""`--report github=` without a path: the places that a job of GitHub Actions names in its environment."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from conformance.cli.step_log import for_commands
from conformance.errors import UsageError
from reports import Renderer
from reports.github import GithubRenderer, GithubTexts

__all__ = ["github_job"]

_SUMMARY = "GITHUB_STEP_SUMMARY"


def github_job() -> Renderer:
    """Prints the annotations, and appends the summary to that of the step; the comment is left out.

    Raises `UsageError` outside of a job, and where the summary cannot be written.
    """
    named = os.environ.get(_SUMMARY, "")
    if not named:
        raise UsageError(
            f"--report github=: {_SUMMARY} is not set, so this is no step of GitHub Actions\n"
            "  A folder works everywhere: --report github=DIR.  Under tox the variable needs pass_env = GITHUB_*"
        )
    path = Path(named)
    try:
        with path.open("a", encoding="utf-8"):
            taken = path.stat().st_size
    except OSError as e:
        raise UsageError(f"--report github=: {_SUMMARY} {path}: cannot be written ({e.strerror or e})") from None

    def put(texts: GithubTexts) -> None:
        with path.open("a", encoding="utf-8", newline="\n") as summary:
            summary.write(texts.summary)
        if texts.annotations:
            # A command is one only at the beginning of a line, and pytest leaves its line of dots open.
            out = for_commands(sys.stdout)
            out.write(f"\n{texts.annotations}")
            out.flush()

    return GithubRenderer(put, taken)
