"""`init --lang LANGUAGE DIR`: writes a harness to begin with, its settings, and a workflow that judges it."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import Any

from conformance.errors import UsageError
from conformance.skeletons import PROTOCOLS, Skeleton, load_skeletons, write_skeleton

__all__ = ["register"]

_WRAPPER = "-wrapper"


def register(commands: Any) -> None:
    """Add the command."""
    languages = [name for name in load_skeletons() if not name.endswith(_WRAPPER)]
    parser = commands.add_parser("init")
    parser.add_argument(
        "directory", metavar="DIR", type=Path, help="the folder to write into; existing files are never overwritten"
    )
    parser.add_argument("--lang", metavar="LANG", required=True, choices=languages, help=", ".join(languages))
    parser.add_argument("--protocol", metavar="P", choices=PROTOCOLS, default=PROTOCOLS[0], help=", ".join(PROTOCOLS))
    wrapped = ", ".join(name.removesuffix(_WRAPPER) for name in load_skeletons() if name.endswith(_WRAPPER))
    parser.add_argument(
        "--wrap-encoder",
        action="store_true",
        help=f"({wrapped}) a harness around an EventBatchEncoder, as TiCDC's encoders are",
    )
    parser.set_defaults(handle=_init)


def _init(args: argparse.Namespace) -> int:
    skeleton = _skeleton(args.lang, args.wrap_encoder)
    folder: Path = args.directory
    names = write_skeleton(skeleton, folder, args.protocol)
    for name in names:
        print(f"  {folder / name}")
    print(f"{len(names)} files: a harness in {skeleton.language} for {args.protocol}")
    print(f"Your code goes into {skeleton.source}. Judge it as it is:")
    there = "" if folder.resolve() == Path.cwd() else f"cd {shlex.quote(str(folder))} && "
    print(f"  {there}{skeleton.start}")
    return 0


def _skeleton(language: str, wraps_encoder: bool) -> Skeleton:
    name = language + (_WRAPPER if wraps_encoder else "")
    skeletons = load_skeletons()
    if name not in skeletons:
        others = ", ".join(n.removesuffix(_WRAPPER) for n in skeletons if n.endswith(_WRAPPER))
        raise UsageError(f"--wrap-encoder is for --lang {others}; leave it out for --lang {language}")
    return skeletons[name]
