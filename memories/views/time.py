"""A store as it was at a moment: the way there, its tree, a file of then, and what can be put back."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_GET

from memdash.web.pages import render_page
from memdash.web.requests import UserRequest
from memories import access, diffs, moments
from memories.commands.contents import text_in
from memories.models import MemoryEntry, MemoryStore, MemoryVersion, State
from memories.moments.steps import Made, marks_of, steps_from
from memories.paths import MemoryPath
from memories.views import addresses
from memories.views.backs import backs_of
from memories.views.causes import Causes
from memories.views.contents import data_of, text_of
from memories.views.dates import end_of
from memories.views.diff_room import room_with
from memories.views.links import Links
from memories.views.numbers import number_in
from memories.views.places import above
from memories.views.texts import is_markdown, page_with, rendered
from memories.views.time_tree import PAGE_ROWS, cursor_in, moment_in, rows_of, tree_at

WIDTH = 1000
HIGHEST, LOWEST = 24, 6


@dataclass(frozen=True, slots=True)
class Step:
    """A link to another moment, and what it is called."""

    label: str
    url: str


@dataclass(frozen=True, slots=True)
class Bar:
    """A mark on the way, in the drawing's units."""

    kind: str
    x: float
    y: float
    height: float


@require_GET
def time(request: UserRequest, slug: str, path: str = "") -> HttpResponse:
    """Show what lay at a path at the moment ``?at=`` of the store, beside its tree of then.

    ``?date=`` leads to the moment of a date; ``?view=raw`` shows Markdown as it was written, ``?view=now`` what is
    other now. Without a moment, it is now.
    """
    store = access.store_for(request.user, slug)
    place = addresses.read(path)
    if "date" in request.GET:
        until = end_of(request.GET["date"])
        seq = moments.seq_at(store, until) if until else store.seq
        return redirect(addresses.time(slug, place.text, at=seq))
    seq = moment_in(request, store)
    file = _file_at(store, seq, place)
    folder = place.parent if file else place
    tree, levels = tree_at(store, seq, folder, place if file else None)
    figures = moments.then(store, seq)
    may_write = access.may_write(request.user, store)
    status = 200
    context: dict[str, Any] = {
        "store": store,
        "at": above(request, store)[0].url,
        "path": place,
        "crumbs": _crumbs(store, place, seq),
        "seq": seq,
        "is_now": seq == store.seq,
        "tree": tree,
        "then": figures,
        "may_write": may_write,
        "address": addresses.time(slug, place.text, at=seq),
        "root": addresses.time(slug, MemoryPath.ROOT.text, at=seq),
        "agent_view": addresses.agent_view(slug, place.text, at=seq),
        "now_url": addresses.files(slug, place.text if file is None else MemoryPath.ROOT.text),
        **_way(request, store, seq, place),
    }
    if file:
        context |= _file(request, store, file, seq)
    else:
        level = levels[-1]
        if cursor := cursor_in(request):
            (level,) = moments.levels_at(store, seq, [place], PAGE_ROWS, after=cursor)
        context |= {
            "kind": "folder" if level.children or place.is_root else "missing",
            "level": rows_of(store, seq, place, level),
        }
        status = 200 if context["kind"] == "folder" else 404
    if not figures.is_now:
        context["backs"] = backs_of(store, seq, figures, file.entry_id if file else None)
    context["title"] = f"{place.relative or store.name} as of change {seq:,} · {store.name}"
    return render_page(request, "memories/time.html", context, status=status)


def _crumbs(store: MemoryStore, path: MemoryPath, seq: int) -> list[tuple[str, str]]:
    chain = [*reversed(list(path.ancestors())), path]
    return [(step.name, addresses.time(store.slug, step.text, at=seq)) for step in chain]


def _file_at(store: MemoryStore, seq: int, place: MemoryPath) -> MemoryVersion | None:
    """Return the version of the file that lived at the path, with its bytes and what the file is now; two queries."""
    if place.is_root:
        return None
    found = moments.file_on(store, seq, place)
    if found is None:
        return None
    versions = MemoryVersion.objects.select_related("blob", "entry__blob").defer("spans")
    return versions.get(entry=found.entry_id, number=found.number)


def _file(request: UserRequest, store: MemoryStore, version: MemoryVersion, seq: int) -> dict[str, Any]:
    entry: MemoryEntry = version.entry
    markdown = is_markdown(version.path)
    view = request.GET.get("view", "")
    context: dict[str, Any] = {
        "version": version,
        "entry": entry,
        "is_markdown": markdown,
        "news": _news(version),
        "history": addresses.history(store.slug, entry.path, file=entry.uuid, v=version.number),
    }
    blob = version.blob
    if blob is None:
        return context | {"kind": "blanked"}
    then = text_in(data_of(version.blob))
    if then is None:
        return context | {"kind": "image"}
    if view == "now":
        now = "" if entry.state != State.LIVE else text_of(entry.blob)
        opened = request.GET.get("open", "")
        base = addresses.time(store.slug, version.path, at=seq, view="now")
        diff = diffs.compare(
            then,
            now,
            page=number_in(request, "page") or 1,
            opened=diffs.opened_lines(opened),
            room=room_with(f"{base}&open={opened}"),
        )
        open_url = f"{base}&open=" + (f"{diff.opened}," if diff.opened else "")
        return context | {
            "kind": "now",
            "diff": diff,
            "open_url": open_url,
            "page_url": f"{base}&open={diff.opened}&page=",
        }
    if markdown and view != "raw":
        return context | {"kind": "rendered", "rendered": rendered(then, Links(store, MemoryPath(version.path)))}
    return context | {"kind": "raw", "numbered": page_with(then, number_in(request, "from"), None)}


def _news(version: MemoryVersion) -> str:
    entry: MemoryEntry = version.entry
    if entry.state != State.LIVE:
        return "gone now"
    if entry.blob_id != version.blob_id:
        return "differs from now"
    return "elsewhere now" if entry.path != version.path else "the same now"


def _way(request: UserRequest, store: MemoryStore, seq: int, place: MemoryPath) -> dict[str, Any]:
    """Return what leads to other moments: steps, marks and the date; six queries, and that of whoever knows runs."""
    steps = steps_from(store, seq)
    known = [made for made in (steps.here, steps.run_back, steps.run_forth) if made]
    causes = Causes(request, known)

    def step(label: str, to: int | None) -> Step | None:
        return Step(label, addresses.time(store.slug, place.text, at=to)) if to is not None else None

    def of_run(made: Made | None) -> Step | None:
        return step(_run_label(causes, made), made.seq) if made else None

    marks = marks_of(store)
    largest = max((mark.size for mark in marks), default=1)
    when = moments.time_of(store, seq)
    return {
        "when": when,
        "day": timezone.localtime(when) if when else None,
        "date_value": f"{timezone.localtime(when or timezone.now()):%Y-%m-%dT%H:%M}",
        "here": causes.of(steps.here) if steps.here else None,
        "back": step("Back", steps.back),
        "forth": step("Forward", steps.forth),
        "run_back": of_run(steps.run_back),
        "run_forth": of_run(steps.run_forth),
        "bars": [_bar(mark.kind, mark.seq, mark.size, largest, store.seq) for mark in marks],
        "has_other": any(mark.kind == "other" for mark in marks),
    }


def _run_label(causes: Causes, made: Made) -> str:
    cause = causes.of(made._replace(turn=None))
    return cause.label if cause.in_run else f"Run of {cause.who}"


def _bar(kind: str, seq: int, size: int, largest: int, last: int) -> Bar:
    height = LOWEST + (HIGHEST - LOWEST) * (1.0 if kind == "person" else size / largest)
    return Bar(kind, round(WIDTH * seq / last - 2, 1), round(33 - height, 1), round(height, 1))
