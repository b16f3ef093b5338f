"""What every test stands on: a data folder of its own and a database of its own."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

import pytest

_folder = tempfile.mkdtemp(prefix="memdash-tests-")
atexit.register(shutil.rmtree, _folder, ignore_errors=True)
os.environ["MEMDASH_DATA"] = _folder
os.environ["MEMDASH_LEASE_SECONDS"] = "3"
os.environ["MEMDASH_RENEW_SECONDS"] = "1"
os.environ["MEMDASH_RECONCILE_SECONDS"] = "1"
os.environ.pop("ANTHROPIC_API_KEY", None)
os.environ.pop("ANTHROPIC_BASE_URL", None)


@pytest.fixture(scope="session")
def django_db_modify_db_settings() -> None:
    """Name the test database: a file, as processes and threads of the product share one; on a server, nobody else's."""
    from django.conf import settings

    database = settings.DATABASES["default"]
    on_server = database["ENGINE"].endswith("postgresql")
    name = f"test_memdash_{os.getpid()}" if on_server else str(Path(_folder) / f"test-{os.getpid()}.sqlite3")
    database["TEST"] = {**database.get("TEST", {}), "NAME": name}
