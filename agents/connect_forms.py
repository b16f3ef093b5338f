"""What people fill in to connect an agent; forms check shape and never save."""

from typing import Any

from django import forms
from django.db.models import QuerySet

from agents.folders import PATH
from agents.forms import StoreField
from agents.models import Place
from agents.token_forms import OnceForm
from memdash.web.requests import UserRequest
from memories.models import MemoryStore


class ConnectForm(OnceForm):
    """Where an agent runs, its name and its store; a folder for one that is a folder, a password for a token."""

    place = forms.ChoiceField(label="Where does it run?", choices=Place.choices, initial=Place.API)
    name = forms.CharField(label="Name", max_length=255)
    store = StoreField(
        label="Store",
        error_messages={"invalid_choice": "You own no store of this address. Choose another."},
    )
    folder = forms.CharField(label="Folder on this server", max_length=PATH, required=False)

    field_order = ("once", "place", "name", "store", "folder", "password")

    def __init__(self, data: Any, *, request: UserRequest, stores: QuerySet[MemoryStore], **options: Any) -> None:
        super().__init__(data, request=request, **options)
        choices = self.fields["store"]
        assert isinstance(choices, StoreField)
        choices.queryset = stores

    @property
    def needs_password(self) -> bool:
        return self.cleaned_data.get("place") == Place.API

    def clean(self) -> dict[str, Any]:
        if self.cleaned_data.get("place") == Place.FOLDER:
            if not self.request.user.is_superuser:
                self.add_error(
                    "place", "Folders of the server are followed for the operator. Ask them, or choose another."
                )
            elif not self.cleaned_data.get("folder"):
                self.add_error("folder", "Enter the whole path of the folder, from / on.")
        return super().clean()


class TokenAgainForm(OnceForm):
    """Asks for nothing but the password, for one more token of an agent."""


class FolderAgainForm(forms.Form):
    """The folder of an agent that is a folder and is followed no longer, or not yet."""

    folder = forms.CharField(label="Folder on this server", max_length=PATH)


class AcceptDeletionsForm(forms.Form):
    """Since when the last of the missing files was missing that the page showed."""

    until = forms.DateTimeField()
