"""`python -m benchmarks.comparison`: the cost of a comparison, on Spark and on one machine, with limits, no verdict.

Every figure is a ratio of two measurements of one run, so that it is comparable between machines: to `orjson.loads`
on the same messages, to datacompy on the same rows, or of one size to another. Rates are by the wall clock, on the
cores that `--master` names, so nothing else may run on the machine; rates by core time follow them.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeAlias

from benchmarks.comparison_local import LIMITS, slopes
from benchmarks.comparison_run import Cost, run
from benchmarks.comparison_streams import LEAST, Streams, messages_of, streams
from benchmarks.decoding import LIMIT as DECODING_LIMIT
from benchmarks.decoding import measure as measure_decoding
from benchmarks.decoding import seconds_of_loads

__all__ = ["PARTS", "Figure", "Setting", "main"]

_LARGEST = 2_000_000
_QUICK = 40_000
_SAMPLE = 40_000
_ROWS_BESIDE_DATACOMPY = 300_000
_GIGA = 2**30


@dataclass(frozen=True, slots=True)
class Setting:
    """The measured sizes: up to `changes` a side, with streams in `cache` and results below `out`."""

    changes: int
    cache: Path
    out: Path
    master: str = "local[2]"

    @property
    def sizes(self) -> tuple[int, ...]:
        """Changes a side: eighths, quarters and halves of the whole, and the whole."""
        return tuple(self.changes // part for part in (8, 4, 2, 1))

    @property
    def cores(self) -> int:
        """The cores that the master names."""
        digits = "".join(c for c in self.master if c.isdigit())
        return int(digits or 1)

    def first(self, changes: int) -> Streams:
        """Streams with this number of changes."""
        return streams(self.cache, self.changes).first(changes, self.out)


@dataclass(frozen=True, slots=True)
class Figure:
    """A ratio or an amount, with its limit."""

    name: str
    value: float
    # The limit as text, such as `<= 4` or `0.85-1.15`.
    limit: str
    # Further measurements by name, without a limit.
    more: Mapping[str, float]

    def line(self) -> str:
        """The figure as a line of text."""
        more = ", ".join(f"{key} {value:,.4g}" for key, value in self.more.items())
        return f"{self.name:<44} {self.value:>8.3f}   limit {self.limit:<10} {more}"


_Figures: TypeAlias = Iterator[Figure]


def _loads_cost(compared: Streams) -> tuple[float, float]:
    """Core seconds of `orjson.loads` for a message, the best of five runs, and the mean bytes of a message.

    Measured on the sides that are JSON.
    """
    messages = [value for folder in compared.json_folders for value in messages_of(folder, _SAMPLE)]
    seconds = seconds_of_loads(messages, times=5)
    return seconds / len(messages), sum(map(len, messages)) / len(messages)


def _shares_of_loads(cost: Cost, loads: float, cores: int) -> dict[str, float]:
    """Rates of a comparison as shares of the rate of `orjson.loads` alone; `loads` is its core seconds a message."""
    return {
        "seconds": cost.messages / cost.seconds * loads / cores,
        "seconds with start": cost.messages / cost.seconds_in_all * loads / cores,
        "core seconds": cost.messages / cost.core_seconds * loads,
        "core seconds with start": cost.messages / cost.core_seconds_in_all * loads,
    }


def _end_to_end(setting: Setting) -> _Figures:
    """The rate of whole messages on Spark as a share of that of `orjson.loads`."""
    changes = setting.sizes[-2]
    compared = setting.first(changes)
    loads, size = _loads_cost(compared)
    cost = run(compared, setting.out / "end-to-end", setting.master)
    ratios = _shares_of_loads(cost, loads, setting.cores)
    more = {"messages": cost.messages, "bytes": size, "messages/s": cost.rate, "orjson us": 1e6 * loads} | ratios
    yield Figure(
        f"end to end of {setting.cores} x orjson.loads, {changes:,} a side", ratios["seconds"], ">= 0.19", more
    )


def _local(setting: Setting) -> _Figures:
    """The core time of each additional message on one machine, by pair of dialects, for at least `LEAST` changes."""
    changes = max(setting.sizes[0], LEAST)
    for pair, compared, slope in slopes(setting.cache, setting.out, changes):
        loads, size = _loads_cost(compared)
        more = {"us": 1e6 * slope, "bytes": size, "orjson us": 1e6 * loads}
        yield Figure(
            f"one machine, x orjson.loads, {pair}, {changes:,} a side", slope / loads, f"<= {LIMITS.get(pair, 6)}", more
        )


def _linear(setting: Setting) -> _Figures:
    """The rate of each size relative to that of the smallest; the memory of the largest."""
    costs = {n: run(setting.first(n), setting.out / "linear", setting.master) for n in setting.sizes}
    first = costs[setting.sizes[0]]
    for changes, cost in costs.items():
        by_cores = (cost.messages / cost.core_seconds) / (first.messages / first.core_seconds)
        core = {"core us": 1e6 * cost.core_seconds / cost.messages, "by core seconds": by_cores}
        more = {"messages/s": cost.rate, **core, "peak GiB": cost.peak / _GIGA}
        yield Figure(f"rate at {changes:,} of that at {setting.sizes[0]:,}", cost.rate / first.rate, "0.85-1.15", more)
    peak = costs[setting.sizes[-1]].peak / 1e9
    yield Figure(f"GB resident at the peak, {setting.sizes[-1]:,} a side", peak, "< 6", {})


def _merge(setting: Setting) -> _Figures:
    """The speed of the merge by fingerprints relative to datacompy."""
    from benchmarks.comparison_datacompy import compare_with_datacompy

    rows = min(_ROWS_BESIDE_DATACOMPY, setting.changes)
    compared = setting.first(max(rows, 20_000))
    took = compare_with_datacompy(compared, setting.out / "datacompy", setting.master, rows)
    seconds = took.by_fingerprints
    rates = {"rows": took.rows, "rows/s": took.rows / seconds, "datacompy rows/s": took.rows / took.datacompy}
    yield Figure("merge by fingerprints x datacompy", took.datacompy / seconds, ">= 30", {**rates, **took.cells})


def _hot(setting: Setting) -> _Figures:
    """The time for streams in which one row has 12 % of the changes, relative to streams without such a row."""
    changes = setting.sizes[-2]
    plain, hot = (
        run(streams(setting.cache, changes, preset=preset), setting.out / preset, setting.master)
        for preset in ("shop", "hot")
    )
    by_cores = (hot.core_seconds / hot.messages) / (plain.core_seconds / plain.messages)
    more = {"messages": hot.messages, "by core seconds": by_cores, "peak GiB": hot.peak / _GIGA}
    yield Figure(f"a hot key of 12 %, {changes:,} a side", plain.rate / hot.rate, "< 1.15", more)


def _decode(setting: Setting) -> _Figures:
    """The time of decoding to slim records relative to `orjson.loads`, by dialect."""
    for dialect, measured in measure_decoding(changes=min(_SAMPLE, setting.changes)).items():
        more = {"bytes": measured["bytes"], "orjson us": measured["loads_us"]}
        limit = f"<= {DECODING_LIMIT:g}" if not dialect.startswith("debezium") or "without" in dialect else "-"
        yield Figure(f"decode x orjson.loads, {dialect}", measured["ratio"], limit, more)


PARTS: Mapping[str, Callable[[Setting], _Figures]] = {
    "decode": _decode,
    "merge": _merge,
    "local": _local,
    "end-to-end": _end_to_end,
    "linear": _linear,
    "hot": _hot,
}
"""The values of `--only`."""


def _parts(text: str) -> list[str]:
    names = text.split(",")
    if unknown := [name for name in names if name not in PARTS]:
        raise argparse.ArgumentTypeError(f"{unknown[0]!r} is none of {', '.join(PARTS)}")
    return names


def main(arguments: list[str] | None = None) -> None:
    """Print the requested figures; with `--json` also write them to a file."""
    parser = argparse.ArgumentParser(prog="benchmarks.comparison", description=__doc__.partition("\n")[0])
    parser.add_argument("--changes", type=int, default=_LARGEST, help="of the largest size, a side (2,000,000)")
    parser.add_argument("--quick", action="store_true", help=f"{_QUICK:,} changes")
    parser.add_argument("--only", type=_parts, default=list(PARTS), help=f"some of {','.join(PARTS)}")
    parser.add_argument("--streams", type=Path, default=Path("out/bench-streams"), help="where they are kept")
    parser.add_argument("--master", default="local[2]", help="of Spark (local[2])")
    parser.add_argument("--json", type=Path, help="a file for the figures")
    args = parser.parse_args(arguments)
    figures = []
    with tempfile.TemporaryDirectory() as scratch:
        changes = _QUICK if args.quick else args.changes
        setting = Setting(changes, args.streams.resolve(), Path(scratch), args.master)
        for name in args.only:
            for figure in PARTS[name](setting):
                print(figure.line(), flush=True)
                figures.append(asdict(figure))
    if args.json:
        args.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
