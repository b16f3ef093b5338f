"""Asking for the password once more, before what somebody at an unwatched screen should not do."""

import math
from datetime import timedelta
from typing import Any

from django import forms

from memdash.accounts import throttle
from memdash.accounts.forms import password_field
from memdash.web.requests import UserRequest


class AgainForm(forms.Form):
    """A form with the person's password in it; whoever has none yet is not asked."""

    password = password_field("Your password", "current-password", required=False)

    def __init__(self, data: Any, *, request: UserRequest, **options: Any) -> None:
        super().__init__(data, **options)
        self.request = request
        self.status = 422
        """What to answer when the form is not valid."""
        if not request.user.has_usable_password():
            del self.fields["password"]

    @property
    def needs_password(self) -> bool:
        """Return whether what was filled in is to be confirmed by the password."""
        return True

    def clean(self) -> dict[str, Any]:
        """Look at the password once all else is right, so that a mistake elsewhere counts as no try."""
        cleaned = super().clean() or {}
        if "password" not in self.fields or self.errors or not self.needs_password:
            return cleaned
        if cleaned.get("password"):
            self.status = refuse_wrong(self, "password", self.request)
        else:
            self.add_error("password", "Enter your password.")
        return cleaned


def refuse_wrong(form: forms.Form, field: str, request: UserRequest) -> int:
    """Add an error to the form unless ``field`` holds the person's password; return the status that goes with it.

    Wrong ones count as tries to sign in, and too many have to wait.
    """
    limits = throttle.limits_for(request, request.user.get_username())
    if wait := throttle.claim(limits):
        form.add_error(field, too_many(wait))
        return 429
    if not request.user.check_password(form.cleaned_data[field]):
        form.add_error(field, "That is not your current password.")
        return 422
    throttle.forgive(limits)
    return 200


def too_many(wait: timedelta) -> str:
    """Return what somebody is told who has to wait before another try."""
    seconds = math.ceil(wait.total_seconds())
    words = f"{seconds} s" if seconds < 60 else f"{math.ceil(seconds / 60)} min"
    return f"Too many tries. Wait {words}, then try again."
