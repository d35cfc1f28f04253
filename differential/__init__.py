"""Two or three streams of the same changes compared, at any size, and every difference given a name.

`changes` reads messages to changes, `alignment` lays the changes of one key side by side, `comparison` turns what
differs into differences. None of them knows files, processes or Spark: runners at the edge call them.
"""
