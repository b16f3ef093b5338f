"""What people fill in to make tokens; forms check shape and never save."""

import uuid
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, Final

from django import forms
from django.utils import timezone

from agents.models import Agent, Scope
from memdash.accounts.again import AgainForm
from memdash.web import formats
from memdash.web.requests import UserRequest

DAYS: Final = (("90", "In 90 days"), ("7", "In 7 days"), ("30", "In 30 days"), ("365", "In 1 year"))
NEVER: Final = "never"


class OnceForm(AgainForm):
    """A form that makes a token, and so shows its secret in the answer: sent again by a reload, it makes no second one.

    ``once`` is the id of the token to be made, chosen when the form is shown.
    """

    once = forms.UUIDField(widget=forms.HiddenInput)

    def __init__(self, data: Any, *, request: UserRequest, **options: Any) -> None:
        initial = {"once": uuid.uuid4()} | options.pop("initial", {})
        super().__init__(data, request=request, initial=initial, **options)


class TokenForm(OnceForm):
    """A token: what will use it, as which agent, what it may, and until when."""

    name = forms.CharField(label="Name", max_length=255)
    agent = forms.ChoiceField(
        label="Agent",
        error_messages={
            "required": "Choose an agent.",
            "invalid_choice": "You may make no token of this agent. Choose another.",
        },
    )
    scope = forms.ChoiceField(label="May", choices=Scope.choices, initial=Scope.WRITE)
    expires = forms.ChoiceField(label="Expires", choices=[*DAYS, (NEVER, "No end")], initial="90")

    field_order = ("once", "name", "agent", "scope", "expires", "password")

    def __init__(self, data: Any, *, request: UserRequest, agents: Iterable[Agent], **options: Any) -> None:
        super().__init__(data, request=request, **options)
        self.agents = {agent.slug: agent for agent in agents}
        choices = self.fields["agent"]
        assert isinstance(choices, forms.ChoiceField)
        choices.choices = [(slug, agent.name) for slug, agent in self.agents.items()]

    @property
    def ends(self) -> list[tuple[str, str]]:
        """Return the ends to choose from, each in words with its day."""
        now = timezone.now()
        with_days = [(days, f"{words}, {formats.day(now + timedelta(days=int(days)))}") for days, words in DAYS]
        return [*with_days, (NEVER, "No end")]

    @property
    def agent_chosen(self) -> Agent:
        """Return the agent, once the form is valid."""
        return self.agents[self.cleaned_data["agent"]]

    @property
    def expires_at(self) -> datetime | None:
        """Return when the token ends, or None, once the form is valid."""
        days = self.cleaned_data["expires"]
        return None if days == NEVER else timezone.now() + timedelta(days=int(days))
