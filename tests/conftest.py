"""Makes the sample services importable by name, here and in the processes that checks start."""

import sys
from pathlib import Path

from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).parent / "services"))

# How long an example or its making takes says more about the machine than about the code.
settings.register_profile(
    "compoworld", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("compoworld")
