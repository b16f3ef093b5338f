"""The account: password, sessions and how pages look in this browser."""

from datetime import timedelta

import pytest
import time_machine
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from memdash.accounts.browsers import browser_name
from memdash.accounts.models import Session
from tests.db.conftest import PASSWORD

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quick_passwords")]


@pytest.fixture
def signed_in(mara: User) -> Client:
    """Mara's browser."""
    return entered()


def entered() -> Client:
    """Return a browser in which mara has signed in."""
    client = Client(headers={"User-Agent": FIREFOX})
    assert client.post("/sign-in/", {"name": "mara", "password": PASSWORD}).status_code == 302
    return client


def test_changing_the_password_ends_other_sessions_and_keeps_this_one(signed_in: Client) -> None:
    other = entered()

    answer = signed_in.post("/account/password", {"current": PASSWORD, "new": "another long one"}, follow=True)

    assert b"Password saved" in answer.content
    assert signed_in.get("/account/").status_code == 200
    assert other.get("/account/").status_code == 302
    assert User.objects.get().check_password("another long one")


def test_the_password_changes_only_with_the_current_one(signed_in: Client) -> None:
    answer = signed_in.post("/account/password", {"current": "nope", "new": "another long one"})

    assert answer.status_code == 422
    assert b"That is not your current password." in answer.content
    assert User.objects.get().check_password(PASSWORD)


def test_guessing_the_current_password_is_slowed_down(signed_in: Client) -> None:
    answers = [
        signed_in.post("/account/password", {"current": f"guess {number}", "new": "another long one"}).status_code
        for number in range(8)
    ]

    assert answers[:5] == [422] * 5
    assert 429 in answers[5:]


@pytest.mark.parametrize("new", ["short", "password12345", ""])
def test_short_and_common_passwords_are_refused(signed_in: Client, new: str) -> None:
    answer = signed_in.post("/account/password", {"current": PASSWORD, "new": new})

    assert answer.status_code == 422
    assert User.objects.get().check_password(PASSWORD)


def test_somebody_without_a_password_sets_one_without_the_current(client: Client) -> None:
    client.force_login(User.objects.create_user("newcomer"))

    page = client.get("/account/")
    answer = client.post("/account/password", {"new": "a first long one"})

    assert b"Current password" not in page.content
    assert answer.status_code == 302
    assert User.objects.get().check_password("a first long one")


def test_sessions_are_listed_with_browser_and_address(signed_in: Client) -> None:
    page = signed_in.get("/account/").content.decode()

    assert "Firefox on Linux" in page
    assert "127.0.0.1" in page
    assert "this one" in page


def test_other_sessions_end_at_a_click_and_this_one_goes_on(signed_in: Client) -> None:
    other = entered()
    somebody_else = Client()
    somebody_else.force_login(User.objects.create_user("noor"))

    answer = signed_in.post("/account/sessions/end-others", follow=True)

    assert b"1 other session ended." in answer.content
    assert other.get("/account/").status_code == 302
    assert signed_in.get("/account/").status_code == 200
    assert somebody_else.get("/account/").status_code == 200


def test_a_session_ends_after_twelve_hours_of_rest(mara: User) -> None:
    with time_machine.travel(timezone.now(), tick=False) as clock:
        client = entered()
        clock.shift(timedelta(hours=11))
        used = client.get("/account/").status_code
        clock.shift(timedelta(hours=11))
        used_again = client.get("/account/").status_code
        clock.shift(timedelta(hours=12, minutes=1))

        assert (used, used_again) == (200, 200)
        assert client.get("/account/").status_code == 302


def test_a_session_ends_after_seven_days_however_much_it_is_used(mara: User) -> None:
    with time_machine.travel(timezone.now(), tick=False) as clock:
        client = entered()
        for _ in range(16):
            clock.shift(timedelta(hours=10))
            assert client.get("/account/").status_code == 200
        clock.shift(timedelta(hours=9))

        assert client.get("/account/").status_code == 302


def test_sessions_that_are_over_leave_no_rows(mara: User) -> None:
    with time_machine.travel(timezone.now(), tick=False) as clock:
        entered()
        clock.shift(timedelta(days=8))
        entered()

    assert Session.objects.count() == 1


def test_the_theme_is_remembered_and_set_by_the_server(signed_in: Client) -> None:
    answer = signed_in.post("/preferences", {"theme": "dark", "next": "/account/"}, follow=True)

    assert b'data-theme="dark"' in answer.content
    assert b'data-theme="dark"' in Client(headers={"Cookie": "theme=dark"}).get("/sign-in/").content


def test_an_unknown_theme_changes_nothing(signed_in: Client) -> None:
    answer = signed_in.post("/preferences", {"theme": '"><script>', "next": "/account/"}, follow=True)

    assert b"data-theme=" not in answer.content


def test_switching_single_keys_off_and_on_says_so_with_the_way_back(signed_in: Client) -> None:
    off = signed_in.post("/keys/off", {"next": "/account/"}, follow=True)
    on = signed_in.post("/keys/on", {"next": "/account/"}, follow=True)

    assert off.redirect_chain == [("/account/", 302)]
    for page, state, way_back in ((off, "off", "on"), (on, "on", "off")):
        said = page.content.decode()
        assert f'data-keys="{state}"' in said
        toast = said.partition('<div class="toast"')[2]
        assert f"Single-letter keys are {state} in this browser." in toast
        assert f'action="/keys/{way_back}"' in toast


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        (FIREFOX, "Firefox on Linux"),
        ("Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0", "Edge on Windows"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Safari/604.1", "Safari on iPhone"),
        ("curl/8.0", "Unknown browser"),
        ("", "Unknown browser"),
    ],
)
def test_browsers_are_named_as_their_owners_know_them(agent: str, name: str) -> None:
    assert browser_name(agent) == name


def test_the_session_cookie_is_out_of_reach_of_scripts(signed_in: Client) -> None:
    cookie = signed_in.cookies[settings.SESSION_COOKIE_NAME]

    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
