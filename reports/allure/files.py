"""Result files of Allure, by the model of allure-python-commons, with names that follow from their content.

Its own writer gives random names; here the same record gives the same files. Only files with this report's prefix are
removed: those of an earlier report.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path

from allure_commons.model2 import Attachment, TestResult
from allure_commons.types import AttachmentType
from attr import asdict

from reports.allure.texts import Attached

__all__ = ["ResultFolder", "identity"]

_PREFIX = "ticdc-"
_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "https://ticdc-conformance.example/allure")


def identity(*parts: str) -> uuid.UUID:
    """The name of these texts, the same in every run."""
    # A lone surrogate has no UTF-8, and may occur in the name of a case.
    text = "\0".join(parts).encode("utf-8", "backslashreplace").decode("ascii", "backslashreplace")
    return uuid.uuid5(_NAMESPACE, text)


class ResultFolder:
    """A folder for results. Raises `OSError` where it cannot be written."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(exist_ok=True)
        for file in folder.glob(f"{_PREFIX}*"):
            file.unlink()

    def attach(self, attached: Attached) -> Attachment:
        """Write an attachment; the same one twice is one file."""
        kind = AttachmentType[attached.kind]
        name = f"{_PREFIX}{identity('attachment', attached.kind, attached.text)}-attachment.{kind.extension}"
        file = self._folder / name
        if not file.exists():
            file.write_text(attached.text, encoding="utf-8", newline="\n")
        return Attachment(name=attached.name, source=name, type=kind.mime_type)

    def write(self, result: TestResult) -> None:
        """Write a result; its file has the name of its uuid."""
        data = asdict(result, filter=lambda _, value: bool(value) or value is False or value == 0)
        name = _PREFIX + result.file_pattern.format(prefix=result.uuid)
        self._write_text(name, json.dumps(data, ensure_ascii=False, sort_keys=True) + "\n")

    def write_environment(self, values: Mapping[str, str]) -> None:
        """Write the facts for the overview. Allure reads them as a file of Java's properties: Latin-1, escaped."""
        lines = [f"{name}={_property(value)}" for name, value in values.items() if value]
        self._write_text("environment.properties", "\n".join(lines) + "\n")

    def write_categories(self, categories: Sequence[Mapping[str, object]]) -> None:
        """Write the categories of failures, unless the user has some."""
        if not (self._folder / "categories.json").exists():
            self._write_text("categories.json", json.dumps(categories, indent=1) + "\n")

    def _write_text(self, name: str, text: str) -> None:
        (self._folder / name).write_text(text, encoding="utf-8", newline="\n")


def _property(value: str) -> str:
    text = value.replace("\\", "\\\\").replace("\n", "\\n")
    units = text.encode("utf-16-be", "backslashreplace")
    codes = [int.from_bytes(units[i : i + 2], "big") for i in range(0, len(units), 2)]
    return "".join(chr(code) if 0x20 <= code < 0x7F else f"\\u{code:04x}" for code in codes)
