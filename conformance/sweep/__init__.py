"""The fault sweep: every operator at every path of the reference's answers, each put to the ordinary judge.

A fault is one change at one path of an answer. Its place (operation, path pattern and column family) and its operator
identify it. Each is found at SHOULD or stronger, or it stands in the table of free forms with its source; any
other survivor is a hole in the suite. `nodes` and `opening` take an answer apart so that it can be changed at one path
and put together again, `places` lists its paths, `operators` is the table of changes, `drawing` picks the cases,
`judging` puts the faults to the judge, `free_forms` is the table of what is free, and `record` is the result as data.
"""

from __future__ import annotations

__all__: list[str] = []
