"""The account's entries in the menu of every page."""

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString

from memdash.web.slots import RailItem


def account(request: HttpRequest) -> SafeString:
    """Return the way to the person's account."""
    return render_to_string("accounts/menu_account.html", {}, request)


def sign_out(request: HttpRequest) -> SafeString:
    """Return the button that ends the session."""
    return render_to_string("accounts/menu_sign_out.html", {}, request)


def settings(_: HttpRequest) -> RailItem:
    """Return the account as one of the pages of settings."""
    return RailItem("Account", reverse("accounts:account"), "user", under=("/account/",))
