"""``memdash up`` as an operator meets it: real processes, real signals, one data folder."""

import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from urllib.request import Request, urlopen
from uuid import UUID

import pytest

from tests.support.server import LINK, Server, up
from tests.support.shell import environment, memdash

STOPS_WITHIN = 5.0

START_A_RUN = """
import django; django.setup()
from django.contrib.auth.models import User
from agents import runs
from agents.making import create_agent
agent = create_agent(name="Support desk", model="demo/support-desk")
print(runs.start(agent, "Acme Ltd prefers mail on Tuesdays.", user=User.objects.get()).pk)
"""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server for the tests that only ask it for something."""
    with up(tmp_path_factory.mktemp("up") / "data") as running:
        yield running


def rows(data: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(f"file:{data / 'memdash.sqlite3'}?mode=ro", uri=True, timeout=20)) as database:
        return database.execute(query).fetchall()


def start_a_run(data: Path) -> None:
    django = {"DJANGO_SETTINGS_MODULE": "memdash.settings"}
    subprocess.run([sys.executable, "-c", START_A_RUN], env=environment(data, **django), timeout=60, check=True)


def wait_until(data: Path, query: str, *, seconds: float = 30) -> None:
    """Wait until the query's first value is true."""
    deadline = time.monotonic() + seconds
    while not rows(data, query)[0][0]:
        assert time.monotonic() < deadline, f"{query} stayed false; runs: {rows(data, 'SELECT * FROM agents_run')}"
        time.sleep(0.05)


def test_a_first_start_makes_everything_and_its_link_signs_the_operator_in(data: Path) -> None:
    with up(data) as server:
        status, page = server.sign_in()

        assert status == 200
        assert "sign-in" not in page.split("<main", 1)[1]
        assert data.stat().st_mode & 0o777 == 0o700
        assert (data / "secret-key").stat().st_mode & 0o777 == 0o600
        code, seconds = server.stop(signal.SIGINT)

    assert (code, server.rest.splitlines()[-1]) == (0, "Stopped.")
    assert seconds < STOPS_WITHIN
    assert "WARNING" not in server.rest
    assert "Traceback" not in server.rest


def test_a_link_works_once_and_login_link_makes_another_for_the_running_server(data: Path) -> None:
    with up(data) as server:
        link = server.wait_for(LINK)[0]
        server.browser.sign_in(link)
        server.browser.cookies.clear()

        again, _ = server.browser.get(link)
        said = memdash("login-link", data=data)

        assert again == 410
        assert said.stdout.startswith(f"{server.address}/sign-in/link/")
        assert server.browser.sign_in(said.stdout.strip())[0] == 200


def test_an_operator_who_has_a_password_gets_no_link(data: Path) -> None:
    memdash("migrate", data=data)
    memdash("createuser", "mia", "--operator", data=data, stdin="correct horse battery\n")

    with up(data) as server:
        status, _ = server.browser.post("/sign-in/", name="mia", password="correct horse battery")
        server.stop()

    assert status == 200
    assert not LINK.search(server.rest)


def test_a_second_start_says_who_holds_the_data_folder(server: Server, tmp_path: Path) -> None:
    (data,) = [line.split(": ")[1].strip() for line in server.said if line.startswith("Data folder")]

    said = memdash("up", "--port", "0", data=Path(data))

    (line,) = said.stderr.splitlines()
    assert said.returncode == 1
    assert f"held by process {server.popen.pid}, which serves {server.address}." in line


def test_a_port_in_use_is_told_with_its_holder_before_anything_starts(data: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        said = memdash("up", "--port", str(port), data=data)

    (line,) = said.stderr.splitlines()
    assert said.returncode == 1
    assert f"Port {port} on 127.0.0.1 is in use by " in line
    assert f"(process {os.getpid()})" in line
    assert "--port 0" in line
    assert not (data / "memdash.sqlite3").exists()


def test_sigterm_ends_it_though_a_browser_holds_a_request_open(data: Path) -> None:
    with up(data) as server:
        host, port = server.address.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as stuck:
            stuck.sendall(b"POST /sign-in/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc")
            time.sleep(0.3)
            code, seconds = server.stop(signal.SIGTERM)

    assert code == 0
    assert seconds < STOPS_WITHIN
    assert "Traceback" not in server.rest


def test_a_run_goes_on_right_after_a_kill_and_a_new_start(data: Path) -> None:
    slow = {"MEMDASH_DEMO_PACE": "0.2", "MEMDASH_RECONCILE_SECONDS": "1"}
    with up(data, **slow) as killed:
        start_a_run(data)
        wait_until(data, "SELECT state = 'running' AND turns > 0 FROM agents_run")
        killed.kill()
        assert rows(data, "SELECT state FROM agents_run") == [("running",)]

    # The lease of the killed one lasts for a minute; the held data folder proves sooner that it is dead.
    with up(data, MEMDASH_DEMO_PACE="0") as server:
        wait_until(data, "SELECT state = 'done' FROM agents_run", seconds=15)
        server.stop()

    assert rows(data, "SELECT lease_epoch FROM agents_run") == [(2,)]
    assert rows(data, "SELECT COUNT(*) > 0 FROM memories_memoryversion") == [(1,)]


def test_a_clean_stop_gives_a_run_back_and_ends_the_page_that_watches_it(data: Path) -> None:
    with up(data, MEMDASH_DEMO_PACE="0.2", MEMDASH_RECONCILE_SECONDS="1") as server:
        server.sign_in()
        start_a_run(data)
        wait_until(data, "SELECT state = 'running' AND turns > 0 FROM agents_run")
        ((run,),) = rows(data, "SELECT uuid FROM agents_run")
        cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in server.browser.cookies)
        host, port = server.address.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=10) as page:
            page.sendall(
                f"GET /runs/{UUID(str(run))}/events HTTP/1.1\r\nHost: {host}\r\nCookie: {cookies}\r\n\r\n".encode()
            )
            assert page.recv(1000).startswith(b"HTTP/1.1 200 ")
            code, seconds = server.stop()

    assert code == 0
    assert seconds < STOPS_WITHIN
    assert rows(data, "SELECT state, attempts FROM agents_run") == [("queued", 0)]
    assert "ERROR" not in server.rest
    assert "Traceback" not in server.rest


def test_static_files_are_served_as_they_lie_without_debug_and_to_no_other_site(server: Server) -> None:
    _, page = server.browser.get("/sign-in/")
    styles = re.findall(r'href="(/static/[^"]+\.css)"', page)

    assert styles
    for style in styles:
        with urlopen(server.address + style, timeout=10) as answer:
            assert answer.headers["Content-Type"].startswith("text/css")
            assert "Access-Control-Allow-Origin" not in answer.headers
    assert server.browser.get("/static/../memdash/settings.py")[0] == 404
    assert "Traceback" not in server.browser.get("/static/nothing.css")[1]


def test_a_request_above_the_limit_is_refused_however_it_is_sent(server: Server) -> None:
    host, port = server.address.removeprefix("http://").split(":")
    long = b"POST /sign-in/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2097153\r\n\r\n"
    chunk = b"100000\r\n" + b"x" * 0x100000 + b"\r\n"
    chunked = (
        b"POST /sign-in/ HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk * 2 + b"1\r\nx\r\n"
    )

    for request in (long, chunked):
        with socket.create_connection((host, int(port)), timeout=10) as connection:
            connection.sendall(request)
            assert connection.recv(100).startswith(b"HTTP/1.1 413 ")


def test_a_form_far_above_the_limit_is_answered_once_it_is_sent(server: Server) -> None:
    # Answered before that, a browser shows a broken connection.
    connection = HTTPConnection(server.address.removeprefix("http://"), timeout=30)
    with closing(connection):
        connection.request("POST", "/sign-in/", b"name=" + b"x" * 10_000_000)
        answer = connection.getresponse()

        assert (answer.status, answer.read()) == (413, b"The request is larger than 2 MiB. Nothing was saved.\n")


def test_pages_answer_only_to_names_of_this_machine(server: Server) -> None:
    request = Request(f"{server.address}/sign-in/", headers={"Host": "rebound.example"})

    with pytest.raises(OSError, match="400"):
        urlopen(request, timeout=10)


def test_a_proxy_is_believed_only_when_it_is_named(data: Path) -> None:
    behind = {"MEMDASH_PUBLIC_URL": "https://memory.example.org", "MEMDASH_TRUSTED_PROXIES": "127.0.0.1"}
    secure = {"Host": "memory.example.org", "X-Forwarded-Proto": "https"}
    with up(data, **behind) as server:
        local = server.browser.address
        with urlopen(Request(f"{_listens(server)}/sign-in/", headers=secure), timeout=10) as answer:
            cookie = answer.headers["Set-Cookie"]
            assert "max-age=86400" in answer.headers["Strict-Transport-Security"]

    assert local == "https://memory.example.org"
    assert cookie.startswith("__Host-memdash-csrf=")
    assert "Secure" in cookie


def _listens(server: Server) -> str:
    inode = {link.readlink().name for link in Path(f"/proc/{server.popen.pid}/fd").iterdir() if link.is_symlink()}
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if fields[3] == "0A" and f"socket:[{fields[9]}]" in inode:
            return f"http://127.0.0.1:{int(fields[1].rpartition(':')[2], 16)}"
    raise AssertionError("it listens nowhere")
