"""What people fill in to get in and to change how they do."""

from typing import Any, Final

from django import forms
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password

LONGEST_PASSWORD: Final = 4096


def password_field(label: str, autocomplete: str, *, required: bool = True) -> forms.CharField:
    """Return the field of a password, which browsers and their helpers know by ``autocomplete``."""
    field = forms.PasswordInput(attrs={"class": "input", "autocomplete": autocomplete})
    return forms.CharField(label=label, max_length=LONGEST_PASSWORD, strip=False, widget=field, required=required)


class SignInForm(forms.Form):
    """Name and password; whether they match is for the view to find out."""

    name = forms.CharField(
        max_length=150,
        widget=forms.TextInput(
            attrs={"class": "input", "autocomplete": "username", "autocapitalize": "none", "autofocus": True}
        ),
    )
    password = password_field("Password", "current-password")

    def refuse(self, reason: str) -> None:
        """Say why nobody was let in, tied to both fields, without telling which of them was wrong."""
        self.add_error(None, reason)
        for field in self.fields.values():
            field.widget.attrs |= {"aria-invalid": "true", "aria-describedby": "sign-in-error"}


class PasswordForm(forms.Form):
    """The new password, and the current one of somebody who has one."""

    current = password_field("Current password", "current-password")
    new = password_field("New password", "new-password")

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user
        if not user.has_usable_password():
            del self.fields["current"]

    def clean_new(self) -> str:
        """Return the new password, or refuse one that is short or often used."""
        password: str = self.cleaned_data["new"]
        validate_password(password, self.user)
        return password
