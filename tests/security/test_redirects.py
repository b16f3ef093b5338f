"""Nobody is led away: after signing in and out one stays on our pages."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client, RequestFactory

from memdash.web.targets import local_target
from memories import store as memory
from memories.commands import Create
from memories.paths import MemoryPath
from tests.support.stores import PERSON, new_store

CASES = json.loads((Path(__file__).parent.parent / "data/security/redirect_targets.json").read_text())
PASSWORD = "correct horse battery"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_target_is_followed_only_on_our_own_pages(case: dict[str, Any], rf: RequestFactory) -> None:
    target = local_target(case["next"], rf.get("/"))

    assert target == (case["next"] if case["verdict"] == "accept" else "/")


@pytest.mark.django_db
@pytest.mark.parametrize("case", [case for case in CASES if case["verdict"] == "refuse"], ids=lambda case: case["id"])
def test_signing_in_and_changing_preferences_lead_nowhere_else(case: dict[str, Any], client: Client) -> None:
    User.objects.create_user("mara", password=PASSWORD)

    signed_in = client.post("/sign-in/", {"name": "mara", "password": PASSWORD, "next": case["next"]})
    again = client.get("/sign-in/", {"next": case["next"]})
    changed = client.post("/preferences", {"theme": "dark", "next": case["next"]})

    assert signed_in["Location"] == again["Location"] == changed["Location"] == "/"


@pytest.mark.django_db
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_the_page_that_takes_an_act_back_leads_to_our_own_pages_only(case: dict[str, Any], client: Client) -> None:
    client.force_login(User.objects.create_superuser("mara", password=None))
    store = new_store()
    act = memory.apply(store.pk, Create(MemoryPath("/memories/a.md"), "tea\n"), actor=PERSON).change_set

    looked = client.get(f"/acts/{act}/undo", {"next": case["next"]}).context
    done = client.post(f"/acts/{act}/undo", {"next": case["next"]})

    is_ours = case["verdict"] == "accept"
    assert looked["next"] == (case["next"] if is_ours else "")
    assert done["Location"] == (case["next"] if is_ours else f"/stores/{store.slug}/files/")
