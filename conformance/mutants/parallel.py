"""The kill matrix in several processes: the result of each mutant and each generated fault, as soon as it is known.

Mutants hold functions, which cannot be pickled: names go to the processes, plain data comes back. `matrix` and
`conformance.sweep.proofs` produce the results.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import partial
from math import ceil
from multiprocessing import Pipe, Process
from multiprocessing.connection import Connection, wait
from typing import Any, TypeAlias

from conformance.cases.index import indexed_cases
from conformance.cases.model import CaseHead
from conformance.catalogue.faults import GeneratedFault
from conformance.errors import SuiteError
from conformance.mutants import mutant_named
from conformance.mutants.matrix import Death, profile_of, run_matrix
from conformance.mutants.model import Mutant
from conformance.processes import Leash, signals_blocked
from conformance.sweep.proofs import Proof, proofs_of
from reference_impl.profiles import Profile

__all__ = ["fault_proofs", "matrix_fates"]

_TOGETHER = 120
"""Mutants of one group that are worth a process of their own: each process runs the reference on all cases."""


Cases: TypeAlias = Callable[[str, Profile], Sequence[CaseHead]]
"""The cases of a protocol under a profile: a named function, so that it can be pickled."""


def matrix_fates(
    mutants: Sequence[Mutant], processes: int, limit: int, cases_of: Cases = indexed_cases
) -> Iterator[Death]:
    """The results of the mutants as they become known, in any order.

    Raises `SuiteError` where the reference is at fault, a mutant breaks down, or a process is lost. Closing the
    iterator ends the processes.
    """
    parts = _parts(mutants, processes)
    if processes <= 1 or len(parts) <= 1:
        for part in parts:
            yield from run_matrix(part, cases_of, limit)
        return
    by_name = {mutant.name: mutant for part in parts for mutant in part}
    names = [[mutant.name for mutant in part] for part in parts]
    for message in _from_processes(names, processes, partial(_fates, limit, cases_of)):
        yield Death(**{**message, "mutant": by_name[message["mutant"]]})


def fault_proofs(faults: Sequence[GeneratedFault], processes: int, cases_of: Cases = indexed_cases) -> Iterator[Proof]:
    """Judge the recorded faults again, in any order. Raises as `matrix_fates` does."""
    groups: dict[tuple[str, str], list[GeneratedFault]] = {}
    for fault in faults:
        groups.setdefault((fault.protocol, fault.role), []).append(fault)
    if processes <= 1 or len(groups) <= 1:
        yield from proofs_of(faults, cases_of)
        return
    parts = sorted(groups.values(), key=len, reverse=True)
    yield from _from_processes(parts, processes, partial(proofs_of, cases_of=cases_of))


Work: TypeAlias = Callable[[Sequence[Any]], Iterator[Any]]
"""The work of a part: a named function from plain data to plain data."""


def _fates(limit: int, cases_of: Cases, names: Sequence[str]) -> Iterator[Mapping[str, Any]]:
    for death in run_matrix([mutant_named(name) for name in names], cases_of, limit):
        plain = {f.name: getattr(death, f.name) for f in fields(death)}
        yield plain | {"mutant": death.mutant.name}


def _parts(mutants: Sequence[Mutant], processes: int) -> list[list[Mutant]]:
    """Group by protocol, role and profile, the largest part first.

    A group larger than a process's share is divided, but no more finely, as each part costs a run of the reference.
    """
    groups: dict[tuple[Any, ...], list[Mutant]] = {}
    for mutant in mutants:
        groups.setdefault((mutant.protocol, mutant.role, profile_of(mutant)), []).append(mutant)
    parts = []
    for group in groups.values():
        shares = ceil(len(group) * processes / len(mutants))
        count = max(1, min(shares, len(group) // _TOGETHER))
        parts += [group[i::count] for i in range(count)]
    return sorted(parts, key=len, reverse=True)


def _from_processes(parts: Sequence[Sequence[Any]], processes: int, work: Work) -> Iterator[Any]:
    """Hands out the parts, one at a time to each process, and passes on what comes back."""
    waiting = list(parts)
    started: list[Process] = []
    open_: list[Connection] = []
    leash = Leash()
    try:
        for _ in range(min(processes, len(parts))):
            ours, theirs = Pipe()
            process = Process(target=_work, args=(leash, theirs, work), daemon=True)
            with signals_blocked():
                process.start()
            theirs.close()
            started.append(process)
            open_.append(ours)
            ours.send(waiting.pop(0))
        while open_:
            ready = wait(open_)
            for pipe in [p for p in open_ if p in ready]:
                message = _received(pipe)
                if message is not None:
                    yield message
                elif waiting:
                    pipe.send(waiting.pop(0))
                else:
                    pipe.send([])
                    open_.remove(pipe)
    finally:
        leash.let_go()
        for process in started:
            process.join()


def _received(pipe: Connection) -> Any:
    """The next result, None at the end of a part. Raises `SuiteError`."""
    try:
        message = pipe.recv()
    except EOFError:
        raise SuiteError("a process of the kill matrix ended before its time") from None
    if isinstance(message, str):
        raise SuiteError(message)
    return message


def _work(leash: Leash, pipe: Connection, work: Work) -> None:
    """The work of a process: parts in, results out, and a text where the suite is at fault."""
    leash.tie()
    gc.set_threshold(50_000, 50, 100)  # the cases live as long as the process: collecting them takes time
    while part := pipe.recv():
        try:
            for result in work(part):
                pipe.send(result)
        except SuiteError as e:
            pipe.send(str(e))
        except Exception as e:  # noqa: BLE001 - any error here is one of the suite; the parent raises it
            pipe.send(f"{type(e).__name__}: {e}")
        pipe.send(None)
