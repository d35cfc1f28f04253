"""The files of claim-check storage, in a folder: found by their base name, and read up to a bound."""

from __future__ import annotations

import base64
import binascii
import json
from pathlib import Path
from stat import S_ISREG

from conformance.errors import UsageError
from reference_impl.errors import Rejected
from reference_impl.model import Claim, Record

__all__ = ["ClaimFiles", "NotThere", "whole_record"]


class NotThere(Exception):
    """A claim-check file is unavailable; the text says which, where, and why."""


class ClaimFiles:
    """The claim-check files in a folder. Raises `UsageError` for a missing folder."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise UsageError(f"--claims {folder}: there is no such folder")
        self._folder = folder

    def at(self, location: str, largest: int) -> Claim:
        """The file of a location, whose last part is its name. Raises `NotThere`.

        A file outside of the folder is never opened, neither by `..` nor by a link; a file of more than `largest`
        bytes is never read.
        """
        name = location.rpartition("/")[2]
        where = f"claim-check file {name[:200]!r}"
        if name in ("", ".", "..") or any(char in name for char in "\\\0:"):
            raise NotThere(f"{where}: no name of a file")
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
    """The record as it would be without large-message handling.

    Raises `Rejected` (class `syntax` or `schema`) for a malformed file.
    """
    if raw:
        return Record(record.key, claim.content, record.partition, record.topic, record.headers, record.offset)
    try:
        tree = json.loads(claim.content)
        key, value = (
            None if tree[name] is None else base64.b64decode(tree[name], validate=True) for name in ("key", "value")
        )
    except RecursionError:
        raise Rejected("syntax", "a claim-check file: nested too deeply") from None
    except binascii.Error as e:
        raise Rejected("schema", f"a claim-check file: {e}") from None
    except ValueError:
        raise Rejected("syntax", "a claim-check file that is not JSON") from None
    except (KeyError, TypeError, AttributeError):
        raise Rejected("schema", "a claim-check file without `key` and `value`") from None
    return Record(key, value, record.partition, record.topic, record.headers, record.offset, record.timestamp)
