"""Signing in and out, and the person's account."""

from django.contrib import messages
from django.contrib.auth import authenticate, login, logout, update_session_auth_hash
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from memdash.accounts import links, sessions, throttle
from memdash.accounts.again import refuse_wrong, too_many
from memdash.accounts.forms import PasswordForm, SignInForm
from memdash.accounts.models import Session
from memdash.web.pages import render_page
from memdash.web.requests import UserRequest
from memdash.web.targets import local_target

NO_MATCH = "That name and password do not match. Passwords are case-sensitive."


@sensitive_post_parameters("password")
@login_not_required
@require_http_methods(["GET", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    """Ask for name and password, and begin a session; too many wrong ones have to wait."""
    target = local_target(request.POST.get("next") or request.GET.get("next", ""), request)
    if request.user.is_authenticated:
        return redirect(target)
    form = SignInForm(request.POST or None)
    status = 200
    if request.method == "POST":
        user, status = _try(request, form)
        if user:
            login(request, user)
            return redirect(target)
    context = {"title": "Sign in", "form": form, "next": target}
    return render_page(request, "accounts/sign_in.html", context, status=status)


def _try(request: HttpRequest, form: SignInForm) -> tuple[User | None, int]:
    if not form.is_valid():
        return None, 422
    name = form.cleaned_data["name"]
    limits = throttle.limits_for(request, name)
    if wait := throttle.claim(limits):
        form.refuse(too_many(wait))
        return None, 429
    user = authenticate(request, username=name, password=form.cleaned_data["password"])
    if not isinstance(user, User):
        form.refuse(NO_MATCH)
        return None, 422
    throttle.forgive(limits)
    return user, 200


@login_not_required
@require_http_methods(["GET", "POST"])
def link(request: HttpRequest, token: str) -> HttpResponse:
    """Show the button that spends a one-time link, or spend it. Previews of links only look, so they spend nothing."""
    user = links.owner(token)
    if request.method == "POST" and (user := links.spend(token)):
        login(request, user)
        return redirect("/")
    context = {"title": "Sign in", "owner": user}
    return render_page(request, "accounts/link.html", context, status=200 if user else 410)


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    """End this session."""
    logout(request)
    return redirect("accounts:sign-in")


@require_GET
def account(request: UserRequest) -> HttpResponse:
    """Show the person's password form, preferences and sessions."""
    return _account_page(request, PasswordForm(request.user))


@sensitive_post_parameters("current", "new")
@require_http_methods(["GET", "POST"])
def password(request: UserRequest) -> HttpResponse:
    """Change the password; sessions in other browsers end.

    A look leads to the account: the address stays in the browser when a password was refused.
    """
    if request.method == "GET":
        return redirect("accounts:account")
    form = PasswordForm(request.user, request.POST)
    if not form.is_valid():
        return _account_page(request, form, status=422)
    if "current" in form.fields:
        status = refuse_wrong(form, "current", request)
        if form.errors:
            return _account_page(request, form, status=status)
    _set_password(request, form.cleaned_data["new"])
    messages.success(request, "Password saved. Other sessions have ended.")
    return redirect("accounts:account")


@require_POST
def end_other_sessions(request: UserRequest) -> HttpResponse:
    """End the person's sessions in other browsers."""
    ended = sessions.end_others(request.user, request)
    messages.success(request, f"{ended} other session{'s' if ended != 1 else ''} ended.")
    return redirect("accounts:account")


def _set_password(request: UserRequest, new: str) -> None:
    with transaction.atomic():
        user: User = request.user
        user.set_password(new)
        user.save(update_fields=["password"])
        update_session_auth_hash(request, user)
        sessions.end_others(user, request)


def _account_page(request: UserRequest, form: PasswordForm, status: int = 200) -> HttpResponse:
    context = {
        "title": "Account",
        "form": form,
        "sessions": Session.objects.filter(user=request.user).order_by("-seen_at"),
        "this_session": request.session.session_key,
    }
    return render_page(request, "accounts/account.html", context, status=status)
