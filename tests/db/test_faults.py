"""Forms that were refused: the page begins with what is wrong, and each fault leads to a field that says so too."""

from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from inspect import getmembers, isclass
from typing import Any

import pytest
from django.forms import BaseForm
from django.test import Client
from django.test.html import Element, parse_html

from agents import forms as agent_forms
from agents.making import create_agent
from agents.models import Place, RunState
from memdash.accounts import forms as account_forms
from memories import forms as store_forms
from memories import store
from memories.commands import Create, Delete
from memories.models import MemoryStore
from memories.paths import MemoryPath
from tests.support.people import browser_of, operator
from tests.support.run_rows import run_in
from tests.support.stores import PERSON

pytestmark = pytest.mark.django_db

AGENT: dict[str, Any] = {"name": " ", "model": "gone", "max_turns": "0", "max_cost": "much", "context_keep": "few"}
TEXTS = {
    "texts-TOTAL_FORMS": "2",
    "texts-INITIAL_FORMS": "0",
    "texts-0-text": "a mail",
    "texts-0-trust": "external",
    "texts-1-name": "a page",
    "texts-1-trust": "trusted",
}


@dataclass(frozen=True)
class Refused:
    """What is sent to a form to be refused, and the names of the fields that are to blame."""

    form: type[BaseForm]
    address: Callable[[], str]
    sent: dict[str, Any]
    blamed: set[str] = field(default_factory=set)
    others: tuple[type[BaseForm], ...] = ()


def here() -> str:
    return f"/agents/{create_agent(name='Support desk').slug}/settings"


def elsewhere() -> str:
    return f"/agents/{create_agent(name='Coach', place=Place.API).slug}/settings"


def of_store(page: str) -> str:
    return f"/stores/{create_agent(name='Support desk').store.slug}/{page}"


def message() -> str:
    return f"/runs/{run_in(RunState.DONE, create_agent(name='Support desk')).uuid}/message"


def new_run() -> str:
    create_agent(name="Support desk")
    return "/runs/new"


def of_file(act: str) -> str:
    memory_store = create_agent(name="Support desk").store
    store.apply(memory_store.pk, Create(MemoryPath("/memories/notes.md"), "tea\n"), actor=PERSON)
    if act == "restore":
        store.apply(memory_store.pk, Delete(MemoryPath("/memories/notes.md")), actor=PERSON)
    return f"/files/{memory_store.entries.get(kind='file').uuid}/{act}"


TEA = {"text": "tea", "base_version": "1", "base_sha256": sha256(b"tea\n").hexdigest()}
LIMITS = {"max_output_tokens", "context_trigger", "compaction_trigger"}
CASES = [
    Refused(agent_forms.NameForm, elsewhere, {"name": ""}, {"name"}),
    Refused(agent_forms.AgentForm, here, AGENT, {*AGENT, *LIMITS}),
    Refused(agent_forms.AgentForm, here, {**AGENT, "system_prompt": "x" * 100_001}, {*AGENT, *LIMITS, "system_prompt"}),
    Refused(agent_forms.NewAgentForm, lambda: "/agents/new", {**AGENT, "store": "gone"}, {*AGENT, *LIMITS, "store"}),
    Refused(agent_forms.FolderForm, lambda: "/agents/import", {"act": "look"}, {"folder", "agent"}),
    Refused(agent_forms.PriceForm, lambda: "/models/", {"model": "", "input": "five"}, {"model", "input"}),
    Refused(agent_forms.PriceForm, lambda: "/models/", {"model": "claude-opus-5-5", "output": "-1"}, {"output"}),
    Refused(agent_forms.AgentChoice, new_run, {**TEXTS, "agent": "gone", "text": "Hello"}, {"agent", "texts-1-text"}),
    Refused(
        agent_forms.MessageForm,
        message,
        {**TEXTS, "text": "", "texts-0-name": "n" * 201},
        {"text", "texts-0-name", "texts-1-text"},
        (agent_forms.AttachmentForm,),
    ),
    Refused(store_forms.NewStoreForm, lambda: "/stores/new", {"name": "", "slug": "?"}, {"name", "slug"}),
    Refused(
        store_forms.StoreSettingsForm,
        lambda: of_store("settings"),
        {"name": "", "description": "x" * 1025, "file_kib": "0", "most_files": "", "store_mib": "big"},
        {"name", "description", "file_kib", "most_files", "store_mib"},
    ),
    Refused(store_forms.MemberForm, lambda: of_store("members"), {"username": "nobody"}, {"username"}),
    Refused(store_forms.MemberForm, lambda: of_store("members"), {"role": "king"}, {"username", "role"}),
    Refused(store_forms.EditForm, lambda: of_file("edit"), {**TEA, "note": "x" * 1025}, {"note"}),
    Refused(store_forms.NewFileForm, lambda: of_store("new-file"), {"text": "", "path": "../x"}, {"path"}),
    Refused(store_forms.MoveForm, lambda: of_file("rename"), {"path": ""}, {"path"}),
    Refused(store_forms.RestoreForm, lambda: of_file("restore"), {"path": "a//b"}, {"path"}),
    Refused(account_forms.PasswordForm, lambda: "/account/password", {"new": "short"}, {"new"}),
]
NO_FAULTS = {
    account_forms.SignInForm: "its two fields are all there is on the page, and the first has the focus",
    store_forms.NoteForm: "its field cuts what is too long; a toast says so where it does not",
    store_forms.SeenForm: "nobody fills it in",
    store_forms.TextForm: "two forms have its fields, and no page has it alone",
    store_forms.StoreForm: "two forms have its fields, and no page has it alone",
    store_forms.MergeForm: "an editor's fields and two that nobody fills in; what is wrong leads back to the editor",
    store_forms.ReplaceForm: "it asks by its address and changes nothing; its page says at the field what is wrong",
    store_forms.VersionForm: "it looks up by its address and changes nothing; its page says at the field what is wrong",
}


def elements_of(page: str) -> list[Element]:
    """Return the page's elements in their order."""
    found: list[Element] = []

    def walk(element: Element) -> None:
        found.append(element)
        for child in element.children:
            if isinstance(child, Element):
                walk(child)

    walk(parse_html(page))
    return found


def attributes(element: Element) -> dict[str, str]:
    return {name: value or "" for name, value in element.attributes}


def sent_by(browser: Client, case: Refused) -> list[Element]:
    """Return the page that answers the form."""
    answer = browser.post(case.address(), case.sent)

    assert answer.status_code == 422
    return elements_of(answer.content.decode())


def test_every_form_is_tried_or_has_a_reason_not_to_be() -> None:
    modules = (agent_forms, store_forms, account_forms)
    forms = {each for module in modules for _, each in getmembers(module, isclass) if issubclass(each, BaseForm)}

    tried = {form for case in CASES for form in (case.form, *case.others)}

    assert {form for form in forms if form.__module__.partition(".")[0] != "django"} == tried | set(NO_FAULTS)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.form.__name__)
def test_a_refused_form_leads_from_the_top_of_its_page_to_each_field(case: Refused) -> None:
    page = sent_by(browser_of(operator()), case)

    by_id = {attributes(element)["id"]: element for element in page if "id" in attributes(element)}
    focused = next(element for element in page if "autofocus" in attributes(element))
    links = [attributes(element)["href"] for element in elements_of(str(focused)) if element.name == "a"]
    fields = [by_id[link.removeprefix("#")] for link in links]
    assert attributes(focused)["tabindex"] == "-1"
    assert {attributes(each).get("name", attributes(each)["id"].removeprefix("id_")) for each in fields} == case.blamed
    for faulty in fields:
        known = attributes(faulty)
        assert faulty.name in ("input", "select", "textarea") or known["tabindex"] == "-1"
        assert known["aria-invalid"] == "true"
        assert any("msg-e" in str(by_id[told]) for told in known["aria-describedby"].split())


@pytest.mark.parametrize("address", [lambda: of_store("members"), lambda: "/account/password"])
def test_the_address_of_a_refused_form_can_be_opened_again(address: Callable[[], str]) -> None:
    assert browser_of(operator()).get(address(), follow=True).status_code == 200


def test_a_member_that_nobody_knows_is_named_at_the_field_and_kept_there() -> None:
    browser = browser_of(operator())
    address = of_store("members")

    page = browser.post(address, {"username": "nobody", "role": "curator"}).content.decode()

    assert "Nobody here is called nobody." in page.partition('id="id_username_error"')[2]
    assert 'value="nobody" aria-invalid="true"' in page
    assert '<option value="curator" selected>' in page.partition('id="id_role"')[2]
    assert MemoryStore.objects.get().members.count() == 0
