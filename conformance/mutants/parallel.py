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
from conformance.mutants.matrix import MutantResult, profile_of, run_matrix
from conformance.mutants.model import Mutant
from conformance.processes import Leash, signals_blocked
from conformance.sweep.proofs import Proof, proofs_of
from reference_impl.profiles import Profile

__all__ = ["fault_proofs", "matrix_results"]

_FEWEST_IN_PART = 120
"""A group is divided only into parts of at least so many mutants: each process runs the reference on all cases."""


Cases: TypeAlias = Callable[[str, Profile], Sequence[CaseHead]]
"""The cases of a protocol under a profile: a named function, so that it can be pickled."""


def matrix_results(
    mutants: Sequence[Mutant], processes: int, limit: int, cases_of: Cases = indexed_cases
) -> Iterator[MutantResult]:
    """The results of the mutants as they become known, in any order.

    Raises `SuiteError` if the reference is at fault, a mutant breaks down, or a process is lost. Closing the iterator
    ends the processes.
    """
    parts = _parts(mutants, processes)
    if processes <= 1 or len(parts) <= 1:
        for part in parts:
            yield from run_matrix(part, cases_of, limit)
        return
    by_name = {mutant.name: mutant for part in parts for mutant in part}
    names = [[mutant.name for mutant in part] for part in parts]
    for message in _from_processes(names, processes, partial(_plain_results, limit, cases_of)):
        yield MutantResult(**{**message, "mutant": by_name[message["mutant"]]})


def fault_proofs(faults: Sequence[GeneratedFault], processes: int, cases_of: Cases = indexed_cases) -> Iterator[Proof]:
    """Judge the recorded faults again; the proofs come in any order. Raises as `matrix_results` does."""
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


def _plain_results(limit: int, cases_of: Cases, names: Sequence[str]) -> Iterator[Mapping[str, Any]]:
    """The results of the named mutants as plain data, with the name of the mutant in its place."""
    for result in run_matrix([mutant_named(name) for name in names], cases_of, limit):
        plain = {f.name: getattr(result, f.name) for f in fields(result)}
        yield plain | {"mutant": result.mutant.name}


def _parts(mutants: Sequence[Mutant], processes: int) -> list[list[Mutant]]:
    """The mutants by protocol, role and profile, the largest part first.

    A group larger than a process's share is divided, but not into parts smaller than `_FEWEST_IN_PART`.
    """
    groups: dict[tuple[Any, ...], list[Mutant]] = {}
    for mutant in mutants:
        groups.setdefault((mutant.protocol, mutant.role, profile_of(mutant)), []).append(mutant)
    parts = []
    for group in groups.values():
        shares = ceil(len(group) * processes / len(mutants))
        count = max(1, min(shares, len(group) // _FEWEST_IN_PART))
        parts += [group[i::count] for i in range(count)]
    return sorted(parts, key=len, reverse=True)


def _from_processes(parts: Sequence[Sequence[Any]], processes: int, work: Work) -> Iterator[Any]:
    """Send one part after another to each process, and yield the results."""
    waiting = list(parts)
    started: list[Process] = []
    open_pipes: list[Connection] = []
    leash = Leash()
    try:
        for _ in range(min(processes, len(parts))):
            ours, theirs = Pipe()
            process = Process(target=_work, args=(leash, theirs, work), daemon=True)
            with signals_blocked():
                process.start()
            theirs.close()
            started.append(process)
            open_pipes.append(ours)
            ours.send(waiting.pop(0))
        while open_pipes:
            ready = wait(open_pipes)
            for pipe in [p for p in open_pipes if p in ready]:
                message = _received(pipe)
                if message is not None:
                    yield message
                elif waiting:
                    pipe.send(waiting.pop(0))
                else:
                    pipe.send([])
                    open_pipes.remove(pipe)
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
    """The loop of a process: it receives parts, and sends results, a text for an error, and None after each part."""
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
