"""Doing one thing to many files: a page that shows what would happen to each, and the act itself."""

from dataclasses import dataclass
from typing import Any, Final

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods

from memdash.web.formats import counted
from memdash.web.pages import render_page
from memdash.web.requests import UserRequest
from memdash.web.targets import local_target
from memories import access, bulk
from memories.bulk import VERBS, Ask, AskMissing, NothingToDo, Plan, Verb, Verdict
from memories.models import Kind, MemoryEntry, MemoryStore
from memories.paths import MemoryPath
from memories.refusals import Refused
from memories.transfer.zipped import zip_response
from memories.views.acts import person, undo_of
from memories.views.all_files import address_of
from memories.views.marks import eyes_of
from memories.views.places import above
from memories.views.selections import Selection

ROOM: Final = {Verdict.CHANGES: 22_000, Verdict.SO: 6_000, Verdict.REFUSED: 12_000}
"""Bytes that the list of files of one kind may take; those beyond are counted."""

ROW: Final = 500
PATH: Final = 3
"""Bytes that a row takes, and each byte of its paths as text."""

FOLDERS: Final = 100
"""Folders that are offered to move files to; any other can be typed."""

LONGEST_FIELD: Final = 1_100

GROUPS: Final = (
    (Verdict.REFUSED, "Refused", "alert"),
    (Verdict.CHANGES, "Changes", "right"),
    (Verdict.SO, "Nothing to do", "check"),
)


@dataclass(frozen=True, slots=True)
class Listed:
    """One file on the page."""

    path: str
    url: str
    to: str
    why: str
    size: int


@require_http_methods(["GET", "POST"])
def act_on_many(request: UserRequest, slug: str) -> HttpResponse:
    """Show what ``verb`` would do to the chosen files, or do it as one change set.

    A POST carries what was shown; once anything of that is another, nothing is done and the page shows the new state.
    """
    memory = access.store_for(request.user, slug)
    given = request.POST if request.method == "POST" else request.GET
    verb = _verb(given)
    if verb.changes and not access.may_write(request.user, memory):
        raise PermissionDenied("You can look but not change.")
    selection, ask = Selection.read(given), _ask(verb, given)
    if request.method != "POST":
        return _page(request, memory, verb, selection, ask)
    eyes = eyes_of(request.user.pk, memory)
    try:
        plan, outcome = bulk.carry_out(
            memory,
            verb,
            lambda: selection.chosen(memory, eyes),
            ask,
            actor=person(request),
            shown=given.get("shown", ""),
        )
    except Refused as refusal:
        return _page(request, memory, verb, selection, ask, refusal=refusal)
    messages.success(request, _said(verb, plan), extra_tags=undo_of(outcome))
    return redirect(_next(request, memory, given))


@require_GET
def export(request: UserRequest, slug: str) -> HttpResponseBase:
    """Hand out the chosen files as one zip file, byte for byte."""
    memory = access.store_for(request.user, slug)
    selection = Selection.read(request.GET)
    chosen = selection.chosen(memory, eyes_of(request.user.pk, memory))
    if not chosen or len(chosen) > bulk.MOST:
        raise Http404("These are no files that could be handed out together.")
    return zip_response(memory, [file.id for file in chosen])


def _verb(given: QueryDict) -> Verb:
    verb = VERBS.get(given.get("verb", ""))
    if verb is None:
        raise Http404("This is nothing that can be done to files.")
    return verb


def _ask(verb: Verb, given: QueryDict) -> Ask:
    return {field: given.get(field, "").replace("\0", "")[:LONGEST_FIELD] for field in verb.fields}


def _next(request: UserRequest, memory: MemoryStore, given: QueryDict) -> str:
    return local_target(given.get("next", ""), request, reverse("memories:all-files", args=[memory.slug]))


def _said(verb: Verb, plan: Plan) -> str:
    words = [verb.done.format(files=counted(len(plan.of(Verdict.CHANGES)), "file"))]
    if refused := len(plan.of(Verdict.REFUSED)):
        words.append(f"{counted(refused, 'file')} left as {'it is' if refused == 1 else 'they are'}.")
    return " ".join(words)


def _page(
    request: UserRequest,
    memory: MemoryStore,
    verb: Verb,
    selection: Selection,
    ask: Ask,
    *,
    refusal: Refused | None = None,
) -> HttpResponse:
    """Return the page with what would happen now; 409 for what was refused."""
    plan, missing = None, None
    eyes = eyes_of(request.user.pk, memory)
    try:
        plan = bulk.planned(memory, verb, lambda: selection.chosen(memory, eyes), ask)
    except AskMissing as error:
        missing = error
        # It is the field that says what is wrong, not a banner.
        refusal = None
    except NothingToDo as error:
        refusal = error
    given = request.POST if request.method == "POST" else request.GET
    count = len(plan.rows) if plan else 0
    context: dict[str, Any] = {
        "title": f"{verb.label} files · {memory.name}",
        "store": memory,
        "at": above(request, memory)[0].url,
        "path": MemoryPath.ROOT,
        "verb": verb,
        "fields": selection.fields,
        "ask": ask,
        "missing": missing,
        "plan": plan,
        "count": count,
        "counts": {verdict.value: len(plan.of(verdict)) if plan else 0 for verdict in Verdict},
        "size": bulk.bytes_of(plan.rows) if plan else 0,
        "groups": _groups(memory, verb, plan) if plan else [],
        "doing": verb.doing.format(files=counted(len(plan.of(Verdict.CHANGES)), "file")) if plan else "",
        "refusal": refusal,
        "next": _next(request, memory, given),
        "folders": _folders(memory) if verb.form else [],
        "export": f"{reverse('memories:export', args=[memory.slug])}?{selection.query}",
    }
    status = 409 if refusal else 422 if missing and str(missing) else 200
    return render_page(request, "memories/bulk.html", context, status=status)


def _groups(memory: MemoryStore, verb: Verb, plan: Plan) -> list[dict[str, Any]]:
    groups = []
    for verdict, title, icon in GROUPS:
        these = plan.of(verdict)
        if not these:
            continue
        rows: list[Listed] = []
        room = ROOM[verdict]
        for file, _, why, to in these:
            url = address_of(memory.slug, file.path, file.uuid)
            room -= ROW + PATH * len((file.path + to).encode()) + len(url)
            if room < 0 and rows:
                break
            target = MemoryPath(to).relative if to else ""
            rows.append(Listed(MemoryPath(file.path).relative, url, target, why, file.size))
        groups.append(
            {
                "key": verdict.value,
                "title": verb.label if verdict is Verdict.CHANGES else title,
                "icon": icon,
                "rows": rows,
                "count": len(these),
                "more": len(these) - len(rows),
            }
        )
    return groups


def _folders(memory: MemoryStore) -> list[str]:
    found = MemoryEntry.objects.live().filter(store=memory, kind=Kind.DIRECTORY).order_by("depth", "path")
    return [MemoryPath(path).relative for path in found.values_list("path", flat=True)[:FOLDERS]]
