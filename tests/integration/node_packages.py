"""npm packages for tests that compare with other programs."""
import os
import shutil
import subprocess
import sys

import harness


def find(variable, packages):
    """Returns the folder node_modules that the variable names, or one that npm fills. Skips the test if neither is
    available."""
    given = os.environ.get(variable)
    if given:
        return given
    if shutil.which("node") and shutil.which("npm"):
        folder = harness.temporary_folder()
        command = ["npm", "install", "--no-audit", "--no-fund", "--fetch-retries=0", "--fetch-timeout=10000",
                   "--prefix", folder, *packages]
        try:
            subprocess.run(command, capture_output=True, check=True, timeout=120)
            return folder + "/node_modules"
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
            pass
    print("skipped: no node, or npm cannot fetch " + " ".join(packages))
    sys.exit(77)
