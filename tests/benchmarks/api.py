"""The HTTP API beside the tool in process: what a call costs more, and how many calls one process answers at once."""

import json
import threading
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from tests.benchmarks.measure import Line, Step, interleaved
from tests.benchmarks.subject import product
from tests.benchmarks.tool import SMALL
from tests.support.new_token import token_at
from tests.support.server import Server, up

ROUNDS = 200
MORE_MS = 8
MOST_MS = 15
CLIENTS = 16
PER_SECOND = 100
SECONDS = 10


def lines() -> Iterator[Line]:
    """Serve with ``memdash up``, on SQLite, and call from this process over connections that stay open."""
    with TemporaryDirectory(prefix="memdash-api-") as name:
        folder = Path(name)
        inside = product(folder / "inside")
        with up(folder / "data") as server:
            slug, secret = token_at(folder / "data")
            caller = Caller(server, slug, secret)
            for title, fields in calls():
                yield from compared(title, fields, inside.call, caller.call)
            yield from crowd(server, slug, secret)
            caller.close()
            server.stop()
        inside.close()


class Caller:
    """A program elsewhere with one connection."""

    def __init__(self, server: Server, slug: str, secret: str) -> None:
        self._connection = HTTPConnection(server.address.removeprefix("http://"), timeout=30)
        self._path = f"/api/v1/stores/{slug}/memory"
        self._headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}

    def call(self, body: dict[str, Any]) -> None:
        """Send one call; fail unless it is answered well."""
        self._connection.request("POST", self._path, json.dumps(body), self._headers)
        response = self._connection.getresponse()
        answer = json.loads(response.read())
        assert response.status == 200 and not answer["is_error"], answer

    def close(self) -> None:
        self._connection.close()


def calls() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield calls by their names; ``{n}`` in a text becomes the number of the round."""
    yield "create", {"command": "create", "path": "/memories/made/{n}.md", "file_text": SMALL}
    yield "view", {"command": "view", "path": "/memories/made/{n}.md"}
    yield (
        "str_replace",
        {"command": "str_replace", "path": "/memories/made/{n}.md", "old_str": "012 of", "new_str": "twelve of"},
    )


def compared(title: str, fields: dict[str, Any], inside: Any, over_http: Any) -> Iterator[Line]:
    """Measure a call of a session against the same command in process; each has a store of its own."""

    def numbered(number: int) -> dict[str, Any]:
        return {name: value.replace("{n}", str(number)) for name, value in fields.items()}

    def told(number: int) -> dict[str, Any]:
        said = {"session": "benchmark", "turn": number + 1, "tool_use_id": f"{title}-{number}", "cause": "Measure."}
        return numbered(number) | said

    steps: list[Step] = [lambda number: inside(numbered(number)), lambda number: over_http(told(number))]
    in_process, served = (seconds * 1e3 for seconds in interleaved(steps, ROUNDS))
    yield Line(f"{title} over the API", MOST_MS, served, " ms", f"in process {in_process:.2f} ms")
    yield Line(f"{title} over the API, more than in process", MORE_MS, served - in_process, " ms")


def crowd(server: Server, slug: str, secret: str) -> Iterator[Line]:
    """Let 16 programs call one process 100 times a second in all, each in a session of its own."""
    taken: list[float] = []
    failed: list[str] = []
    every = CLIENTS / PER_SECOND
    begin = time.monotonic() + 0.5

    def client(place: int) -> None:
        caller = Caller(server, slug, secret)
        for number in range(int(SECONDS / every)):
            due = begin + number * every + place / PER_SECOND
            time.sleep(max(0.0, due - time.monotonic()))
            body = {"command": "create", "path": f"/memories/crowd/{place}-{number}.md", "file_text": SMALL}
            if number % 2:
                body = {"command": "view", "path": f"/memories/crowd/{place}-{number - 1}.md"}
            started = time.perf_counter()
            try:
                caller.call(body | {"session": f"crowd-{place}", "turn": number + 1})
            except Exception as failure:
                failed.append(f"{type(failure).__name__}: {failure}")
            taken.append(time.perf_counter() - started)
        caller.close()

    threads = [threading.Thread(target=client, args=[place]) for place in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lasted = time.monotonic() - begin
    each = f"median {median(taken) * 1e3:.1f} ms, slowest {max(taken) * 1e3:.0f} ms"
    yield Line(f"{len(taken):,} calls of {CLIENTS} clients, errors", 0, len(failed), "", failed[0] if failed else each)
    yield Line(
        f"the same at {PER_SECOND} a second, time",
        SECONDS * 1.05,
        lasted,
        " s",
        f"{len(taken) / lasted:.0f} a second",
    )
