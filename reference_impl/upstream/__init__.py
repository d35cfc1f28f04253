"""Dialects that TiCDC's protocols descend from, as their own producers write them."""
