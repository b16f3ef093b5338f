"""How long ``memdash up`` takes to its first page, and how much memory it holds after half a minute."""

import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks.measure import Line
from tests.support.server import Server, up

FIRST_SECONDS = 10
SECONDS = 3
MEGABYTES = 160
REST_SECONDS = 30
ROUNDS = 3


def lines() -> Iterator[Line]:
    """Start with demo data in an empty data folder, then again on what is there."""
    with TemporaryDirectory(prefix="memdash-start-") as name:
        data = Path(name) / "data"
        began = time.perf_counter()
        with up(data, "--demo") as server:
            status, page = server.sign_in()
            took = time.perf_counter() - began
            cookies = list(server.browser.cookies)
            assert status == 200, page
            server.stop()
        yield Line("first page of a first start with --demo", FIRST_SECONDS, took, " s")
        taken = []
        for number in range(ROUNDS):
            began = time.perf_counter()
            with up(data) as server:
                for cookie in cookies:
                    server.browser.cookies.set_cookie(cookie)
                status, page = server.browser.get("/")
                taken.append(time.perf_counter() - began)
                assert status == 200, page
                if number == ROUNDS - 1:
                    time.sleep(REST_SECONDS)
                    yield Line("resident memory 30 s after the first page", MEGABYTES, _resident(server), " MB")
                server.stop()
        yield Line("first page on an existing data folder", SECONDS, max(taken), " s", f"worst of {ROUNDS}")


def _resident(server: Server) -> float:
    status = Path(f"/proc/{server.popen.pid}/status").read_text()
    (kilobytes,) = [line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:")]
    return int(kilobytes) / 1024
