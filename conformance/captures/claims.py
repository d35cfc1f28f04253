"""The files of claim-check storage, in a folder: found by the last part of their location, and bounded in size."""

from __future__ import annotations

import base64
from dataclasses import replace
from pathlib import Path
from stat import S_ISREG

from conformance.errors import UsageError
from reference_impl.errors import Rejected
from reference_impl.exact_json import Tree, loads_strict
from reference_impl.model import Claim, Record

__all__ = ["ClaimFiles", "NotThere", "whole_record"]


class NotThere(Exception):
    """A claim-check file is unavailable; the text says which, where, and why."""


class ClaimFiles:
    """The claim-check files in a folder. Raises `UsageError` if there is no such folder."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise UsageError(f"--claims {folder}: there is no such folder")
        self._folder = folder

    def at(self, location: str, largest: int) -> Claim:
        """The file that the last part of a location names. Raises `NotThere`.

        A file outside of the folder is never opened, neither by `..` nor by a link; a file of more than `largest`
        bytes is never read.
        """
        name = location.rpartition("/")[2]
        where = f"claim-check file {name[:200]!r}"
        if name in ("", ".", "..") or any(char in name for char in "\\\0:"):
            raise NotThere(f"{where}: this is no name of a file")
        try:
            path = (self._folder / name).resolve(strict=True)
            if path.parent != self._folder.resolve():
                raise NotThere(f"{where} is a link that leads out of {self._folder}")
            status = path.stat()
            if not S_ISREG(status.st_mode):
                raise NotThere(f"{where} in {self._folder} is no file")
            if status.st_size > largest:
                raise NotThere(f"{where} has {status.st_size} bytes, more than {largest}")
            with path.open("rb") as file:
                return Claim(location, file.read(largest))
        except FileNotFoundError:
            raise NotThere(f"{where} is not in {self._folder}") from None
        except (OSError, ValueError, RuntimeError) as e:
            raise NotThere(f"{where} in {self._folder} cannot be read: {getattr(e, 'strerror', None) or e}") from None


def whole_record(record: Record, claim: Claim, *, raw: bool) -> Record:
    """The record as it would be without large-message handling; a `raw` file holds nothing but its value.

    Raises `Rejected` (class `syntax` or `schema`) for a malformed file.
    """
    if raw:
        return replace(record, value=claim.content)
    tree = loads_strict(claim.content)
    if not isinstance(tree, dict) or "key" not in tree or "value" not in tree:
        raise Rejected("schema", "a claim-check file without `key` and `value`")
    return replace(record, key=_part(tree, "key"), value=_part(tree, "value"))


def _part(tree: dict[str, Tree], name: str) -> bytes | None:
    text = tree[name]
    if text is None:
        return None
    if not isinstance(text, str):
        raise Rejected("schema", f"a claim-check file whose `{name}` is no text")
    try:
        return base64.b64decode(text, validate=True)
    except ValueError as e:
        raise Rejected("schema", f"a claim-check file whose `{name}` is not base64: {e}") from None
