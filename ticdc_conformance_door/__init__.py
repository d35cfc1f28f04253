"""What runs in the process of pytest. Nothing here imports another package of ours: their names may be taken there."""
