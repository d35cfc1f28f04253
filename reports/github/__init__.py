"""A run for GitHub Actions: annotations for the log, a summary for the job's page, a comment for a pull request.

All three are texts. Nothing here calls GitHub, so no token is needed; the caller puts the texts in place.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from reports.gathering import Gathering, GatheringRenderer
from reports.github.annotations import annotation_lines, cause_count
from reports.renderer import Renderer
from reports.summary import Room, summary_text

__all__ = ["COMMENT_LIMIT", "FILES", "SUMMARY_LIMIT", "GithubRenderer", "GithubTexts", "github_folder"]

SUMMARY_LIMIT = 1024 * 1024
"""Bytes of the summary of a step; GitHub shows nothing of a longer one."""
COMMENT_LIMIT = 65_536
"""Characters of a comment; GitHub refuses a longer one."""
FILES = ("annotations.txt", "summary.md", "comment.md")
_NO_NAME = re.compile(r"[^\w.]+")  # no dash either: two of them would end the marker's comment
_LONGEST_MARKER = 200


@dataclass(frozen=True, slots=True)
class GithubTexts:
    """The texts of a run for GitHub."""

    annotations: str
    """Workflow commands, a line each; empty without failures and warnings."""
    summary: str
    """Markdown for `$GITHUB_STEP_SUMMARY`."""
    comment: str
    """Markdown for a comment. Its first line is an invisible marker: the comment to update begins with the same one."""
    findings: int
    """The number of causes of failure and of warnings, shown as annotations or not."""


class GithubRenderer(GatheringRenderer):
    """Hands the texts to `deliver` at the end of the run; the step's summary already has `summary_bytes`."""

    def __init__(self, deliver: Callable[[GithubTexts], object], summary_bytes: int = 0) -> None:
        super().__init__()
        self._deliver = deliver
        self._summary_bytes = summary_bytes

    def close(self) -> None:
        """Make the texts and hand them over."""
        marker = f"{_marker(self._gathering)}\n"
        # One byte less than GitHub accepts, in case it counts the last line break differently.
        step = Room(bytes=max(0, SUMMARY_LIMIT - self._summary_bytes - 1), whole=20, lines=200)
        comment = Room(bytes=COMMENT_LIMIT - len(marker) - 1, whole=5, lines=30, is_folded=True)
        texts = GithubTexts(
            annotations="".join(f"{line}\n" for line in annotation_lines(self._gathering)),
            summary=summary_text(self._gathering, step),
            comment=marker + summary_text(self._gathering, comment),
            findings=cause_count(self._gathering),
        )
        self._deliver(texts)


def _marker(gathering: Gathering) -> str:
    """The marker, the same for every run of the same implementations: without versions, dates and results."""
    names = [str(iut.event.get("name") or iut.label) for iut in gathering.iuts.values()]
    protocols = sorted({part["protocol"] for iut in gathering.iuts.values() for part in iut.plan.get("by", ())})
    text = " ".join(_NO_NAME.sub("_", name) for name in dict.fromkeys((*names, *protocols)))
    return f"<!-- ticdc-conformance: {text[:_LONGEST_MARKER]} -->"


def github_folder(folder: Path) -> Renderer:
    """Writes the texts into files of a folder, `FILES`."""

    def write(texts: GithubTexts) -> None:
        for name, text in zip(FILES, (texts.annotations, texts.summary, texts.comment), strict=True):
            (folder / name).write_text(text, encoding="utf-8", newline="\n")

    return GithubRenderer(write)
