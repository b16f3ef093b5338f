"""A message while it is written: its text, and the texts that go with it."""

from typing import Any, Final

from django.forms import BaseFormSet, formset_factory
from django.http import HttpRequest

from agents.forms import AttachmentForm, MessageForm
from agents.runs.history import TRUSTED, Attachment
from memories.views.numbers import number_of

MOST: Final = 10
PREFIX: Final = "texts"
ADD: Final = "add"
"""The name of the button that asks for room for one more text."""

_Attachments = formset_factory(AttachmentForm, extra=0, max_num=MOST, validate_max=True)


class Composed:
    """What a person has written so far; empty before, with room for one more text when that was asked for."""

    message: MessageForm
    texts: "BaseFormSet[AttachmentForm]"

    def __init__(self, request: HttpRequest) -> None:
        self.wants_room = ADD in request.POST
        if request.method == "POST" and not self.wants_room:
            self.message = MessageForm(request.POST)
            self.texts = _Attachments(request.POST, prefix=PREFIX)
        else:
            self.message = MessageForm(initial={"text": request.POST.get("text", "")})
            self.texts = _Attachments(initial=self._written(request), prefix=PREFIX)

    def _written(self, request: HttpRequest) -> list[dict[str, Any]]:
        count = number_of(request.POST.get(f"{PREFIX}-TOTAL_FORMS", "")) or 0
        kept = [
            {name: request.POST.get(f"{PREFIX}-{number}-{name}", "") for name in ("name", "text", "trust")}
            for number in range(min(count, MOST))
        ]
        return kept + [{"trust": "external"}] * (self.wants_room and len(kept) < MOST)

    @property
    def has_room(self) -> bool:
        """Return whether one more text may be added."""
        return len(self.texts.forms) < MOST

    def is_valid(self) -> bool:
        """Return whether it may be sent; the forms say what is wrong."""
        return all((self.message.is_valid(), self.texts.is_valid()))

    @property
    def text(self) -> str:
        """The message itself, once it is valid."""
        return str(self.message.cleaned_data["text"])

    @property
    def attachments(self) -> list[Attachment]:
        """The texts that go with it, once it is valid."""
        given = [form.cleaned_data for form in self.texts.forms]
        return [Attachment(each["name"], each["text"], each["trust"] == TRUSTED) for each in given if each.get("text")]
