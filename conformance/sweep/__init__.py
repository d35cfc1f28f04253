"""The fault sweep: changes the reference's answers by every operator at every path, and judges each.

A fault is one change at one path of an answer. Its place (operation, path pattern and column family) and its operator
identify it. The judge must find each fault at SHOULD or stronger, or the table of free forms must list it with its
source; any other survivor is a hole in the suite. `nodes`, `opening` and `bodies` take an answer apart, so that it
can be changed at one path and built again. `places` lists its paths, `operators` and `edits` are the changes,
`case_sample` chooses the cases, `judging` judges the faults, `free_forms` is the table of changes that break nothing,
`record` is the result as data, and `proofs` judges recorded faults again.
"""
