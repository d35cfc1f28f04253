"""The sub-commands of `report`, a module each; `conformance.cli.report` has their table."""
