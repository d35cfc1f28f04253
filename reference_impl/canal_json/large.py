"""Substitutes for rows above `max-message-bytes`: handle key only, or claim check.  [CJ-130 … CJ-136, CJ-205]"""

from __future__ import annotations

import base64
from collections.abc import Mapping

from reference_impl.canal_json.options import Options
from reference_impl.canal_json.texts import literal
from reference_impl.compression import decompress, decompressed_limit
from reference_impl.errors import Rejected
from reference_impl.exact_json import loads_strict
from reference_impl.large_messages import claim_location, file_name
from reference_impl.model import Claim

__all__ = ["claim_file", "claimed_message", "location_member"]


def claim_file(options: Options, number: int, value: bytes) -> Claim:
    """The file of a record without a key whose value is `value`.  [CJ-133, CJ-134]

    Its name depends only on `number`, which is another one for each file, and the value: runs are reproducible.
    """
    content = value if options.claim_check_raw_value else b'{"key":null,"value":"' + base64.b64encode(value) + b'"}'
    return Claim(claim_location(options.claim_check_storage_uri, number.to_bytes(8, "big") + value), content)


def location_member(location: str) -> str:
    """The member `claimCheckLocation` of `_tidb`, with a comma before it.  [CJ-044]"""
    return f',"claimCheckLocation":{literal(location)}'


def claimed_message(options: Options, files: Mapping[str, bytes], location: str) -> bytes:
    """The whole message at a location, decompressed.

    Raises `Rejected`: class `semantics` for an unknown file; `syntax`, `schema` or `type` for a malformed claim check.
    """
    content = files.get(file_name(location))
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
