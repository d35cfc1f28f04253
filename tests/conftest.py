"""For all tests: no test of properties fails because the machine is slow, and the garbage collector looks seldom."""

import gc

from hypothesis import HealthCheck, settings

settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

# The register and the corpora stay on the heap anyhow.
gc.set_threshold(50_000, 50, 100)
