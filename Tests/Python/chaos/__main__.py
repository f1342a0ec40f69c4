"""Kills a worker so often, with this seed: python -m chaos [KILLS] [SEED]"""

import pathlib
import random
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "examples" / "python"))

from chaos.trial import kill_under_load

kills = int(sys.argv[1]) if len(sys.argv) > 1 else 100
seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1_000_000)
directory = pathlib.Path(tempfile.mkdtemp(prefix="chaos-"))
outcome = kill_under_load(directory, kills, seed)
print(outcome)
for violation in outcome.violations[:50]:
    print(f"  {violation}")
if outcome.violations:
    sys.exit(f"What was said and done is in {directory}.")
shutil.rmtree(directory)
