"""Judges a capture: the command `check-capture` without its command line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from conformance.captures import dialects
from conformance.captures.claims import ClaimFiles
from conformance.captures.files import read_capture
from conformance.captures.judge import judge_capture
from conformance.captures.model import CaptureContext, Captured, Place
from conformance.captures.results import CaptureResult
from conformance.captures.schemas import CapturedSchemas
from conformance.captures.truth import judge_against
from conformance.captures.upstream import judge_upstream_capture
from conformance.errors import UsageError
from reference_impl.errors import Rejected, Unsupported
from reference_impl.model import Event, Table
from reference_impl.profiles import NEWARCH, Profile
from reference_impl.protocols import DIALECTS, UPSTREAM
from reference_impl.zones import zone_of

__all__ = ["check_capture"]


def check_capture(
    path: Path | str,
    protocol: str,
    *,
    captured: Iterable[Captured] | None = None,
    input_format: str | None = None,
    tables: Iterable[Table] = (),
    events: Sequence[Event] | None = None,
    options: Mapping[str, str] | None = None,
    profile: Profile = NEWARCH,
    partitions: int | None = None,
    timezone: str = "UTC",
    schemas: CapturedSchemas | None = None,
    claims: ClaimFiles | None = None,
) -> Iterator[CaptureResult]:
    """Judge the messages captured in a file or folder; yields each result as soon as it is known.

    With `captured` those records are judged, in order, and `path` is only the name of their source.

    Every line has exactly one result with `is_stream` false, in order, except blank ones and the last line of a console
    consumer. A result with `is_stream` true is one broken rule between records, at the record that showed it. A `fail`
    makes the gate red, and so does a `warn` under `--strict`; `suite_error` is a fault of the suite; if all are
    `excluded`, nothing was judged (exit 5). A line with a `problem` was broken, or has lost bytes, for which the
    producer is not to blame. With `events`, which the capture should hold, all readable lines have one result together.

    `CaptureContext` explains the other arguments. In the upstream dialects each record is judged, and the tombstones of
    a connector, but no events. Raises `UsageError` for an unknown protocol, for options that the protocol refuses, and
    as `read_capture` does.
    """
    judged = (*dialects.DIALECTS, *UPSTREAM)
    if protocol not in judged:
        raise UsageError(f"captures of {protocol!r} cannot be judged; there are {', '.join(judged)}")
    if protocol in UPSTREAM and events is not None:
        raise UsageError(f"events of {protocol}: `run --iut recorded:DIR` judges a recording of it by its SQL")
    if claims is not None and not hasattr(DIALECTS[protocol].options, "claim_check_storage_uri"):
        raise UsageError(f"{protocol} has no claim-check files")
    if schemas is None and DIALECTS[protocol].uses_registry:
        raise UsageError(f"{protocol} can only be read with its schemas: give --schemas FILE or --registry-url URL")
    try:
        zone_of(timezone)
    except Rejected as e:
        raise UsageError(f"--timezone: {e.message}") from None
    if captured is None:
        captured = read_capture(Path(path), protocol, input_format)
    context = CaptureContext(
        protocol,
        tuple(tables),
        options or {},
        profile,
        partitions,
        timezone,
        CapturedSchemas() if schemas is None else schemas,  # an empty one may look ids up in a registry
        claims,
    )
    try:
        if protocol in UPSTREAM:
            yield from judge_upstream_capture(context, captured)
        elif events is None:
            yield from judge_capture(context, captured)
        else:
            yield from judge_against(events, context, captured, Place(str(path)))
    except Rejected as e:
        raise UsageError(f"options of {protocol}: {e.message}") from None
    except Unsupported as e:
        raise UsageError(f"options of {protocol}: {e}") from None
