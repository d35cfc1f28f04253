"""A real consumer as a harness: `ticdc-conformance run --iut "cmd:python -m harnesses.consumers flink-1.20.4"`.

python -m harnesses.consumers NAME      becomes the harness of that consumer
python -m harnesses.consumers           prints the names
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from harnesses.consumers.built import CONSUMERS, command
from harnesses.providers.service import Unavailable


def main(names: list[str]) -> int:
    """Replace this process by the harness; without a name, print the names.

    Returns 4 for an unknown name or an unavailable consumer.
    """
    if not names:
        print("\n".join(CONSUMERS))
        return 0
    if len(names) != 1 or names[0] not in CONSUMERS:
        print(f"name one of: {', '.join(CONSUMERS)}", file=sys.stderr)
        return 4
    try:
        argv = command(names[0])
        os.execv(argv[0], argv)
    except (OSError, Unavailable) as e:
        print(e, file=sys.stderr)
        return 4


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
