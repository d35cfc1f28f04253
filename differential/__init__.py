"""Compares two or three streams of the same changes, at any size, and explains every difference.

`sources` reads messages, `decode` turns them into slim records, `align` aligns the changes of each key and reports
differences, `classify` finds the divergences that explain them, and `result` sums them up. None of these knows
processes or Spark: the runners (`local`, `spark`, and `live` for growing streams) call them through `batches`.
"""
