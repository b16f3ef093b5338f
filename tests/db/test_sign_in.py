"""Getting in: with a name and a password, slowed down for whoever guesses, or with a one-time link."""

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from statistics import median
from time import process_time
from typing import Any

import pytest
import time_machine
from django.conf import global_settings, settings
from django.contrib.auth.models import User
from django.db import connections
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from memdash.accounts import links
from memdash.accounts.models import LoginLink
from tests.db.conftest import PASSWORD

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quick_passwords")]


def sign_in(client: Client, name: str = "mara", password: str = PASSWORD, **more: Any) -> HttpResponse:
    """Send the sign-in form."""
    answer: HttpResponse = client.post("/sign-in/", {"name": name, "password": password, **more})  # type: ignore[assignment]
    return answer


def test_the_right_password_leads_to_the_page_that_was_asked_for(mara: User, client: Client) -> None:
    asked = client.get("/account/")
    answer = sign_in(client, next="/account/")

    assert asked["Location"] == "/sign-in/?next=/account/"
    assert answer["Location"] == "/account/"
    assert client.get("/account/").status_code == 200


def test_wrong_password_and_unknown_name_get_the_same_answer(mara: User, client: Client) -> None:
    wrong = sign_in(client, password="nope")
    unknown = sign_in(client, name="nobody", password="nope")

    assert wrong.status_code == unknown.status_code == 422
    assert without_tokens(wrong).replace("mara", "nobody") == without_tokens(unknown)


def test_somebody_who_was_shut_out_gets_the_same_answer(mara: User, client: Client) -> None:
    User.objects.filter(pk=mara.pk).update(is_active=False)

    answer = sign_in(client)

    assert answer.status_code == 422
    assert b"That name and password do not match." in answer.content


def test_an_unknown_name_takes_as_long_as_a_wrong_password(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.PASSWORD_HASHERS = global_settings.PASSWORD_HASHERS
    User.objects.create_user("mara", password=PASSWORD)
    monkeypatch.setattr("memdash.accounts.throttle.claim", lambda _: timedelta())

    known = median(time_to_refuse("mara") for _ in range(5))
    unknown = median(time_to_refuse("nobody") for _ in range(5))

    assert 0.7 < unknown / known < 1.4


def test_fifty_guesses_in_a_row_meet_a_wall_and_the_right_one_does_not_help(mara: User, client: Client) -> None:
    answers = [sign_in(client, password=f"guess {number}").status_code for number in range(50)]
    right = sign_in(client)

    assert answers[:5] == [422] * 5
    assert set(answers[5:]) <= {422, 429}
    assert answers.count(422) < 10
    assert right.status_code == 429
    assert b"Too many tries. Wait" in right.content


def test_names_that_nobody_has_are_slowed_down_alike(client: Client) -> None:
    answers = [sign_in(client, name="nobody", password="x").status_code for _ in range(8)]

    assert answers[:5] == [422] * 5
    assert 429 in answers[5:]


def test_waiting_long_enough_opens_the_door_again(mara: User, client: Client) -> None:
    with time_machine.travel(timezone.now(), tick=False) as clock:
        for _ in range(6):
            sign_in(client, password="nope")
        early = sign_in(client)
        clock.shift(timedelta(minutes=16))
        late = sign_in(client)

    assert early.status_code == 429
    assert late.status_code == 302


def test_getting_in_forgets_the_failures_before(mara: User, client: Client) -> None:
    for _ in range(4):
        sign_in(client, password="nope")
    sign_in(client)
    other = Client()

    answers = [sign_in(other, password="nope").status_code for _ in range(5)]

    assert answers == [422] * 5


def test_many_names_from_one_address_are_slowed_down(client: Client) -> None:
    answers = [sign_in(client, name=f"name{number}", password="x").status_code for number in range(40)]

    assert answers[:20] == [422] * 20
    assert 429 in answers[20:]


def test_addresses_of_one_ipv6_network_count_as_one(client: Client) -> None:
    answers = [
        client.post(
            "/sign-in/", {"name": f"name{number}", "password": "x"}, REMOTE_ADDR=f"2001:db8::{number:x}"
        ).status_code
        for number in range(40)
    ]

    assert 429 in answers


def test_a_header_does_not_change_where_a_guess_comes_from(client: Client) -> None:
    answers = [
        client.post(
            "/sign-in/",
            {"name": f"name{number}", "password": "x"},
            headers={"X-Forwarded-For": f"203.0.113.{number}", "X-Real-IP": f"203.0.113.{number}"},
        ).status_code
        for number in range(40)
    ]

    assert 429 in answers


@pytest.mark.django_db(transaction=True)
def test_guesses_sent_at_once_get_no_further_than_one_by_one() -> None:
    def guess(number: int) -> int:
        try:
            return sign_in(Client(), password=f"guess {number}").status_code
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(guess, range(16)))

    assert answers.count(422) <= 6


def test_signing_in_changes_the_session_key_and_signing_out_ends_it(mara: User, client: Client) -> None:
    sign_in(client)
    first = client.cookies[settings.SESSION_COOKIE_NAME].value
    client.post("/sign-out/")
    sign_in(client)
    second = client.cookies[settings.SESSION_COOKIE_NAME].value
    stolen = Client()
    stolen.cookies[settings.SESSION_COOKIE_NAME] = first

    assert first != second
    assert stolen.get("/account/").status_code == 302


def test_a_link_signs_in_once(mara: User, client: Client) -> None:
    path = links.create(mara)

    looked = client.get(path)
    spent = client.post(path)
    again = Client().post(path)

    assert looked.status_code == 200
    assert (spent.status_code, spent["Location"]) == (302, "/")
    assert client.get("/account/").status_code == 200
    assert again.status_code == 410
    assert b"This link no longer works" in again.content


def test_looking_at_a_link_does_not_spend_it(mara: User, client: Client) -> None:
    path = links.create(mara)

    for _ in range(3):
        client.get(path)

    assert client.post(path).status_code == 302


def test_a_link_lives_for_fifteen_minutes(mara: User, client: Client) -> None:
    with time_machine.travel(timezone.now(), tick=False) as clock:
        path = links.create(mara)
        clock.shift(timedelta(minutes=15, seconds=1))

        assert client.post(path).status_code == 410


def test_a_link_of_somebody_who_was_shut_out_lets_nobody_in(mara: User, client: Client) -> None:
    path = links.create(mara)
    User.objects.filter(pk=mara.pk).update(is_active=False)

    assert client.post(path).status_code == 410


def test_the_token_of_a_link_is_not_in_the_database(mara: User) -> None:
    token = links.create(mara).rsplit("/", 1)[1]

    row = LoginLink.objects.get()

    assert token not in str(row.__dict__)
    assert len(token) >= 43


@pytest.mark.django_db(transaction=True)
def test_a_link_spent_twice_at_once_lets_one_in() -> None:
    path = links.create(User.objects.create_user("mara"))

    def spend(_: int) -> int:
        try:
            return Client().post(path).status_code
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(spend, range(4)))

    assert sorted(answers) == [302, 410, 410, 410]


def without_tokens(answer: HttpResponse) -> str:
    """Return the page without the token that differs each time."""
    return re.sub(r'csrfmiddlewaretoken" value="\w+"', "", answer.content.decode())


def time_to_refuse(name: str) -> float:
    """Return the processor time that a refusal takes."""
    started = process_time()
    sign_in(Client(), name=name, password="nope")
    return process_time() - started
