"""Measures how much of our own code the tests check, by a fixed sample of mutants of reference and oracle.

A mutant is one small change of one place; it dies when a test that can reach the place fails. What is changed how comes
from mutmut's table of operators and three of ours; which mutants are tried is drawn once by a seed, and written down.

    python -m tools.mutation [--sample NAME] [--only TEXT] [--again]   tries the mutants of a sample
    python -m tools.mutation --report                                  writes docs/mutation.md
    python -m tools.mutation --draw NAME --seed N --each N             draws a sample
    python -m tools.mutation --refill NAME --seed N                    draws others for those that are gone
"""
