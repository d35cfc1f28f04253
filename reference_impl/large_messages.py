"""The size of a record as TiCDC counts it, and the locations of claim-check files.  [AV-008, CJ-205, OP-150, OP-170]"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256
from uuid import UUID

from reference_impl.model import Claim

__all__ = ["RECORD_OVERHEAD", "claim_location", "file_name", "files_by_name"]

RECORD_OVERHEAD = 36
"""The assumed size in bytes of a Kafka record without key and value."""


def claim_location(storage_uri: str, seed: bytes) -> str:
    """The location of a claim-check file; it depends only on the arguments, so that runs are reproducible."""
    return f"{storage_uri.removesuffix('/')}/{UUID(bytes=sha256(seed).digest()[:16], version=4)}.json"


def file_name(location: str) -> str:
    """The last part of a location, by which a decoder finds the file."""
    return location.rpartition("/")[2]


def files_by_name(claims: Iterable[Claim]) -> Mapping[str, bytes]:
    """The contents of claim-check files by `file_name`."""
    return {file_name(claim.location): claim.content for claim in claims}
