"""The part of the plug-in in pytest's process. It imports no other package of ours: the user may have their names."""
