"""Marks of what a person has seen, and the way back from a mark that was a mistake."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from memdash.web import formats
from memdash.web.errors import NotUnderstood
from memdash.web.pages import wants_part
from memdash.web.requests import UserRequest
from memdash.web.targets import local_target
from memories import access
from memories.models import MemoryEntry, MemoryStore
from memories.moments import seen
from memories.paths import MemoryPath
from memories.views.numbers import number_of
from memories.views.since import show_since
from memories.views.unseeing import moment_of, unsee_url

MARK: Final = re.compile(r"([0-9a-f-]{36}):([0-9]{1,18})")
UPTO: Final = re.compile(r"([0-9]{1,18}):([0-9]{1,18})")

MOST: Final = 10_000
"""Files and stores that one form marks; a database takes no statement with any number of them."""


@require_POST
def mark_seen(request: UserRequest) -> HttpResponse:
    """Note what the person has seen: the versions of files, or changes of stores, that were on the page.

    Each ``file`` is an id and a version, ``upto`` the ids of stores and a ``seq`` each. What came since stays new.
    """
    files = _versions(MARK.findall(" ".join(request.POST.getlist("file"))))
    stores = {int(pk): int(seq) for pk, seq in UPTO.findall(request.POST.get("upto", ""))}
    if not files and not stores:
        raise NotUnderstood("Nothing says what was seen. Nothing was changed.")
    if len(files) + len(stores) > MOST:
        raise NotUnderstood(f"At most {MOST:,} files and stores are marked at once. Nothing was changed.")
    entries = _entries(request, files)
    known = _stores(request, stores)
    moment = seen.mark(
        request.user.pk,
        stores={store.pk: min(stores[store.pk], store.seq) for store in known},
        files={entry.pk: min(files[entry.uuid], entry.version) for entry in entries},
    )
    messages.success(request, _said(entries, known, is_all="all" in request.POST), extra_tags=unsee_url(moment))
    if wants_part(request):
        return show_since(request, number_of(request.POST.get("first", "")) or 0)
    return redirect(local_target(request.POST.get("next", ""), request, reverse("memories:since")))


@require_POST
def unsee(request: UserRequest, moment: int) -> HttpResponse:
    """Take back what the person marked as seen at a moment, a number of microseconds."""
    if seen.take_back(request.user.pk, moment_of(moment)):
        messages.success(request, "It counts as new again.")
    else:
        messages.error(request, "Nothing was taken back: this was marked again since, or is new again already.")
    return redirect(local_target(request.POST.get("next", ""), request, reverse("memories:since")))


def _entries(request: UserRequest, files: Mapping[UUID, int]) -> list[MemoryEntry]:
    """Return the files; Http404 unless the person may see each of them."""
    found = list(MemoryEntry.objects.files().filter(uuid__in=files, store__in=access.stores_for(request.user)))
    if len(found) < len(files):
        raise Http404("There is no such file, or you are not a member of its store.")
    return found


def _stores(request: UserRequest, upto: Mapping[int, int]) -> list[MemoryStore]:
    """Return the stores; Http404 unless the person may see each of them."""
    found = list(access.stores_for(request.user).filter(pk__in=upto)) if upto else []
    if len(found) < len(upto):
        raise Http404("There is no such store, or you are not a member of it.")
    return found


def _versions(marks: Iterable[tuple[str, str]]) -> dict[UUID, int]:
    """Return the versions by the ids of their files, which may be written in more than one way."""
    try:
        return {UUID(text): int(version) for text, version in marks}
    except ValueError as error:
        raise Http404("Not the id of a file.") from error


def _said(entries: Sequence[MemoryEntry], stores: Sequence[MemoryStore], *, is_all: bool) -> str:
    if is_all:
        return "Everything counts as seen."
    if stores:
        names = stores[0].name if len(stores) == 1 else formats.counted(len(stores), "store")
        return f"Everything in {names} counts as seen."
    return f"{MemoryPath(entries[-1].path).name} counts as seen."
