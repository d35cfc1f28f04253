"""Squirrel, a dialect of nobody: Canal's flat message, in which `database` is called `db`.

All that the suite knows of it is this package: a codec, a register, and a row in each table of dialects.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from conformance.cases.negatives.texts import DocumentForm
from conformance.cases.upstream.dialects import DIALECTS as CASES
from conformance.cases.upstream.model import Negatives
from conformance.catalogue.register import REGISTERS
from conformance.oracle.upstream.dialects import DIALECTS as ORACLES
from differential.sides import DIALECT_TRAITS
from reference_impl.protocols import CANAL, Dialect, register
from tests.unit.dialects.squirrel.renaming import as_canal

__all__ = ["SQUIRREL", "add"]

SQUIRREL = Dialect("squirrel", "Squirrel", __name__, CANAL, of_ticdc=False)


def add() -> None:
    """Make the dialect known: a line or a row in five places."""
    register(SQUIRREL)
    REGISTERS.add(SQUIRREL, Path(__file__).with_name("register.toml"))
    cases, oracle, traits = CASES[CANAL.name], ORACLES[CANAL.name], DIALECT_TRAITS[CANAL.name]
    CASES.add(SQUIRREL, replace(cases, negatives=_renamed(cases.negatives)))
    ORACLES.add(
        SQUIRREL,
        replace(
            oracle,
            summary=lambda record: oracle.summary(as_canal(record)),
            statement_or_rows=lambda record: oracle.statement_or_rows(as_canal(record)),
        ),
    )
    DIALECT_TRAITS.add(SQUIRREL, replace(traits, name_members=("db", "table")))


def _renamed(negatives: Negatives) -> Negatives:
    def own(form: DocumentForm) -> DocumentForm:
        return replace(form, members={_OWN.get(name, name): known for name, known in form.members.items()})

    return replace(negatives, bases=tuple(replace(base, form=own(base.form)) for base in negatives.bases))


_OWN = {"database": "db"}
