"""What every test stands on: a data folder of its own and a database of its own."""

import atexit
import os
import shutil
import tempfile

_folder = tempfile.mkdtemp(prefix="memdash-tests-")
atexit.register(shutil.rmtree, _folder, ignore_errors=True)
os.environ["MEMDASH_DATA"] = _folder
os.environ["MEMDASH_LEASE_SECONDS"] = "3"
os.environ["MEMDASH_RENEW_SECONDS"] = "1"
os.environ["MEMDASH_RECONCILE_SECONDS"] = "1"
os.environ.pop("ANTHROPIC_API_KEY", None)
os.environ.pop("ANTHROPIC_BASE_URL", None)
