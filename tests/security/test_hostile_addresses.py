"""Numbers no row holds and characters no database takes, in whatever part of an address a page reads."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.http import QueryDict
from django.test import Client
from django.urls import reverse

from agents.models import Run
from memories.models import MemoryEntry
from tests.browser import cases
from tests.support.routes import arguments, routes

pytestmark = pytest.mark.django_db(transaction=True)

HUGE = "9223372036854775808"
NUL = "a\0b"
# Pages that read more of their address than the case of their route shows.
DEEPER = {
    "memories:files": ("?view=blame&line=1", "?view=readers&line=1&page=1", "?view=raw&line=1&from=1"),
    "memories:history": ("?v=2&page=1&open=1-2&before=3&layout=split&file=x",),
    "memories:agent-view": ("?path=/memories&range=1-2",),
    "memories:tree": ("?q=a", "?before=/memories/a&after=/memories/b"),
    "memories:stores": ("?q=a&page=1",),
    "agents:runs": ("?q=a&page=1",),
    "agents:run": ("?until=1",),
}


class Asked(dict[str, str]):
    """An address's query as a dict that tells which names are asked for."""

    def __init__(self, query: QueryDict, names: set[str]) -> None:
        super().__init__((name, str(query[name])) for name in query)
        self.names = names

    def get(self, name: str, otherwise: Any = None) -> Any:
        self.names.add(name)
        return super().get(name, otherwise)


def noting(usual: Callable[..., Any], names: set[str]) -> Callable[..., Any]:
    """Return a method of queries that does what it usually does and adds the name that it was asked for."""

    def noted(query: QueryDict, name: str, *more: Any) -> Any:
        names.add(name)
        return usual(query, name, *more)

    return noted


@contextmanager
def asked_for() -> Iterator[set[str]]:
    """Collect the names that are looked for in queries meanwhile."""
    names: set[str] = set()
    with pytest.MonkeyPatch.context() as patch:
        for method in ("get", "getlist", "__getitem__", "__contains__"):
            patch.setattr(QueryDict, method, noting(getattr(QueryDict, method), names))
        patch.setattr(QueryDict, "dict", lambda query: Asked(query, names))
        yield names


@pytest.fixture
def browser() -> Client:
    """Return the operator's browser, in a world with a row of each kind."""
    mara = User.objects.create_superuser("mara", password="a long password")
    cases.seed(1)
    client = Client(raise_request_exception=False)
    client.force_login(mara)
    return client


def addresses() -> Iterator[str]:
    """Yield an address of every page, and more of those whose address says more."""
    for route, case in cases.cases().items():
        if address := case.path():
            yield address
            yield from (urlsplit(address).path + query for query in DEEPER.get(route, ()))
    # A file that has moved since: the page leads on to where it is, with the rest of the address.
    yield "/stores/customer-notes/history/accounts/acme.md?v=1"


def hostile(browser: Client, address: str) -> Iterator[str]:
    """Yield the address with each thing in turn that its page reads made hostile."""
    parts = urlsplit(address)
    given = dict(parse_qsl(parts.query))
    with asked_for() as names:
        browser.get(address)
    for name in sorted(names | given.keys() | {"slug", "path"}):
        values = {NUL, HUGE, re.sub(r"\d+", HUGE, given.get(name, ""))}
        yield from (f"{parts.path}?{urlencode(given | {name: value})}" for value in sorted(values))


def failures(answers: dict[str, int]) -> dict[str, int]:
    return {address[:200]: status for address, status in answers.items() if status >= 500}


def test_no_page_fails_by_a_value_in_its_query(browser: Client) -> None:
    hostile_ones = [each for address in addresses() for each in hostile(browser, address)]

    assert len(hostile_ones) > 500
    assert failures({address: browser.get(address).status_code for address in hostile_ones}) == {}


def test_a_character_that_no_text_has_is_refused_in_words(browser: Client) -> None:
    for address in ("/tokens/?agent=a%00b", "/stores/?q=%00", "/stores/a/files/b%00.md", "/palette?%00=1"):
        answer = browser.get(address)

        assert answer.status_code == 400, address
        assert "U+0000" in answer.text


def test_no_address_fails_by_a_number_or_a_name_in_its_path(browser: Client) -> None:
    rows = {"uuid": Run.objects.earliest("pk").uuid, "file_id": MemoryEntry.objects.filter(kind="file")[0].uuid}
    answers = {}
    for route in routes():
        taken = arguments(route)
        usual = {name: {"int": 1, "uuid": rows.get(name, UUID(int=0))}.get(kind, "x") for name, kind in taken.items()}
        for name in (name for name, kind in taken.items() if kind in ("int", "str", "path")):
            for value in (HUGE, "9" * 5000) if taken[name] == "int" else (NUL, HUGE):
                address = reverse(route, kwargs=usual | {name: value})
                for send in (browser.get, browser.post):
                    answers[f"{send.__name__} {address}"] = send(address).status_code

    assert len(answers) > 50
    assert failures(answers) == {}
