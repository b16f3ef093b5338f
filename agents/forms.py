"""What people type on the pages of agents and runs; forms check shape and never save."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from django import forms
from django.db.models import QuerySet

from agents.claude.endpoints import DEMO_PREFIX, obstacle
from agents.known_models import KNOWN_MODELS, KnownModel
from agents.models import Agent
from memories.models import MemoryStore
from memories.text import storable

ATTACHMENT_CHARACTERS = 1024 * 1024
PROMPT_CHARACTERS = 100_000
LEAST_COMPACTION = 50_000


def _without_commas(value: Any) -> Any:
    return value.replace(",", "").strip() if isinstance(value, str) else value


class CountField(forms.IntegerField):
    """A whole number, which may be written with a comma at each thousand, as pages show it."""

    widget = forms.TextInput

    def __init__(self, *, least: int = 1, most: int = 1_000_000_000, **options: Any) -> None:
        super().__init__(min_value=least, max_value=most, **options)

    def to_python(self, value: Any) -> int | None:
        return super().to_python(_without_commas(value))

    def prepare_value(self, value: Any) -> Any:
        return f"{value:,}" if isinstance(value, int) else value

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:
        return super().widget_attrs(widget) | {"class": "input n", "inputmode": "numeric", "autocomplete": "off"}


class DollarField(forms.DecimalField):
    """US dollars; left empty they are unknown, or without limit, and never zero."""

    widget = forms.TextInput

    def __init__(self, **options: Any) -> None:
        super().__init__(min_value=Decimal(0), max_digits=10, decimal_places=4, required=False, **options)

    def to_python(self, value: Any) -> Any:
        return super().to_python(_without_commas(value))

    def prepare_value(self, value: Any) -> Any:
        return f"{value.normalize():f}" if isinstance(value, Decimal) else value

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:
        return super().widget_attrs(widget) | {"class": "input n", "inputmode": "decimal", "autocomplete": "off"}


class TextBlockField(forms.CharField):
    """Text kept as it was typed, blanks and all; the line ends that browsers send (CRLF) become LF."""

    widget = forms.Textarea

    def __init__(self, **options: Any) -> None:
        super().__init__(strip=False, **options)

    def to_python(self, value: Any) -> str:
        return (super().to_python(value) or "").replace("\r\n", "\n")


class NameForm(forms.Form):
    """What an agent is called; all there is to set for one that runs elsewhere."""

    name = forms.CharField(label="Name", max_length=255)

    def __init__(self, data: Mapping[str, Any] | None, *, agent: Agent) -> None:
        super().__init__(data, initial={name: getattr(agent, name) for name in self.settings()})

    @classmethod
    def settings(cls) -> list[str]:
        """Return the agent's fields that this form has."""
        return [name for name in cls.base_fields if name not in ("other_model", "store")]

    def changes(self) -> dict[str, Any]:
        """Return the fields that differ from what the agent has now, once the form is valid."""
        given = {name: self.cleaned_data[name] for name in self.settings()}
        return {name: value for name, value in given.items() if value != self.initial[name]}


class AgentForm(NameForm):
    """An agent that runs here: its model, what it is told, and where its runs end."""

    model = forms.ChoiceField(required=False)
    other_model = forms.CharField(label="Name of another model", max_length=200, required=False)
    system_prompt = TextBlockField(max_length=PROMPT_CHARACTERS, required=False)
    max_output_tokens = CountField(label="Output tokens in one turn")
    max_turns = CountField(label="Turns", required=False)
    max_run_output_tokens = CountField(label="Output tokens", required=False)
    max_minutes = CountField(label="Minutes", required=False)
    max_cost = DollarField(label="Cost, US$")
    context_editing = forms.BooleanField(required=False)
    context_trigger = CountField(label="Input tokens above which results are cleared")
    context_keep = CountField(label="Tool calls whose results are kept", least=0)
    compaction = forms.BooleanField(required=False)
    compaction_trigger = CountField(
        label="Input tokens above which the conversation is summarised", least=LEAST_COMPACTION
    )

    def __init__(self, data: Mapping[str, Any] | None, *, agent: Agent) -> None:
        super().__init__(data, agent=agent)
        self.models = list(KNOWN_MODELS)
        if agent.model and agent.model not in {model.id for model in self.models}:
            self.models.append(KnownModel(agent.model))
        choices = self.fields["model"]
        assert isinstance(choices, forms.ChoiceField)
        choices.choices = [(model.id, model.id) for model in self.models] + [("", "Another model")]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        cleaned["model"] = cleaned.get("model") or cleaned.get("other_model", "")
        if not cleaned["model"] and not self.errors:
            self.add_error("other_model", "Enter the name of the model, or choose one of the list.")
        clears, compacts = cleaned.get("context_trigger"), cleaned.get("compaction_trigger")
        both = cleaned.get("context_editing") and cleaned.get("compaction")
        if both and clears and compacts and clears >= compacts:
            self.add_error(
                "context_trigger",
                f"Compaction starts at {compacts:,}, so clearing would never happen."
                f" Enter less than {compacts:,}, or raise compaction.",
            )
        return cleaned


class StoreField(forms.ModelChoiceField):  # type: ignore[type-arg]  # it takes its row's type in stubs alone
    """A store by its slug, of those that the form is given."""

    def __init__(self, **options: Any) -> None:
        super().__init__(MemoryStore.objects.none(), to_field_name="slug", required=False, **options)

    def to_python(self, value: Any) -> Any:
        if isinstance(value, str) and not storable(value):
            raise forms.ValidationError(self.error_messages["invalid_choice"], "invalid_choice", {"value": ""})
        return super().to_python(value)


class NewAgentForm(AgentForm):
    """A new agent, and the store it will use: one there is, or a new one."""

    store = StoreField(empty_label="A new store of the same name")

    def __init__(self, data: Mapping[str, Any] | None, *, agent: Agent, stores: QuerySet[MemoryStore]) -> None:
        super().__init__(data, agent=agent)
        choices = self.fields["store"]
        assert isinstance(choices, StoreField)
        choices.queryset = stores


class AgentChoice(forms.Form):
    """The agent that a new run is of, by its slug; one that cannot run here is refused with why."""

    agent = forms.ChoiceField(label="Agent", error_messages={"required": "Choose an agent."})

    def __init__(self, data: Mapping[str, Any] | None, *, agents: Iterable[Agent]) -> None:
        super().__init__(data)
        self.agents = {agent.slug: agent for agent in agents}
        choices = self.fields["agent"]
        assert isinstance(choices, forms.ChoiceField)
        choices.choices = [(slug, agent.name) for slug, agent in self.agents.items()]
        choices.error_messages["invalid_choice"] = "No agent of this address runs here for you. Choose another."

    def clean_agent(self) -> str:
        slug = str(self.cleaned_data["agent"])
        agent = self.agents[slug]
        if why := obstacle(agent.model):
            raise forms.ValidationError(f"{agent.name} cannot run here yet. {why}")
        return slug


class MessageForm(forms.Form):
    """What a person writes to an agent."""

    text = TextBlockField(label="Message", max_length=ATTACHMENT_CHARACTERS)


class AttachmentForm(forms.Form):
    """A text that goes with a message: a page, a mail, a ticket. Who adds it says whether its words are trusted."""

    name = forms.CharField(max_length=200, required=False)
    text = TextBlockField(max_length=ATTACHMENT_CHARACTERS, required=False)
    trust = forms.ChoiceField(choices=[("external", "External"), ("trusted", "Trusted")], initial="external")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("name") and not cleaned.get("text", "").strip():
            self.add_error("text", "Paste the text, or empty the name to leave this attachment out.")
        return cleaned


class FolderForm(forms.Form):
    """A directory on the server whose files are taken into an agent's store."""

    folder = forms.CharField(label="Directory on the server", max_length=4096)
    agent = forms.CharField(max_length=255)


class PriceForm(forms.Form):
    """What a million tokens of one model cost."""

    model = forms.CharField(max_length=200)
    input = DollarField()
    output = DollarField()
    cache_write = DollarField()
    cache_read = DollarField()

    def clean_model(self) -> str:
        """Return the model's name; the scripted demo model has no price."""
        model: str = self.cleaned_data["model"]
        if model.startswith(DEMO_PREFIX):
            raise forms.ValidationError("The scripted demo model costs nothing, so it has no price.")
        return model
