"""Making agents, their settings, deleting them, and what models cost."""

from decimal import Decimal
from typing import Any

import pytest
from django.test import Client, override_settings
from django.utils.html import escape

from agents.known_models import KNOWN_MODELS
from agents.making import create_agent
from agents.models import Agent, ModelPrice, Place, RunState
from agents.steering import STEERING
from memories.models import Member, Role
from tests.support.people import browser_of, member, operator, stranger
from tests.support.run_rows import run_in
from tests.support.stores import new_store

pytestmark = pytest.mark.django_db

SETTINGS: dict[str, Any] = {
    "name": "Support desk",
    "model": "claude-opus-5-5",
    "other_model": "",
    "system_prompt": "",
    "max_output_tokens": "8,192",
    "max_turns": "40",
    "max_run_output_tokens": "100,000",
    "max_minutes": "60",
    "max_cost": "",
    "context_editing": "on",
    "context_trigger": "100,000",
    "context_keep": "3",
    "compaction_trigger": "150,000",
}


@pytest.fixture
def agent() -> Agent:
    return create_agent(name="Support desk")


@pytest.fixture
def owner(agent: Agent) -> Client:
    """The browser of an owner of the agent's store."""
    return browser_of(member(agent.store, Role.OWNER))


def test_a_person_makes_an_agent_with_a_store_of_its_own_and_owns_that() -> None:
    user = stranger()

    answer = browser_of(user).post("/agents/new", {**SETTINGS, "store": ""})

    agent = Agent.objects.get()
    assert answer["Location"] == "/agents/support-desk/settings"
    assert (agent.name, agent.model, agent.max_run_output_tokens) == ("Support desk", "claude-opus-5-5", 100_000)
    assert Member.objects.get(store=agent.store, user=user).role == Role.OWNER


def test_an_agent_may_share_a_store_that_its_maker_owns() -> None:
    memory = new_store()
    browser = browser_of(member(memory, Role.OWNER))

    assert memory.name in browser.get("/agents/new").content.decode()
    browser.post("/agents/new", {**SETTINGS, "store": memory.slug})

    assert Agent.objects.get().store == memory


@pytest.mark.parametrize("role", [None, Role.VIEWER, Role.CURATOR])
def test_nobody_makes_an_agent_in_a_store_they_do_not_own(role: Role | None) -> None:
    memory = new_store()
    user = member(memory, role) if role else stranger()

    answer = browser_of(user).post("/agents/new", {**SETTINGS, "store": memory.slug})

    assert answer.status_code == 422
    assert not Agent.objects.exists()


def test_saving_changes_what_was_changed_and_nothing_else(owner: Client, agent: Agent) -> None:
    prompt = "  Keep one file per customer.\r\n\r\nPut dates on decisions.\r\n"

    owner.post(
        "/agents/support-desk/settings", {**SETTINGS, "system_prompt": prompt, "max_turns": "", "max_cost": "2.50"}
    )

    agent.refresh_from_db()
    assert agent.system_prompt == "  Keep one file per customer.\n\nPut dates on decisions.\n"
    assert (agent.max_turns, agent.max_cost) == (None, Decimal("2.50"))
    assert (agent.max_output_tokens, agent.context_editing, agent.compaction) == (8192, True, False)


def test_a_field_that_no_form_has_is_not_set(owner: Client, agent: Agent) -> None:
    elsewhere = new_store()

    owner.post(
        "/agents/support-desk/settings",
        {
            **SETTINGS,
            "slug": "mine",
            "store": elsewhere.pk,
            "store_id": elsewhere.pk,
            "place": "api",
            "last_run_number": 7,
        },
    )

    kept = agent.slug, agent.store_id, agent.place, agent.last_run_number
    agent.refresh_from_db()
    assert (agent.slug, agent.store_id, agent.place, agent.last_run_number) == kept


def test_a_model_outside_the_list_may_be_typed(owner: Client, agent: Agent) -> None:
    owner.post("/agents/support-desk/settings", {**SETTINGS, "model": "", "other_model": "claude-of-tomorrow"})

    agent.refresh_from_db()
    assert agent.model == "claude-of-tomorrow"
    page = owner.get("/agents/support-desk/settings").content.decode()
    assert 'value="claude-of-tomorrow" checked' in page


def test_an_agent_is_not_saved_without_a_model(owner: Client, agent: Agent) -> None:
    answer = owner.post("/agents/support-desk/settings", {**SETTINGS, "model": "", "other_model": " "})

    assert answer.status_code == 422
    assert "Enter the name of the model" in answer.content.decode()


def test_clearing_that_starts_above_compaction_is_an_error_at_its_field(owner: Client, agent: Agent) -> None:
    answer = owner.post("/agents/support-desk/settings", {**SETTINGS, "context_trigger": "160,000", "compaction": "on"})

    page = answer.content.decode()
    assert answer.status_code == 422
    assert "Compaction starts at 150,000, so clearing would never happen." in page
    assert 'id="id_context_trigger" name="context_trigger"' in page
    assert 'aria-describedby="id_context_trigger-error"' in page
    assert 'value="160,000"' in page


def test_the_same_figures_are_fine_while_one_of_both_is_off(owner: Client, agent: Agent) -> None:
    owner.post("/agents/support-desk/settings", {**SETTINGS, "context_trigger": "160,000"})

    agent.refresh_from_db()
    assert agent.context_trigger == 160_000


def test_a_live_run_is_said_to_keep_its_settings(owner: Client, agent: Agent) -> None:
    run_in(RunState.RUNNING, agent)

    page = owner.get("/agents/support-desk/settings").content.decode()

    assert "Run 1</a> is live. It keeps the settings it started with" in page


def test_settings_name_the_other_agents_of_the_store(owner: Client, agent: Agent) -> None:
    create_agent(name="Night triage", store=agent.store)

    page = owner.get("/agents/support-desk/settings").content.decode()

    assert "Also used by" in page
    assert "Night triage" in page


def test_an_agent_that_runs_elsewhere_has_a_name_to_set_and_no_budgets() -> None:
    agent = create_agent(name="Coach", place=Place.API)
    browser = browser_of(operator())

    page = browser.get("/agents/coach/settings").content.decode()
    browser.post("/agents/coach/settings", {"name": "Trainer"})

    agent.refresh_from_db()
    assert "Budgets" not in page
    assert agent.name == "Trainer"


@pytest.mark.parametrize("verb", ["settings", "delete", "restore"])
@pytest.mark.parametrize(("role", "status"), [(None, 404), (Role.VIEWER, 403), (Role.CURATOR, 403)])
def test_only_owners_reach_an_agents_settings(agent: Agent, verb: str, role: Role | None, status: int) -> None:
    browser = browser_of(member(agent.store, role) if role else stranger())

    answer = browser.post(f"/agents/support-desk/{verb}", {**SETTINGS, "name": "Taken over"})

    agent.refresh_from_db()
    assert answer.status_code == status
    assert (agent.name, agent.archived_at) == ("Support desk", None)


def test_without_a_key_a_new_agents_page_says_which_model_answers() -> None:
    browser = browser_of(stranger())

    with override_settings(MEMDASH_ANTHROPIC_API_KEY=""):
        assert "only the scripted demo model answers" in browser.get("/agents/new").content.decode()
    with override_settings(MEMDASH_ANTHROPIC_API_KEY="sk-made-up"):
        assert "only the scripted demo model answers" not in browser.get("/agents/new").content.decode()


def test_prices_start_unknown_and_are_set_by_the_operator() -> None:
    browser = browser_of(operator())
    assert 'placeholder="unknown" value=""' in browser.get("/models/").content.decode()

    browser.post(
        "/models/", {"model": "claude-opus-5-5", "input": "5", "output": "25", "cache_write": "", "cache_read": "0.5"}
    )

    price = ModelPrice.objects.get()
    assert (price.model, price.input, price.output) == ("claude-opus-5-5", Decimal(5), Decimal(25))
    assert price.cache_write is None
    assert 'value="0.5"' in browser.get("/models/").content.decode()


def test_a_price_that_is_no_number_is_kept_on_the_page_and_not_saved() -> None:
    answer = browser_of(operator()).post("/models/", {"model": "claude-opus-5-5", "input": "five"})

    assert answer.status_code == 422
    assert 'value="five"' in answer.content.decode()
    assert not ModelPrice.objects.exists()


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("  ", "This field is required."),
        ("m" * 201, "at most 200 characters"),
        ("demo/support-desk", "The scripted demo model costs nothing"),
    ],
)
def test_a_model_that_can_have_no_price_is_refused_at_its_field(model: str, said: str) -> None:
    answer = browser_of(operator()).post("/models/", {"model": model, "input": "5"})

    assert answer.status_code == 422
    assert 'aria-describedby="id_model-error"' in answer.content.decode()
    assert said in answer.content.decode().partition('id="id_model-error"')[2].partition("</th>")[0]
    assert not ModelPrice.objects.exists()


def test_an_agent_without_a_model_has_no_row_of_prices_and_no_choice_of_an_empty_name() -> None:
    create_agent(name="Imported", model="")
    create_agent(name="Coach", place=Place.API, model="of-its-own-program")
    browser = browser_of(operator())

    page = browser.get("/models/")
    settings = browser.get("/agents/imported/settings")

    assert {row.model for row in page.context["rows"]} == {
        model.id for model in KNOWN_MODELS if not model.id.startswith("demo/")
    }
    assert all(model.id for model in settings.context["form"].models)
    assert "No price is known for" not in settings.content.decode()


def test_prices_count_and_name_no_model_of_an_agent_that_the_person_may_not_see(agent: Agent) -> None:
    create_agent(name="Hidden", model=agent.model)
    create_agent(name="Hidden too", model="secret-model")

    page = browser_of(member(agent.store, Role.VIEWER)).get("/models/")

    assert "secret-model" not in page.content.decode()
    assert {row.model: row.agents for row in page.context["rows"]}[agent.model] == 1


def test_others_read_prices_and_do_not_set_them() -> None:
    ModelPrice.objects.create(model="claude-opus-5-5", input=5)
    browser = browser_of(stranger())

    assert "unknown" in browser.get("/models/").content.decode()
    assert browser.post("/models/", {"model": "claude-opus-5-5", "input": "1"}).status_code == 403
    assert ModelPrice.objects.get().input == 5


def test_texts_that_steer_memory_stand_below_the_prompt_to_be_read_and_copied(owner: Client, agent: Agent) -> None:
    for page in ("/agents/support-desk/settings", "/agents/new"):
        html = owner.get(page).text
        for text in STEERING:
            assert escape(text.text) in html.partition(f'id="steering-{text.key}"')[2].partition("</pre>")[0]
            assert f'data-insert="steering-{text.key}" data-into="id_system_prompt"' in html


def test_the_text_for_several_sessions_has_what_each_session_needs() -> None:
    text = next(text.text for text in STEERING if text.key == "sessions")

    for file in ("progress.md", "features.md", "startup.md"):
        assert f"/memories/{file}" in text
    assert len(text) < 1500


def test_an_agent_of_a_crowded_store_names_some_that_share_it_and_counts_the_rest(owner: Client, agent: Agent) -> None:
    for number in range(30):
        create_agent(name=f"Helper {number:02}", store=agent.store, place=Place.API)

    page = owner.get("/agents/support-desk/settings").text

    assert page.count("Elsewhere, API") == page.count(">Helper") == 12
    assert "and 18 more" in page
    assert "30 other agents go on using it." in page
