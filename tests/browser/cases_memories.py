"""The pages of stores and files. One store holds everything; with many rows it also has many of each kind."""

from datetime import datetime, timedelta
from io import BytesIO
from urllib.parse import urlencode
from uuid import uuid4

from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone
from PIL import Image

from memories import store, tool
from memories.actors import Actor, ActorKind
from memories.commands import Create, Delete, ImportFile, Insert, Label, Lock, Note, Pin, Rename, StrReplace
from memories.models import ChangeSet, Emptying, Member, MemoryEntry, MemoryStore, Role
from memories.paths import MemoryPath
from memories.store import drafts
from memories.taking import Side, compared
from tests.browser.cases import Case

SLUG = "customer-notes"
ROOM = "a-directory-whose-name-alone-would-fill-the-whole-pane"
UNBROKEN = f"{'deep-' * 3}{'n' * 180}.md"
FILE = "customers/acme corp & söhne.md"
MERGED = "customers/merged.md"
TEXT = """# Acme Corp

- Business tier, **240 seats**, renews 12 December [elsewhere](https://acme.example/terms) and [here](../index.md)
- An_unbroken_word_that_is_so_long_that_it_has_to_be_broken_somewhere_or_the_page_would_scroll_sideways_at_390_pixels

## Open issues

1. Export job times out above 50,000 rows: `split --by month --since 2026-01-01 --until 2026-12-31 --quietly`

| plan | seats |
| --- | --- |
| business | 240 |

    code that is indented and longer than any line ought to be, so that it has to scroll by itself or to be broken
"""


def seed(size: int) -> None:
    """Make stores with files of every kind; with many rows, a long folder, a long history and a long text."""
    if not size:
        return
    mara = User.objects.get(username="mara")
    memory = store.create_store(name="Customer notes", slug=SLUG, description="What everybody knows of customers.")
    Member.objects.create(store=memory, user=mara, role=Role.OWNER)
    old = Actor(ActorKind.AGENT, "Support desk", turn=2, run_id=uuid4(), authored_at=_days_ago(120))
    path = _at(FILE)
    store.apply(memory.pk, Create(_at("accounts/acme.md"), TEXT), actor=old)
    store.apply(memory.pk, Rename(_at("accounts/acme.md"), path), actor=_person(mara))
    store.apply(memory.pk, Insert(path, 3, "- Prefers letters\u200b to calls\n"), actor=_person(mara))
    for relative in (".drafts/plan.md", f"{ROOM}/{ROOM}/{ROOM}/{UNBROKEN}", "index.md", "unopened.md"):
        store.apply(memory.pk, Create(_at(relative), f"# {relative}\n"), actor=old)
    store.apply(memory.pk, Create(_at("gone.md"), "It was here.\n"), actor=old)
    store.apply(memory.pk, Delete(_at("gone.md")), actor=_person(mara))
    Emptying.objects.create(
        store=memory,
        user_id=mara.pk,
        actor_label="mara",
        upto_seq=1,
        total=1,
        purged=0,
        asked_at=_days_ago(1),
        finished_at=_days_ago(1),
    )
    picture = BytesIO()
    Image.new("RGB", (640, 360), "teal").save(picture, "PNG")
    store.apply(memory.pk, ImportFile(_at("chart.png"), picture.getvalue()), actor=Actor(ActorKind.IMPORT, "mara"))
    for command in (Pin(_at("index.md")), Pin(_at("unopened.md")), Lock(path), *_words(path)):
        store.apply(memory.pk, command, actor=_person(mara))
    tool.execute(memory, {"command": "view", "path": path.text}, Actor(ActorKind.AGENT, "Support desk"))
    store.reads.flush()
    _seed_merge(memory, mara)
    _seed_bulk(memory, mara, max(3, size // 10))
    _seed_together(memory, mara)
    if size > 1:
        _seed_many(memory, mara, size)


def _words(path: MemoryPath) -> tuple[Label, Note]:
    """Return as many labels as a file may have, some long, and a note."""
    labels = ("urgent", "a-label-that-is-as-long-as-labels-can-be", *(f"label {number}" for number in range(18)))
    return Label(path, add=labels), Note(path, "Ask Ann before the renewal.\n\nShe knows the terms.")


def _seed_bulk(memory: MemoryStore, mara: User, files: int) -> None:
    """Make an act of many changes after which a person wrote in one of the files and deleted another."""
    bulk = Actor(ActorKind.AGENT, "Support desk", change_set="bulk")
    paths = [_at(f"bulk/{number}.md") for number in range(files)]
    for path in paths:
        store.apply(memory.pk, Create(path, TEXT), actor=_person(mara))
    for path in paths:
        store.apply(memory.pk, StrReplace(path, "12 December", "24 December, or so"), actor=bulk)
    store.apply(memory.pk, StrReplace(paths[0], "or so", "in the morning"), actor=_person(mara))
    store.apply(memory.pk, Delete(paths[1]), actor=_person(mara))


def _seed_together(memory: MemoryStore, mara: User) -> None:
    """Make an act that reached over two stores, of which a person changed a file since."""
    other = store.create_store(name="Second notes")
    act = Actor(ActorKind.PERSON, "mara", user_id=mara.pk, change_set="together:cases", reason="seats → places")
    for each in (memory, other):
        store.apply(each.pk, Create(_at("together.md"), "240 seats\n"), actor=_person(mara))
        store.apply(each.pk, StrReplace(_at("together.md"), "seats", "places"), actor=act)
    store.apply(other.pk, StrReplace(_at("together.md"), "places", "spots"), actor=_person(mara))


def _seed_many(memory: MemoryStore, mara: User, size: int) -> None:
    with store.locked(memory.pk) as tx:
        for number in range(size // 4):
            tx.apply(Create(_at(f"old/note-{number}.md"), f"# Note {number}\n"), actor=_person(mara))
        tx.apply(Delete(_at("old")), actor=_person(mara))
        for number in range(size):
            tx.apply(Create(_at(f"progress/week-{number:04}.md"), "- done\n"), actor=_person(mara))
            tx.apply(Insert(_at(FILE), 3, f"- Call {number}\n"), actor=_person(mara))
        lines = "".join(f"line {number} of a log that goes on and on\n" for number in range(3 * size))
        tx.apply(Create(_at("log.txt"), lines), actor=_person(mara))
    MemoryStore.objects.bulk_create(
        MemoryStore(name=f"Store number {n}", slug=f"store-{n}", created_at=timezone.now(), byte_count=n * 120_000)
        for n in range(1, size)
    )


def _at(relative: str) -> MemoryPath:
    return MemoryPath.parse(f"/memories/{relative}")


def _days_ago(days: int) -> datetime:
    return timezone.now() - timedelta(days=days)


def _person(mara: User) -> Actor:
    return Actor(ActorKind.PERSON, "mara", user_id=mara.pk)


def _page(name: str, path: str = "", query: str = "") -> str | None:
    """Return the address of a page of the store, or None where there is no store."""
    if not MemoryStore.objects.filter(slug=SLUG).exists():
        return None
    return reverse(f"memories:{name}", kwargs={"slug": SLUG, **({"path": path} if path else {})}) + query


def _file(name: str, path: str, state: str = "live") -> str | None:
    """Return the address of what belongs to a file, or None where there is none."""
    file = MemoryEntry.objects.filter(store__slug=SLUG, path=_at(path).text, state=state).first()
    return reverse(f"memories:{name}", kwargs={"file_id": file.uuid}) if file else None


def _version(path: str, number: int) -> str | None:
    """Return the address of a version of a file, or None where there is none."""
    file = MemoryEntry.objects.filter(store__slug=SLUG, path=_at(path).text).first()
    return reverse("memories:version", args=[file.uuid, number]) if file else None


def _versions_compared() -> str:
    """Return the address that compares two versions, or that of the form for them where there is no file."""
    file = MemoryEntry.objects.filter(store__slug=SLUG, path=_at(FILE).text).first()
    address = reverse("memories:compare-versions")
    return f"{address}?old={file.uuid}@1&new={file.uuid}@3" if file else address


def _merge() -> str | None:
    """Return the address of a merge of a draft with what an agent made of its file, or None where there is none."""
    file = MemoryEntry.objects.filter(store__slug=SLUG, path=_at(MERGED).text).first()
    return reverse("memories:merge", args=[file.uuid]) if file else None


def _seed_merge(memory: MemoryStore, mara: User) -> None:
    """Leave a draft of a file that an agent changes afterwards: two conflicts, and a change that meets none."""
    path = _at(MERGED)
    store.apply(memory.pk, Create(path, TEXT), actor=_person(mara))
    entry = MemoryEntry.objects.select_related("blob").get(store=memory, path=path.text)
    typed = TEXT.replace("12 December", "13 December").replace("240 |", "250 |").replace("# Acme", "# Acme\u202e")
    sha256 = entry.blob.sha256 if entry.blob else ""
    drafts.keep(mara.pk, entry, typed, mark="", base_version=1, base_sha256=sha256)
    agent = Actor(ActorKind.AGENT, "Support desk", turn=4)
    for old, new in (("12 December", "14 December"), ("240 |", "260 |"), ("Open issues", "Issues")):
        store.apply(memory.pk, StrReplace(path, old, new), actor=agent)


def _pair() -> str | None:
    """Return the address of two files side by side."""
    files = [MemoryEntry.objects.filter(store__slug=SLUG, path=_at(path).text).first() for path in (FILE, "index.md")]
    one, other = files
    return _page("health-pair", query=f"?one={one.uuid}&other={other.uuid}") if one and other else None


def _replace() -> str:
    """Return the address that shows what would be replaced in the store; in all, where it is not there."""
    query = {"find": "renews", "put": "ends"} | ({"store": SLUG} if MemoryStore.objects.filter(slug=SLUG) else {})
    return f"{reverse('memories:replace')}?{urlencode(query)}"


def _undo() -> str | None:
    """Return the address of the page that would take the act of many changes back."""
    act = ChangeSet.objects.filter(store__slug=SLUG, key="bulk").first()
    return reverse("memories:undo-act", kwargs={"change_set": act.uuid}) if act else None


def _purge() -> str | None:
    """Return the address of the page that asks whether a deleted file shall go for good."""
    file = MemoryEntry.objects.filter(store__slug=SLUG, path=_at("gone.md").text, state="trash").first()
    return f"{reverse('memories:purge')}?file={file.uuid}" if file else None


def _emptying() -> str | None:
    """Return the address of the page that tells how far the emptying of a trash is."""
    order = Emptying.objects.filter(store__slug=SLUG).first()
    return reverse("memories:emptying", kwargs={"order": order.uuid}) if order else None


def _undo_everywhere() -> str | None:
    """Return the address of the page that would take an act over two stores back."""
    act = ChangeSet.objects.filter(key="together:cases").first()
    return reverse("memories:undo-everywhere", kwargs={"change_set": act.uuid}) if act else None


def _compared(name: str = "compare") -> str | None:
    """Return the address that compares the store with what it was before its last changes, or shows one difference."""
    memory = MemoryStore.objects.filter(slug=SLUG).first()
    if memory is None:
        return reverse("memories:compare") if name == "compare" else None
    asked = {"source": SLUG, "source_at": memory.seq // 2, "target": SLUG}
    key = compared(Side(memory, memory.seq // 2), Side(memory)).choices[0].key if name == "compare-file" else ""
    return f"{reverse(f'memories:{name}')}?{urlencode(asked | ({'key': key} if key else {}))}"


CASES = {
    "memories:activity": Case(lambda: reverse("memories:activity")),
    "memories:undo-act": Case(_undo),
    "memories:compare": Case(_compared),
    "memories:compare-file": Case(lambda: _compared("compare-file")),
    "memories:since": Case(lambda: reverse("memories:since")),
    "memories:since-file": Case(lambda: _file("since-file", FILE)),
    "memories:search": Case(
        lambda: (
            f"{reverse('memories:search')}?q=acme+-gone&older=1&state=all"
            if _page("files")
            else reverse("memories:search")
        )
    ),
    "memories:undo-everywhere": Case(_undo_everywhere),
    "memories:replace": Case(_replace),
    "memories:all-files": Case(lambda: _page("all-files", query="?q=m&order=-size")),
    "memories:bulk": Case(lambda: _page("bulk", query="?verb=move&all=1&to=archive&keep=1")),
    "memories:export": Case(lambda: _page("export", query="?all=1"), shown=False),
    "memories:file": Case(lambda: _file("file", FILE), shown=False),
    "memories:stores": Case(lambda: reverse("memories:stores")),
    "memories:store-new": Case(lambda: reverse("memories:store-new")),
    "memories:store-settings": Case(lambda: _page("store-settings")),
    "memories:members": Case(lambda: _page("members")),
    "memories:files": Case(lambda: _page("files", FILE)),
    "memories:tree": Case(lambda: _page("tree", "customers")),
    "memories:history": Case(lambda: _page("history", FILE, "?v=3")),
    "memories:time": Case(lambda: _page("time", "accounts/acme.md", "?at=1")),
    "memories:time-tree": Case(lambda: _page("time-tree", "customers")),
    "memories:put-back": Case(lambda: _page("put-back", query="?at=8")),
    "memories:health": Case(lambda: _page("health")),
    "memories:health-pair": Case(_pair),
    "memories:agent-view": Case(lambda: _page("agent-view")),
    "memories:edit": Case(lambda: _file("edit", FILE)),
    "memories:edit-news": Case(lambda: _file("edit-news", FILE), whole=False),
    "memories:merge": Case(_merge),
    "memories:version": Case(lambda: _version(FILE, 3)),
    "memories:compare-versions": Case(_versions_compared),
    "memories:new-file": Case(lambda: _page("new-file", query="?path=customers/")),
    "memories:rename-file": Case(lambda: _file("rename-file", FILE)),
    "memories:rename-folder": Case(lambda: _page("rename-folder", "customers")),
    "memories:restore-file": Case(lambda: _file("restore-file", "gone.md", "trash")),
    "memories:trash": Case(lambda: reverse("memories:trash")),
    "memories:trash-file": Case(lambda: _file("trash-file", "gone.md", "trash")),
    "memories:purge": Case(_purge),
    "memories:empty-trash": Case(lambda: _page("empty-trash")),
    "memories:emptying": Case(_emptying),
    "memories:image": Case(lambda: _file("image", "chart.png"), shown=False),
    "memories:download": Case(lambda: _file("download", FILE), shown=False),
}
POST_ONLY = {
    f"memories:{name}"
    for name in (
        *("all-seen", "seen", "note", "pin", "unpin", "lock", "unlock", "pause", "unpause"),
        *("draft", "discard-draft", "take-up-draft", "new-file-draft", "new-file-discard"),
        *("delete-file", "delete-folder", "restore-files", "label", "file-note"),
        *("mark-seen", "unsee"),
    )
}
