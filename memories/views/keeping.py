"""What an editor sends is kept as a draft, whatever its form asks for: the one whose mark it has, else a new one."""

from django.http import HttpRequest

from memdash.web.requests import UserRequest
from memories.diffs import with_line_feeds
from memories.forms import EditForm
from memories.models import Draft, MemoryEntry, MemoryStore, State
from memories.paths import PATH_BYTES
from memories.store import drafts
from memories.views import sheets
from memories.views.sheets import Sheet


def keep(request: UserRequest, entry: MemoryEntry, sheet: Sheet, *, discarded: bool = False) -> Draft | None:
    """Keep what was typed as the person's draft and return it; None, and no draft, where it is what the file says."""
    same = entry.state == State.LIVE and entry.blob is not None and entry.blob.sha256 == sheet.sha256
    mark = request.POST.get("draft", "")
    if same or not sheet.is_changed:
        drafts.forget(drafts.held(drafts.of_file(request.user.pk, entry), mark))
        return None
    return drafts.keep(
        request.user.pk,
        entry,
        sheet.text,
        mark=mark,
        base_version=sheet.base_version,
        base_sha256=sheet.base_sha256,
        discarded=discarded,
    )


def keep_new(
    request: UserRequest, memory: MemoryStore, sheet: Sheet, typed: str, *, discarded: bool = False
) -> Draft | None:
    """Do the same with the text of a file that is to be made, where ``typed`` says; an empty one is none."""
    mark = request.POST.get("draft", "")
    if not sheet.text:
        drafts.forget(drafts.held(drafts.of_new_files(request.user.pk, memory), mark))
        return None
    return drafts.keep_new(request.user.pk, memory, typed, sheet.text, mark=mark, discarded=discarded)


def sent(entry: MemoryEntry, form: EditForm) -> Sheet:
    """Return what a valid form holds of the file."""
    given = form.cleaned_data
    return sheets.sent(entry, given["text"], given["base_version"], given["base_sha256"])


def sent_new(request: HttpRequest) -> tuple[Sheet, str]:
    """Return what was typed, whatever is wrong with it: the text, and the path as it stands in its field."""
    text = request.POST.get("text", "").replace("\0", "")
    typed = request.POST.get("path", "").strip()[:PATH_BYTES].replace("\0", "")
    return Sheet(with_line_feeds(text)), typed
