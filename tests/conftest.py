"""Makes the sample services importable by name, here and in the processes that checks start."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "services"))
