"""``memdash up`` and ``memdash web`` as real processes, and a browser's part in plain HTTP."""

import queue
import re
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener

from tests.support.shell import PROGRAM, environment

SERVES = re.compile(r"memdash is at (http\S+)/")
LINK = re.compile(r"http\S+/sign-in/link/\S+")
CSRF = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')


class Browser:
    """Keeps cookies, follows redirects and posts forms with their token."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.cookies = CookieJar()
        self._opener = build_opener(HTTPCookieProcessor(self.cookies))

    def get(self, path: str) -> tuple[int, str]:
        """Return status and text of a page."""
        return self._open(Request(self._url(path)))

    def post(self, path: str, /, page: str = "", **fields: str) -> tuple[int, str]:
        """Post a form that stands on ``page`` (its address; the same as ``path`` when left out)."""
        found = CSRF.search(self.get(page or path)[1])
        data = urlencode({"csrfmiddlewaretoken": found[1] if found else "", **fields}).encode()
        return self._open(Request(self._url(path), data=data, headers={"Origin": self.address}))

    def sign_in(self, link: str) -> tuple[int, str]:
        """Spend a one-time link and return the page it leads to."""
        return self.post(link)

    def _url(self, path: str) -> str:
        return path if path.startswith("http") else self.address + path

    def _open(self, request: Request) -> tuple[int, str]:
        try:
            with self._opener.open(request, timeout=30) as answer:
                return answer.status, answer.read().decode()
        except HTTPError as error:
            return error.code, error.read().decode()


class Process:
    """A running command; what it says is read as it comes."""

    def __init__(self, arguments: tuple[str, ...], data: Path, settings: dict[str, str]) -> None:
        self.popen = subprocess.Popen(
            [*PROGRAM, *arguments],
            env=environment(data, **settings),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.said: list[str] = []
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.popen.stdout
        with self.popen.stdout as output:
            for line in output:
                self._lines.put(line)
        self._lines.put(None)

    def wait_for(self, pattern: re.Pattern[str], seconds: float = 30) -> re.Match[str]:
        """Return the first match in what it says from now on; fail when it ends or stays silent."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                line = None
            assert line is not None, f"{pattern.pattern} never came. It said:\n{''.join(self.said)}"
            self.said.append(line)
            if match := pattern.search(line):
                return match

    def stop(self, number: signal.Signals = signal.SIGINT, seconds: float = 10) -> tuple[int, float]:
        """Send a signal and return the exit code and the seconds it took to end; gone at the latest then."""
        began = time.monotonic()
        self.popen.send_signal(number)
        try:
            code = self.popen.wait(seconds)
        finally:
            self.kill()
        return code, time.monotonic() - began

    def kill(self) -> None:
        """End it without mercy, if it still runs."""
        if self.popen.poll() is None:
            self.popen.kill()
            self.popen.wait()
        self._reader.join(10)

    @property
    def rest(self) -> str:
        """Return all it said, once it has ended."""
        self._reader.join(10)
        while not self._lines.empty():
            self.said.append(self._lines.get() or "")
        return "".join(self.said)


class Server(Process):
    """A process that serves pages, ready."""

    def __init__(self, arguments: tuple[str, ...], data: Path, settings: dict[str, str]) -> None:
        super().__init__(arguments, data, settings)
        self.address = self.wait_for(SERVES)[1]
        self.browser = Browser(self.address)

    def sign_in(self) -> tuple[int, str]:
        """Sign in with the link that it prints and return the first page."""
        return self.browser.sign_in(self.wait_for(LINK)[0])


@contextmanager
def up(data: Path, *options: str, **settings: str) -> Iterator[Server]:
    """Run ``memdash up`` on a free port until the block ends."""
    server = Server(("up", "--port", "0", *options), data, settings)
    try:
        yield server
    finally:
        server.kill()
