"""Injects faults into recorded messages, without a generator or codec."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from differential.faults import Fault
from differential.generate.parts import (
    count_requested,
    keys_of,
    part_name,
    prepare,
    with_faults,
    write_injected,
    write_json,
    writer_of,
)
from reference_impl.model import Record, Table

__all__ = ["break_recorded"]


def break_recorded(
    dialect: str,
    records: Sequence[Record],
    faults: Sequence[Fault],
    tables: Iterable[Table],
    *,
    seed: int,
    out: Path,
    form: str,
    version: str,
) -> dict[str, Any]:
    """Write messages with faults as a stream of one part.

    Returns the content of `generate.json`.

    Without tables the keys of rows are unknown, so only messages with the same record key are reordered.
    """
    prepare(out, [dialect])
    columns = keys_of(tables)
    broken, injected = with_faults(records, faults, seed=f"{seed}/{dialect}", keys=columns, taken=set())
    name = part_name(dialect, 0, form)
    writer = writer_of(out / name)
    writer.write(broken)
    writer.close()
    write_injected(out, (one.to_json(dialect) for one in injected))
    part = {"file": name, "messages": writer.count, "sha256": writer.digest()}
    sides = [{"name": dialect, "dialect": dialect, "messages": writer.count, "parts": [part]}]
    fault_counts = {
        "faults": len(injected),
        "asked": dict(sorted(count_requested(faults, len(records)).items())),
        "put_in": dict(sorted(Counter(one.kind.value for one in injected).items())),
    }
    found = {"format": 1, "version": version, "seed": seed, **fault_counts, "sides": sides}
    write_json(out / "generate.json", found)
    return found
