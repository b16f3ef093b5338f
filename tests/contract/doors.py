"""The doors through which calls of the memory tool come; each gives new stores of this process's database."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from anthropic.tools import ToolError
from django.contrib.auth.models import User
from django.db import connection

from agents.making import create_agent
from agents.models import Scope
from agents.tokens import make_token
from memdash.client import MemdashMemoryTool
from memories.models import Member, Role
from tests.contract.conformance import Store
from tests.support.server import up
from tests.support.stores import ToolStore, text_of

Door = Callable[[Path], AbstractContextManager[Callable[[], Store]]]


class ClientStore(ToolStore):
    """An empty store behind the client for programs elsewhere."""

    def __init__(self, address: str) -> None:
        super().__init__()
        self._secret = self.token()
        self._client = MemdashMemoryTool(url=address, store=self.memory.slug, token=self._secret)

    def token(self) -> str:
        """Return the secret of a token with which an agent of the store may read and write."""
        user, _ = User.objects.get_or_create(username="mia")
        Member.objects.create(user=user, store=self.memory, role=Role.OWNER)
        agent = create_agent(name=self.memory.name, store=self.memory)
        return make_token(agent, self.memory, "cases", Scope.WRITE, user=user, expires_at=None)[1]

    def call(self, value: object) -> tuple[str, bool]:
        try:
            return text_of(self._client.call(value)), False
        except ToolError as error:
            content: Any = error.content
            return text_of(content), True


class HttpStore(ClientStore):
    """An empty store behind plain requests, as a program in any language sends them."""

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self._connection = HTTPConnection(address.removeprefix("http://"), timeout=30)
        self._headers = {"Authorization": f"Bearer {self._secret}", "Content-Type": "application/json"}

    def call(self, value: object) -> tuple[str, bool]:
        path = f"/api/v1/stores/{self.memory.slug}/memory"
        self._connection.request("POST", path, json.dumps(value), self._headers)
        response = self._connection.getresponse()
        body = json.loads(response.read())
        if response.status in (413, 422):
            return body["detail"], True
        assert response.status == 200, body
        return text_of(body["content"]), body["is_error"]


@contextmanager
def tool(folder: Path) -> Iterator[Callable[[], Store]]:
    """Call the tool in this process."""
    yield ToolStore


@contextmanager
def client(folder: Path) -> Iterator[Callable[[], Store]]:
    """Call it through the client for programs elsewhere and a server process on this process's database."""
    with serving(folder) as address:
        yield lambda: ClientStore(address)


@contextmanager
def http(folder: Path) -> Iterator[Callable[[], Store]]:
    """Call it over HTTP, a request for each call, at such a server process."""
    with serving(folder) as address:
        yield lambda: HttpStore(address)


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Give the address of a server process with a data folder of its own, on this process's database."""
    settings = {"DJANGO_SETTINGS_MODULE": "tests.support.other_program"}
    settings["TEST_DATABASE"] = str(connection.settings_dict["NAME"])
    if "DATABASE_URL" in os.environ:
        settings["DATABASE_URL"] = os.environ["DATABASE_URL"]
    with up(folder, **settings) as server:
        yield server.address


DOORS: dict[str, Door] = {"tool": tool, "client": client, "http": http}
