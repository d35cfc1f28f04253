"""Stages of a comparison: files of the workers, and a manifest once they are complete.

A run that finds the manifest of the same stage reuses its files.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

__all__ = ["Stage", "is_local", "literal"]


def is_local(place: str) -> bool:
    """Whether a place is a folder on this machine, judging by its name."""
    return "://" not in place


def literal(place: str) -> str:
    """A place with wildcards escaped, so that Spark reads exactly this place."""
    return re.sub(r"[\\*?{}\[\]^]", r"\\\g<0>", place)


class Stage:
    """Parquet files at `place`, complete if the manifest next to `folder` describes them.

    `place` is the folder itself unless the workers write elsewhere. `made_of` describes the stage: its version, sides
    and sources. `notes` come from the run that wrote the files.
    """

    def __init__(self, folder: Path, made_of: Mapping[str, Any], place: str = "") -> None:
        self.folder, self.place = folder, place or str(folder)
        self._made_of = json.loads(json.dumps(made_of))

    @property
    def _manifest(self) -> Path:
        return self.folder.with_name(self.folder.name + ".manifest.json")

    def _manifest_of_stage(self) -> dict[str, Any]:
        """The content of the manifest, empty if it is missing or describes another stage."""
        try:
            manifest = json.loads(self._manifest.read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return {}
        return manifest if isinstance(manifest, dict) and manifest.get("made of") == self._made_of else {}

    @property
    def notes(self) -> dict[str, Any]:
        """The notes stored with the files; empty if they are incomplete."""
        notes: dict[str, Any] = self._manifest_of_stage().get("notes", {})
        return notes

    def complete(self) -> bool:
        """Whether an earlier run finished the same stage."""
        return bool(self._manifest_of_stage())

    def read(self, spark: Any) -> Any:
        """The files as a frame."""
        return spark.read.parquet(literal(self.place))

    def write(self, frame: Any, notes: Callable[[], Mapping[str, Any]] = dict) -> None:
        """Compute the frame into the place, after removing files of an interrupted run.

        `notes` is called when the files are complete; the manifest stores its result.
        """
        self.forget()
        frame.write.mode("overwrite").parquet(self.place)
        self._manifest.parent.mkdir(parents=True, exist_ok=True)
        draft = self._manifest.with_suffix(".draft")
        draft.write_text(json.dumps({"made of": self._made_of, "notes": dict(notes())}), encoding="utf-8")
        draft.replace(self._manifest)

    def forget(self) -> None:
        """Remove the manifest, and the files if they are on this machine."""
        self._manifest.unlink(missing_ok=True)
        if is_local(self.place):
            shutil.rmtree(self.place, ignore_errors=True)
