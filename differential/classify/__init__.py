"""Which divergence of the catalogue explains a difference."""
