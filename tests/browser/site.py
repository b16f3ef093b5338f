"""A server of the product with rows to look at: ``python -m tests.browser.site ROWS``, stopped by SIGTERM.

ROWS is how many of each kind, or "hostile" for payloads everywhere. It prints one line of JSON once it serves: its
address, the cookie of somebody signed in, and the paths to open.
"""

import json
import socket
import sys
import tempfile
from os import environ


def main(rows: str) -> None:
    """Migrate a database of its own, make rows, and serve pages without a worker."""
    with tempfile.TemporaryDirectory(prefix="memdash-site-") as folder:
        environ["MEMDASH_DATA"] = folder
        environ["MEMDASH_SQLITE_SYNCHRONOUS"] = "NORMAL"
        environ["DJANGO_SETTINGS_MODULE"] = "memdash.settings"
        environ.pop("DATABASE_URL", None)
        environ.pop("REDIS_URL", None)
        _serve(rows)


def _serve(rows: str) -> None:
    import django

    django.setup()
    import uvicorn
    from django.conf import settings
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from django.test import Client

    from memdash.asgi import application
    from tests.browser import cases, hostile

    call_command("migrate", verbosity=0)
    operator = User.objects.create_superuser("mara", password="a long password")
    client = Client()
    client.force_login(operator)
    if rows == "hostile":
        paths, pages = {}, hostile.seed()
    else:
        cases.seed(int(rows))
        paths, pages = {name: case.path() for name, case in cases.cases().items()}, {}
    listener = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    told = {
        "address": address,
        "cookie": {"name": settings.SESSION_COOKIE_NAME, "value": client.session.session_key, "url": address},
        "paths": paths,
        "pages": pages,
    }
    print(json.dumps(told), flush=True)
    uvicorn.Server(uvicorn.Config(application, lifespan="off", log_config=None)).run(sockets=[listener])


if __name__ == "__main__":
    main(sys.argv[1])
