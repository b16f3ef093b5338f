"""What every test stands on: a data folder of its own and a database of its own."""

import atexit
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import django
import hypothesis
import pytest
from pytest_django import DjangoDbBlocker

_folder = tempfile.mkdtemp(prefix="memdash-tests-")
atexit.register(shutil.rmtree, _folder, ignore_errors=True)
os.environ["MEMDASH_DATA"] = _folder
os.environ["MEMDASH_LEASE_SECONDS"] = "3"
os.environ["MEMDASH_RENEW_SECONDS"] = "1"
os.environ["MEMDASH_RECONCILE_SECONDS"] = "1"
os.environ["MEMDASH_DEMO_PACE"] = "0"
# This process's own database goes with it and need not wait for the disk; processes that tests start do.
os.environ["MEMDASH_SQLITE_SYNCHRONOUS"] = "NORMAL"
os.environ.pop("ANTHROPIC_API_KEY", None)
os.environ.pop("ANTHROPIC_BASE_URL", None)
# The broker of this process is its own memory; a Redis that is given is for the processes that tests start.
_redis_url = os.environ.pop("REDIS_URL", None)

# Named here and not in pyproject.toml, from where settings would be read before this file: from the operator's folder.
os.environ["DJANGO_SETTINGS_MODULE"] = "memdash.settings"
from django.conf import settings  # noqa: E402  (after the environment it reads)
from django.contrib.contenttypes.management import create_contenttypes  # noqa: E402
from django.db import connection  # noqa: E402
from django.db.models.signals import post_migrate  # noqa: E402

# Machines that run tests are busy; a slow example is no failure.
hypothesis.settings.register_profile("memdash", deadline=None)
hypothesis.settings.load_profile("memdash")

_database: dict[str, Any] = settings.DATABASES["default"]
_on_server = _database["ENGINE"].endswith("postgresql")
# A file, since threads and processes of the product share one; on a server, a name that nobody else's tests have.
_name = f"test_memdash_{os.getpid()}" if _on_server else str(Path(_folder) / "test.sqlite3")
_database.setdefault("TEST", {})["NAME"] = _name
# The list of static files is gone through for each client; servers that are to serve some are processes of their own.
settings.SERVESTATIC_USE_FINDERS = settings.SERVESTATIC_USE_STATIC_ROOT = False
django.setup()
# Processes that share the tests among them would read settings by this name before they come to this file.
del os.environ["DJANGO_SETTINGS_MODULE"]
if _redis_url:
    os.environ["REDIS_URL"] = _redis_url


pytest_plugins = ("tests.support.servers",)

WORKERS: Final = 8


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Run the whole suite in one process more than there are cores, as tests wait much; chosen tests in one."""
    if config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        return min((os.cpu_count() or 1) + 1, WORKERS)
    return 0


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> None:
    """Let a test that commits leave an empty database, without the rows of Django's that nothing here reads."""
    post_migrate.disconnect(dispatch_uid="django.contrib.auth.management.create_permissions")
    post_migrate.disconnect(create_contenttypes)


@pytest.fixture(scope="session", autouse=_on_server)
def plans_are_the_same_at_any_minute(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> None:
    """Keep PostgreSQL from gathering statistics of tables that are empty between two tests, and planning by them."""
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        for table in connection.introspection.table_names():
            cursor.execute(f"ALTER TABLE {connection.ops.quote_name(table)} SET (autovacuum_enabled = off)")


@pytest.fixture(autouse=True)
def reads_stay_with_their_test() -> Iterator[None]:
    """Keep buffered reads from being written by a thread, which does not see what a test has not committed."""
    from memories.store import reads

    reads.buffer.seconds, reads.buffer.most = None, 1_000_000
    yield
    reads.buffer.discard()
