"""Stages of a comparison: files that the workers write, and the note on the driver that they are complete.

A run that finds the note it would write takes the files as they are.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

__all__ = ["Stage", "is_local", "literal"]


def is_local(place: str) -> bool:
    """Whether a place is a folder on this machine, as far as its name tells."""
    return "://" not in place


def literal(place: str) -> str:
    """A place as Spark is told to read it: there its letters stand for themselves, not for those of other places."""
    return re.sub(r"[\\*?{}\[\]^]", r"\\\g<0>", place)


class Stage:
    """Parquet files at `place`, complete when the manifest beside `folder` is there and says what it should.

    `place` is the folder itself unless the workers write elsewhere; `told` is what the run that wrote them had to tell.
    """

    def __init__(self, folder: Path, made_of: Mapping[str, Any], place: str = "") -> None:
        self.folder, self.place = folder, place or str(folder)
        self._made_of = json.loads(json.dumps(made_of))

    @property
    def _manifest(self) -> Path:
        return self.folder.with_name(self.folder.name + ".manifest.json")

    def _noted(self) -> dict[str, Any]:
        try:
            noted = json.loads(self._manifest.read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return {}
        return noted if isinstance(noted, dict) and noted.get("made of") == self._made_of else {}

    @property
    def digest(self) -> str:
        """Names what the stage is made of."""
        return hashlib.sha256(json.dumps(self._made_of, sort_keys=True).encode()).hexdigest()

    @property
    def notes(self) -> dict[str, Any]:
        """What was told of the files when they were written; nothing where they are not complete."""
        notes: dict[str, Any] = self._noted().get("told", {})
        return notes

    def complete(self) -> bool:
        """Whether a run before this one finished the same stage."""
        return bool(self._noted())

    def read(self, spark: Any) -> Any:
        """The files as a frame."""
        return spark.read.parquet(literal(self.place))

    def write(self, frame: Any, notes: Callable[[], Mapping[str, Any]] = dict) -> None:
        """Compute the frame into the place; what an interrupted run left there goes first.

        `notes` is called when the files are there, for what the manifest shall tell of them.
        """
        self.forget()
        frame.write.mode("overwrite").parquet(self.place)
        self._manifest.parent.mkdir(parents=True, exist_ok=True)
        draft = self._manifest.with_suffix(".draft")
        draft.write_text(json.dumps({"made of": self._made_of, "told": dict(notes())}), encoding="utf-8")
        draft.replace(self._manifest)

    def forget(self) -> None:
        """Let the stage be nobody's, and remove its files if they are on this machine."""
        self._manifest.unlink(missing_ok=True)
        if is_local(self.place):
            shutil.rmtree(self.place, ignore_errors=True)
