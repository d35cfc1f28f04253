"""Generates transactions from a seed, as a MySQL server logs them and as TiDB keeps them.

A stream has a fixed number of shards. A shard depends only on the seed and its own number, and every row belongs to one
shard. So any number of workers generates the same stream.

The truth is the log of upstream, with every change of a row. TiDB and TiCDC keep only the result of a transaction for
each row; `collapsed` derives it.  [CJ-016, CJ-667]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TypeAlias

from conformance.errors import UsageError
from differential.generate.alterations import Alteration, alterations
from differential.generate.draw import Draw
from differential.generate.rows import Source, TableRows
from reference_impl.model import DdlEvent, Row, RowChange, RowOp
from reference_impl.tso import compose

__all__ = ["Logged", "Plan", "Transaction", "collapsed", "shard"]

Identity: TypeAlias = tuple[int, int]
"""A row: the index of its table in the plan, and its number."""

_BEGIN_MS = 1_709_164_800_000  # 2024-02-29 00:00:00 UTC
_SIZES = (1, 1, 1, 1, 1, 1, 2, 2, 3, 5, 12)
_AGAIN = 0.06
_DELETES, _REKEYED, _RENUMBERED = 0.15, 0.012, 0.006
_FEW_INSERTS, _MANY_INSERTS = 0.08, 0.4
_TRIES = 500  # to fill a transaction; a tiny table has too few different images of its rows
_SAME_STATEMENT = 0.3
_BACK = 0.3
_SERVER = "3e11fa47-71ca-11e1-9e33-c80aa9429562"
_EVENT_BYTES = 280
_MS_OF_A_CHANGE = 30.5 * len(_SIZES) / sum(_SIZES)


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of a stream: its seed, tables and size."""

    sources: tuple[Source, ...]
    seed: int
    changes: int  # the number of changes that upstream logs
    shards: int = 1
    hot: float = 0.0  # the share of changes of one row (0 to 1); with several shards, the first shard has only this row
    statements: int = 0  # the number of statements that alter tables
    # A factor for rare events: changes of unique keys, and repeated changes of a row in a transaction, above all after
    # a delete.
    rare: int = 1

    def alterations(self) -> list[Alteration]:
        """The statements, in order: the same for every shard."""
        length = round(self.changes_of(self.shards - 1) * _MS_OF_A_CHANGE)
        return alterations(self.sources, self.seed, self.statements, _BEGIN_MS, length)

    def check(self) -> None:
        """Raise `UsageError` for a table that can have no rows, or too few for the shards."""
        for source in self.sources:
            rows = TableRows(source)
            if rows.capacity < self.shards:
                name = f"{source.table.schema}.{source.table.name}"
                raise UsageError(f"{name}: its keys allow {rows.capacity} rows, too few for {self.shards} shards")

    def changes_of(self, shard: int) -> int:
        """The number of changes of a shard."""
        if not self.hot or self.shards == 1:
            even, rest = divmod(self.changes, self.shards)
            return even + (shard < rest)
        of_hot = round(self.changes * self.hot)
        if shard == 0:
            return of_hot
        even, rest = divmod(self.changes - of_hot, self.shards - 1)
        return even + (shard <= rest)


@dataclass(frozen=True, slots=True)
class Logged:
    """A change as the server logs it.

    `before` and `after` identify the rows before and after it.
    """

    before: Identity | None
    after: Identity | None
    change: RowChange


@dataclass(frozen=True, slots=True)
class Transaction:
    """A transaction: the changes that upstream logs, and those that TiDB keeps."""

    commit_ts: int
    upstream: tuple[RowChange, ...]
    ticdc: tuple[RowChange, ...]


def collapsed(changes: Iterable[Logged]) -> tuple[RowChange, ...]:
    """The net changes of a transaction, deletes first: one a row, from its first image to its last."""
    first: dict[Identity, Row | None] = {}
    last: dict[Identity, tuple[Row | None, RowChange]] = {}
    for one in changes:
        for identity in dict.fromkeys((one.before, one.after)):
            if identity is not None:
                before = one.change.before if identity == one.before else None
                first.setdefault(identity, before)
                last[identity] = (one.change.after if identity == one.after else None, one.change)
    net = [_net(first[identity], after, change) for identity, (after, change) in last.items()]
    made = [change for change in net if change is not None]
    return tuple(sorted(made, key=lambda change: change.op != "delete"))


def _net(before: Row | None, after: Row | None, of: RowChange) -> RowChange | None:
    if before == after:
        return None
    return RowChange(_op(before, after), of.schema, of.table, of.commit_ts, before, after, start_ts=of.start_ts)


def _op(before: Row | None, after: Row | None) -> RowOp:
    return "insert" if before is None else "delete" if after is None else "update"


@dataclass(slots=True)
class _Rows:
    """The current rows of a table in a shard."""

    make: TableRows
    most: int  # about this many rows exist at a time
    live: dict[int, Row] = field(default_factory=dict)  # the rows by number
    order: list[int] = field(default_factory=list)  # the numbers of the rows
    back: list[int] = field(default_factory=list)  # the numbers of removed rows, which are free again
    given: int = 0  # how many numbers were used
    unique: int = 0  # how many numbers for other unique keys were drawn

    def set(self, number: int, row: Row) -> None:
        if number not in self.live:
            self.order.append(number)
        self.live[number] = row

    def remove(self, number: int) -> None:
        """Remove a row; the last row takes its position."""
        at = self.order.index(number)
        self.order[at] = self.order[-1]
        self.order.pop()
        del self.live[number]
        self.back.append(number)

    def empty(self) -> None:
        """Remove all rows."""
        self.back += self.order
        self.live.clear()
        self.order.clear()


class _Shard:
    def __init__(self, plan: Plan, number: int) -> None:
        self._plan, self._number = plan, number
        self._draw = Draw(plan.seed, "shard", number)
        self._is_hot = bool(plan.hot) and plan.shards > 1 and number == 0
        sources = plan.sources[:1] if self._is_hot else plan.sources
        rows = [TableRows(source) for source in sources]
        self._tables = [_Rows(make, self._most(make)) for make in rows]
        self._lots = [at for at, source in enumerate(sources) for _ in range(source.weight)]
        self._hot = 1.0 if self._is_hot else plan.hot if plan.shards == 1 else 0.0
        self._ms = _BEGIN_MS
        self._pos = 4
        self._alterations = plan.alterations()
        self._logged: list[Logged] = []

    def _most(self, make: TableRows) -> int:
        if self._is_hot:
            return 1
        share = self._plan.changes_of(self._number) // (40 * len(self._plan.sources))
        return max(1, min(max(6, share), 1500, make.capacity // self._plan.shards))

    def transactions(self) -> Iterator[Transaction | DdlEvent]:
        left, count = self._plan.changes_of(self._number), 0
        while left > 0:
            self._ms += self._draw.between(1, 60)
            while self._alterations and self._alterations[0].ms < self._ms:
                yield self._altered(count)
                count += 1
            size = 1 if self._is_hot else min(left, self._draw.of(_SIZES))
            self._logged = []
            for _ in range(_TRIES):
                self._change()
                if len(self._logged) == size:
                    break
            yield self._transaction(count)
            left, count = left - len(self._logged), count + 1
        while self._alterations:
            yield self._altered(count)
            count += 1

    def _altered(self, count: int) -> DdlEvent:
        """The next statement; existing rows are adapted to the table after it."""
        done = self._alterations.pop(0)
        if done.place < len(self._tables):
            rows = self._tables[done.place]
            rows.make = TableRows(done.source)
            rows.live = {number: done.row(row) for number, row in rows.live.items()}
            if done.empties:
                rows.empty()
        self._pos += _EVENT_BYTES
        return replace(done.event, source=self._source(self._nth(count), self._file, done.ms))

    # -- one change

    def _is_again(self) -> bool:
        """Whether the row that changed last changes again."""
        if not self._logged:
            return False
        rare = self._plan.rare
        return self._draw.chance(_AGAIN * (rare if self._logged[-1].after else rare**2))

    def _change(self) -> None:
        draw, again = self._draw, self._is_again()
        if again:
            touched = self._logged[-1].after or self._logged[-1].before
            assert touched is not None
            table, number = touched
        elif draw.chance(self._hot):
            table, number = 0, 0
        else:
            table, number = draw.of(self._lots), -1
        rows = self._tables[table]
        if number < 0:
            share = _MANY_INSERTS if len(rows.order) < rows.most else _FEW_INSERTS
            insert = not rows.order or (draw.chance(share) and len(rows.order) < 2 * rows.most)
            number = self._new_number(rows) if insert else rows.order[-1 - draw.skewed(len(rows.order))]
        self._of_row(table, number)

    def _new_number(self, rows: _Rows) -> int:
        if rows.back and self._draw.chance(_BACK):
            return rows.back.pop(self._draw.below(len(rows.back)))
        if (rows.given + 2) * self._plan.shards > rows.make.capacity and (rows.back or rows.order):
            return rows.back.pop() if rows.back else rows.order[0]
        # The hot row is number 0; without a shard of its own it belongs to the first shard.
        number = rows.given * self._plan.shards + self._number
        rows.given += 1
        return number

    def _of_row(self, table: int, number: int) -> None:
        rows, draw = self._tables[table], self._draw
        old, now = rows.live.get(number), datetime.fromtimestamp(self._ms / 1000, UTC)
        if old is None:
            if number in rows.back:
                rows.back.remove(number)
            gone = self._gone(table, number)
            if gone is not None and self._plan.rare > 1:
                self._log_unseen(table, None, number, None, rows.make.updated(draw, gone, now))  # with the same keys
            elif (unique := self._next_unique(rows)) is not None:
                self._log_unseen(table, None, number, None, rows.make.new(draw, number, unique, now))
            else:
                rows.back.append(number)
            return
        if draw.chance(_DELETES):
            self._log(table, number, None, old, None)
        elif rows.make.has_handle and not self._is_hot and draw.chance(_REKEYED):
            other = self._new_number(rows)
            if other not in rows.live:
                self._log_unseen(table, number, other, old, rows.make.rekeyed(old, other, now))
        elif rows.make.has_unique and draw.chance(self._plan.rare * _RENUMBERED):
            if (unique := self._next_unique(rows)) is not None:
                self._log_unseen(table, number, number, old, rows.make.renumbered(old, unique, now))
        else:
            row = rows.make.updated(draw, old, now)
            if row != old:
                self._log_unseen(table, number, number, old, row)

    def _gone(self, table: int, number: int) -> Row | None:
        """The row with a number that the previous change deleted, None if it deleted another or none."""
        last = self._logged[-1] if self._logged else None
        return last.change.before if last and last.before == (table, number) and last.after is None else None

    def _next_unique(self, rows: _Rows) -> int | None:
        """A number for other unique keys that no row has; None if rows have all of them."""
        share = rows.make.unique_capacity // self._plan.shards
        held = rows.make.unique_values(rows.live.values()) if rows.unique >= share else {}
        for _ in range(min(share, len(rows.live) + 1)):
            number = rows.unique % share * self._plan.shards + self._number
            rows.unique += 1
            if rows.unique <= share or not rows.make.are_held(held, number):
                return number
        return None

    def _log_unseen(self, table: int, number: int | None, then: int, old: Row | None, new: Row) -> None:
        """Log a change, but none that repeats an earlier image of its row in the transaction."""
        rows = self._tables[table]
        if new not in self._images(table, then):
            self._log(table, number, then, old, new)
        elif then not in rows.live:
            rows.back.append(then)

    def _images(self, table: int, number: int) -> list[Row]:
        """The earlier images of a row in the transaction."""
        identity = (table, number)
        ends = [(one.before, one.change.before) for one in self._logged]
        ends += [(one.after, one.change.after) for one in self._logged]
        return [row for identity_, row in ends if identity_ == identity and row is not None]

    def _log(self, table: int, number: int | None, then: int | None, old: Row | None, new: Row | None) -> None:
        rows = self._tables[table]
        if number is not None and number != then:
            rows.remove(number)
        if then is not None:
            assert new is not None
            rows.set(then, new)
        change = RowChange(_op(old, new), rows.make.table.schema, rows.make.table.name, None, old, new)
        before, after = (None if n is None else (table, n) for n in (number, then))
        self._logged.append(Logged(before, after, change))

    # -- positions

    def _transaction(self, count: int) -> Transaction:
        clock = 2 * self._number
        commit_ts, start_ts = compose(self._ms, clock + 1), compose(self._ms - 1, clock)
        changes = list(self._positioned(self._nth(count), commit_ts, start_ts))
        return Transaction(commit_ts, tuple(one.change for one in changes), collapsed(changes))

    def _nth(self, count: int) -> int:
        return count * self._plan.shards + self._number + 1

    @property
    def _file(self) -> str:
        return f"binlog.{self._number + 1:06}"

    def _positioned(self, nth: int, commit_ts: int, start_ts: int) -> Iterator[Logged]:
        """The changes with times and positions in the binary log; each shard is one log file."""
        previous: RowChange | None = None
        for one in self._logged:
            given = one.change
            is_same_statement = (
                previous is not None
                and (previous.op, previous.schema, previous.table) == (given.op, given.schema, given.table)
                and one.before == one.after
                and self._draw.chance(_SAME_STATEMENT)
            )
            if not is_same_statement:
                self._pos += _EVENT_BYTES
            previous = given
            source = self._source(nth, self._file, self._ms)
            change = RowChange(
                given.op, given.schema, given.table, commit_ts, given.before, given.after, start_ts, source=source
            )
            yield Logged(one.before, one.after, change)

    def _source(self, nth: int, file: str, ms: int) -> Mapping[str, object]:
        seconds = ms - ms % 1000
        gtid, pos = f"{_SERVER}:{nth}", str(self._pos)
        ts = str(ms + 2)
        return {
            "id": str(nth),
            "es": str(seconds),
            "ts": ts,
            "gtid": gtid,
            "ts_ms": ts,
            "rows_event": f"{file}/{pos}",
            "source": {"gtid": gtid, "file": file, "pos": pos, "thread": str(8 + self._number)},
        }


def shard(plan: Plan, number: int) -> Iterator[Transaction | DdlEvent]:
    """The transactions of a shard and the statements between them that alter tables, in order.

    Raises `UsageError`, see `TableRows`.
    """
    return _Shard(plan, number).transactions()
