"""Substitutes for rows above `max-message-bytes`: handle key only, or claim check.  [CJ-130 … CJ-136, CJ-205]"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping
from uuid import UUID

from reference_impl.canal_json.json_text import literal
from reference_impl.canal_json.options import Options
from reference_impl.compression import decompress, decompressed_limit
from reference_impl.errors import Rejected
from reference_impl.exact_json import loads_strict
from reference_impl.model import Claim

__all__ = ["RECORD_OVERHEAD", "ClaimChecks", "claimed_message", "files_by_name", "location_member"]

# The assumed size of a Kafka record without key and value, in bytes.  [CJ-205]
RECORD_OVERHEAD = 36


class ClaimChecks:
    """Makes claim-check files, whose names depend only on their number and content: runs are reproducible."""

    def __init__(self, options: Options) -> None:
        self._uri = options.claim_check_storage_uri.removesuffix("/")
        self._raw = options.claim_check_raw_value
        self._count = 0

    def claim(self, value: bytes) -> Claim:
        """The file of a record without a key whose value is `value`.  [CJ-133, CJ-134]"""
        self._count += 1
        digest = hashlib.sha256(self._count.to_bytes(8, "big") + value).digest()
        content = value if self._raw else b'{"key":null,"value":"' + base64.b64encode(value) + b'"}'
        return Claim(f"{self._uri}/{UUID(bytes=digest[:16], version=4)}.json", content)


def location_member(location: str) -> str:
    """The member `claimCheckLocation` of `_tidb`, with a comma before it.  [CJ-044]"""
    return f',"claimCheckLocation":{literal(location)}'


def files_by_name(claims: Iterable[Claim]) -> Mapping[str, bytes]:
    """The contents of claim-check files by file name, the last part of their location."""
    return {claim.location.rpartition("/")[2]: claim.content for claim in claims}


def claimed_message(options: Options, files: Mapping[str, bytes], location: str) -> bytes:
    """The whole message at a location, decompressed.

    Raises `Rejected`: class `semantics` for an unknown file; `syntax`, `schema` or `type` for a malformed claim check.
    """
    content = files.get(location.rpartition("/")[2])
    if content is None:
        raise Rejected("semantics", f"there is no claim-check file for {location!r}")
    if not options.claim_check_raw_value:
        wrapped = loads_strict(content)
        if not isinstance(wrapped, dict) or not isinstance(wrapped.get("value"), str):
            raise Rejected("schema", f"the claim-check file {location!r} has no value")
        try:
            content = base64.b64decode(wrapped["value"], validate=True)
        except ValueError:
            raise Rejected("type", f"the value in the claim-check file {location!r} is not base64") from None
    return decompress(options.large_message_handle_compression, content, decompressed_limit(options))
