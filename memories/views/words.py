"""What a file's page shows of what people say about it, and which files bear a label."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.core.paginator import Page, Paginator
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest

from memories.commands import LABELS
from memories.commands.words import fingerprint
from memories.models import FileLabel, FileNote, MemoryEntry, MemoryStore, State
from memories.paths import MemoryPath
from memories.text import as_label
from memories.views import addresses

SUGGESTED: Final = 30
PAGE_FILES: Final = 50


@dataclass(frozen=True, slots=True)
class Typed:
    """A note that could not be saved, why, and the status that says so."""

    text: str
    fault: str
    status: int


@dataclass(frozen=True, slots=True)
class Tag:
    """A label with the address of the files that bear it; ``count`` is how many live ones there are, if it is asked."""

    label: str
    url: str
    count: int = 0


@dataclass(frozen=True, slots=True)
class Words:
    """The labels and the note of a file, what is offered to label it with, and a note that was typed in vain."""

    labels: tuple[Tag, ...]
    suggested: tuple[str, ...]
    note: str
    by: str
    at: datetime | None
    typed: Typed | None

    @property
    def shown(self) -> str:
        """What the form keeps of the note, so that nobody writes over another one."""
        return fingerprint(self.note)

    @property
    def text(self) -> str:
        """What stands in the note's field."""
        return self.typed.text if self.typed else self.note

    @property
    def is_full(self) -> bool:
        return len(self.labels) >= LABELS


def words_of(store: MemoryStore, entry: MemoryEntry, typed: Typed | None, *, may_write: bool) -> Words:
    """Return what people say about a file; two queries, one for those who may only look."""
    note = FileNote.objects.filter(entry=entry).first()
    suggested: Iterable[str] = ()
    if may_write:
        others = FileLabel.objects.filter(store=store).exclude(label__in=entry.label_list)
        counted = others.values("label").annotate(count=Count("pk")).order_by("-count", "label")
        suggested = counted.values_list("label", flat=True)[:SUGGESTED]
    return Words(
        tuple(Tag(label, _address(store, label)) for label in entry.label_list),
        tuple(suggested),
        note.text if note else "",
        note.written_by if note else "",
        note.written_at if note else None,
        typed,
    )


def labels_in(store: MemoryStore) -> list[Tag]:
    """Return the labels of a store's files that most of them bear; one query."""
    rows = FileLabel.objects.filter(store=store, entry__state=State.LIVE).values("label")
    counted = rows.annotate(count=Count("pk")).order_by("-count", "label").values_list("label", "count")
    return [Tag(label, _address(store, label), count) for label, count in counted[:SUGGESTED]]


@dataclass(frozen=True, slots=True)
class Labelled:
    """A page of the files that bear a label: below ``path`` of a store or, without a store, in many."""

    label: str
    page: Page[MemoryEntry]
    store: MemoryStore | None
    path: MemoryPath

    @property
    def rows(self) -> list[tuple[MemoryEntry, str, str]]:
        """Each file, its path as people read it, and its address."""
        return [
            (entry, MemoryPath(entry.path).relative, addresses.files(entry.store.slug, entry.path))
            for entry in self.page.object_list
        ]


def label_in(request: HttpRequest) -> str:
    """Return the label that the address asks for; empty where it asks for none."""
    return as_label(request.GET.get("label", ""))


def labelled(
    request: HttpRequest,
    stores: QuerySet[MemoryStore],
    label: str,
    *,
    store: MemoryStore | None = None,
    path: MemoryPath = MemoryPath.ROOT,
) -> Labelled:
    """Return the page of live files with the label that the address asks for; two queries on the label's index."""
    # In one call: a second one would look for a second label.
    where = Q(label_rows__store=store) if store else Q(label_rows__store__in=stores)
    found = MemoryEntry.objects.filter(where, state=State.LIVE, label_rows__label=label)
    if not path.is_root:
        found = found.filter(path__gt=f"{path}/", path__lt=f"{path}0")
    ordered = found.select_related("store").order_by("store__name", "store", "path")
    return Labelled(label, Paginator(ordered, PAGE_FILES).get_page(request.GET.get("page")), store, path)


def _address(store: MemoryStore, label: str) -> str:
    return addresses.files(store.slug, MemoryPath.ROOT.text, label=label)
