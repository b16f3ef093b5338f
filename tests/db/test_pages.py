"""One view, one template: whole pages, parts for htmx, error pages, and what every answer carries."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.utils import timezone

from agents.models import JobSlot
from memdash.web import errors
from memdash.web.pages import render_page

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser(client: Client) -> Client:
    """Somebody's browser, signed in."""
    client.force_login(User.objects.create_user("mara", password="a long password"))
    return client


def test_htmx_gets_the_part_with_its_title_and_others_the_page(browser: Client) -> None:
    page = browser.get("/keys")
    request = browser.get("/keys", headers={"HX-Request": "true"}).wsgi_request
    part = render_page(request, "web/keys.html", {"title": "Keys"}, partial="keys")

    assert b"<!doctype html>" in page.content
    assert part.content.startswith(b"<title>Keys \xc2\xb7 memdash</title>")
    assert b"<!doctype html>" not in part.content
    assert "HX-Request" in page["Vary"]
    assert "HX-Request" in part["Vary"]


@pytest.mark.parametrize("address", ["/palette", "/keys"])
def test_what_opens_over_a_page_leaves_it_its_title(browser: Client, address: str) -> None:
    assert "<title>" not in browser.get(address, headers={"HX-Request": "true"}).content.decode()


def test_the_address_of_a_form_is_a_page_that_says_so_to_whoever_opens_it(browser: Client) -> None:
    answer = browser.get("/sign-out/")

    assert (answer.status_code, answer["Allow"]) == (405, "POST")
    assert "This is no page" in answer.content.decode()


@pytest.mark.parametrize("header", ["HX-Boosted", "HX-History-Restore-Request"])
def test_boosted_links_and_restored_history_get_the_whole_page(browser: Client, header: str) -> None:
    page = browser.get("/palette", headers={"HX-Request": "true", header: "true"})

    assert b"<!doctype html>" in page.content


def test_a_part_brings_the_toasts_that_wait(browser: Client) -> None:
    request = browser.get("/palette", headers={"HX-Request": "true"}).wsgi_request
    messages.success(request, "Saved <notes>.")

    part = render_page(request, "web/keys.html", {"title": "Keys"}, partial="keys").content.decode()

    assert 'hx-swap-oob="true"' in part
    assert "Saved &lt;notes&gt;." in part


def test_a_part_of_a_page_sends_the_browser_to_sign_in(client: Client) -> None:
    answer = client.get("/palette", headers={"HX-Request": "true", "HX-Current-URL": "http://testserver/stores/?q=a"})

    assert answer["HX-Redirect"] == "/sign-in/?next=%2Fstores%2F%3Fq%3Da"


@pytest.mark.parametrize("status", errors.WORDS)
def test_error_pages_say_what_to_do_without_detail(browser: Client, status: int) -> None:
    request = browser.get("/keys").wsgi_request

    page = errors.answer(request, status)

    assert page.status_code == status
    assert errors.WORDS[status].title in page.content.decode()


def test_an_address_that_leads_nowhere_is_a_page(browser: Client) -> None:
    page = browser.get("/no/such/page")

    assert page.status_code == 404
    assert b"There is nothing here" in page.content


def test_an_error_page_for_strangers_shows_no_rail(client: Client) -> None:
    request = client.get("/sign-in/").wsgi_request

    assert b"rail" not in errors.answer(request, 404).content


def test_a_bug_shows_a_page_without_detail(monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client(raise_request_exception=False)
    monkeypatch.setattr("memdash.accounts.views.SignInForm", raising(RuntimeError("secret detail")))

    page = client.get("/sign-in/")

    assert page.status_code == 500
    assert b"The server made a mistake" in page.content
    assert b"secret detail" not in page.content


def test_a_database_out_of_reach_is_no_mistake_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client(raise_request_exception=False)
    monkeypatch.setattr("memdash.accounts.views.SignInForm", raising(OperationalError("secret detail")))

    page = client.get("/sign-in/")

    assert page.status_code == 503
    assert b"Not available right now" in page.content
    assert b"secret detail" not in page.content


def test_who_may_not_do_something_reads_what(browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memdash.web.views.render_page", raising(PermissionDenied("You can look but not change.")))

    page = browser.get("/keys")

    assert page.status_code == 403
    assert b"You can look but not change." in page.content


def test_a_toast_of_an_error_stays(browser: Client) -> None:
    request = browser.get("/keys").wsgi_request
    messages.error(request, "Not pinned.")

    page = render_page(request, "web/keys.html", {"title": "Keys"}).content.decode()

    assert "Not pinned." in page
    assert "data-toast>" not in page


def test_the_palette_offers_pages_and_says_when_nothing_is_found(browser: Client) -> None:
    found = browser.get("/palette?q=agent").content.decode()
    nothing = browser.get("/palette?q=%3Cb%3Ezz").content.decode()

    assert "<mark>Agent</mark>s" in found
    assert "Nothing here is named “&lt;b&gt;zz”." in nothing


def test_an_answer_that_a_view_lets_be_kept_stays_so(browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def kept(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        return HttpResponse(headers={"Cache-Control": "private, max-age=60"})

    monkeypatch.setattr("memdash.web.views.render_page", kept)

    assert browser.get("/keys")["Cache-Control"] == "private, max-age=60"


def raising(error: Exception) -> Callable[..., None]:
    """Return a function that fails so, as a bug or an outage would."""

    def fail(*_: object, **__: object) -> None:
        raise error

    return fail


@pytest.mark.parametrize(
    ("silent", "words"),
    [(None, "Worker starting"), (timedelta(seconds=1), "Worker running"), (timedelta(hours=1), "No worker running")],
)
def test_the_rail_says_whether_a_worker_is_at_work(browser: Client, silent: timedelta | None, words: str) -> None:
    if silent:
        JobSlot.objects.create(job="reconcile", slot=1, claimed_at=timezone.now() - silent)

    assert words in browser.get("/keys").content.decode()


def test_a_title_spells_out_what_is_hidden_in_it(browser: Client) -> None:
    request = browser.get("/keys").wsgi_request

    page = render_page(request, "web/keys.html", {"title": "notes\u202edm.exe"}).content.decode()

    assert "<title>notes[U+202E]dm.exe · memdash</title>" in page
