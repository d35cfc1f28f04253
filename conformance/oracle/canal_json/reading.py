"""Takes Canal-JSON records apart, without the reference decoder.  [CJ-106, CJ-133, CJ-201]"""

from __future__ import annotations

import base64
import json
import re
from typing import Any

from conformance.oracle.rules import NO_SCHEMAS, Message, Reading, Schemas
from reference_impl import exact_json
from reference_impl.compression import decompress, decompressed_limit
from reference_impl.errors import Rejected, TooLarge
from reference_impl.model import Claim, Record

__all__ = ["UNKNOWN", "place_of_file", "read", "read_claim"]

UNKNOWN = "unknown"

_PLAIN = re.compile(rb"\s*\{")
_FILE_NAME = re.compile(r"[^/]+\.json\Z")


def _unpacked(compression: str, value: bytes, largest: int) -> tuple[str, bytes]:
    """(compression found, the text of the message); `compression` is the configured one."""
    if compression == "none" or _PLAIN.match(value):
        return "none", value
    try:
        return compression, decompress(compression, value, largest)
    except (Rejected, TooLarge) as e:
        raise Rejected("framing", f"the value is {e}") from None


def _message(text: bytes, partition: int | None) -> Message:
    tree = exact_json.loads(text)
    where = UNKNOWN if partition is None else f"partition {partition}"
    tidb = tree.get("_tidb") if isinstance(tree, dict) else None
    location = tidb.get("claimCheckLocation") if isinstance(tidb, dict) else None
    return Message(
        {"value": tree, "record": {"partition": where}},
        {"value": text.decode()},
        claim=location if isinstance(location, str) else None,
        identity=_identity(tree) if isinstance(tree, dict) else None,
    )


def _identity(tree: dict[str, Any]) -> str:
    """The message without `ts`, its spelling and the order of its members, which are free."""
    return json.dumps({name: part for name, part in tree.items() if name != "ts"}, sort_keys=True, default=str)


def read(record: Record, options: Any, schemas: Schemas = NO_SCHEMAS) -> Reading:
    """Take a record apart into its single message.

    The frame is `key`, `headers` and `compression`. Raises `Rejected`: class `framing` where there is no value or it
    cannot be decompressed, `syntax` where it is not JSON.
    """
    if not record.value:
        raise Rejected("framing", "a record without a value")
    compression, text = _unpacked(options.large_message_handle_compression, record.value, decompressed_limit(options))
    frame = {
        "key": None if record.key is None else record.key.decode("latin-1"),
        "headers": [name for name, _ in record.headers],
        "compression": compression,
    }
    return Reading((_message(text, record.partition),), frame)


def place_of_file(location: str) -> str:
    """A location with `*.json` for the file name, which is free; unchanged if it does not end in `.json`."""
    return _FILE_NAME.sub("*.json", location)


def _wrapped(content: bytes) -> tuple[dict[str, Any], bytes]:
    """(other members, value) of a claim-check file that is JSON."""
    tree = exact_json.loads(content)
    if not isinstance(tree, dict) or not isinstance(tree.get("value"), str):
        raise Rejected("schema", "the file is not an object with a value")
    try:
        return tree, base64.b64decode(tree.pop("value"), validate=True)
    except ValueError:
        raise Rejected("type", "the value in the file is not base64") from None


def read_claim(claim: Claim, options: Any) -> Reading:
    """Take a claim-check file apart into its single message.

    The frame is `location`, `compression` and the members beside the value: `key`, unless the value stands there bare.
    Raises `Rejected` for a malformed file.
    """
    raw = options.claim_check_raw_value
    members, value = ({}, claim.content) if raw else _wrapped(claim.content)
    compression, text = _unpacked(options.large_message_handle_compression, value, decompressed_limit(options))
    frame = {"location": place_of_file(claim.location), "compression": compression, **members}
    return Reading((_message(text, None),), frame)
