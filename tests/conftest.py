"""The collector of garbage looks at the whole heap seldom: the register and the corpora stay there anyhow."""

import gc

gc.set_threshold(50_000, 50, 100)
