"""Two or three streams of the same changes compared, at any size, and every difference given a name.

`sources` reads messages, `decode` turns them into slim records, `align` lays the changes of one key side by side and
turns what differs into differences, `classify` names them, and `result` sums them up. None of these knows processes or
Spark: the runners (`local`, `spark`, and `live` for streams that go on) call them, through the batches of `batches`.
"""
