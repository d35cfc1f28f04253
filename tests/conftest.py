"""For all tests: no test of properties fails because the machine is slow, and the garbage collector looks seldom.

What the tests start hears Ctrl-C, also where a shell runs them in the background, which would have them ignore it.
"""

import gc
import signal

from hypothesis import HealthCheck, settings

settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

# The register and the corpora stay on the heap anyhow.
gc.set_threshold(50_000, 50, 100)

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
